// SPDX-License-Identifier: MIT
#include "query/search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tables/object_search.hpp"
#include "tables/rows.hpp"

namespace query {
namespace {

using tables::FoundObject;
using tables::SearchKey;

// At most so many classes of the build are searched for a name, and so many of its objects are
// loaded for their labels.
constexpr std::size_t most_classes = 300, most_loaded = 8;
constexpr std::size_t shortest_prefix = 2;

// Labels that are read from the build, up to a number of them.
class BuildLabels {
   public:
    explicit BuildLabels(const ReadContext& context) : context_(context) {}

    // Returns an empty text when the object cannot be read, or too many were read before.
    std::string of(const ObjectName& object) {
        if (!context_.builds.build || loaded_++ >= most_loaded) return {};
        const auto loaded = context_.builds.build->load(object);
        return loaded ? history::label_of(loaded->nodes, object, context_.settings.names) : "";
    }

   private:
    const ReadContext& context_;
    std::size_t loaded_ = 0;
};

// -- what is shown as of the current release

bool has(const source::Source* build, const ObjectName& object) {
    if (build == nullptr) return false;
    const auto spelling = build->find(object);
    return spelling && *spelling;
}

// Returns the label of each object in its newest row that is shown; objects without such a row are
// left out.
std::map<std::int64_t, std::string> shown_labels(const ReadView& now,
                                                 std::span<const std::int64_t> oids) {
    std::map<std::int64_t, std::string> labels;
    for (auto& [oid, rows] : tables::row_labels(now.transaction, oids)) {
        const Release* newest = nullptr;
        for (auto& row : rows) {
            const auto* release = now.shown(row.version);
            if (release == nullptr || (newest != nullptr && !(*newest < *release))) continue;
            newest = release;
            labels[oid] = std::move(row.label);
        }
    }
    return labels;
}

// Returns those objects that the build has, or that a release up to the current one has recorded,
// with the labels they have now. A label is empty when nothing says what it is.
//   cost  nothing for objects that were compared in no newer release; for the others their rows
//         are read, 64 objects a query, and those without rows are looked up in the build
std::vector<Named> shown_among(const ReadView& now, std::span<const FoundObject> found) {
    const auto is_as_recorded = [&](const FoundObject& each) {
        return now.shown(each.ace_version) != nullptr;
    };
    std::vector<std::int64_t> newer;
    for (const auto& each : found)
        if (!is_as_recorded(each)) newer.push_back(each.oid);
    const auto labels = shown_labels(now, newer);
    std::vector<Named> named;
    for (const auto& each : found) {
        const auto label = labels.find(each.oid);
        if (is_as_recorded(each))
            named.push_back({each.object, each.label});
        else if (label != labels.end())
            named.push_back({each.object, label->second});
        else if (has(now.build(), each.object))
            named.push_back({each.object, ""});
    }
    return named;
}

// -- search

std::vector<std::string> classes_of_build(const ReadContext& context) {
    std::vector<std::string> classes;
    if (context.builds.build)
        for (const auto& count : context.builds.build->class_counts())
            classes.push_back(count.class_name);
    return classes;
}

// Returns the class as it is spelled among these; empty: it is none of them.
std::string spelling_among(const std::vector<std::string>& classes, const std::string& asked) {
    if (std::ranges::find(classes, asked) != classes.end()) return asked;
    for (const auto& each : classes)
        if (base::equal_ignoring_case(each, asked)) return each;
    return {};
}

// Returns the class as it is spelled in the build or the store; an unknown one as it is.
std::string spelling_of_class(const ReadView& now, const std::string& asked) {
    if (asked.empty()) return asked;
    auto spelling = spelling_among(classes_of_build(now.context), asked);
    if (spelling.empty())
        spelling = spelling_among(tables::recorded_classes(now.transaction), asked);
    return spelling.empty() ? asked : spelling;
}

class Search {
   public:
    Search(const ReadContext& context, std::string class_name, std::string_view text,
           std::size_t most)
        : context_(context), class_name_(std::move(class_name)), text_(text), most_(most),
          labels_(context) {}

    std::vector<Named> run() {
        read(context_, [&](const ReadView& now) {
            found_.clear();
            seen_.clear();
            class_name_ = spelling_of_class(now, class_name_);
            for (const auto key : {SearchKey::label, SearchKey::name})
                take(now,
                     tables::objects_with_key(now.transaction, key, text_, class_name_, most_));
        });
        search_build();
        if (text_.size() >= shortest_prefix)
            read(context_, [&](const ReadView& now) {
                search_keys(now, SearchKey::label);
                if (!class_name_.empty() && !is_full())
                    take(now, tables::objects_with_name_prefix(now.transaction, class_name_,
                                                               text_, most_));
                search_keys(now, SearchKey::name);
            });
        return std::move(found_);
    }

   private:
    [[nodiscard]] bool is_full() const { return found_.size() >= most_; }

    void search_keys(const ReadView& now, SearchKey key) {
        if (is_full()) return;
        take(now,
             tables::objects_with_key_prefix(now.transaction, key, text_, class_name_, most_));
    }

    void take(const ReadView& now, std::span<const FoundObject> found) {
        for (auto& named : shown_among(now, found)) {
            // Only a newer release has recorded it, so its label is that of the build.
            if (named.label.empty()) named.label = labels_.of(named.object);
            if (begins(named.object.name) || begins(named.label)) take(std::move(named));
        }
    }

