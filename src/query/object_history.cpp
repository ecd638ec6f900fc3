// SPDX-License-Identifier: MIT
#include "query/object_history.hpp"

#include <algorithm>

#include "query/row_reading.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;

// The release to answer from when no build is there: the one the object was compared in.
Release release_of(const Loading& loading, const tables::ObjectRow& row) {
    if (loading.build) return loading.build->release();
    const auto* release = loading.releases.find(row.compared_in);
    return release != nullptr ? *release : Release{row.compared_in, row.last_modified};
}

// The row as it was in the current release, if a newer one is recorded: what a build brings
// that was warmed before the switch is not shown before it.
Result<tables::ObjectRow> as_of(const Loading& loading, tables::ObjectRow row,
                                const Release& release) {
    const auto& [transaction, settings, build, releases, mass] = loading;
    if (!releases.is_later(row.ace_version, release.version)) return row;
    const auto known = tables::tree_as_of(transaction, row.oid, release, releases);
    if (!known) return tl::unexpected(known.error());
    if (known->is_newest) return row;
    row.last_modified = settings.first_seen_since;
    row.label = row.object.name;
    if (known->tree)
        row.label = history::label_of(known->tree->nodes, row.object, settings.names);
    for (const auto& each : transaction.query("SELECT version, date FROM history WHERE oid = ?",
                                              {store::Value{row.oid}})) {
        const auto date = base::parse_date(each.text(1));
        if (date && !releases.is_later(each.text(0), release.version))
            row.last_modified = std::max(row.last_modified, *date);
    }
    return row;
}

void fill(HistoryPage& excerpt, const Loading& loading, Rows rows, const PageRequest& window) {
    excerpt.rows = std::move(rows.rows);
    excerpt.recorded = rows.recorded;
    excerpt.cut = rows.cut;
    excerpt.narrowing = window.narrowing;
    if (loading.has_mass_changes)
        excerpt.mass_changes = tables::mass_changes_of(loading.transaction, excerpt.rows);
}

// Known from a newer release only: the current build decides.
bool is_of_the_future(const Loading& loading, const history::Identity& identity,
                      const Rows& rows) {
    return loading.build && !identity.spelling && !rows.of_object.contains(identity.row->oid);
}

Release release_of(const Loading& loading, std::span<const history::Identity> identities) {
    if (loading.build) return loading.build->release();
    Release newest;
    for (const auto& identity : identities)
        newest = std::max(newest, release_of(loading, *identity.row));
    return newest;
}

}  // namespace

Result<History> load_history(const Loading& loading, const history::Identity& identity,
                             const PageRequest& window) {
    const auto release = release_of(loading, *identity.row);
    const auto then = as_of(loading, *identity.row, release);
    if (!then) return tl::unexpected(then.error());
    const auto& row = *then;
    auto rows = load_rows(loading.transaction, row, release, window, loading.releases);
    if (!rows) return tl::unexpected(rows.error());
    if (is_of_the_future(loading, identity, *rows))
        return base::fail(base::Kind::absent, row.object.class_name + " " + row.object.name +
                                                  " is not in " + release.version);
    History history;
    history.object = row.object;
    history.spelling = identity.spelling.value_or(row.object);
    history.label = row.label.empty() ? row.object.name : row.label;
    history.oid = row.oid;
    history.current = release;
    history.last_modified = row.last_modified;
    history.vanished = loading.build ? !identity.spelling : row.signature.empty();
    fill(history, loading, std::move(*rows), window);
    return history;
}

Result<WatchList> load_list(const Loading& loading, std::span<const history::Identity> identities,
                            const PageRequest& window) {
    WatchList list;
    list.current = release_of(loading, identities);
    std::vector<tables::ObjectRow> objects;
    for (const auto& identity : identities) {
        auto row = as_of(loading, *identity.row, list.current);
        if (!row) return tl::unexpected(row.error());
        objects.push_back(std::move(*row));
    }
    auto rows = load_rows(loading.transaction, objects, list.current, window, loading.releases);
    if (!rows) return tl::unexpected(rows.error());
    for (std::size_t at = 0; at < objects.size(); ++at) {
        if (is_of_the_future(loading, identities[at], *rows)) continue;
        const auto& row = objects[at];
        list.objects.push_back({row.object, row.label.empty() ? row.object.name : row.label});
        list.last_modified = std::max(list.last_modified, objects[at].last_modified);
    }
    if (list.objects.empty())
        return base::fail(base::Kind::absent, "none of these objects is known here");
    std::ranges::sort(list.objects, {}, &Named::object);
    fill(list, loading, std::move(*rows), window);
    return list;
}

}  // namespace query
