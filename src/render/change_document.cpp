// SPDX-License-Identifier: MIT
#include "render/change_document.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compare/change.hpp"

namespace render {
namespace {

using compare::Change;
using compare::Op;

// A damaged store may hold changes without one of the sides that their op requires.
bool has_sides(const Change& change) {
    if (change.op == Op::added) return !change.after.empty();
    if (change.op == Op::removed) return !change.before.empty();
    return !change.before.empty() && !change.after.empty();
}

std::optional<DocumentChange> document_change(const Change& change, std::size_t number) {
    DocumentChange result;
    result.number = number;
    result.parents = change.path;
    result.left_out = change.left_out;
    if (!change.before.empty()) result.before = &change.before.front();
    if (!change.after.empty()) result.after = &change.after.front();
    if (!result.before && !result.after) return std::nullopt;
    if (!result.before || (result.after && change.op == Op::added)) {
        result.op = Op::added;
        result.before = nullptr;
    } else if (!result.after || change.op == Op::removed) {
        result.op = Op::removed;
        result.after = nullptr;
    } else {
        result.op = Op::replaced;
    }
    return result;
}

// Empty for texts and members of a KeySet, which have no tag above them.
std::string_view first_tag_of(const DocumentChange& change) {
    const auto& first = change.parents.empty() ? change.node().cell : change.parents.front();
    return first.kind == tree::CellKind::tag ? std::string_view(first.text) : std::string_view();
}

// Collects changes by their first tags.
class Groups {
   public:
    void add(const DocumentChange& change) {
        const auto tag = first_tag_of(change);
        // Changes of one tag mostly follow one another.
        if (groups_.empty() || groups_[last_].tag != tag) {
            const auto [known, is_new] = by_tag_.try_emplace(tag, groups_.size());
            if (is_new) groups_.push_back({tag, {}});
            last_ = known->second;
        }
        groups_[last_].changes.push_back(change);
    }
    std::vector<ChangeGroup> take() && { return std::move(groups_); }

   private:
    std::size_t last_ = 0;  // index of the group that got the newest change
    std::vector<ChangeGroup> groups_;
    std::unordered_map<std::string_view, std::size_t> by_tag_;
};

// Leaves the first `most` changes and lines.
void cut(ChangeDocument& document, std::size_t most) {
    auto left = most;
    const auto keep = [&](auto& list) {
        if (list.size() > left) {
            list.resize(left);
            document.shortened = true;
        }
        left -= list.size();
    };
    for (auto& group : document.groups) keep(group.changes);
    std::erase_if(document.groups,
                  [](const ChangeGroup& group) { return group.changes.empty(); });
    keep(document.mass_changes);
}

// The mass changes of a row's class and release, by place.
struct KnownPlace {
    const tables::MassChange* mass_change = nullptr;
    bool has_line = false;
};
using KnownPlaces = std::unordered_map<std::string_view, KnownPlace>;

KnownPlaces places_of(const tables::Row& row,
                      const std::vector<tables::MassChange>& mass_changes) {
    KnownPlaces places;
    if (row.kind != tables::RowKind::changed) return places;
    for (const auto& each : mass_changes)
        if (each.version == row.release.version && each.class_name == row.object.class_name &&
            !each.place.empty())
            places.try_emplace(each.place, KnownPlace{&each});
    return places;
}

// Returns whether a mass change accounts for this change, and adds its line once.
bool is_summarised(const Change& change, std::size_t number, KnownPlaces& places,
                   std::vector<MassChangeLine>& lines) {
    if (places.empty() || !has_sides(change)) return false;
    const auto found = places.find(compare::place_of(change));
    if (found == places.end()) return false;
    auto& place = found->second;
    if (!place.has_line) lines.push_back({place.mass_change, number});
    place.has_line = true;
    return true;
}

}  // namespace

bool is_plain_text(const tree::Cell& cell) {
    // ?Text values are objects in AceDB, whose name is the text itself.
    constexpr std::string_view text_class = "Text";
    return cell.kind == tree::CellKind::text ||
           (cell.kind == tree::CellKind::reference && cell.class_name == text_class);
}

bool DocumentChange::ends_path() const {
    return op != Op::replaced && node().cell.kind == tree::CellKind::tag;
}

bool DocumentChange::replaces_text() const {
    return left_out == 0 && op == Op::replaced && is_plain_text(before->cell) &&
           is_plain_text(after->cell);
}

ChangeDocument change_document(const tables::Row& row, const query::HistoryPage& page,
                               std::size_t most) {
    ChangeDocument document;
    auto places = places_of(row, page.mass_changes);
    Groups groups;
    std::size_t number = 0;
    for (const auto& change : row.notes.changes) {
        ++number;
        if (page.filter.is_set() && !page.filter.shows(change)) {
            ++document.filtered;
        } else if (!is_summarised(change, number, places, document.mass_changes)) {
            if (const auto shown = document_change(change, number)) groups.add(*shown);
        }
    }
    document.groups = std::move(groups).take();
    cut(document, most);
    return document;
}

FieldDocument field_document(const tables::Row& row, const query::HistoryPage& page,
                             const Site& site, const std::set<std::size_t>& without) {
    FieldDocument document;
    auto places = places_of(row, page.mass_changes);
    const compare::Ranker ranker(site.ranking, row.object.class_name);
    auto fields = compare::field_changes(
        row.notes.changes, ranker, row.notes.references,
        [&](const Change& change, std::size_t number) {
            if (page.filter.is_set() && !page.filter.shows(change)) {
                ++document.filtered;
                return true;
            }
            return without.contains(number) ||
                   is_summarised(change, number, places, document.mass_changes);
        });
    std::unordered_map<std::string_view, std::size_t> by_tag;
    for (auto& field : fields) {
        if (field.rank == compare::Rank::minor) {
            document.minor.push_back(std::move(field));
        } else if (field.rank == compare::Rank::echo) {
            document.echoes.push_back(std::move(field));
        } else {
            const auto tag = field.first_tag();
            const auto [known, is_new] = by_tag.try_emplace(tag, document.groups.size());
            if (is_new) document.groups.push_back({tag, {}});
            document.groups[known->second].fields.push_back(std::move(field));
        }
    }
    return document;
}

ChangeDocument change_document(std::span<const compare::Change> changes) {
    Groups groups;
    std::size_t number = 0;
    for (const auto& change : changes)
        if (const auto shown = document_change(change, ++number)) groups.add(*shown);
    ChangeDocument document;
    document.groups = std::move(groups).take();
    return document;
}

}  // namespace render
