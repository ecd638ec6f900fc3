// Two releases of one object compared.
// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"

namespace query {
namespace {

using base::Result;

const tree::Models& models_at_hand(const history::Builds& builds) {
    static const tree::Models none;
    if (builds.build) return builds.build->models();
    return builds.previous ? builds.previous->models() : none;
}

// past_tree(), and an unknown release is told with the side that named it.
Result<PastTree> side(const ReadContext& reading, const ObjectName& object,
                      const std::string& which, const std::string& version) {
    auto tree = tree_at(reading, object, version);
    if (tree || tree.error().kind != base::Kind::refused) return tree;
    return base::fail(base::Kind::refused,
                      which + "=" + version + " names no release that is known here.");
}

}  // namespace

Result<Difference> difference(const ReadContext& reading, const ObjectName& object,
                              const std::string& from, const std::string& to) {
    const auto row =
        store::perform(reading.pool, store::Access::read, [&](store::Transaction& transaction) {
            return tables::find_object(transaction, object);
        });
    const auto& recorded = row ? row->object : object;
    const auto before = side(reading, recorded, "from", from);
    if (!before) return tl::unexpected(before.error());
    const auto after = side(reading, recorded, "to", to);
    if (!after) return tl::unexpected(after.error());
    auto changes = changes_between(*before, *after, recorded, models_at_hand(reading.builds),
                                   reading.settings.ignored);
    if (!changes) return tl::unexpected(changes.error());
    Difference difference;
    difference.object = recorded;
    difference.label = history::label_of((after->there ? after : before)->nodes, recorded,
                                         reading.settings.names);
    difference.from = before->release;
    difference.to = after->release;
    difference.was_there = before->there;
    difference.is_there = after->there;
    difference.changes = std::move(*changes);
    difference.people = reading.people;
    return difference;
}

}  // namespace query
