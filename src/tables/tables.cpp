// SPDX-License-Identifier: MIT
#include "tables/tables.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "base/compress.hpp"
#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/replacement.hpp"
#include "tree/json.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

// A tree is never stored above this (bytes of JSON), so a larger one is damage.
constexpr std::size_t largest_tree = std::size_t{4} << 30;

const store::Insert a_release{"releases", {"version", "released_on", "digest"}, {"version"}};

// Rows of meta that add up to the generation (sql/objects_history.sql).
constexpr unsigned generation_slots = 16;

std::string sql(std::string_view start, std::string_view rest) {
    return std::string(start) + std::string(rest);
}

std::vector<std::string> tree_versions(Transaction& transaction, std::int64_t oid,
                                       const Releases& releases) {
    std::vector<std::string> versions;
    for (const auto& row :
         transaction.query("SELECT version FROM trees WHERE oid = ?", {Value{oid}}))
        versions.push_back(row.text(0));
    std::sort(versions.begin(), versions.end(),
              [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    return versions;
}

}  // namespace

base::Date date_of(const std::string& text) {
    const auto date = base::parse_date(text);
    if (!date) throw std::logic_error("no date in the store: " + text);
    return *date;
}

const std::string_view object_columns =
    "SELECT oid, class, name, label, signature, last_modification_date, ace_version"
    " FROM objects ";

ObjectRow object_from(const store::Row& row) {
    return ObjectRow{row.integer(0), {row.text(1), row.text(2)}, row.text(3),
                     row.text(4),    date_of(row.text(5)),       row.text(6),
                     row.text(6)};
}

Releases::Releases(std::vector<Release> releases) {
    for (const auto& release : releases) add(release);
}

void Releases::add(const Release& release) {
    if (find(release.version) != nullptr) return;
    releases_.insert(std::upper_bound(releases_.begin(), releases_.end(), release), release);
}

const Release* Releases::find(std::string_view version) const {
    for (const auto& release : releases_)
        if (release.version == version) return &release;
    return nullptr;
}

bool Releases::is_later(std::string_view a, std::string_view b) const {
    const auto *x = find(a), *y = find(b);
    if (x == nullptr || y == nullptr) return x != nullptr;
    return *y < *x;
}

const Release* Releases::before(const Release& release) const {
    const auto at = std::lower_bound(releases_.begin(), releases_.end(), release);
    return at == releases_.begin() ? nullptr : &*std::prev(at);
}

std::vector<Release> Releases::up_to(const Release& release) const {
    return {releases_.begin(), std::upper_bound(releases_.begin(), releases_.end(), release)};
}

void Releases::add_replacing(std::string version, std::string digest) {
    replacing_.push_back({std::move(version), std::move(digest)});
}

Releases load_releases(Transaction& transaction) {
    Releases releases;
    for (const auto& row :
         transaction.query("SELECT version, released_on, replacing, digest FROM releases")) {
        releases.add({row.text(0), date_of(row.text(1))});
        if (row.integer(2) != 0) releases.add_replacing(row.text(0), row.text(3));
    }
    return releases;
}

std::optional<RecordedRelease> recorded_release(Transaction& transaction,
                                                std::string_view version) {
    const auto rows =
        transaction.query("SELECT released_on, digest FROM releases WHERE version = ?",
                          {Value{std::string(version)}});
    if (rows.empty() || rows.front().text(1).empty()) return std::nullopt;
    return RecordedRelease{date_of(rows.front().text(0)), rows.front().text(1)};
}

Result<void> record_release(Transaction& transaction, const Release& release,
                            std::string_view digest) {
    const Value version{release.version}, new_digest{std::string(digest)};
    const auto read = [&] {
        return transaction.query("SELECT digest FROM releases WHERE version = ?", {version});
    };
    auto rows = read();
    if (rows.empty()) {
        const std::vector<Value> values{version, Value{base::format_date(release.released_on)},
                                        new_digest};
        if (store::insert_unless_there(transaction, a_release, values)) return {};
        rows = read();  // another was first
    }
    const auto& recorded = rows.at(0).text(0);
    if (digest.empty() || recorded == digest) return {};
    if (!recorded.empty() && base::contradict(recorded, digest))
        return base::fail(base::Kind::conflict,
                          release.version + " is recorded with other content");
    if (!recorded.empty()) {
        // Of the other sort: from now on the next one of this sort is held to it.
        transaction.execute("UPDATE releases SET digest = ? WHERE version = ?",
                            {new_digest, version});
        return {};
    }
    // Known by name alone until now: the build tells its date.
    transaction.execute("UPDATE releases SET digest = ?, released_on = ? WHERE version = ?",
                        {new_digest, Value{base::format_date(release.released_on)}, version});
    return {};
}

std::optional<ObjectRow> find_object(Transaction& transaction, const ObjectName& asked) {
    const auto exact = transaction.query(sql(object_columns, "WHERE class = ? AND name = ?"),
                                         {Value{asked.class_name}, Value{asked.name}});
    if (!exact.empty()) return object_from(exact.front());
    const auto folded = transaction.query(sql(object_columns, "WHERE name_key = ?"),
                                          {Value{base::fold_ascii(asked.name)}});
    std::optional<ObjectRow> found;
    for (const auto& row : folded) {
        if (!base::equal_ignoring_case(row.text(1), asked.class_name)) continue;
        if (found) return std::nullopt;
        found = object_from(row);
    }
    return found;
}

void settle(Transaction& transaction, ObjectRow& row, const Release& current,
            const Releases& releases) {
    row.compared_in = row.ace_version;
    if (!releases.replacing().empty()) lay_replacement_over(transaction, row, current, releases);
    if (row.compared_in == current.version) return;
    std::vector<std::string> later;
    for (const auto& each : transaction.query("SELECT version FROM warmed WHERE class IN (?, '')",
                                              {Value{row.object.class_name}}))
        if (releases.is_later(each.text(0), row.compared_in)) later.push_back(each.text(0));
    std::sort(later.begin(), later.end(),
              [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    for (const auto& version : later) {
        const auto failed = transaction.query(
            "SELECT version FROM failed WHERE version = ? AND class = ? AND name = ?",
            {Value{version}, Value{row.object.class_name}, Value{row.object.name}});
        if (!failed.empty()) continue;
        row.compared_in = version;
        return;
    }
}

Result<std::vector<tree::Node>> tree_of(Transaction& transaction, std::int64_t oid,
                                        const std::string& version) {
    const auto rows = transaction.query("SELECT tree FROM trees WHERE oid = ? AND version = ?",
                                        {Value{oid}, Value{version}});
    if (rows.empty()) return std::vector<tree::Node>();
    auto nodes = unpacked_tree(rows.front().blob(0));
    if (!nodes) return base::fail_at("stored tree of " + version, nodes.error());
    return nodes;
}

Result<std::optional<KnownTree>> newest_tree(Transaction& transaction, std::int64_t oid,
                                             const Releases& releases) {
    const auto versions = tree_versions(transaction, oid, releases);
    if (versions.empty()) return std::nullopt;
    auto nodes = tree_of(transaction, oid, versions.front());
    if (!nodes) return tl::unexpected(nodes.error());
    return KnownTree{versions.front(), std::move(*nodes)};
}

Result<TreeAsOf> tree_as_of(Transaction& transaction, std::int64_t oid, const Release& current,
                            const Releases& releases) {
    const auto versions = tree_versions(transaction, oid, releases);  // newest first
    const auto shown = std::ranges::find_if(versions, [&](const auto& version) {
        return !releases.is_later(version, current.version);
    });
    if (shown == versions.begin()) return TreeAsOf{};
    if (shown == versions.end()) return TreeAsOf{std::nullopt, false};
    auto nodes = tree_of(transaction, oid, *shown);
    if (!nodes) return tl::unexpected(nodes.error());
    return TreeAsOf{KnownTree{*shown, std::move(*nodes)}, false};
}

std::string packed_tree(const std::vector<tree::Node>& nodes) {
    std::string json;
    tree::append_json(json, nodes);
    return base::compress(json);
}

Result<std::vector<tree::Node>> unpacked_tree(std::string_view bytes) {
    const auto json = base::decompress(bytes, largest_tree);
    if (!json) return tl::unexpected(json.error());
    return tree::parse_nodes(*json);
}

void insert_tree(Transaction& transaction, std::int64_t oid, std::string_view version,
                 const std::vector<tree::Node>& nodes) {
    transaction.execute(
        "INSERT INTO trees (oid, version, tree) VALUES (?, ?, ?)",
        {Value{oid}, Value{std::string(version)}, Value{store::Blob{packed_tree(nodes)}}});
}

void prune_trees(Transaction& transaction, std::int64_t oid, std::size_t keep,
                 const Releases& releases) {
    if (keep == 0) return;
    const auto versions = tree_versions(transaction, oid, releases);
    for (std::size_t i = keep; i < versions.size(); ++i)
        transaction.execute("DELETE FROM trees WHERE oid = ? AND version = ?",
                            {Value{oid}, Value{versions[i]}});
}

std::string label_key_of(const ObjectRow& row) {
    return row.label == row.object.name ? "" : base::fold_ascii(row.label);
}

std::int64_t insert_object(Transaction& transaction, const ObjectRow& row) {
    const Value class_name{row.object.class_name}, name{row.object.name};
    transaction.execute(
        "INSERT INTO objects (class, name, name_key, label, signature, last_modification_date,"
        " ace_version, label_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        {class_name, name, Value{base::fold_ascii(row.object.name)}, Value{row.label},
         Value{row.signature}, Value{base::format_date(row.last_modified)},
         Value{row.ace_version}, Value{label_key_of(row)}});
    return transaction
        .query("SELECT oid FROM objects WHERE class = ? AND name = ?", {class_name, name})
        .at(0)
        .integer(0);
}

bool update_object(Transaction& transaction, const ObjectRow& now,
                   std::string_view version_read) {
    return transaction.execute(
               "UPDATE objects SET label = ?, label_key = ?, signature = ?,"
               " last_modification_date = ?, ace_version = ? WHERE oid = ? AND ace_version = ?",
               {Value{now.label}, Value{label_key_of(now)}, Value{now.signature},
                Value{base::format_date(now.last_modified)}, Value{now.ace_version},
                Value{now.oid}, Value{std::string(version_read)}}) == 1;
}

void insert_history(Transaction& transaction, const Row& row) {
    transaction.execute(
        "INSERT INTO history (oid, version, revision, since, date, recorded_at, signature,"
        " kind, label, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {Value{row.oid}, Value{row.release.version}, Value{std::int64_t{row.revision}},
         Value{row.since}, Value{base::format_date(row.release.released_on)},
         Value{base::format_rfc3339(row.recorded_at)}, Value{row.signature},
         Value{std::string(name_of(row.kind))}, Value{row.label}, Value{to_json(row.notes)}});
}

void update_notes(Transaction& transaction, const Row& row) {
    transaction.execute("UPDATE history SET notes = ? WHERE oid = ? AND version = ?",
                        {Value{to_json(row.notes)}, Value{row.oid}, Value{row.release.version}});
}

std::vector<std::string> recorded_versions(Transaction& transaction, std::int64_t oid) {
    std::vector<std::string> versions;
    for (const auto& row :
         transaction.query("SELECT version FROM history WHERE oid = ?", {Value{oid}}))
        versions.push_back(row.text(0));
    return versions;
}

std::vector<ObjectRow> objects_with(Transaction& transaction, std::string_view class_name,
                                    std::string_view signature, std::size_t most) {
    std::vector<ObjectRow> objects;
    for (const auto& row :
         transaction.query(sql(object_columns,
                               "WHERE class = ? AND signature = ? LIMIT " + std::to_string(most)),
                           {Value{std::string(class_name)}, Value{std::string(signature)}}))
        objects.push_back(object_from(row));
    return objects;
}

std::string claim_on(const ObjectName& object) {
    std::string claim = "\"renamed_to\":{\"class\":";
    tree::append_json_string(claim, object.class_name);
    tree::append_json_string(claim += ",\"name\":", object.name);
    return claim + "}";
}

std::vector<ObjectName> vanished_into(Transaction& transaction, const Release& release,
                                      const ObjectName& object) {
    std::vector<ObjectName> names;
    for (const auto& row : transaction.query(
             "SELECT o.class, o.name FROM history h JOIN objects o ON o.oid = h.oid"
             " WHERE h.version = ? AND h.kind = ? AND o.class = ? AND INSTR(h.notes, ?) > 0",
             {Value{release.version}, Value{std::string(name_of(RowKind::vanished))},
              Value{object.class_name}, Value{claim_on(object)}}))
        names.push_back({row.text(0), row.text(1)});
    return names;
}

std::vector<ObjectName> claimed_names(Transaction& transaction, const Release& release,
                                      const std::string& class_name) {
    std::vector<ObjectName> names;
    for (const auto& row : transaction.query(
             "SELECT h.notes FROM history h JOIN objects o ON o.oid = h.oid WHERE h.version = ?"
             " AND h.kind = ? AND o.class = ? AND INSTR(h.notes, '\"renamed_to\"') > 0",
             {Value{release.version}, Value{std::string(name_of(RowKind::vanished))},
              Value{class_name}})) {
        const auto notes = notes_from_json(row.text(0));
        if (notes && notes->renamed_to) names.push_back(*notes->renamed_to);
    }
    return names;
}

std::vector<Release> warmed_after(Transaction& transaction, const std::string& class_name,
                                  const Release& current, const Releases& releases) {
    std::vector<Release> later;
    for (const auto& row : transaction.query("SELECT version FROM warmed WHERE class IN (?, '')",
                                             {Value{class_name}})) {
        const auto* release = releases.find(row.text(0));
        if (release != nullptr && current < *release) later.push_back(*release);
    }
    return later;
}

void list_failed(Transaction& transaction, const Release& release, const ObjectName& object,
                 const std::string& reason) {
    static const store::Insert failure{
        "failed", {"version", "class", "name", "reason"}, {"version", "class", "name"}};
    const std::vector<Value> values{Value{release.version}, Value{object.class_name},
                                    Value{object.name}, Value{reason}};
    transaction.execute(store::upsert_sql(transaction.engine(), failure), values);
}

std::int64_t generation(Transaction& transaction) {
    const auto rows = transaction.query("SELECT SUM(value) FROM meta WHERE name = 'generation' OR"
                                        " (name >= 'generation-' AND name < 'generation.')");
    return rows.empty() || rows.front().is_null(0) ? 0 : rows.front().integer(0);
}

void move_generation(Transaction& transaction) {
    // A slot of the process's own: writers on other hosts don't wait for its row, and in a
    // cluster don't lose their transactions over it.
    static const store::Value slot{[] {
        const auto number = std::random_device()() % generation_slots;
        return "generation-" + std::string(number < 10 ? "0" : "") + std::to_string(number);
    }()};
    // In one statement: two transactions that read and then wrote would count once.
    transaction.execute("UPDATE meta SET value = value + 1 WHERE name = ?", {slot});
}

}  // namespace tables
