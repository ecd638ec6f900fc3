// SPDX-License-Identifier: MIT
#include "tables/jobs.hpp"

#include <algorithm>
#include <array>

#include "store/dialect.hpp"
#include "tables/lists.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

std::vector<ObjectName> names_in(const store::Rows& rows, const std::string& only) {
    std::vector<ObjectName> names;
    for (const auto& row : rows)
        if (only.empty() || row.text(0) == only) names.push_back({row.text(0), row.text(1)});
    return names;
}

std::vector<std::int64_t> oids_of(const store::Rows& rows) {
    std::vector<std::int64_t> oids;
    for (const auto& row : rows) oids.push_back(row.integer(0));
    return oids;
}

std::uint64_t number(const store::Row& row, std::size_t column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

std::uint64_t count(Transaction& transaction, std::string_view sql,
                    std::span<const Value> values) {
    return number(transaction.query(sql, values).at(0), 0);
}

std::optional<RecordedBuild> build_of(const store::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return RecordedBuild{date_of(rows.front().text(0)), rows.front().text(1),
                         rows.front().integer(2) != 0};
}
constexpr std::string_view select_build =
    "SELECT released_on, digest, replacing FROM releases WHERE version = ?";

std::uint64_t delete_in(Transaction& transaction, std::string_view before,
                        const std::vector<Value>& first, std::span<const std::int64_t> oids) {
    return execute_in(transaction, before, first, values_of(oids));
}

}  // namespace

std::int64_t highest_oid(Transaction& transaction) {
    return transaction.query("SELECT COALESCE(MAX(oid), 0) FROM objects").at(0).integer(0);
}

std::vector<std::string> prewarmed_releases(Transaction& transaction,
                                            const std::string& class_name) {
    std::vector<std::string> versions;
    for (const auto& row :
         transaction.query("SELECT version FROM warmed WHERE class IN ('', ?) AND version NOT IN"
                           " (SELECT version FROM releases WHERE replacing <> 0)",
                           {Value{class_name}}))
        versions.push_back(row.text(0));
    return versions;
}

std::set<std::string> prewarmed_classes(Transaction& transaction, const std::string& version) {
    std::set<std::string> classes;
    for (const auto& row :
         transaction.query("SELECT class FROM warmed WHERE version = ?", {Value{version}}))
        classes.insert(row.text(0));
    return classes;
}

std::vector<std::pair<std::string, std::string>> prewarmed(Transaction& transaction) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& row : transaction.query("SELECT class, version FROM warmed"))
        all.emplace_back(row.text(0), row.text(1));
    return all;
}

void note_prewarmed(Transaction& transaction, const std::string& class_name,
                    const std::string& version, base::Seconds now, std::uint64_t objects) {
    static const store::Insert a_class{
        "warmed", {"class", "version", "warmed_at", "objects"}, {"class", "version"}};
    const std::vector<Value> values{Value{class_name}, Value{version},
                                    Value{base::format_rfc3339(now)},
                                    Value{static_cast<std::int64_t>(objects)}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_class), values);
}

void update_prewarmed(Transaction& transaction, const std::string& class_name,
                      const std::string& version, std::uint64_t objects) {
    transaction.execute(
        "UPDATE warmed SET objects = ? WHERE class = ? AND version = ?",
        {Value{static_cast<std::int64_t>(objects)}, Value{class_name}, Value{version}});
}

void delete_prewarmed(Transaction& transaction, const std::string& class_name,
                      const std::string& version) {
    transaction.execute("DELETE FROM warmed WHERE class = ? AND version = ?",
                        {Value{class_name}, Value{version}});
}

void delete_prewarmed_class(Transaction& transaction, const std::string& class_name) {
    transaction.execute("DELETE FROM warmed WHERE class IN (?, '')", {Value{class_name}});
}

void delete_prewarmed_release(Transaction& transaction, const std::string& version) {
    transaction.execute("DELETE FROM warmed WHERE version = ?", {Value{version}});
}

std::vector<ObjectName> failed_objects(Transaction& transaction, const std::string& version,
                                       const std::string& only) {
    return names_in(
        transaction.query("SELECT class, name FROM failed WHERE version = ?", {Value{version}}),
        only);
}

