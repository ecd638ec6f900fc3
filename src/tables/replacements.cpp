// SPDX-License-Identifier: MIT
#include "tables/replacements.hpp"

#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/trees.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

const store::Insert a_replacement{"replacements",
                                  {"version", "oid", "digest", "signature", "label",
                                   "last_modification_date", "kind", "revision", "since",
                                   "recorded_at", "notes", "tree"},
                                  {"version", "oid"}};
const store::Insert a_sharing_row{"meta", {"name", "value"}, {"name"}};
const store::Insert a_tree{"trees", {"oid", "version", "tree"}, {"oid", "version"}};

std::optional<RecordedBuild> build_of(const store::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return RecordedBuild{date_of(rows.front().text(0)), rows.front().text(1),
                         rows.front().integer(2) != 0};
}
constexpr std::string_view select_build =
    "SELECT released_on, digest, replacing FROM releases WHERE version = ?";

// Rows of meta: one is written by those who share builds, all by those who lock one.
std::string sharing_row(std::string_view slot) { return "sharing-" + std::string(slot); }

void note_locking(Transaction& transaction) {
    // SQLite has one writer at a time.
    if (transaction.engine() == store::Engine::sqlite) return;
    const auto written =
        transaction.execute("UPDATE meta SET value = value + 1 WHERE name >= 'sharing-' AND"
                            " name < 'sharing.'");
    if (written == std::ssize(slots)) return;
    for (const auto& slot : slots)
        (void)store::insert_unless_there(
            transaction, a_sharing_row,
            std::vector{Value{sharing_row(slot)}, Value{std::int64_t{1}}});
}

constexpr std::string_view one =
    " FROM replacements WHERE version = ? AND oid = ? AND digest = ?";

std::vector<Value> key_of(const Releases::Replacing& replacing, std::int64_t oid) {
    return {Value{replacing.version}, Value{oid}, Value{replacing.digest}};
}

store::Rows read(Transaction& transaction, std::string_view columns,
                 const Releases::Replacing& replacing, std::int64_t oid) {
    return transaction.query("SELECT " + std::string(columns) + std::string(one),
                             key_of(replacing, oid));
}

// Returns nullopt when there is no row of this object and release.
std::optional<std::int64_t> revision_in_place(Transaction& transaction, std::int64_t oid,
                                              const std::string& version) {
    const auto rows =
        transaction.query("SELECT revision FROM history WHERE oid = ? AND version = ?",
                          {Value{oid}, Value{version}});
    if (rows.empty()) return std::nullopt;
    return rows.front().integer(0);
}

// Returns whether there is one in force, which nobody else can move until the transaction ends.
bool lock_replacement(Transaction& transaction, const Releases::Replacing& replacing,
                      std::int64_t oid) {
    const auto recorded = share_build(transaction, replacing.version);
    if (!recorded || !recorded->replacing || recorded->digest != replacing.digest) return false;
    return !transaction
                .query("SELECT oid" + std::string(one) +
                           std::string(store::for_update(transaction.engine())),
                       key_of(replacing, oid))
                .empty();
}

constexpr std::string_view replaced_columns =
    "kind, revision, since, recorded_at, signature, label, notes";

Result<Row> row_from(const store::Row& stored, const ObjectRow& object, const Release& release) {
    const auto kind = kind_named(stored.text(0));
    const auto recorded = base::parse_rfc3339(stored.text(3));
    if (!kind || !recorded)
        return base::fail(base::ErrorKind::malformed, "a replacement of unknown kind or time");
    auto notes = notes_from_json(stored.text(6));
    if (!notes) return tl::unexpected(notes.error());
    Row row;
    row.oid = object.oid;
    row.object = object.object;
    row.release = release;
    row.kind = *kind;
    row.revision = static_cast<int>(stored.integer(1));
    row.since = stored.text(2);
    row.recorded_at = *recorded;
    row.signature = stored.text(4);
    row.label = stored.text(5);
    row.notes = std::move(*notes);
    return row;
}

