// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/unknown_paths.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "app/suggestion.hpp"
#include "base/text.hpp"

namespace app {
namespace {

using base::Result;
using TagPath = std::vector<std::string>;
using Position = tree::Models::Position;

constexpr std::uint64_t most_of_class = 200, most_of_all = 1'000;

// A path starts at the top of the object; a single tag may match anywhere (compare::TagPaths).
enum class SingleTag : unsigned char { at_the_top, anywhere };

bool is_tag(const tree::Node& node, std::string_view tag) {
    return node.cell.kind == tree::CellKind::tag &&
           base::equal_ignoring_case(node.cell.text, tag);
}

bool has_tag(const std::vector<tree::Node>& nodes, std::string_view tag) {
    return std::ranges::any_of(nodes, [&](const tree::Node& node) {
        return is_tag(node, tag) || has_tag(node.children, tag);
    });
}

bool has_path(const std::vector<tree::Node>& nodes, std::span<const std::string> path) {
    return path.empty() || std::ranges::any_of(nodes, [&](const tree::Node& node) {
               return is_tag(node, path.front()) && has_path(node.children, path.subspan(1));
           });
}

bool has_path(const tree::Models& models, Position at, std::span<const std::string> path) {
    if (path.empty()) return true;
    const auto next = models.below(at, tree::Notation::bare, path.front());
    return next != tree::Models::unknown && models.at(next).type == tree::ModelNode::Type::tag &&
           has_path(models, next, path.subspan(1));
}

void collect_tags(const std::vector<tree::Node>& nodes, std::set<std::string>& tags) {
    for (const auto& node : nodes) {
        if (node.cell.kind == tree::CellKind::tag) tags.insert(node.cell.text);
        collect_tags(node.children, tags);
    }
}

// Collects the tags of a model and of the hashes in it.
void collect_tags(const tree::Models& models, Position at, std::set<Position>& seen,
                  std::set<std::string>& tags) {
    if (at == tree::Models::unknown || !seen.insert(at).second) return;
    for (const auto child : models.at(at).children) {
        const auto& node = models.at(child);
        if (node.type == tree::ModelNode::Type::tag) tags.insert(node.name);
        if (node.type == tree::ModelNode::Type::hash)
            collect_tags(models, models.of_class(node.name), seen, tags);
        collect_tags(models, child, seen, tags);
    }
}

bool has_word(const std::set<std::string>& words, std::string_view asked) {
    return std::ranges::any_of(
        words, [&](const std::string& each) { return base::equal_ignoring_case(each, asked); });
}

// A path that the models do not have, and the objects that were looked at do not either, so far.
struct Missing {
    std::string place, class_name;  // "*": every class
    TagPath path;
    SingleTag single;

    [[nodiscard]] bool is_about(std::string_view of_class) const {
        return class_name == "*" || base::equal_ignoring_case(class_name, of_class);
    }
    [[nodiscard]] bool is_in(const std::vector<tree::Node>& nodes) const {
        return path.size() == 1 && single == SingleTag::anywhere ? has_tag(nodes, path.front())
                                                                 : has_path(nodes, path);
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
            for (const auto& path : list)
                if (!is_in_models({place, class_name, path, single}))
                    missing_.push_back({place, class_name, path, single});
        }
    }

    // Returns whether the build or its models have the class, or leave it out; else says so.
    bool has_class(const std::string& place, const std::string& class_name) {
        if (!tree::can_be_tracked(class_name)) {
            unknown_.push_back({place,
                                "classes of this name are not tracked: it has a colon, or is "
                                "longer than 64 bytes"});
            return false;
        }
        const bool is_known = build_.models().of_class(class_name) != tree::Models::unknown ||
                              build_.skips(class_name);
        const auto complaint = is_known ? "" : complaint_of_class(build_, class_name);
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
        for (const auto& each : missing_) unknown_.push_back({each.place, remark_on(each)});
        return std::move(unknown_);
    }

