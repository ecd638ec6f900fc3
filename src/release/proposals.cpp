// SPDX-License-Identifier: MIT
#include "release/proposals.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "compare/compare.hpp"
#include "compare/field_change.hpp"

namespace release {
namespace {

using base::Result;
using compare::ClassRules;
using compare::FieldChange;
using compare::Op;
using tree::Cell;
using tree::CellKind;
using tree::Node;
using CellPath = std::vector<const Cell*>;
using Changes = std::vector<compare::Change>;
using TagPath = std::vector<std::string>;  // from the top of the object; empty: no place

constexpr std::size_t most_places_of_class = 5'000, most_places = 50'000;
constexpr std::uint64_t most_sampled = 200;      // objects of a class whose values are looked at
constexpr std::uint64_t most_of_server = 1'000;  // objects of a class that are compared
constexpr std::size_t most_in_a_line = 10, most_important = 3;
constexpr std::size_t longest_path = 512, longest_name = 100, longest_word = 40, most_words = 20;

bool is_tag(const Cell& cell) { return cell.kind == CellKind::tag; }

// A number, a date, or a text like "2024-01-05T10:00:00" or "3f2a": what programs write.
bool is_code(const Cell& cell) {
    if (cell.kind != CellKind::text)
        return is_value(cell.kind) && notation_of(cell.kind) == tree::Notation::bare;
    return cell.text.find_first_of(" \n") == std::string::npos &&
           std::ranges::any_of(cell.text, base::is_digit);
}

// A line with a letter.
bool is_like_a_name(const Cell& cell) {
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; };
    return cell.text.size() <= longest_name && cell.text.find('\n') == std::string::npos &&
           std::ranges::any_of(cell.text, is_letter);
}

// Returns where the values at the end of a path are; no place for those below another value.
TagPath place_of(const CellPath& path) {
    TagPath tags;
    std::size_t bytes = 0;
    for (const auto* cell : path) {
        bytes += cell->text.size() + 1;
        if (!is_tag(*cell) || bytes > longest_path) return {};
        tags.push_back(cell->text);
    }
    return tags;
}

TagPath place_of(const FieldChange& field) {
    const auto& cell = field.values.front().node().cell;
    return field.path.empty() && is_tag(cell) ? TagPath{cell.text} : place_of(field.path);
}

struct Place {
    // Objects that changed here, those in which more than a tag came or went, and those in which a code took the
    // place of another.
    std::uint64_t changed = 0, valued = 0, exchanged = 0;
    // Of the sampled objects: those that have a value here, and only one; those that it may name; those that are
    // called like it.
    std::uint64_t holders = 0, single = 0, nameable = 0, labels = 0;
    bool has_words_alone = true;   // short ones that are no codes
    std::set<std::size_t> hashes;  // of values

    // Returns whether few change, and each says much: the name, or a status.
    [[nodiscard]] bool is_telling(const MassChangeSettings& settings) const {
        if (holders < settings.fewest_objects || single * 10 < holders * 9) return false;
        return labels * 2 > holders ||
               (has_words_alone &&
                hashes.size() <= std::min<std::uint64_t>(most_words, holders / 4));
    }
};
using Places = std::map<TagPath, Place>;

struct ClassCounts {
    std::uint64_t objects = 0;  // of the newer build
    std::uint64_t at = 0;       // that the walk met
    ClassProposal proposal;
    Places places;
    std::unique_ptr<ClassRules> rules;       // of the configuration
    std::unique_ptr<ClassRules> rules_then;  // and with what is proposed

    [[nodiscard]] bool wants_to_try() const {
        return !proposal.important.empty() || !proposal.ignore.empty();
    }
    // Returns whether the object that the walk met last is one of about `most` spread over the class.
    [[nodiscard]] bool is_one_of(std::uint64_t most) const {
        return (at - 1) % ((objects + most - 1) / most) == 0;
    }
};

class Proposer {
   public:
    Proposer(const source::Source& before, const source::Source& after,
             const history::Settings& settings, const MassChangeSettings& mass_change)
        : before_(before), after_(after), settings_(settings), mass_change_(mass_change),
          ranking_then_(settings.ranking),
          digests_tell_(before.loads_at_once() && after.loads_at_once()) {
        for (const auto& count : after.class_counts()) {
            if (before.skips(count.class_name)) continue;
            auto& one = classes_[base::fold_ascii(count.class_name)];
            one.proposal.class_name = count.class_name;
            one.objects += count.objects;
            one.rules = rules_of(settings.ranking, one);
        }
    }

