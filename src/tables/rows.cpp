// SPDX-License-Identifier: MIT
#include "tables/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/releases.hpp"
#include "tree/json.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;
using Json = simdjson::dom::element;

std::optional<compare::Op> op_named(std::string_view name) {
    for (const auto op : {compare::Op::added, compare::Op::removed, compare::Op::replaced})
        if (compare::name_of(op) == name) return op;
    return std::nullopt;
}

using Path = std::vector<tree::Cell>;

// A path that begins with so many cells of the one before is written without them.
constexpr std::size_t least_shared = 16;

std::size_t shared_cells(const Path& path, const Path& before) {
    const auto end = std::ranges::mismatch(path, before).in1;
    return static_cast<std::size_t>(end - path.begin());
}

//   before  the path of the change before; empty: there is none
void append(std::string& out, const compare::Change& change, const Path& before) {
    out += "{\"op\":\"";
    out += compare::name_of(change.op);
    auto shared = shared_cells(change.path, before);
    if (shared < least_shared) shared = 0;
    if (shared == 0)
        out += "\",\"path\":[";
    else
        out += "\",\"shared\":" + std::to_string(shared) + ",\"below\":[";
    for (auto i = shared; i < change.path.size(); ++i) {
        if (i > shared) out += ',';
        tree::append_json(out, change.path[i]);
    }
    out += ']';
    if (!change.before.empty()) tree::append_json(out += ",\"before\":", change.before);
    if (!change.after.empty()) tree::append_json(out += ",\"after\":", change.after);
    if (change.left_out > 0) out += ",\"left_out\":" + std::to_string(change.left_out);
    out += '}';
}

//   before  the path of the change before
std::size_t json_size(const compare::Change& change, const Path& before) {
    std::string json;
    append(json, change, before);
    return json.size() + 1;  // a comma
}

// Returns the nodes without those below them, and the beginning of their texts.
std::vector<tree::Node> topmost(const std::vector<tree::Node>& nodes) {
    constexpr std::size_t most_text = 100;
    std::vector<tree::Node> top;
    for (const auto& node : nodes) {
        top.push_back({node.cell, node.stamp, {}});
        auto& text = top.back().cell.text;
        const bool is_name = top.back().cell.kind == tree::CellKind::reference ||
                             top.back().cell.kind == tree::CellKind::member;
        if (text.size() <= most_text || (is_name && text.size() <= tree::longest_name)) continue;
        text = std::string(base::cut_at(text, most_text)) + "\xE2\x80\xA6";  // U+2026
    }
    return top;
}

tl::unexpected<base::Error> malformed(std::string text) {
    return base::fail(base::ErrorKind::malformed, std::move(text));
}

//   before  the path of the change before
Result<Path> path_from(const Json& json, const Path& before) {
    simdjson::dom::array elements;
    std::uint64_t shared = 0;
    if (json["path"].get(elements) != simdjson::SUCCESS &&
        (json["below"].get(elements) != simdjson::SUCCESS ||
         json["shared"].get(shared) != simdjson::SUCCESS))
        return malformed("a change without a path");
    if (shared > before.size()) return malformed("a path that shares more than there is");
    Path cells;
    cells.reserve(shared + elements.size());
    cells.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shared));
    for (const auto& element : elements) {
        auto cell = tree::cell_from_json(element);
        if (!cell) return tl::unexpected(cell.error());
        cells.push_back(std::move(*cell));
    }
    return cells;
}

Result<std::vector<tree::Node>> side_from(const Json& json, const char* key) {
    Json side;
    if (json[key].get(side) != simdjson::SUCCESS) return std::vector<tree::Node>();
    return tree::nodes_from_json(side);
}

// Returns a change without its path.
Result<compare::Change> change_from(const Json& json) {
    std::string_view name;
    if (json["op"].get(name) != simdjson::SUCCESS) return malformed("a change without an op");
    const auto op = op_named(name);
    if (!op) return malformed("a change of unknown op");
    auto before = side_from(json, "before");
    if (!before) return tl::unexpected(before.error());
    auto after = side_from(json, "after");
    if (!after) return tl::unexpected(after.error());
    if (before->size() != (op == compare::Op::added ? 0 : 1) ||
        after->size() != (op == compare::Op::removed ? 0 : 1))
        return malformed("a change without the nodes that its op needs");
    std::uint64_t left_out = 0;
    if (json["left_out"].get(left_out) != simdjson::SUCCESS) left_out = 0;
    return compare::Change{*op, {}, std::move(*before), std::move(*after), left_out};
}

