// SPDX-License-Identifier: MIT
#include "query/search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "query/histories.hpp"
#include "tables/object_search.hpp"
#include "tables/rows.hpp"
#include "tables/trees.hpp"

namespace query {
namespace {

using tables::SearchKey;

// Most classes of the build that are searched for a name; most of its objects that are loaded for
// their labels.
constexpr std::size_t most_classes = 300, most_loaded = 8;
// Words of a query; objects that have one of them; objects whose label begins with the text.
constexpr std::size_t most_asked = 8, most_with_word = 500, most_alike = 200;
// Trees that are read for the other names that objects have in the current release.
constexpr std::size_t most_trees = 64;
// A word that so few objects have is good enough to find those that have the others too.
constexpr std::size_t few = 100;

// What objects are called in the build, read of up to a number of them.
class BuildLabels {
   public:
    explicit BuildLabels(const ReadContext& context) : context_(context) {}

    // Returns the label and the other names; empty texts when the object cannot be read, or too many
    // were read before.
    std::pair<std::string, std::string> of(const ObjectName& object) {
        if (!context_.builds.build || loaded_++ >= most_loaded) return {};
        const auto loaded = context_.builds.build->load(object);
        if (!loaded) return {};
        auto label = history::label_of(loaded->nodes, object, context_.settings.names);
        auto others =
            history::other_names_of(loaded->nodes, object, label, context_.settings.search);
        return {std::move(label), std::move(others)};
    }