    Result<Proposals> run() && {
        auto done = walk(Pass::counting);
        if (done && choose()) done = walk(Pass::trying);
        if (!done) return tl::unexpected(done.error());
        for (auto& [key, one] : classes_) report(one);
        return std::move(proposals_);
    }

   private:
    enum class Pass : unsigned char { counting, trying };

    [[nodiscard]] std::unique_ptr<ClassRules> rules_of(const compare::Ranking& ranking,
                                                       const ClassCounts& one) const {
        return std::make_unique<ClassRules>(ranking, one.proposal.class_name, &after_.models());
    }

    Result<void> walk(Pass pass) {
        for (auto& [key, one] : classes_) one.at = 0;
        Result<void> done;
        source::each_object(after_, [&](const source::Listed& listed) {
            const auto found = classes_.find(base::fold_ascii(listed.class_name));
            if (found == classes_.end()) return true;
            auto& one = found->second;
            ++one.at;
            if (pass == Pass::counting && one.is_one_of(most_sampled))
                done = sample(one, listed.id());
            const bool is_wanted = pass == Pass::counting || one.wants_to_try();
            if (done && is_wanted && (digests_tell_ || one.is_one_of(most_of_server)))
                done = look_at(one, listed, pass);
            return done.has_value();
        });
        return done;
    }

    Result<void> look_at(ClassCounts& one, const source::Listed& listed, Pass pass) {
        const auto name = listed.id();
        const auto digest = before_.digest_of(name);
        if (!digest) return tl::unexpected(digest.error());
        if (!*digest) return {};
        const std::uint64_t counted = pass == Pass::counting ? 1 : 0;
        if (digests_tell_ && **digest == listed.digest) {
            one.proposal.looked_at += counted;
            return {};
        }
        const auto before = load(before_, name), after = load(after_, name);
        if (!before) return tl::unexpected(before.error());
        if (!after) return tl::unexpected(after.error());
        if (!*before || !*after) {
            proposals_.unreadable += counted;
            return {};
        }
        one.proposal.looked_at += counted;
        const auto& models = after_.models();
        const auto changes =
            compare::without_ignored(compare::compare((*before)->nodes, (*after)->nodes, models,
                                                      models.of_class(name.class_name)),
                                     settings_.ignored, name.class_name);
        if (changes.empty()) return {};
        pass == Pass::counting ? count(one, changes) : try_out(one, changes);
        return {};
    }

