// SPDX-License-Identifier: MIT
#include "tables/replacements.hpp"

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
                                   "recorded_at", "notes", "tree", "other_names", "content"},
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
    "kind, revision, since, recorded_at, signature, label, notes, content";
constexpr std::string_view replaced_columns_of_p =
    "p.kind, p.revision, p.since, p.recorded_at, p.signature, p.label, p.notes,"
    " p.content";

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
    row.content = stored.text(7);
    return row;
}

// Returns whether the row of a replacement, if it has one, is not in the table yet.
bool is_row_pending(Transaction& transaction, const store::Rows& stored,
                    const Releases::Replacing& replacing, std::int64_t oid) {
    if (stored.empty() || stored.front().text(0).empty()) return false;
    const auto there = revision_in_place(transaction, oid, replacing.version);
    return !there || *there != stored.front().integer(1);
}

// As it is, so that a damaged one ends like any other row that cannot be read.
void place_row(Transaction& transaction, const Releases::Replacing& replacing, std::int64_t oid,
               const Release& release) {
    const auto stored = read(transaction, replaced_columns, replacing, oid);
    if (!is_row_pending(transaction, stored, replacing, oid)) return;
    const auto& row = stored.front();
    const auto object =
        transaction.query("SELECT class, name FROM objects WHERE oid = ?", {Value{oid}});
    // Not updated: a new number tells everybody who has seen the highest one that there is a new row.
    transaction.execute("DELETE FROM history WHERE oid = ? AND version = ?",
                        {Value{oid}, Value{replacing.version}});
    transaction.execute(
        "INSERT INTO history (kind, revision, since, recorded_at, signature, label, notes,"
        " content, oid, version, date, class, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?)",
        {row.value(0), row.value(1), row.value(2), row.value(3), row.value(4), row.value(5),
         row.value(6), row.value(7), Value{oid}, Value{replacing.version},
         Value{base::format_date(release.released_on)}, object.at(0).value(0),
         object.front().value(1)});
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
        transaction.query(std::string(object_columns) + "WHERE oid = ?", {Value{oid}});
    if (known.empty()) return;
    const auto before = object_from(known.front());
    if (releases.is_later(before.ace_version, replacing.version)) return;
    const auto rows = read(transaction, "signature, label, last_modification_date, other_names",
                           replacing, oid);
    auto object = before;
    object.label = rows.at(0).text(1);
    object.other_names = rows.front().text(3);
    transaction.execute("UPDATE objects SET signature = ?, label = ?, label_key = ?,"
                        " last_modification_date = ?, ace_version = ?, other_names = ?"
                        " WHERE oid = ?",
                        {Value{rows.front().text(0)}, Value{object.label},
                         Value{label_key_of(object)}, Value{rows.front().text(2)},
                         Value{replacing.version}, Value{object.other_names}, Value{oid}});
    change_words(transaction, before, object);
}

// `stored`: oid, signature, label, last_modification_date, other_names.
void apply_replacement(ObjectRow& row, const store::Row& stored,
                       const Releases::Replacing& replacing, const Release& current,
                       const Releases& releases) {
    row.is_replaced = true;
    if (releases.is_later(row.compared_in, replacing.version)) return;
    row.compared_in = replacing.version;
    if (!current.version.empty() && releases.is_later(replacing.version, current.version)) return;
    row.signature = stored.text(1);
    row.label = stored.text(2);
    row.last_modified = last_modified_of(row.object, stored.text(3));
    row.other_names = stored.text(4);
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
        values.emplace_back(object.other_names);
        values.emplace_back(row.content);
        transaction.execute(store::upsert_sql(transaction.engine(), a_replacement), values);
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
        transaction.execute("DELETE FROM replacements WHERE version = ? AND oid = ?",
                            {row.value(0), row.value(1)});
    return rows.size();
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
                      "SELECT oid, signature, label, last_modification_date, other_names FROM "
                      "replacements"
                      " WHERE version = ? AND digest = ? AND oid IN",
                      {Value{replacing.version}, Value{replacing.digest}}, values_of(oids))) {
            const auto [first, last] = by_oid.equal_range(stored.integer(0));
            for (auto at = first; at != last; ++at)
                apply_replacement(*at->second, stored, replacing, current, releases);
        }
}

std::vector<Row> replaced_rows(Transaction& transaction, const ObjectRow& object,
                               const Releases& releases, const OnUnreadable& on_unreadable) {
    std::vector<Row> rows;
    for (const auto& replacing : releases.replacing()) {
        const auto* release = releases.find(replacing.version);
        if (release == nullptr) continue;
        const auto stored = read(transaction, replaced_columns, replacing, object.oid);
        if (!is_row_pending(transaction, stored, replacing, object.oid)) continue;
        if (auto row = row_from(stored.front(), object, *release))
            rows.push_back(std::move(*row));
        else
            on_unreadable({object.object, replacing.version, row.error().text});
    }
    return rows;
}

CheckedRows check_replacements(Transaction& transaction, const Releases::Replacing& replacing,
                               const Releases& releases, std::int64_t after, std::size_t most) {
    CheckedRows checked;
    const auto* release = releases.find(replacing.version);
    if (release == nullptr) return checked;
    for (const auto& stored : transaction.query(
             "SELECT " + std::string(replaced_columns_of_p) +
                 ", o.class, o.name, p.oid FROM replacements p JOIN objects o ON o.oid = p.oid"
                 " WHERE p.version = ? AND p.digest = ? AND p.kind <> '' AND p.oid > ?"
                 " ORDER BY p.oid LIMIT ?",
             {Value{replacing.version}, Value{replacing.digest}, Value{after},
              Value{static_cast<std::int64_t>(most)}})) {
        ObjectRow object;
        object.object = {stored.text(8), stored.text(9)};
        ++checked.rows;
        checked.last = stored.integer(10);
        if (const auto row = row_from(stored, object, *release); !row)
            checked.unreadable.push_back({object.object, replacing.version, row.error().text});
    }
    return checked;
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

void move_into_place(Transaction& transaction, std::int64_t oid, std::size_t keep,
                     const Releases& releases) {
    for (const auto& replacing : releases.replacing()) {
        const auto* release = releases.find(replacing.version);
        if (release == nullptr || !lock_replacement(transaction, replacing, oid)) continue;
        place_row(transaction, replacing, oid, *release);
        place_tree(transaction, replacing, oid);
        place_object(transaction, replacing, oid, releases);
        transaction.execute("DELETE" + std::string(one), key_of(replacing, oid));
        prune_trees(transaction, std::span(&oid, 1), keep, releases);
    }
}

}  // namespace tables