void delete_failed(Transaction& transaction, const std::string& version,
                   const ObjectName& object) {
    std::string sql = "DELETE FROM failed WHERE class = ? AND name = ?";
    std::vector<Value> values{Value{object.class_name}, Value{object.name}};
    if (!version.empty()) {
        sql += " AND version = ?";
        values.emplace_back(version);
    }
    transaction.execute(sql, values);
}

std::vector<ObjectName> objects_compared_in(Transaction& transaction,
                                            std::span<const std::string> versions,
                                            const std::string& only) {
    const std::vector<Value> values(versions.begin(), versions.end());
    return names_in(
        query_in(transaction, "SELECT class, name FROM objects WHERE ace_version IN", {}, values),
        only);
}

std::vector<ObjectName> objects_to_look_for(Transaction& transaction, const OidRange& range,
                                            const std::string& version,
                                            std::span<const std::string> compared_in) {
    const std::string sql = "SELECT class, name FROM objects WHERE oid > ? AND oid <= ? AND"
                            " ace_version <> ? AND (signature <> '' OR label = '')";
    const std::vector<Value> first{Value{range.after}, Value{range.to}, Value{version}};
    if (compared_in.empty()) return names_in(transaction.query(sql, first), {});
    const std::vector<Value> values(compared_in.begin(), compared_in.end());
    return names_in(query_in(transaction, sql + " AND ace_version IN", first, values), {});
}

std::vector<ObjectName> most_requested_objects(Transaction& transaction, std::size_t most) {
    return names_in(transaction.query("SELECT class, name FROM objects WHERE hits > 0"
                                      " ORDER BY hits DESC, oid LIMIT ?",
                                      {Value{static_cast<std::int64_t>(most)}}),
                    {});
}

base::Result<std::vector<ChangedRow>> changed_rows(Transaction& transaction,
                                                   const std::string& version, std::int64_t after,
                                                   std::size_t most) {
    std::vector<ChangedRow> changed;
    for (const auto& row : transaction.query(
             "SELECT h.oid, o.class, h.notes FROM history h JOIN objects o"
             " ON o.oid = h.oid WHERE h.version = ? AND h.kind = 'changed'"
             " AND h.oid > ? ORDER BY h.oid LIMIT ?",
             {Value{version}, Value{after}, Value{static_cast<std::int64_t>(most)}})) {
        auto notes = notes_from_json(row.text(2));
        if (!notes) return tl::unexpected(notes.error());
        changed.push_back({row.integer(0), row.text(1), std::move(*notes)});
    }
    return changed;
}

void insert_mass_changes(Transaction& transaction, std::span<const MassChange> changes) {
    static const store::Insert a_change{"mass_changes",
                                        {"version", "class", "path", "objects", "of_objects"},
                                        {"version", "class", "path"}};
    for (const auto& change : changes) {
        const std::vector<Value> values{Value{change.version}, Value{change.class_name},
                                        Value{change.place},
                                        Value{static_cast<std::int64_t>(change.objects)},
                                        Value{static_cast<std::int64_t>(change.of)}};
        transaction.execute(store::upsert_sql(transaction.engine(), a_change), values);
    }
}

void delete_mass_changes(Transaction& transaction, const std::string& version) {
    transaction.execute("DELETE FROM mass_changes WHERE version = ?", {Value{version}});
}

std::optional<RecordedBuild> read_build(Transaction& transaction, const std::string& version) {
    return build_of(transaction.query(select_build, {Value{version}}));
}