// Returns nullopt when none is in force, or the row in the table is the one.
Result<std::optional<Row>> replaced_row(Transaction& transaction, const ObjectRow& object,
                                        const Releases::Replacing& replacing,
                                        const Releases& releases) {
    const auto* release = releases.find(replacing.version);
    const auto stored = read(transaction, replaced_columns, replacing, object.oid);
    if (release == nullptr || stored.empty() || stored.front().text(0).empty())
        return std::nullopt;
    const auto there = revision_in_place(transaction, object.oid, replacing.version);
    if (there && *there == stored.front().integer(1)) return std::nullopt;
    auto row = row_from(stored.front(), object, *release);
    if (!row) return tl::unexpected(row.error());
    return std::move(*row);
}

void place_row(Transaction& transaction, const Row& row) {
    const auto updated = transaction.execute(
        "UPDATE history SET revision = ?, since = ?, recorded_at = ?, signature = ?, kind = ?,"
        " label = ?, notes = ? WHERE oid = ? AND version = ?",
        {Value{std::int64_t{row.revision}}, Value{row.since},
         Value{base::format_rfc3339(row.recorded_at)}, Value{row.signature},
         Value{std::string(name_of(row.kind))}, Value{row.label}, Value{to_json(row.notes)},
         Value{row.oid}, Value{row.release.version}});
    if (updated != 0) return;
    const auto notes = to_json(row.notes);
    insert_rows(transaction, std::array{NewRow{row.oid, &row, &notes}});
}

void place_tree(Transaction& transaction, const Releases::Replacing& replacing,
                std::int64_t oid) {
    const auto rows = read(transaction, "tree", replacing, oid);
    if (rows.empty() || rows.front().is_null(0)) return;
    const std::vector<Value> values{Value{oid}, Value{replacing.version},
                                    Value{store::Blob{rows.front().blob(0)}}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_tree), values);
}

// A row that a later release has moved on already stays with that release.
void place_object(Transaction& transaction, const Releases::Replacing& replacing,
                  std::int64_t oid, const Releases& releases) {
    const auto known =
        transaction.query("SELECT ace_version, name FROM objects WHERE oid = ?", {Value{oid}});
    if (known.empty() || releases.is_later(known.front().text(0), replacing.version)) return;
    const auto rows =
        read(transaction, "signature, label, last_modification_date", replacing, oid);
    ObjectRow object;
    object.object.name = known.front().text(1);
    object.label = rows.at(0).text(1);
    transaction.execute("UPDATE objects SET signature = ?, label = ?, label_key = ?,"
                        " last_modification_date = ?, ace_version = ? WHERE oid = ?",
                        {Value{rows.at(0).text(0)}, Value{object.label},
                         Value{label_key_of(object)}, Value{rows.at(0).text(2)},
                         Value{replacing.version}, Value{oid}});
}

// `stored`: oid, signature, label, last_modification_date.
void apply_replacement(ObjectRow& row, const store::Row& stored,
                       const Releases::Replacing& replacing, const Release& current,
                       const Releases& releases) {
    row.is_replaced = true;
    if (releases.is_later(row.compared_in, replacing.version)) return;
    row.compared_in = replacing.version;
    if (!current.version.empty() && releases.is_later(replacing.version, current.version)) return;
    row.signature = stored.text(1);
    row.label = stored.text(2);
    row.last_modified = date_of(stored.text(3));
}

}  // namespace

std::optional<RecordedBuild> read_build(Transaction& transaction, const std::string& version) {
    return build_of(transaction.query(select_build, {Value{version}}));
}

std::optional<RecordedBuild> lock_build(Transaction& transaction, const std::string& version) {
    auto build = build_of(transaction.query(
        std::string(select_build) + std::string(store::for_update(transaction.engine())),
        {Value{version}}));
    note_locking(transaction);
    return build;
}