Result<std::vector<compare::Change>> changes_from(const Json& json) {
    Json list;
    if (json["changes"].get(list) != simdjson::SUCCESS) return std::vector<compare::Change>();
    simdjson::dom::array elements;
    if (list.get(elements) != simdjson::SUCCESS) return malformed("changes are no JSON array");
    std::vector<compare::Change> changes;
    changes.reserve(elements.size());
    compare::PathLimit limit;
    const Path none;
    for (const auto& element : elements) {
        auto path = path_from(element, changes.empty() ? none : changes.back().path);
        if (!path) return tl::unexpected(path.error());
        if (!limit.admits(path->size())) return malformed("changes with too long paths");
        auto change = change_from(element);
        if (!change) return tl::unexpected(change.error());
        change->path = std::move(*path);
        changes.push_back(std::move(*change));
    }
    return changes;
}

std::string text_at(const Json& json, const char* key) {
    std::string_view text;
    return json[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

using Fate = compare::Reference::Fate;

void append(std::string& out, const compare::Reference& reference) {
    out += "{\"class\":";
    tree::append_json_string(out, reference.object.class_name);
    tree::append_json_string(out += ",\"name\":", reference.object.name);
    if (!reference.label.empty()) tree::append_json_string(out += ",\"label\":", reference.label);
    if (const auto fate = compare::name_of(reference.fate); !fate.empty())
        out.append(",\"fate\":\"").append(fate) += '"';
    out += '}';
}

// Labels are for people. Without them, or with damaged ones, objects go by their names.
compare::References references_from(const Json& json) {
    compare::References references;
    simdjson::dom::array list;
    if (json["references"].get(list) != simdjson::SUCCESS) return references;
    for (const auto& element : list) {
        if (!element.is_object()) continue;
        const auto fate = text_at(element, "fate");
        references.push_back({{text_at(element, "class"), text_at(element, "name")},
                              text_at(element, "label"),
                              fate == "created"    ? Fate::created
                              : fate == "vanished" ? Fate::vanished
                              : fate == "absent"   ? Fate::absent
                                                   : Fate::stays});
    }
    std::ranges::stable_sort(references, {}, &compare::Reference::object);
    const auto twice = std::ranges::unique(references, {}, &compare::Reference::object);
    references.erase(twice.begin(), twice.end());
    return references;
}

compare::Counts left_out_of(const Json& json) {
    const auto number = [&](compare::Op op) {
        std::uint64_t found = 0;
        const auto error = json["left_out"][compare::name_of(op)].get(found);
        return error == simdjson::SUCCESS ? std::size_t{found} : 0;
    };
    return {.added = number(compare::Op::added),
            .replaced = number(compare::Op::replaced),
            .removed = number(compare::Op::removed)};
}

// SELECT with the columns of a row.
//   notes  SQL for them
std::string select_rows(std::string_view notes) {
    return "SELECT h.oid, h.class, h.name, h.version, h.date, h.revision, h.since, h.recorded_at,"
           " h.signature, h.kind, h.label, h.sid, h.content, " +
           std::string(notes) + " FROM history h ";
}
constexpr std::size_t kind_column = 9, sid_column = 11, content_column = 12, notes_column = 13;

// SQL for notes that do not have more bytes than a value; NULL for others.
std::string short_notes(store::Engine engine) {
    return "CASE WHEN " + store::byte_length(engine, "h.notes") + " <= ? THEN h.notes END";
}
bool has_long_notes(const store::Row& stored) { return stored.is_null(notes_column); }

Result<Row> row_from(const store::Row& stored) {
    Row row;
    row.oid = stored.integer(0);
    row.object = {stored.text(1), stored.text(2)};
    const auto released_on = base::parse_date(stored.text(4));
    const auto recorded = base::parse_rfc3339(stored.text(7));
    const auto kind = kind_named(stored.text(kind_column));
    if (!released_on || !recorded || !kind)
        return malformed("a history row of unknown kind or time");
    row.release = {stored.text(3), *released_on};
    row.revision = static_cast<int>(stored.integer(5));
    row.since = stored.text(6);
    row.recorded_at = *recorded;
    row.signature = stored.text(8);
    row.kind = *kind;
    row.label = stored.text(10);
    row.content = stored.text(content_column);
    auto notes = notes_from_json(stored.text(notes_column));
    if (!notes) return tl::unexpected(notes.error());
    row.notes = std::move(*notes);
    return row;
}

UnreadableRow unreadable(const store::Row& stored, std::string reason) {
    return {{stored.text(1), stored.text(2)}, stored.text(3), std::move(reason)};
}

// Returns all of the rows, or throws NotesTooLong. Rows that have more than their equal part of the
// bytes come without notes at first. Where there are none, one query is enough.
store::Rows select_numbered(Transaction& transaction, std::span<const std::int64_t> sids,
                            std::size_t most_bytes) {
    const auto values = values_of(sids);
    const auto any = [&] {
        return query_in(transaction, select_rows("h.notes") + "WHERE h.sid IN", {}, values);
    };
    if (most_bytes == any_bytes || sids.empty()) return any();
    auto rows =
        query_in(transaction, select_rows(short_notes(transaction.engine())) + "WHERE h.sid IN",
                 {Value{static_cast<std::int64_t>(most_bytes / sids.size())}}, values);
    if (std::ranges::none_of(rows, has_long_notes)) return rows;
    rows.clear();
    std::size_t bytes = 0;
    for (const auto& row :
         query_in(transaction,
                  "SELECT " + store::byte_length(transaction.engine(), "notes") +
                      " FROM history WHERE sid IN",
                  {}, values))
        bytes += static_cast<std::size_t>(row.integer(0));
    if (bytes > most_bytes) throw NotesTooLong{};
    return any();
}

const store::Insert a_row{"history",
                          {"oid", "version", "revision", "since", "date", "recorded_at",
                           "signature", "kind", "label", "notes", "class", "name", "content"},
                          {}};

}  // namespace

std::string_view name_of(RowKind kind) {
    constexpr std::array<std::string_view, all_kinds.size()> names{
        "changed", "created", "vanished", "reappeared", "reconstructed", "withdrawn"};
    return names.at(static_cast<std::size_t>(kind));
}

std::optional<RowKind> kind_named(std::string_view name) {
    const auto found = std::ranges::find(all_kinds, name, name_of);
    return found == all_kinds.end() ? std::nullopt : std::optional(*found);
}

const std::string& kinds_of_news() {
    static const std::string list = [] {
        std::string text;
        for (const auto kind : all_kinds)
            if (kind != RowKind::reconstructed)
                text += (text.empty() ? "('" : ", '") + std::string(name_of(kind)) + "'";
        return text + ")";
    }();
    return list;
}

std::string fault_of(std::string_view table, std::string_view column, std::string_view text) {
    const bool is_history = table == "history";
    const bool is_day =
        (is_history && column == "date") || (table == "releases" && column == "released_on");
    if (is_day && !base::parse_date(text)) return "is no day like 2008-02-15";
    if (!is_history) return {};
    if (column == "recorded_at" && !base::parse_rfc3339(text))
        return "is no time like 2008-02-15T09:15:20Z";
    if (column == "kind" && !kind_named(text)) return "is no kind of row";
    return {};
}

void log_unreadable(const UnreadableRow& row) {
    base::log::error("a history row cannot be read", {{"class", row.object.class_name},
                                                      {"name", row.object.name},
                                                      {"release", row.version},
                                                      {"reason", row.reason}});
}

bool Notes::is_whole() const {
    return left_out.all() == 0 &&
           std::ranges::all_of(changes, [](const auto& change) { return change.left_out == 0; });
}

compare::Counts count_changes(const Notes& notes) {
    auto counts = compare::count(notes.changes);
    counts.added += notes.left_out.added;
    counts.removed += notes.left_out.removed;
    counts.replaced += notes.left_out.replaced;
    return counts;
}

void shorten(Notes& notes, std::size_t most_bytes) {
    auto& changes = notes.changes;
    static const Path none;
    const auto path_before = [&](std::size_t at) -> const Path& {
        return at == 0 ? none : changes[at - 1].path;
    };
    std::vector<std::size_t> sizes, largest_first;
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < changes.size(); ++at) {
        sizes.push_back(json_size(changes[at], path_before(at)));
        largest_first.push_back(at);
        bytes += sizes[at];
    }
    if (bytes <= most_bytes) return;
    std::ranges::stable_sort(largest_first, std::greater<>(),
                             [&](std::size_t at) { return sizes[at]; });
    for (const auto at : largest_first) {
        if (bytes <= most_bytes) break;
        auto& change = changes[at];
        compare::Change top{change.op, change.path, topmost(change.before), topmost(change.after),
                            sizes[at]};
        const auto size = json_size(top, path_before(at));
        if (size >= sizes[at]) continue;
        top.left_out = change.left_out + sizes[at] - size;
        bytes -= sizes[at] - size;
        sizes[at] = size;
        change = std::move(top);
    }
    auto kept = changes.size();
    while (bytes > most_bytes && kept > 0) bytes -= sizes[--kept];
    Notes rest;
    rest.changes.assign(changes.begin() + static_cast<std::ptrdiff_t>(kept), changes.end());
    rest.left_out = notes.left_out;
    notes.left_out = count_changes(rest);
    changes.resize(kept);
    changes.shrink_to_fit();
}