    // Returns nullopt for an object that is damaged or too large.
    static Result<std::optional<tree::Object>> load(const source::Source& build,
                                                    const tree::ObjectName& name) {
        auto object = build.load(name);
        if (object) return std::optional(std::move(*object));
        if (object.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(object.error());
        return std::optional<tree::Object>();
    }

    // Returns nullptr where there is no place, or too many are counted already.
    Place* find_place(ClassCounts& one, TagPath path) {
        if (path.empty()) return nullptr;
        const auto found = one.places.find(path);
        if (found != one.places.end()) return &found->second;
        if (one.places.size() == most_places_of_class || places_ == most_places) {
            proposals_.are_places_left_out = true;
            return nullptr;
        }
        ++places_;
        return &one.places[std::move(path)];
    }

    // The first value of an object at each place, and how many there are.
    using Values = std::map<Place*, std::pair<const Cell*, std::size_t>>;
    void collect(ClassCounts& one, const std::vector<Node>& nodes, CellPath& path,
                 Values& values) {
        auto* place = find_place(one, place_of(path));
        for (const auto& node : nodes) {
            path.push_back(&node.cell);
            const bool is_flag = is_tag(node.cell) && node.children.empty();
            auto* at = is_flag && path.size() == 1 ? find_place(one, place_of(path)) : place;
            if (at != nullptr && (is_flag || is_value(node.cell.kind)))
                ++values.try_emplace(at, &node.cell, 0).first->second.second;
            if (is_tag(node.cell)) collect(one, node.children, path, values);
            path.pop_back();
        }
    }

    Result<void> sample(ClassCounts& one, const tree::ObjectName& name) {
        const auto object = load(after_, name);
        if (!object) return tl::unexpected(object.error());
        if (!*object) return {};
        const auto label = history::label_of((*object)->nodes, name, settings_.names);
        ++one.proposal.sampled;
        one.proposal.labelled += label != name.name ? 1 : 0;
        CellPath path;
        Values values;
        collect(one, (*object)->nodes, path, values);
        for (const auto& [place, value] : values) {
            const auto& [cell, number] = value;
            ++place->holders;
            place->single += number == 1 ? 1 : 0;
            place->nameable +=
                !is_tag(*cell) && is_like_a_name(*cell) && cell->text != name.name ? 1 : 0;
            place->labels += cell->text == label ? 1 : 0;
            place->has_words_alone =
                place->has_words_alone && !is_code(*cell) && cell->text.size() <= longest_word;
            place->hashes.insert(std::hash<std::string>()(cell->text));
        }
        return {};
    }

    void count(ClassCounts& one, const Changes& changes) {
        struct Touch {
            std::set<Op> ops;
            bool has_values = false, has_codes_alone = true;
        };
        ++one.proposal.changed;
        std::map<Place*, Touch> touched;
        for (const auto& field : compare::field_changes(changes, *one.rules, {})) {
            if (field.rank != compare::Rank::ordinary) continue;
            auto* place = find_place(one, place_of(field));
            if (place == nullptr) continue;
            auto& touch = touched[place];
            touch.ops.insert(field.op);
            for (const auto& value : field.values) {
                const auto& [op, path, before, after, left_out] = changes[value.number - 1];
                const auto& topmost = after.empty() ? before.front() : after.front();
                touch.has_values =
                    touch.has_values || op == Op::replaced || !is_tag(topmost.cell);
                touch.has_codes_alone = touch.has_codes_alone && is_code(value.node().cell);
            }
        }
        for (const auto& [place, touch] : touched) {
            const bool is_exchange = touch.ops.contains(Op::replaced) || touch.ops.size() > 1;
            ++place->changed;
            place->valued += touch.has_values ? 1 : 0;
            place->exchanged += touch.has_values && touch.has_codes_alone && is_exchange ? 1 : 0;
        }
    }

    // Returns the path as the configuration has it; nullopt where a tag alone would mean other places too.
    [[nodiscard]] std::optional<TagPath> path_of(const ClassCounts& one,
                                                 const TagPath& tags) const {
        const auto is_below_another = [&](const auto& place) {
            return std::any_of(place.first.begin() + 1, place.first.end(), [&](const auto& tag) {
                return base::equal_ignoring_case(tag, tags.front());
            });
        };
        if (tags.size() == 1 && std::ranges::any_of(one.places, is_below_another))
            return std::nullopt;
        std::vector<Cell> cells;
        for (const auto& tag : tags) cells.push_back({CellKind::tag, tag, {}});
        CellPath path;
        for (const auto& cell : cells) path.push_back(&cell);
        const bool is_once = one.rules->first_telling_tag(path) + 1 == path.size();
        return is_once ? TagPath{tags.back()} : tags;
    }

    [[nodiscard]] static std::vector<TagPath> paths_of(const std::vector<ProposedPlace>& places) {
        std::vector<TagPath> paths;
        for (const auto& place : places) paths.push_back(place.path);
        return paths;
    }

    // Keeps the places where most objects changed.
    static void keep_first(std::vector<ProposedPlace>& places, std::size_t most) {
        std::ranges::sort(places, [](const auto& a, const auto& b) {
            return std::pair(b.objects, a.tags) < std::pair(a.objects, b.tags);
        });
        if (places.size() > most) places.resize(most);
    }

    // Returns whether a further walk has to count what lines would change.
    bool choose() {
        constexpr std::uint64_t rare = 20;  // 1 of this many objects at most
        bool has_any = false;
        for (auto& [key, one] : classes_) {
            auto& proposal = one.proposal;
            const auto is_in_most = [&](std::uint64_t objects, std::uint64_t of) {
                return objects > mass_change_.most_before(of);
            };
            std::vector<TagPath> not_leading;
            for (const auto& [tags, place] : one.places) {
                auto path = place.changed == 0 ? std::nullopt : path_of(one, tags);
                if (!path) continue;
                // Mass changes do not lead.
                if (is_in_most(place.changed, proposal.looked_at)) not_leading.push_back(*path);
                const ProposedPlace proposed{std::move(*path), tags, place.changed, 0};
                if (is_in_most(place.exchanged, proposal.looked_at))
                    proposal.ignore.push_back(proposed);
                else if (is_in_most(place.valued, proposal.looked_at) ||
                         is_in_most(place.exchanged, proposal.changed))
                    proposal.minor.push_back(proposed);
                else if (place.changed * rare <= proposal.looked_at &&
                         place.is_telling(mass_change_))
                    proposal.important.push_back(proposed);
            }
            keep_first(proposal.minor, most_in_a_line);
            keep_first(proposal.ignore, most_in_a_line);
            has_any = has_any || one.wants_to_try();
            ranking_then_.minor.emplace_back(proposal.class_name, paths_of(proposal.minor));
            ranking_then_.minor.emplace_back(proposal.class_name, std::move(not_leading));
            ignored_then_.emplace_back(proposal.class_name, paths_of(proposal.ignore));
        }
        for (auto& [key, one] : classes_) one.rules_then = rules_of(ranking_then_, one);
        return has_any;
    }

    // Counts what the lines would make of a row.
    void try_out(ClassCounts& one, const Changes& changes) {
        const auto fields = compare::field_changes(changes, *one.rules_then, {});
        std::set<TagPath> places;
        for (const auto& field : fields) places.insert(place_of(field));
        for (auto& place : one.proposal.important)
            if (places.contains(place.tags) && place_of(fields.front()) != place.tags)
                ++place.behind;
        if (!one.proposal.ignore.empty() &&
            compare::without_ignored(changes, ignored_then_, one.proposal.class_name).empty())
            ++one.proposal.unchanged;
    }

    // Returns the best place of names; nullptr: none is better than what is found by itself.
    [[nodiscard]] const Places::value_type* find_names(const ClassCounts& one) const {
        const auto is_of_class = [&](const auto& each) {
            return base::equal_ignoring_case(each.first, one.proposal.class_name);
        };
        const auto sampled = one.proposal.sampled;
        if (sampled < mass_change_.fewest_objects || one.proposal.labelled * 2 >= sampled ||
            std::ranges::any_of(settings_.names, is_of_class))
            return nullptr;
        const auto is_in_nearly_all = [&](std::uint64_t objects) {
            return objects * 10 >= sampled * 9;
        };
        const auto is_called_so = [](const std::string& tag) {
            return std::ranges::any_of(
                std::array{"name", "title", "label"},
                [&](const char* ending) { return base::fold_ascii(tag).ends_with(ending); });
        };
        const Places::value_type* best = nullptr;
        const auto value_of = [&](const Places::value_type& place) {
            return std::pair(is_called_so(place.first.back()), place.second.hashes.size());
        };
        for (const auto& place : one.places)
            if (is_in_nearly_all(std::min(place.second.single, place.second.nameable)) &&
                is_in_nearly_all(place.second.hashes.size()) &&
                (best == nullptr || value_of(*best) < value_of(place)))
                best = &place;
        return best;
    }

    void report(ClassCounts& one) {
        auto& proposal = one.proposal;
        proposals_.looked_at += proposal.looked_at;
        proposals_.changed += proposal.changed;
        proposals_.is_sample =
            proposals_.is_sample || (!digests_tell_ && one.objects > most_of_server);
        if (const auto* place = find_names(one))
            proposal.names.push_back(
                {place->first, place->first, place->second.hashes.size(), 0});
        std::erase_if(proposal.important, [](const auto& place) { return place.behind < 2; });
        keep_first(proposal.important, most_important);
        // Where most rows say more, they stay.
        if (proposal.unchanged * 100 <= proposal.changed * mass_change_.percent) {
            proposal.minor.insert(proposal.minor.end(), proposal.ignore.begin(),
                                  proposal.ignore.end());
            proposal.ignore.clear();
            keep_first(proposal.minor, most_in_a_line);
        }
        if (!proposal.names.empty() || !proposal.important.empty() || !proposal.minor.empty() ||
            !proposal.ignore.empty())
            proposals_.classes.push_back(std::move(proposal));
    }

    const source::Source& before_;
    const source::Source& after_;
    const history::Settings& settings_;
    const MassChangeSettings mass_change_;
    compare::Ranking ranking_then_;               // with what is proposed
    compare::Ignored ignored_then_;               // what is proposed
    const bool digests_tell_;                     // whether an object changed
    std::map<std::string, ClassCounts> classes_;  // by name in lower case
    std::size_t places_ = 0;
    Proposals proposals_;
};

}  // namespace

Result<Proposals> propose(const source::Source& before, const source::Source& after,
                          const history::Settings& settings,
                          const MassChangeSettings& mass_change) {
    return Proposer(before, after, settings, mass_change).run();
}

}  // namespace release