std::optional<RecordedBuild> share_build(Transaction& transaction, const std::string& version) {
    return build_of(transaction.query(std::string(select_build) +
                                          std::string(store::for_share(transaction.engine())),
                                      {Value{version}}));
}

void note_sharing(Transaction& transaction) {
    if (transaction.engine() == store::Engine::sqlite) return;
    static const Value name{sharing_row(slot_of_process())};
    if (transaction.execute("UPDATE meta SET value = value + 1 WHERE name = ?", {name}) == 0)
        (void)store::insert_unless_there(transaction, a_sharing_row,
                                         std::vector{name, Value{std::int64_t{1}}});
}

bool is_replacing_as_known(Transaction& transaction, const Releases& known) {
    // One row comes back, and all rows are shared: a WHERE would release those it leaves out.
    const auto rows = transaction.query(
        "SELECT GROUP_CONCAT(CASE WHEN replacing <> 0 THEN digest END) FROM releases" +
        std::string(store::for_share(transaction.engine())));
    std::set<std::string_view> now, then;
    const auto digests = rows.at(0).is_null(0) ? std::string() : rows.front().text(0);
    if (!digests.empty())
        for (const auto digest : base::split(digests, ',')) now.insert(digest);
    for (const auto& replacing : known.replacing()) then.insert(replacing.digest);
    return now == then;
}

std::optional<std::string> replacing_release(Transaction& transaction) {
    const auto rows =
        transaction.query("SELECT version FROM releases WHERE replacing <> 0 LIMIT 1");
    if (rows.empty()) return std::nullopt;
    return rows.front().text(0);
}

bool begin_replacing(Transaction& transaction, const std::string& version,
                     const std::string& from, const std::string& to) {
    return transaction.execute(
               "UPDATE releases SET digest = ?, replacing = 1 WHERE version = ? AND digest = ?",
               {Value{to}, Value{version}, Value{from}}) == 1;
}

void end_replacing(Transaction& transaction, const std::string& version,
                   const std::string& digest) {
    transaction.execute("UPDATE releases SET replacing = 0 WHERE version = ? AND digest = ?",
                        {Value{version}, Value{digest}});
    move_generation(transaction);
}

void put_replacements(Transaction& transaction, std::span<const Replacement> replacements) {
    for (const auto& replacement : replacements) {
        const auto& object = replacement.object;
        const auto row = replacement.row.value_or(Row{});
        const auto kind = replacement.row ? name_of(row.kind) : std::string_view();
        std::vector<Value> values{
            Value{replacement.version}, Value{object.oid},
            Value{replacement.digest},  Value{object.signature},
            Value{object.label},        Value{base::format_date(object.last_modified)},
            Value{std::string(kind)},   Value{std::int64_t{row.revision}},
            Value{row.since},           Value{base::format_rfc3339(row.recorded_at)},
            Value{to_json(row.notes)}};
        values.emplace_back();
        if (replacement.tree) values.back() = store::Blob{*replacement.tree};
        transaction.execute(store::upsert_sql(transaction.engine(), a_replacement), values);
        replace_pending_rename(transaction, replacement.version, object.oid, replacement.digest,
                               replacement.rename);
    }
}

std::vector<std::int64_t> replaced_oids(Transaction& transaction, const std::string& version,
                                        const std::string& digest, const OidRange& range,
                                        std::int64_t most) {
    return oids_of(transaction.query(
        "SELECT oid FROM replacements WHERE version = ? AND digest = ?"
        " AND oid > ? AND oid <= ? ORDER BY oid LIMIT ?",
        {Value{version}, Value{digest}, Value{range.after}, Value{range.to}, Value{most}}));
}

