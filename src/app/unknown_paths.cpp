// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/unknown_paths.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "app/suggestion.hpp"
#include "base/text.hpp"

namespace app {
namespace {

using base::Result;
using TagPath = std::vector<std::string>;

constexpr std::uint64_t most_of_class = 200, most_of_all = 1'000;

// A path starts at the top of the object; a single tag may match anywhere (compare::TagPaths).
enum class SingleTag : unsigned char { at_the_top, anywhere };

// Returns "identity>name" for a path of tags.
std::string key_of(const TagPath& path) { return base::fold_ascii(base::join(path, ">")); }

// What the objects of a class that were looked at have.
struct Sample {
    std::uint64_t objects = 0;
    std::vector<std::string> tags;
    std::set<std::string> paths, single_tags;  // as key_of() has them

    //   path  of tags alone, from the top of the object
    void add(const std::vector<tree::Node>& nodes, const TagPath& path, bool is_path = true) {
        for (const auto& node : nodes) {
            const bool is_tag = node.cell.kind == tree::CellKind::tag;
            auto below = path;
            if (is_tag) {
                below.push_back(node.cell.text);
                if (single_tags.insert(base::fold_ascii(node.cell.text)).second)
                    tags.push_back(node.cell.text);
                if (is_path) paths.insert(key_of(below));
            }
            add(node.children, below, is_path && is_tag);
        }
    }
};

// A path of the configuration.
struct Wanted {
    std::string place, class_name;  // "*": every class
    TagPath path;
    SingleTag single;

    [[nodiscard]] bool is_about(std::string_view of_class) const {
        return class_name == "*" || base::equal_ignoring_case(class_name, of_class);
    }
    [[nodiscard]] bool is_anywhere() const {
        return path.size() == 1 && single == SingleTag::anywhere;
    }
    [[nodiscard]] bool is_in(const Sample& sample) const {
        return (is_anywhere() ? sample.single_tags : sample.paths).contains(key_of(path));
    }
    [[nodiscard]] bool is_in(const tree::Models& models, std::string_view of_class) const {
        const auto has = [&](std::string_view tag) {
            return base::equal_ignoring_case(tag, path.front());
        };
        if (is_anywhere()) return std::ranges::any_of(models.tags_of_class(of_class), has);
        auto at = models.of_class(of_class);
        for (const auto& tag : path) {
            if (at == tree::Models::unknown) return false;
            at = models.below(at, tree::Notation::bare, tag);
            if (models.at(at).type != tree::ModelNode::Type::tag) return false;
        }
        return at != tree::Models::unknown;
    }
};

class PathCheck {
   public:
    explicit PathCheck(const source::Source& build) : build_(build) {
        for (auto& count : build.class_counts())
            objects_of_.emplace(count.class_name, count.objects);
    }

    template <class PathsOfClasses>
    void add(const std::string& section, const PathsOfClasses& paths, SingleTag single) {
        for (const auto& [class_name, list] : paths) {
            const auto place = section + " " + class_name;
            if (class_name != "*" && (!has_class(place, class_name) || build_.skips(class_name)))
                continue;
            for (const auto& path : list) {
                Wanted wanted{place, class_name, path, single};
                const auto is_there = [&](const std::string& each) {
                    return wanted.is_in(build_.models(), each);
                };
                if (std::ranges::none_of(classes_of(wanted), is_there))
                    missing_.push_back(std::move(wanted));
            }
        }
    }

    // Returns whether the build or its models have the class, or leave it out; else says so.
    bool has_class(const std::string& place, const std::string& class_name) {
        std::string complaint;
        if (!tree::can_be_tracked(class_name))
            complaint = "classes of this name are not tracked: it has a colon, or is longer than "
                        "64 bytes";
        else if (build_.models().of_class(class_name) == tree::Models::unknown &&
                 !build_.skips(class_name))
            complaint = complaint_of_class(build_, class_name);
        if (!complaint.empty()) unknown_.push_back({place, complaint});
        return complaint.empty();
    }

    // Returns an error if the build cannot be reached.
    Result<void> add_object(const std::string& place, const tree::ObjectName& object) {
        if (!has_class(place, object.class_name) || build_.skips(object.class_name)) return {};
        const auto found = build_.find(object);
        if (!found) return tl::unexpected(found.error());
        if (!*found)
            unknown_.push_back({place, fmt::format("{} {} is not in {}", object.class_name,
                                                   object.name, build_.release().version)});
        return {};
    }