std::string to_json(const Notes& notes) {
    static const Path none;
    std::string out = "{\"changes\":[";
    const auto* before = &none;
    for (const auto& change : notes.changes) {
        if (&change != &notes.changes.front()) out += ',';
        append(out, change, *before);
        before = &change.path;
    }
    out += ']';
    if (!notes.previous.empty())
        tree::append_json_string(out += ",\"previous\":", notes.previous);
    if (!notes.references.empty()) {
        out += ",\"references\":[";
        for (const auto& reference : notes.references) {
            if (&reference != &notes.references.front()) out += ',';
            append(out, reference);
        }
        out += ']';
    }
    if (const auto& left_out = notes.left_out; left_out.all() > 0)
        out += ",\"left_out\":{\"added\":" + std::to_string(left_out.added) +
               ",\"removed\":" + std::to_string(left_out.removed) +
               ",\"replaced\":" + std::to_string(left_out.replaced) + "}";
    return out + "}";
}

std::string shortened_json(Notes& notes) {
    auto json = to_json(notes);
    if (json.size() <= longest_changes) return json;
    shorten(notes, longest_changes);
    return to_json(notes);
}

Result<Notes> notes_from_json(std::string_view text) {
    const auto parsed = tree::parse_json(text);
    if (!parsed) return tl::unexpected(parsed.error());
    const auto& json = parsed->root;
    if (!json.is_object()) return malformed("notes are no JSON object");
    auto changes = changes_from(json);
    if (!changes) return tl::unexpected(changes.error());
    Notes notes;
    notes.changes = std::move(*changes);
    notes.previous = text_at(json, "previous");
    notes.references = references_from(json);
    notes.left_out = left_out_of(json);
    return notes;
}