std::uint64_t delete_abandoned_replacements(Transaction& transaction, const std::string& keep,
                                            std::int64_t most) {
    const auto rows = transaction.query(
        "SELECT version, oid FROM replacements WHERE digest <> ? AND NOT EXISTS (SELECT 1"
        " FROM releases r WHERE r.version = replacements.version AND r.replacing <> 0"
        " AND r.digest = replacements.digest) LIMIT ?",
        {Value{keep}, Value{most}});
    for (const auto& row : rows)
        for (const auto* statement :
             {"DELETE FROM replacements WHERE version = ? AND oid = ?",
              "DELETE FROM renames WHERE version = ? AND oid = ? AND digest <> ''"})
            transaction.execute(statement, {row.value(0), row.value(1)});
    return rows.size();
}

std::vector<std::int64_t> oids_created_or_vanished(Transaction& transaction,
                                                   const std::string& version,
                                                   const OidRange& range) {
    return oids_of(transaction.query("SELECT oid FROM history WHERE version = ? AND kind IN"
                                     " ('created', 'vanished') AND oid > ? AND oid <= ?",
                                     {Value{version}, Value{range.after}, Value{range.to}}));
}

void apply_replacements(Transaction& transaction, std::span<ObjectRow* const> rows,
                        const Release& current, const Releases& releases) {
    if (releases.replacing().empty() || rows.empty()) return;
    std::multimap<std::int64_t, ObjectRow*> by_oid;
    std::vector<std::int64_t> oids;
    for (auto* row : rows) {
        by_oid.emplace(row->oid, row);
        oids.push_back(row->oid);
    }
    for (const auto& replacing : releases.replacing())
        for (const auto& stored :
             query_in(transaction,
                      "SELECT oid, signature, label, last_modification_date FROM replacements"
                      " WHERE version = ? AND digest = ? AND oid IN",
                      {Value{replacing.version}, Value{replacing.digest}}, values_of(oids))) {
            const auto [first, last] = by_oid.equal_range(stored.integer(0));
            for (auto at = first; at != last; ++at)
                apply_replacement(*at->second, stored, replacing, current, releases);
        }
}

Result<std::vector<Row>> replaced_rows(Transaction& transaction, const ObjectRow& object,
                                       const Releases& releases) {
    std::vector<Row> rows;
    for (const auto& replacing : releases.replacing()) {
        auto row = replaced_row(transaction, object, replacing, releases);
        if (!row) return tl::unexpected(row.error());
        if (*row) rows.push_back(std::move(**row));
    }
    return rows;
}

Result<std::map<std::string, std::vector<tree::Node>>> replaced_trees(Transaction& transaction,
                                                                      std::int64_t oid,
                                                                      const Releases& releases) {
    std::map<std::string, std::vector<tree::Node>> trees;
    for (const auto& replacing : releases.replacing()) {
        const auto stored = read(transaction, "tree", replacing, oid);
        if (stored.empty() || stored.front().is_null(0)) continue;
        auto nodes = unpacked_tree(stored.front().blob(0));
        if (!nodes) return base::fail_at("replaced tree of " + replacing.version, nodes.error());
        trees.emplace(replacing.version, std::move(*nodes));
    }
    return trees;
}

Result<void> move_into_place(Transaction& transaction, std::int64_t oid, std::size_t keep,
                             const Releases& releases) {
    for (const auto& replacing : releases.replacing()) {
        if (!lock_replacement(transaction, replacing, oid)) continue;
        ObjectRow object;
        object.oid = oid;
        const auto row = replaced_row(transaction, object, replacing, releases);
        if (!row) return tl::unexpected(row.error());
        if (*row) place_row(transaction, **row);
        place_tree(transaction, replacing, oid);
        place_object(transaction, replacing, oid, releases);
        place_rename(transaction, replacing.version, replacing.digest, oid);
        transaction.execute("DELETE" + std::string(one), key_of(replacing, oid));
        prune_trees(transaction, std::span(&oid, 1), keep, releases);
    }
    return {};
}

}  // namespace tables