    Result<std::vector<UnknownPath>> run() {
        if (const auto looked = look_at_objects(); !looked) return tl::unexpected(looked.error());
        for (const auto& each : missing_) {
            const auto is_there = [&](const std::string& class_name) {
                return each.is_in(samples_[class_name]);
            };
            if (std::ranges::none_of(classes_of(each), is_there))
                unknown_.push_back({each.place, remark_on(each)});
        }
        return std::move(unknown_);
    }

   private:
    [[nodiscard]] std::vector<std::string> classes_of(const Wanted& path) const {
        std::vector<std::string> classes;
        for (const auto& [class_name, objects] : objects_of_)
            if (path.is_about(class_name)) classes.push_back(class_name);
        if (classes.empty()) classes.push_back(path.class_name);
        return classes;
    }

    Result<void> look_at_objects() {
        std::map<std::string, std::uint64_t, std::less<>> every, at;  // this many, by class
        for (const auto& path : missing_)
            for (const auto& class_name : classes_of(path)) every[class_name] = 1;
        if (every.empty()) return {};
        const auto share =
            std::clamp<std::uint64_t>(most_of_all / every.size(), 1, most_of_class);
        for (const auto& [class_name, objects] : objects_of_)
            if (const auto found = every.find(class_name); found != every.end())
                found->second = std::max<std::uint64_t>(1, (objects + share - 1) / share);
        std::vector<tree::ObjectName> names;
        source::each_object(build_, [&](const source::Listed& listed) {
            const auto found = every.find(listed.class_name);
            if (found != every.end() && at[found->first]++ % found->second == 0)
                names.push_back(listed.id());
            return true;
        });
        for (const auto& name : names) {
            const auto object = build_.load(name);
            if (!object && object.error().kind == base::ErrorKind::unavailable)
                return tl::unexpected(object.error());
            if (!object) continue;  // it cannot be read; comparing it says so
            auto& sample = samples_[name.class_name];
            ++sample.objects;
            sample.add(object->nodes, {});
        }
        return {};
    }

    std::string remark_on(const Wanted& path) {
        std::vector<std::string> tags;
        std::uint64_t objects = 0;
        for (const auto& class_name : classes_of(path)) {
            for (const auto tag : build_.models().tags_of_class(class_name))
                tags.emplace_back(tag);
            const auto& sample = samples_[class_name];
            tags.insert(tags.end(), sample.tags.begin(), sample.tags.end());
            objects += sample.objects;
        }
        const auto strange = std::ranges::find_if(path.path, [&](const std::string& tag) {
            return std::ranges::none_of(tags, [&](const std::string& each) {
                return base::equal_ignoring_case(each, tag);
            });
        });
        return fmt::format("no object has {} ({} looked at){}", base::join(path.path, ">"),
                           objects,
                           strange == path.path.end() ? "" : did_you_mean(*strange, tags));
    }

    const source::Source& build_;
    std::map<std::string, std::uint64_t> objects_of_;  // by class
    std::vector<Wanted> missing_;                      // paths that the models do not have
    std::map<std::string, Sample> samples_;            // by class
    std::vector<UnknownPath> unknown_;
};

}  // namespace

Result<std::vector<UnknownPath>> unknown_paths(const source::Source& build,
                                               const Config& config) {
    PathCheck check(build);
    check.add("[names]", config.history.names, SingleTag::at_the_top);
    check.add("[search]", config.history.search, SingleTag::at_the_top);
    check.add("[important]", config.history.ranking.important, SingleTag::anywhere);
    check.add("[minor]", config.history.ranking.minor, SingleTag::anywhere);
    check.add("[ignore]", config.history.ignored, SingleTag::anywhere);
    check.add("[successor]", config.site.successor_of_class, SingleTag::at_the_top);
    for (const auto& class_name : config.history.ranking.helper_classes)
        (void)check.has_class("[classes] helpers", class_name);
    for (const auto& [user, object] : config.history.curators)
        if (auto looked = check.add_object("[curators] " + user, object); !looked)
            return tl::unexpected(looked.error());
    for (const auto& [author, object] : config.site.authors)
        if (auto looked = check.add_object("[authors] " + author, object); !looked)
            return tl::unexpected(looked.error());
    for (const auto& rule : config.mentions)
        (void)check.has_class("[mentions] " + rule.class_name, rule.class_name);
    return check.run();
}

}  // namespace app