NumberedRows rows_numbered(Transaction& transaction, std::span<const std::int64_t> sids,
                           const OnUnreadable& on_unreadable, const NotesLimits& limits) {
    NumberedRows rows;
    for (const auto& stored : select_numbered(transaction, sids, limits.all)) {
        auto row = row_from(stored);
        if (!row) {
            on_unreadable(unreadable(stored, row.error().text));
            continue;
        }
        if (limits.before_shortening) limits.before_shortening(*row);
        auto bytes = stored.text(notes_column).size();
        if (bytes > limits.of_row) {
            shorten(row->notes, limits.of_row);
            bytes = to_json(row->notes).size();
        }
        rows.bytes += bytes;
        rows.by_sid.emplace(stored.integer(sid_column), std::move(*row));
    }
    return rows;
}

CheckedRows check_rows(Transaction& transaction, std::int64_t before, std::size_t most) {
    CheckedRows checked;
    for (const auto& stored : transaction.query(
             select_rows("h.notes, CASE WHEN o.oid IS NULL THEN 'no object has its oid'"
                         " WHEN h.class <> o.class OR h.name <> o.name"
                         " THEN 'its columns class and name say something else'"
                         " WHEN r.version IS NULL THEN 'its release is unknown' ELSE '' END") +
                 "LEFT JOIN objects o ON o.oid = h.oid"
                 " LEFT JOIN releases r ON r.version = h.version"
                 " WHERE h.sid < ? ORDER BY h.sid DESC LIMIT ?",
             {Value{before}, Value{static_cast<std::int64_t>(most)}})) {
        ++checked.rows;
        checked.last = stored.integer(sid_column);
        const auto row = row_from(stored);
        if (!row)
            checked.unreadable.push_back(unreadable(stored, row.error().text));
        else if (const auto& fault = stored.text(notes_column + 1); !fault.empty())
            checked.unreadable.push_back(unreadable(stored, fault));
    }
    return checked;
}