std::optional<RecordedBuild> lock_build(Transaction& transaction, const std::string& version) {
    return build_of(transaction.query(std::string(select_build) +
                                          std::string(store::for_update(transaction.engine())),
                                      {Value{version}}));
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

std::vector<ObjectRow> objects_in(Transaction& transaction, const OidRange& range) {
    std::vector<ObjectRow> objects;
    for (const auto& row :
         transaction.query(std::string(object_columns) + "WHERE oid > ? AND oid <= ?",
                           {Value{range.after}, Value{range.to}}))
        objects.push_back(object_from(row));
    return objects;
}

std::vector<std::int64_t> oids_created_or_vanished(Transaction& transaction,
                                                   const std::string& version,
                                                   const OidRange& range) {
    return oids_of(transaction.query("SELECT oid FROM history WHERE version = ? AND kind IN"
                                     " ('created', 'vanished') AND oid > ? AND oid <= ?",
                                     {Value{version}, Value{range.after}, Value{range.to}}));
}

std::uint64_t count_history(Transaction& transaction, const std::string& version) {
    return count(transaction, "SELECT COUNT(*) FROM history WHERE version = ?",
                 std::vector{Value{version}});
}

Deleted count_only_in(Transaction& transaction, const std::string& version,
                      const OidRange& range) {
    const Value after{range.after}, to{range.to}, release{version};
    Deleted counted;
    counted.trees = count(transaction,
                          "SELECT COUNT(*) FROM trees WHERE oid > ? AND oid <= ? AND version = ?",
                          std::vector{after, to, release});
    counted.objects =
        count(transaction,
              "SELECT COUNT(*) FROM objects o WHERE o.oid > ? AND o.oid <= ? AND"
              " (EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version = ?) OR"
              " EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version = ?)) AND"
              " NOT EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version <> ?) AND"
              " NOT EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version <> ?)",
              std::vector{after, to, release, release, release, release});
    return counted;
}

Deleted count_class(Transaction& transaction, const std::string& class_name) {
    const std::vector<Value> of{Value{class_name}};
    return {count(transaction, "SELECT COUNT(*) FROM objects WHERE class = ?", of),
            count(transaction,
                  "SELECT COUNT(*) FROM objects o JOIN history h ON h.oid = o.oid"
                  " WHERE o.class = ?",
                  of),
            count(transaction,
                  "SELECT COUNT(*) FROM objects o JOIN trees t ON t.oid = o.oid"
                  " WHERE o.class = ?",
                  of)};
}

Deleted count_object(Transaction& transaction, const ObjectName& name) {
    const std::vector<Value> oid{Value{oids_named(transaction, name).at(0)}};
    return {1, count(transaction, "SELECT COUNT(*) FROM history WHERE oid = ?", oid),
            count(transaction, "SELECT COUNT(*) FROM trees WHERE oid = ?", oid)};
}

bool has_traces_of_class(Transaction& transaction, const std::string& class_name) {
    constexpr std::array tables{"objects", "failed", "mass_changes", "warmed"};
    return std::ranges::any_of(tables, [&](const char* table) {
        return !transaction
                    .query("SELECT class FROM " + std::string(table) + " WHERE class = ? LIMIT 1",
                           {Value{class_name}})
                    .empty();
    });
}

std::vector<std::int64_t> oids_named(Transaction& transaction, const ObjectName& name) {
    return oids_of(transaction.query("SELECT oid FROM objects WHERE class = ? AND name = ?",
                                     {Value{name.class_name}, Value{name.name}}));
}

NamePage objects_behind(Transaction& transaction, const ObjectName& last, std::size_t most) {
    NamePage page;
    for (const auto& row :
         transaction.query("SELECT oid, name FROM objects WHERE class = ? AND name > ?"
                           " ORDER BY name LIMIT ?",
                           {Value{last.class_name}, Value{last.name},
                            Value{static_cast<std::int64_t>(most)}})) {
        page.oids.push_back(row.integer(0));
        page.last_name = row.text(1);
    }
    return page;
}

std::vector<TouchedObject> objects_touched_by(Transaction& transaction,
                                              const std::string& version, const OidRange& range) {
    const Value release{version};
    std::vector<TouchedObject> objects;
    for (const auto& row : transaction.query(
             "SELECT o.oid, o.class FROM objects o WHERE o.oid > ? AND o.oid <= ? AND"
             " (o.ace_version = ?"
             " OR EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version = ?)"
             " OR EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version = ?)"
             " OR EXISTS (SELECT 1 FROM replacements r WHERE r.version = ? AND"
             " r.oid = o.oid)) ORDER BY o.oid",
             {Value{range.after}, Value{range.to}, release, release, release, release}))
        objects.push_back({row.integer(0), row.text(1)});
    return objects;
}

const Record::Row* Record::row_of(const std::string& version) const {
    const auto found = std::ranges::find(rows, version, &Row::version);
    return found == rows.end() ? nullptr : &*found;
}

std::vector<Record> lock_records(Transaction& transaction, std::span<const std::int64_t> oids) {
    std::map<std::int64_t, Record> records;
    const auto values = values_of(oids);
    for (const auto& row : query_in(transaction, std::string(object_columns) + "WHERE oid IN", {},
                                    values, store::for_update(transaction.engine())))
        records[row.integer(0)].object = object_from(row);
    // An object that does not exist any more has neither trees nor rows.
    for (const auto& row :
         query_in(transaction, "SELECT oid, version FROM trees WHERE oid IN", {}, values))
        records.at(row.integer(0)).trees.push_back(row.text(1));
    for (const auto& row :
         query_in(transaction,
                  "SELECT oid, version, since, date, label, kind FROM history WHERE oid IN", {},
                  values))
        records.at(row.integer(0))
            .rows.push_back(
                {row.text(1), row.text(2), row.text(3), row.text(4), kind_named(row.text(5))});
    std::vector<Record> all;
    for (auto& [oid, record] : records) all.push_back(std::move(record));
    return all;
}

Deleted delete_objects(Transaction& transaction, std::span<const std::int64_t> oids) {
    // Objects are locked before their rows, as the recorder does: in another order the two would
    // wait for each other.
    (void)query_in(transaction, "SELECT oid FROM objects WHERE oid IN", {}, values_of(oids),
                   store::for_update(transaction.engine()));
    Deleted deleted;
    deleted.history = delete_in(transaction, "DELETE FROM history WHERE oid IN", {}, oids);
    deleted.trees = delete_in(transaction, "DELETE FROM trees WHERE oid IN", {}, oids);
    (void)delete_in(transaction, "DELETE FROM replacements WHERE oid IN", {}, oids);
    (void)delete_in(transaction, "DELETE FROM renames WHERE oid IN", {}, oids);
    deleted.objects = delete_in(transaction, "DELETE FROM objects WHERE oid IN", {}, oids);
    return deleted;
}

Deleted delete_rows_of_release(Transaction& transaction, const std::string& version,
                               std::span<const std::int64_t> oids) {
    const std::vector<Value> release{Value{version}};
    (void)delete_in(transaction, "DELETE FROM replacements WHERE version = ? AND oid IN", release,
                    oids);
    (void)delete_in(transaction, "DELETE FROM renames WHERE version = ? AND oid IN", release,
                    oids);
    Deleted deleted;
    deleted.history =
        delete_in(transaction, "DELETE FROM history WHERE version = ? AND oid IN", release, oids);
    deleted.trees =
        delete_in(transaction, "DELETE FROM trees WHERE version = ? AND oid IN", release, oids);
    return deleted;
}

void delete_notes_on_class(Transaction& transaction, const std::string& class_name) {
    for (const auto* table : {"mass_changes", "failed"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE class = ?",
                            {Value{class_name}});
}

void delete_release(Transaction& transaction, const std::string& version) {
    for (const auto* table : {"failed", "mass_changes", "accepted", "releases"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE version = ?",
                            {Value{version}});
}

std::map<std::string, ReleaseCounts> count_by_release(Transaction& transaction) {
    std::map<std::string, ReleaseCounts> all;
    for (const auto& row :
         transaction.query("SELECT version, kind, COUNT(*) FROM history GROUP BY version, kind"))
        if (const auto kind = kind_named(row.text(1)))
            all[row.text(0)].rows[*kind] = number(row, 2);
    for (const auto& row :
         transaction.query("SELECT ace_version, COUNT(*) FROM objects GROUP BY ace_version"))
        all[row.text(0)].compared = number(row, 1);
    for (const auto& [class_name, version] : prewarmed(transaction)) {
        if (class_name.empty())
            all[version].is_prewarmed = true;
        else
            ++all[version].prewarmed_classes;
    }
    for (const auto& row :
         transaction.query("SELECT version, COUNT(*) FROM failed GROUP BY version"))
        all[row.text(0)].failed = number(row, 1);
    for (const auto& row : transaction.query("SELECT version FROM releases WHERE digest <> ''"))
        all[row.text(0)].has_digest = true;
    return all;
}

}  // namespace tables