   private:
    [[nodiscard]] std::vector<std::string> classes_of(const Missing& path) const {
        std::vector<std::string> classes;
        for (const auto& [class_name, objects] : objects_of_)
            if (path.is_about(class_name)) classes.push_back(class_name);
        if (classes.empty()) classes.push_back(path.class_name);
        return classes;
    }

    [[nodiscard]] std::set<std::string> tags_of_models(const std::string& class_name) const {
        std::set<Position> seen;
        std::set<std::string> tags;
        collect_tags(build_.models(), build_.models().of_class(class_name), seen, tags);
        return tags;
    }

    [[nodiscard]] bool is_in_models(const Missing& path) const {
        const auto& models = build_.models();
        return std::ranges::any_of(classes_of(path), [&](const std::string& class_name) {
            const auto root = models.of_class(class_name);
            if (root == tree::Models::unknown) return false;
            return path.path.size() == 1 && path.single == SingleTag::anywhere
                       ? has_word(tags_of_models(class_name), path.path.front())
                       : has_path(models, root, path.path);
        });
    }

    // Returns how many objects of a class are looked at.
    [[nodiscard]] std::uint64_t share_of(const std::string& class_name) const {
        std::uint64_t share = 0;
        for (const auto& path : missing_)
            if (path.is_about(class_name))
                share = std::max(
                    share, path.class_name == "*"
                               ? std::max<std::uint64_t>(1, most_of_all / objects_of_.size())
                               : most_of_class);
        return std::min(share, most_of_class);
    }

    Result<void> look_at_objects() {
        std::map<std::string, std::uint64_t, std::less<>> every;  // this many objects, by class
        for (const auto& [class_name, objects] : objects_of_)
            if (const auto share = share_of(class_name); share > 0)
                every[class_name] = std::max<std::uint64_t>(1, (objects + share - 1) / share);
        if (every.empty()) return {};
        std::map<std::string, std::uint64_t, std::less<>> at;
        std::vector<tree::ObjectName> names;
        source::each_object(build_, [&](const source::Listed& listed) {
            const auto found = every.find(listed.class_name);
            if (found != every.end() && at[found->first]++ % found->second == 0)
                names.push_back(listed.id());
            return true;
        });
        for (const auto& name : names)
            if (const auto looked = look_at(name); !looked) return looked;
        return {};
    }

    Result<void> look_at(const tree::ObjectName& name) {
        const auto object = build_.load(name);
        if (!object && object.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(object.error());
        if (!object) return {};  // it cannot be read; comparing it says so
        ++looked_at_[name.class_name];
        collect_tags(object->nodes, tags_of_[name.class_name]);
        std::erase_if(missing_, [&](const Missing& path) {
            return path.is_about(name.class_name) && path.is_in(object->nodes);
        });
        return {};
    }

    [[nodiscard]] std::string remark_on(const Missing& path) const {
        std::set<std::string> tags;
        std::uint64_t objects = 0;
        for (const auto& class_name : classes_of(path)) {
            tags.merge(tags_of_models(class_name));
            if (const auto found = tags_of_.find(class_name); found != tags_of_.end())
                tags.insert(found->second.begin(), found->second.end());
            if (const auto found = looked_at_.find(class_name); found != looked_at_.end())
                objects += found->second;
        }
        const auto* const strange = [&]() -> const std::string* {
            for (const auto& tag : path.path)
                if (!has_word(tags, tag)) return &tag;
            return nullptr;
        }();
        return fmt::format(
            "no object has {} ({} looked at){}", base::join(path.path, ">"), objects,
            strange == nullptr ? ""
                               : did_you_mean(*strange, std::vector(tags.begin(), tags.end())));
    }

    const source::Source& build_;
    std::map<std::string, std::uint64_t> objects_of_;  // by class
    std::vector<Missing> missing_;
    std::vector<UnknownPath> unknown_;
    std::map<std::string, std::uint64_t> looked_at_;        // objects, by class
    std::map<std::string, std::set<std::string>> tags_of_;  // of these, by class
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