std::map<std::int64_t, std::vector<RowSummary>> row_summaries(
    Transaction& transaction, std::span<const std::int64_t> oids) {
    std::map<std::int64_t, std::vector<RowSummary>> rows;
    for (const auto& row :
         query_in(transaction,
                  "SELECT oid, version, since, date, kind, label FROM history WHERE oid IN", {},
                  values_of(oids)))
        rows[row.integer(0)].push_back({row.text(1), row.text(2), base::parse_date(row.text(3)),
                                        kind_named(row.text(4)), row.text(5)});
    return rows;
}

std::vector<RowKey> row_keys(Transaction& transaction, std::span<const std::int64_t> oids) {
    std::vector<RowKey> keys;
    for (const auto& row :
         query_in(transaction, "SELECT sid, oid, version FROM history WHERE oid IN", {},
                  values_of(oids)))
        keys.push_back({row.integer(0), row.integer(1), row.text(2)});
    return keys;
}

void insert_rows(Transaction& transaction, std::span<const NewRow> rows) {
    std::vector<Value> values;
    for (const auto& [oid, row, notes] : rows)
        values.insert(
            values.end(),
            {Value{oid}, Value{row->release.version}, Value{std::int64_t{row->revision}},
             Value{row->since}, Value{base::format_date(row->release.released_on)},
             Value{base::format_rfc3339(row->recorded_at)}, Value{row->signature},
             Value{std::string(name_of(row->kind))}, Value{row->label}, Value{*notes},
             Value{row->object.class_name}, Value{row->object.name}, Value{row->content}});
    store::insert_many(transaction, a_row, values);
}

void delete_rows(Transaction& transaction, const std::string& version,
                 std::span<const std::int64_t> oids) {
    (void)execute_in(transaction, "DELETE FROM history WHERE version = ? AND oid IN",
                     {Value{version}}, values_of(oids));
}

void find_renames(Transaction& transaction, std::span<Row> rows) {
    // A rename has two rows; a third one says that there is none.
    static const std::string of_one =
        "SELECT * FROM (SELECT version, class, content, kind, name FROM history"
        " WHERE version = ? AND class = ? AND kind IN " +
        // Rows with a content came or went.
        kinds_of_news() + " AND quiet = '' AND content = ? LIMIT 3) AS few";
    using Key = std::array<std::string, 3>;
    const auto key_of = [](const Row& row) {
        return Key{row.release.version, row.object.class_name, row.content};
    };
    std::set<Key> asked;
    for (const auto& row : rows)
        if (!row.content.empty()) asked.insert(key_of(row));
    std::map<Key, std::set<std::pair<bool, std::string>>> found;  // has vanished, name
    for (auto next = asked.begin(); next != asked.end();) {
        const auto left = static_cast<std::size_t>(std::distance(next, asked.end()));
        std::string sql;
        std::vector<Value> values;
        // Few texts of SQL, since statements stay prepared: the last key fills up.
        for (auto i = std::bit_ceil(std::min(left, longest_list)); i > 0; --i) {
            sql.append(sql.empty() ? "" : " UNION ALL ").append(of_one);
            values.insert(values.end(), next->begin(), next->end());
            if (std::next(next) != asked.end() || i == 1) ++next;
        }
        for (const auto& row : transaction.query(sql, values))
            found[{row.text(0), row.text(1), row.text(2)}].emplace(
                row.text(3) == name_of(RowKind::vanished), row.text(4));
    }
    for (auto& row : rows) {
        const auto group = found.find(key_of(row));
        const bool has_vanished = row.kind == RowKind::vanished;
        // A row of a re-publication is not in the table yet.
        if (group == found.end() || group->second.size() != 2 ||
            !group->second.contains({has_vanished, row.object.name}))
            continue;
        for (const auto& [other_has_vanished, name] : group->second)
            if (other_has_vanished != has_vanished)
                (has_vanished ? row.renamed_to : row.renamed_from) = {row.object.class_name,
                                                                      name};
    }
}

}  // namespace tables