   private:
    const ReadContext& context_;
    std::size_t loaded_ = 0;
};

// -- what is shown as of the current release

struct ShownState {
    const Release* release = nullptr;
    std::string label;
    bool vanished = false;
};
// Returns what the newest row of each object says that is shown; objects without such a row are
// left out.
std::map<std::int64_t, ShownState> shown_states(const ReadView& now,
                                                std::span<const std::int64_t> oids) {
    std::map<std::int64_t, ShownState> states;
    for (auto& [oid, rows] : tables::row_summaries(now.transaction, oids)) {
        for (auto& row : rows) {
            const auto* release = now.shown(row.version);
            if (release == nullptr) continue;
            auto& state = states[oid];
            if (state.release != nullptr && !(*state.release < *release)) continue;
            state = {release, std::move(row.label), row.kind == tables::RowKind::vanished};
        }
    }
    return states;
}

// An object that is shown. The label is empty when nothing says what it is.
struct Shown {
    std::int64_t oid = 0;  // 0: not recorded
    Match match;
    std::string other_names;
    // A newer release has recorded it: the other names are not those of the current one.
    bool has_newer_names = false;
};

// Returns those objects that the build has, or that a release up to the current one has recorded,
// as they are in the current release.
//   cost  nothing for objects that were compared in no newer release; for the others their rows
//         are read, 64 objects a query, and those without rows are looked up in the build
std::vector<Shown> shown_among(const ReadView& now, std::span<const tables::ObjectRow> found) {
    const auto is_as_recorded = [&](const tables::ObjectRow& each) {
        return now.is_shown(each.build);
    };
    std::vector<std::int64_t> newer;
    for (const auto& each : found)
        if (!is_as_recorded(each)) newer.push_back(each.oid);
    const auto states = shown_states(now, newer);
    std::vector<Shown> shown;
    for (const auto& each : found) {
        const auto state = states.find(each.oid);
        if (is_as_recorded(each)) {
            shown.push_back({each.oid,
                             {each.object, each.label, each.is_gone(), {}},
                             each.other_names,
                             false});
        } else if (state != states.end()) {
            const auto& [release, label, vanished] = state->second;
            shown.push_back(
                {each.oid, {each.object, label, vanished, {}}, each.other_names, true});
        } else if (now.build() != nullptr &&
                   now.build()->find(each.object).value_or(std::nullopt)) {
            shown.push_back({each.oid, {each.object, "", false, {}}, {}, true});
        }
    }
    return shown;
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

// Leaves out the last objects that have the same key and class if there may be more of them: the
// index does not have those in order. If those are all, the ones that were recorded first are better than
// none.
//   key_of  what the index orders by, apart from the class
template <class KeyOf>
void keep_whole_groups(std::vector<tables::ObjectRow>& found, std::size_t most, KeyOf key_of) {
    if (found.size() < most) return;
    const auto group_of = [&](const tables::ObjectRow& each) {
        return std::pair(key_of(each), each.object.class_name);
    };
    const auto last = group_of(found.back());
    if (group_of(found.front()) == last) return;
    std::erase_if(found, [&](const tables::ObjectRow& each) { return group_of(each) == last; });
}

// The better answer has the lower number.
enum Rank : int {
    label_is_it,
    name_is_it,
    other_name_is_it,
    label_is_same,  // to searches
    other_name_is_same,
    label_begins,
    words_are_whole,
    words_begin
};

// What a reader asks for, and how well an object answers it.
class Question {
   public:
    explicit Question(std::string_view text)
        : folded_(base::fold_ascii(text)), key_(base::search_key(text)),
          prefix_(base::search_prefix(text)), words_(base::words_of(text, most_asked)) {}

    [[nodiscard]] const std::string& key() const { return key_; }
    [[nodiscard]] const std::vector<base::SearchWord>& words() const { return words_; }

    // Returns nullopt when the object is none that was asked for.
    [[nodiscard]] std::optional<Rank> rank_of(const Shown& shown) const {
        const auto& [object, label, vanished, vanished_in] = shown.match;
        const auto is_it = [&](std::string_view each) {
            return base::equal_ignoring_case(each, folded_);
        };
        const bool has_label = !base::equal_ignoring_case(label, object.name);
        if (has_label && is_it(label)) return label_is_it;
        if (is_it(object.name)) return name_is_it;
        const auto others = shown.other_names.empty() ? std::vector<std::string_view>()
                                                      : base::split(shown.other_names, '\n');
        if (std::ranges::any_of(others, is_it)) return other_name_is_it;
        const auto label_key = base::search_key(label);
        if (has_label && label_key == key_) return label_is_same;
        const auto is_same = [&](std::string_view each) {
            return base::search_key(each) == key_;
        };
        if (std::ranges::any_of(others, is_same)) return other_name_is_same;
        if (label_key.starts_with(prefix_)) return label_begins;
        const bool has_name = is_it(std::string_view(object.name).substr(0, folded_.size()));
        if (words_.empty()) return has_name ? std::optional(words_begin) : std::nullopt;
        const auto words =
            base::words_of(base::SearchTexts{object.name, label, shown.other_names});
        bool whole = true;
        for (const auto& asked : words_) {
            const auto begins = [&](const std::string& each) {
                return each.starts_with(asked.key) || each.starts_with(asked.text);
            };
            if (!has_name && std::ranges::none_of(words, begins)) return std::nullopt;
            whole = whole && std::ranges::any_of(words, [&](const std::string& each) {
                        return each == asked.key || each == asked.text;
                    });
        }
        return whole ? words_are_whole : words_begin;
    }

   private:
    std::string folded_, key_, prefix_;
    std::vector<base::SearchWord> words_;
};

class Search {
   public:
    Search(const ReadContext& context, std::string class_name, std::string_view text)
        : context_(context), class_name_(std::move(class_name)), text_(text), question_(text),
          labels_(context) {}

    SearchAnswer run(const SearchPage& page) {
        read(context_, [&](const ReadView& now) {
            ranked_.clear();
            answer_ = {};
            trees_ = 0;
            class_name_ = spelling_of_class(now, class_name_);
            gather(now);
        });
        search_build();
        std::vector<Ranked*> order;
        for (auto& each : ranked_) order.push_back(&each);
        const auto first = std::min(page.from, order.size());
        const auto last = std::min(first + page.most, order.size());
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(last),
                          order.end(), [](const auto* a, const auto* b) { return *a < *b; });
        answer_.has_more = last < order.size();
        for (auto at = first; at < last; ++at) put(std::move(order[at]->shown));
        note_when_vanished();
        return std::move(answer_);
    }
    // Whether anything was found, on whatever page.
    [[nodiscard]] bool has_found() const { return !ranked_.empty(); }
    // Returns whether the text is a name or label, or its beginning, and not only words of one.
    [[nodiscard]] bool has_found_name() const {
        return std::ranges::any_of(
            ranked_, [](const Ranked& each) { return each.rank < words_are_whole; });
    }

   private:
    // An object in the order of the answers.
    struct Ranked {
        bool is_helper = false;
        Rank rank = label_is_it;
        std::string label_key;  // where the label begins with what was asked for
        Shown shown;
        bool operator<(const Ranked& other) const {
            const auto key = [](const Ranked& each) {
                return std::tie(each.is_helper, each.rank, each.shown.match.vanished,
                                each.label_key, each.shown.match.object);
            };
            return key(*this) < key(other);
        }
    };

    // What a range of an index gave.
    struct Part {
        std::vector<tables::ObjectRow> objects;
        bool is_cut = false;  // there may be more
    };

    void gather(const ReadView& now) {
        std::vector<tables::ObjectRow> found;
        const auto add = [&](Part part) {
            std::ranges::move(part.objects, std::back_inserter(found));
            return part.is_cut;
        };
        const auto word = rarest_word(now);
        const bool is_word = word.key == question_.key() && word.text == base::fold_ascii(text_);
        // Among those of any class, the first ones that begin with the text are those that have it
        // whole.
        if (!class_name_.empty())
            for (const auto key : {SearchKey::label, SearchKey::name}) add(with_text(now, key));
        bool is_cut = add(with_label_prefix(now, text_, is_word ? most_with_word : most_alike));
        is_cut |= add(with_name_prefix(now, text_));
        if (!word.key.empty()) {
            if (!is_word) {
                is_cut = add(with_label_prefix(now, word.key, most_with_word));
                is_cut |= add(with_name_prefix(now, word.text));
            }
            // The table of words lacks those that a name begins with.
            if (word.key != word.text) is_cut |= add(with_name_prefix(now, word.key));
            is_cut |= add(with_word(now, word.key));
        }
        if (class_name_.empty()) answer_.is_complete = !is_cut;
        // Of those with newer names the first ones are read: they must not depend on the recording.
        std::ranges::sort(found, {}, &tables::ObjectRow::object);
        const auto twice = std::ranges::unique(found, {}, &tables::ObjectRow::oid);
        found.erase(twice.begin(), twice.end());
        take(now, found);
    }

    [[nodiscard]] Part with_text(const ReadView& now, SearchKey key) const {
        auto found =
            tables::objects_with_key(now.transaction, key, text_, class_name_, most_alike);
        const bool is_cut = found.size() >= most_alike;
        if (key == SearchKey::label)
            keep_whole_groups(found, most_alike, [](const auto&) { return 0; });
        return {std::move(found), is_cut};
    }

    [[nodiscard]] Part with_label_prefix(const ReadView& now, const std::string& prefix,
                                         std::size_t most) const {
        auto found = tables::objects_with_key_prefix(now.transaction, SearchKey::label, prefix,
                                                     class_name_, most);
        const bool is_cut = found.size() >= most;
        keep_whole_groups(found, most,
                          [](const auto& each) { return base::search_key(each.label); });
        return {std::move(found), is_cut};
    }

    [[nodiscard]] Part with_name_prefix(const ReadView& now, const std::string& prefix) const {
        auto found = tables::objects_with_key_prefix(now.transaction, SearchKey::name, prefix,
                                                     class_name_, most_with_word);
        const bool is_cut = found.size() >= most_with_word;
        if (!class_name_.empty() && !is_cut)
            std::ranges::move(tables::objects_with_name_prefix(now.transaction, class_name_,
                                                               prefix, most_with_word),
                              std::back_inserter(found));
        return {std::move(found), is_cut};
    }

    [[nodiscard]] Part with_word(const ReadView& now, const std::string& word) const {
        auto [objects, rows] =
            tables::objects_with_word(now.transaction, word, class_name_, most_with_word);
        return {std::move(objects), rows >= most_with_word};
    }

    // Returns the word of the question that the fewest objects have; empty when it has no word.
    base::SearchWord rarest_word(const ReadView& now) {
        auto words = question_.words();
        if (words.size() == 1 && class_name_.empty()) return words.front();
        // A long word is likely to be rare.
        std::ranges::stable_sort(words, std::ranges::greater(),
                                 [](const auto& word) { return word.key.size(); });
        base::SearchWord rarest = words.empty() ? base::SearchWord() : words.front();
        auto fewest = most_with_word;
        for (const auto& word : words) {
            const auto count = tables::count_word(now.transaction, word, fewest);
            if (count < fewest) std::tie(rarest, fewest) = std::tie(word, count);
            if (fewest <= few) break;
        }
        answer_.is_complete = fewest < most_with_word;
        return rarest;
    }

    void take(const ReadView& now, std::span<const tables::ObjectRow> found) {
        for (auto& shown : shown_among(now, found)) {
            if (shown.has_newer_names) set_names_then(now, shown);
            take(std::move(shown));
        }
    }

    // Sets what an object is called in the current release, which its tree or the build says. The
    // other names only if neither label nor name is what was asked for.
    void set_names_then(const ReadView& now, Shown& shown) {
        const auto newer_names = std::exchange(shown.other_names, {});
        auto& [object, label, vanished, vanished_in] = shown.match;
        if (!label.empty()) {
            const auto rank = question_.rank_of(shown);
            if (context_.settings.search.empty() || (rank && *rank < other_name_is_it)) return;
        }
        if (trees_++ < most_trees) {
            const auto then =
                tables::tree_as_of(now.transaction, shown.oid, now.current, now.releases());
            if (!then) {
                base::log::error("a tree is damaged", {{"class", object.class_name},
                                                       {"name", object.name},
                                                       {"reason", then.error().text}});
            } else if (then->is_newest && !label.empty()) {
                shown.other_names = newer_names;
            } else if (then->tree && !then->tree->nodes.empty()) {
                const auto& nodes = then->tree->nodes;
                if (label.empty())
                    label = history::label_of(nodes, object, context_.settings.names);
                shown.other_names =
                    history::other_names_of(nodes, object, label, context_.settings.search);
            }
        } else {
            answer_.is_complete = false;
        }
        if (label.empty()) std::tie(label, shown.other_names) = labels_.of(object);
    }

    void take(Shown shown) {
        const auto rank = question_.rank_of(shown);
        if (!rank) return;
        const bool is_helper = context_.settings.ranking.is_helper(shown.match.object.class_name);
        auto label_key = *rank == label_begins ? base::search_key(shown.match.label) : "";
        ranked_.push_back({is_helper, *rank, std::move(label_key), std::move(shown)});
    }

    void put(Shown shown) {
        auto& match = shown.match;
        match.label = match.object.label_or_name(match.label);
        if (match.vanished) gone_.emplace(shown.oid, answer_.found.size());
        answer_.found.push_back(std::move(match));
    }

    void note_when_vanished() {
        if (gone_.empty()) return;
        std::vector<std::int64_t> oids;
        for (const auto& [oid, at] : gone_) oids.push_back(oid);
        read(context_, [&](const ReadView& now) {
            for (const auto& [oid, state] : shown_states(now, oids))
                if (state.vanished)
                    answer_.found[gone_.at(oid)].vanished_in = state.release->version;
        });
    }

    // A build that cannot be read now adds nothing.
    void search_build() {
        if (!context_.builds.build) return;
        auto classes =
            class_name_.empty() ? classes_of_build(context_) : std::vector{class_name_};
        classes.resize(std::min(classes.size(), most_classes));
        for (const auto& class_name : classes) {
            const auto spelling = context_.builds.build->find({class_name, text_});
            if (spelling && *spelling && !is_found(**spelling))
                take({0, {**spelling, labels_.of(**spelling).first, false, {}}, {}, false});
        }
    }

    // It may be recorded in another spelling.
    [[nodiscard]] bool is_found(const ObjectName& spelling) const {
        return std::ranges::any_of(ranked_, [&](const Ranked& each) {
            const auto& object = each.shown.match.object;
            return base::equal_ignoring_case(object.class_name, spelling.class_name) &&
                   base::equal_ignoring_case(object.name, spelling.name);
        });
    }

    const ReadContext& context_;
    std::string class_name_, text_;
    Question question_;
    BuildLabels labels_;
    std::vector<Ranked> ranked_;
    std::size_t trees_ = 0;                     // that were read
    std::map<std::int64_t, std::size_t> gone_;  // oid -> its place in the answer
    SearchAnswer answer_;
};

}  // namespace

SearchAnswer find_named(const ReadContext& context, const std::string& class_name,
                        std::string_view text, const SearchPage& page) {
    const auto asked = base::trim(text);
    if (asked.empty() || asked.size() > tree::longest_name) return {};
    Search search(context, class_name, asked);
    auto answer = search.run(page);
    if (search.has_found_name()) return answer;
    bool has_found = search.has_found();
    for (const auto& spelling : base::tidied(asked)) {
        Search other(context, class_name, spelling);
        auto found = other.run(page);
        if (other.has_found_name()) return found;
        if (!has_found && other.has_found()) answer = std::move(found);
        has_found = has_found || other.has_found();
    }
    return answer;
}

namespace {

// Returns objects that have this label in the current release, of 200 that have it in the newest
// one that is recorded, and while that is not shown yet, of 200 that had a label with its first
// word. Where labels are the text but for ASCII case, only their objects, because "K07A1.12" and
// "K07A11.2" have the same key.
std::vector<Shown> labelled(const ReadView& now, std::string_view label,
                            const std::string& class_name) {
    auto found = tables::objects_with_key(now.transaction, SearchKey::label, label, class_name,
                                          most_alike);
    const auto* newest = now.releases().newest();
    const auto words = base::words_of(label, 1);
    if (newest != nullptr && now.current < *newest && !words.empty())
        for (auto& each :
             tables::objects_with_word(now.transaction, words.front().key, class_name, most_alike)
                 .objects)
            if (!std::ranges::count(found, each.oid, &tables::ObjectRow::oid))
                found.push_back(std::move(each));
    std::ranges::sort(found, {}, &tables::ObjectRow::object);
    auto shown = shown_among(now, found);
    BuildLabels labels(now.context);
    for (auto& each : shown)
        if (each.match.label.empty()) each.match.label = labels.of(each.match.object).first;
    const auto is_it = [&](const Shown& each) {
        return base::equal_ignoring_case(each.match.label, label);
    };
    const bool any_is_it = std::ranges::any_of(shown, is_it);
    const auto key = base::search_key(label);
    std::erase_if(shown, [&](const Shown& each) {
        return any_is_it ? !is_it(each) : base::search_key(each.match.label) != key;
    });
    return shown;
}

}  // namespace

std::vector<Called> objects_called(const ReadContext& context, const ObjectName& asked,
                                   std::size_t most) {
    // Without the classes of the store: a request for an object that does not exist must stay cheap.
    const auto spelling = spelling_among(classes_of_build(context), asked.class_name);
    const auto& class_name = spelling.empty() ? asked.class_name : spelling;
    const auto& build = context.builds.build;
    std::vector<Called> called;
    const auto add = [&](const ObjectName& object) {
        if (called.size() >= most || base::equal_ignoring_case(object.name, asked.name)) return;
        bool vanished = false;
        if (build) {
            const auto in_build = build->find(object);
            vanished = in_build && !*in_build;
        }
        called.push_back({object, vanished});
    };
    for (const auto& shown : read(
             context, [&](const ReadView& now) { return labelled(now, asked.name, class_name); }))
        add(shown.match.object);
    if (!called.empty()) return called;
    for (const auto& tidied : base::tidied(asked.name)) {
        std::size_t lookups = 1;
        for (const auto& named :
             exactly_named(context, std::span(&class_name, 1), tidied, most, lookups))
            add(named.object);
        if (!called.empty()) break;
    }
    return called;
}

std::vector<Named> exactly_named(const ReadContext& context, std::span<const std::string> classes,
                                 std::string_view text, std::size_t most, std::size_t& lookups) {
    const auto class_name = classes.size() == 1 ? classes.front() : std::string();
    std::vector<Named> found, by_label;
    read(context, [&](const ReadView& now) {
        found.clear();
        by_label.clear();
        for (auto& shown :
             shown_among(now, tables::objects_with_key(now.transaction, SearchKey::name, text,
                                                       class_name, most)))
            found.push_back({std::move(shown.match.object), std::move(shown.match.label)});
        for (auto& shown : labelled(now, text, class_name))
            by_label.push_back({std::move(shown.match.object), std::move(shown.match.label)});
    });
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
    // In one class, the object of that name is meant; in others it may be a name that people use.
    if (found.empty() || classes.size() > 1)
        for (const auto& named : by_label)
            if (found.size() < most && !std::ranges::count(found, named.object, &Named::object))
                found.push_back(named);
    for (auto& named : found) named.label = named.object.label_or_name(named.label);
    std::ranges::sort(found, {}, &Named::object);
    return found;
}

std::vector<LookedUp> look_up(const ReadContext& context, std::span<const ObjectName> objects) {
    bool has_build = false;
    const auto identities = read(context, [&](const ReadView& now) {
        auto found = history::identify(now.transaction, now.build(), objects);
        has_build = now.build() != nullptr && found.has_value();
        // A build that cannot be read now adds nothing; without a build nothing can fail.
        if (!found) found = history::identify(now.transaction, nullptr, objects);
        // A newer release than the current one may have given another label.
        const auto is_newer = [&](const history::Identity& each) {
            return each.row && !now.is_shown(each.row->build);
        };
        std::vector<std::int64_t> newer;
        for (const auto& each : *found)
            if (is_newer(each)) newer.push_back(each.row->oid);
        auto states = shown_states(now, newer);
        for (auto& each : *found)
            if (is_newer(each)) each.row->label = states[each.row->oid].label;
        return found.value();
    });
    BuildLabels labels(context);
    std::vector<LookedUp> looked_up;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto& [row, spelling] = identities[i];
        const ObjectName object = row ? row->object : spelling.value_or(objects[i]);
        auto label = row ? row->label : std::string();
        if (label.empty() && spelling) label = labels.of(object).first;
        looked_up.push_back({.named = {object, object.label_or_name(label)},
                             .is_nowhere = has_build && !row && !spelling});
    }
    return looked_up;
}

std::vector<Named> with_labels(const ReadContext& context, std::span<const ObjectName> objects) {
    std::vector<Named> named;
    for (auto& each : look_up(context, objects)) named.push_back(std::move(each.named));
    return named;
}

std::vector<std::string> known_classes(const ReadContext& context) {
    return read(context, [&](const ReadView& now) {
        auto classes = classes_of_build(context);
        for (auto& recorded : tables::recorded_classes(now.transaction))
            if (std::ranges::find(classes, recorded) == classes.end() &&
                is_shown_class(now, recorded))
                classes.push_back(std::move(recorded));
        std::ranges::sort(classes);
        return classes;
    });
}

}  // namespace query
