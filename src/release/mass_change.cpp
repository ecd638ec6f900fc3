// SPDX-License-Identifier: MIT
#include "release/mass_change.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compare/field_change.hpp"

namespace release {
namespace {

using tables::ChangedRow;
using tables::Quiet;

constexpr std::size_t most_places = 5000;   // of a class
constexpr std::size_t longest_place = 512;  // as wide as the column
constexpr std::size_t rows_at_once = 1000;

// Returns for each change whether it only follows from what became of other objects.
std::vector<bool> echoes_in(const tables::Notes& notes, const compare::ClassRules& rules) {
    using Fate = compare::Reference::Fate;
    std::vector<bool> follow(notes.changes.size());
    const auto came_or_went = [](const compare::Reference& each) {
        return each.fate == Fate::created || each.fate == Fate::vanished;
    };
    if (std::ranges::none_of(notes.references, came_or_went)) return follow;
    // Echoes come last among the fields: a change that is one only in part ends as none.
    const auto fields = compare::field_changes(notes.changes, rules, notes.references);
    for (const auto& field : fields | std::views::reverse)
        for (const auto& value : field.values)
            follow[value.number - 1] = field.rank == compare::Rank::echo;
    return follow;
}

// Counts the changed objects of one class by place, and remembers of each row where it changed.
class ChangedClass {
   public:
    ChangedClass(const compare::Ranking& ranking, const std::string& class_name,
                 const tree::Models& models)
        : rules_(ranking, class_name, &models) {}

    void count(const ChangedRow& row) {
        const auto follow = echoes_in(row.notes, rules_);
        std::set<Change> changes;
        std::set<std::uint32_t> changed;
        if (row.notes.left_out.all() > 0) changes.insert({nowhere, false});
        for (std::size_t at = 0; at < follow.size(); ++at) {
            const auto place = place_number(row.notes.changes[at]);
            changes.insert({place, follow[at]});
            changed.insert(place);
        }
        for (const auto place : changed) ++places_[place].objects;
        const auto [set, is_new] =
            sets_.emplace(std::vector<Change>(changes.begin(), changes.end()), sets_.size());
        rows_.push_back({row.sid, set->second, row.quiet});
    }

    // Makes places of more than this many objects mass changes.
    void choose(std::uint64_t most) {
        for (auto& place : places_)
            place.is_mass =
                place.objects > most && !place.name.empty() && place.name.size() <= longest_place;
    }

    void append(std::vector<MassChange>& found, const std::string& version,
                const std::string& class_name, std::uint64_t of) const {
        std::map<std::string_view, std::uint64_t> by_name;
        for (const auto& place : places_)
            if (place.is_mass) by_name.emplace(place.name, place.objects);
        for (const auto& [name, objects] : by_name)
            found.push_back({version, class_name, std::string(name), objects, of});
    }

    // Returns the rows whose column `quiet` says something else than what follows from the chosen places.
    [[nodiscard]] std::map<Quiet, std::vector<std::int64_t>> to_mark() const {
        std::vector<Quiet> of_set(sets_.size());
        for (const auto& [changes, number] : sets_) of_set[number] = quiet_of(changes);
        std::map<Quiet, std::vector<std::int64_t>> rows;
        for (const auto& row : rows_)
            if (row.quiet != of_set[row.set]) rows[of_set[row.set]].push_back(row.sid);
        return rows;
    }

   private:
    struct Place {
        std::string name;
        std::uint64_t objects = 0;
        bool is_mass = false;
    };
    struct Change {
        std::uint32_t place = 0;
        bool follows = false;
        auto operator<=>(const Change&) const = default;
    };
    struct Row {
        std::int64_t sid = 0;
        std::size_t set = 0;
        Quiet quiet = Quiet::no;  // that is stored
    };
    static constexpr std::uint32_t nowhere = 0;  // no mass change is there

    std::uint32_t place_number(const compare::Change& change) {
        // A damaged store may hold others.
        if (!compare::has_sides(change)) return nowhere;
        auto name = compare::place_of(change);
        if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
        if (name.empty() || places_.size() > most_places) return nowhere;
        const auto number = static_cast<std::uint32_t>(places_.size());
        places_.push_back({name});
        numbers_.emplace(std::move(name), number);
        return number;
    }

    // As query::add_headline() tells a row.
    [[nodiscard]] Quiet quiet_of(const std::vector<Change>& changes) const {
        bool has_echo = false;
        for (const auto& change : changes) {
            if (places_[change.place].is_mass) continue;
            if (!change.follows) return Quiet::no;
            has_echo = true;
        }
        return has_echo ? Quiet::echo : changes.empty() ? Quiet::no : Quiet::mass;
    }

    compare::ClassRules rules_;
    std::vector<Place> places_{Place{}};  // the first one is `nowhere`
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::map<std::vector<Change>, std::size_t> sets_;  // that rows have; their numbers
    std::vector<Row> rows_;
};

using ChangedClasses = std::map<std::string, ChangedClass>;

ChangedClasses changed_classes(store::Pool& pool, const source::Source& build,
                               const std::string& only, const compare::Ranking& ranking) {
    ChangedClasses classes;
    for (tables::ObjectName last_read;;) {
        const auto [rows, last] = store::perform(pool, store::Access::read, tables::changed_rows,
                                                 build.release().version, last_read, rows_at_once,
                                                 tables::log_unreadable);
        if (!last) return classes;
        for (const auto& row : rows)
            if (only.empty() || row.class_name == only)
                classes.try_emplace(row.class_name, ranking, row.class_name, build.models())
                    .first->second.count(row);
        last_read = *last;
    }
}

void mark_quiet(store::Pool& pool, const ChangedClass& changed) {
    for (const auto& [quiet, rows] : changed.to_mark())
        for (std::span<const std::int64_t> left(rows); !left.empty();) {
            const auto some = left.first(std::min(left.size(), rows_at_once));
            store::perform(pool, store::Access::write, tables::set_quiet, quiet, some);
            left = left.subspan(some.size());
        }
}

}  // namespace

std::vector<MassChange> find_mass_changes(store::Pool& pool, const source::Source& build,
                                          const std::string& only,
                                          const compare::Ranking& ranking,
                                          const MassChangeSettings& settings) {
    std::vector<MassChange> found;
    const auto counts = build.class_counts();
    for (auto& [class_name, changed] : changed_classes(pool, build, only, ranking)) {
        const auto of = source::objects_of(counts, class_name);
        changed.choose(settings.most_before(of));
        changed.append(found, build.release().version, class_name, of);
        mark_quiet(pool, changed);
    }
    return found;
}

}  // namespace release