    void take(Named named) {
        if (is_full() || !seen_.insert(named.object).second) return;
        named.label = named.object.label_or_name(named.label);
        found_.push_back(std::move(named));
    }

    // The key of a label that a newer release gave an object is not that of the label it has now.
    [[nodiscard]] bool begins(const std::string& text) const {
        return base::fold_ascii(text).starts_with(base::fold_ascii(text_));
    }

    // A build that cannot be read now adds nothing.
    void search_build() {
        if (!context_.builds.build) return;
        auto classes =
            class_name_.empty() ? classes_of_build(context_) : std::vector{class_name_};
        classes.resize(std::min(classes.size(), most_classes));
        for (const auto& class_name : classes) {
            if (is_full()) return;
            const auto spelling = context_.builds.build->find({class_name, text_});
            if (spelling && *spelling && !is_found(**spelling))
                take({**spelling, labels_.of(**spelling)});
        }
    }

    // It may be recorded in another spelling.
    [[nodiscard]] bool is_found(const ObjectName& spelling) const {
        return std::ranges::any_of(found_, [&](const Named& named) {
            return base::equal_ignoring_case(named.object.class_name, spelling.class_name) &&
                   base::equal_ignoring_case(named.object.name, spelling.name);
        });
    }

    const ReadContext& context_;
    std::string class_name_, text_;
    std::size_t most_;
    BuildLabels labels_;
    std::vector<Named> found_;
    std::set<ObjectName> seen_;
};

}  // namespace

std::vector<Named> find_named(const ReadContext& context, const std::string& class_name,
                              std::string_view text, std::size_t most) {
    if (text.empty() || text.size() > tree::longest_name) return {};
    return Search(context, class_name, text, most).run();
}

std::vector<Called> objects_called(const ReadContext& context, const ObjectName& asked,
                                   std::size_t most) {
    // Without the classes of the store: whoever asks for what does not exist must not cost more.
    const auto spelling = spelling_among(classes_of_build(context), asked.class_name);
    const auto& class_name = spelling.empty() ? asked.class_name : spelling;
    return read(context, [&](const ReadView& now) {
        std::vector<Called> called;
        for (const auto& [object, label] :
             shown_among(now, tables::objects_with_key(now.transaction, SearchKey::label,
                                                       asked.name, class_name, most))) {
            if (!base::equal_ignoring_case(label, asked.name)) continue;
            if (base::equal_ignoring_case(object.name, asked.name)) continue;
            bool vanished = false;
            if (now.build() != nullptr) {
                const auto in_build = now.build()->find(object);
                vanished = in_build && !*in_build;
            }
            called.push_back({object, vanished});
        }
        return called;
    });
}

std::vector<Named> exactly_named(const ReadContext& context, std::span<const std::string> classes,
                                 std::string_view text, std::size_t most, std::size_t& lookups) {
    const auto class_name = classes.size() == 1 ? classes.front() : std::string();
    const auto recorded = [&](SearchKey key) {
        return read(context, [&](const ReadView& now) {
            auto found = shown_among(
                now, tables::objects_with_key(now.transaction, key, text, class_name, most));
            // The key of a label that a newer release gave an object is not the one it has now.
            std::erase_if(found, [&](const Named& named) {
                const auto& shown = key == SearchKey::name ? named.object.name : named.label;
                return !base::equal_ignoring_case(shown, text);
            });
            return found;
        });
    };
    auto found = recorded(SearchKey::name);
    for (const auto& each : classes) {
        if (!context.builds.build || lookups == 0 || found.size() >= most) break;
        --lookups;
        const auto spelling = context.builds.build->find({each, std::string(text)});
        if (!spelling || !*spelling) continue;
        const bool is_found = std::ranges::any_of(found, [&](const Named& named) {
            return base::equal_ignoring_case(named.object.class_name, each);
        });
        if (!is_found) found.push_back({**spelling, ""});
    }
    const auto by_label = recorded(SearchKey::label);
    // In one class, the object of that name is meant; in others it may be a name that people use.
    if (found.empty() || classes.size() > 1)
        for (const auto& named : by_label)
            if (found.size() < most && !std::ranges::count(found, named.object, &Named::object))
                found.push_back(named);
    for (auto& named : found) named.label = named.object.label_or_name(named.label);
    std::ranges::sort(found, {}, &Named::object);
    return found;
}

std::vector<Named> with_labels(const ReadContext& context, std::span<const ObjectName> objects) {
    const auto identities =
        store::perform(context.pool, store::Access::read, [&](store::Transaction& transaction) {
            auto found = history::identify(transaction, context.builds.build.get(), objects);
            // A build that cannot be read now adds nothing; without a build nothing can fail.
            if (!found) found = history::identify(transaction, nullptr, objects);
            return found.value();
        });
    BuildLabels labels(context);
    std::vector<Named> named;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto& [row, spelling] = identities[i];
        const ObjectName object = row ? row->object : spelling.value_or(objects[i]);
        std::string label;
        if (row)
            label = row->label;
        else if (spelling)
            label = labels.of(object);
        named.push_back({object, object.label_or_name(label)});
    }
    return named;
}

std::vector<std::string> known_classes(const ReadContext& context) {
    const auto of_build = classes_of_build(context);
    std::set<std::string> classes(of_build.begin(), of_build.end());
    const auto recorded =
        store::perform(context.pool, store::Access::read, tables::recorded_classes);
    classes.insert(recorded.begin(), recorded.end());
    return {classes.begin(), classes.end()};
}

}  // namespace query
