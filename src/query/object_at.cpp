// SPDX-License-Identifier: MIT
#include "query/object_at.hpp"

#include <algorithm>
#include <utility>

#include "compare/ignored.hpp"

namespace query {
namespace {

using compare::AddedIn;
using Origin = ObjectAt::Origin;

// Marks what a row added that does not have all of its changes, by the trees before and after it.
//   returns  false when one of them is not known
bool mark_by_trees(const ReadContext& context, const tables::Row& row, AddedIn& added,
                   AddedIn::Mark mark) {
    const auto after = tree_at(context, row.object, row.release.version);
    if (!after) return false;
    if (row.since.empty()) return false;
    const auto before = tree_at(context, row.object, row.since);
    if (!before) return false;
    added.mark_new(before->nodes, after->nodes, mark);
    return true;
}

// Fills in where the nodes come from.
//   has_all_rows  false: some rows up to the release cannot be read, or are too many
void find_origins(const ReadContext& context, ObjectAt& object, bool has_all_rows) {
    const auto& nodes = object.past.tree.nodes;
    AddedIn added(nodes);
    const auto next = [&](Origin origin) {
        object.origins.push_back(std::move(origin));
        return static_cast<AddedIn::Mark>(object.origins.size() - 1);
    };
    if (const auto rest = compare::without_ignored(nodes, context.settings.ignored,
                                                   object.history.object.class_name))
        added.mark_new(*rest, nodes, next({Origin::Kind::ignored}));
    constexpr std::size_t most_compared = 20;  // pairs of trees
    std::size_t compared = 0;
    for (const auto& row : object.history.rows) {
        if (added.is_complete()) break;
        const bool is_observed = row.kind != tables::RowKind::reconstructed;
        const auto mark =
            next({is_observed ? Origin::Kind::row : Origin::Kind::reconstructed, row.release});
        added.mark(row.notes.changes, mark);
        if (row.notes.is_whole()) continue;
        if (compared++ == most_compared || !mark_by_trees(context, row, added, mark))
            added.mark_rest(next({Origin::Kind::or_before, row.release}));
    }
    if (!added.is_complete() && !has_all_rows)
        added.mark_rest(next({Origin::Kind::or_before, object.release()}));
    if (!added.is_complete()) added.mark_rest(next({Origin::Kind::older}));
    object.origin_of = added.marks();
}

Release first_seen(const ObjectAt& object) {
    auto first = object.release();
    for (const auto& [release, there] : object.past.releases)
        if (there) first = std::min(first, release);
    for (const auto& row : object.history.rows) first = std::min(first, row.release);
    return first;
}

}  // namespace

base::Result<ObjectAt> object_at(const ReadContext& context, History history,
                                 const std::string& version) {
    auto past = known_past(context, history.object, version);
    if (!past) return tl::unexpected(past.error());
    ObjectAt object;
    object.past = std::move(*past);
    object.history = std::move(history);
    auto& rows = object.history.rows;
    const bool has_all_rows = object.history.recorded == rows.size();
    std::erase_if(rows, [&](const auto& row) { return object.release() < row.release; });
    object.label = object.there()
                       ? history::label_of(object.past.tree.nodes, object.history.object,
                                           context.settings.names)
                       : object.history.label;
    object.history.vanished = !object.there();
    object.first_seen = first_seen(object);
    find_origins(context, object, has_all_rows);
    return object;
}

}  // namespace query
