// SPDX-License-Identifier: MIT
#include "tables/mentions.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/log.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/trees.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;
using tree::ObjectName;

const store::Insert a_mention{"mentions",
                              {"class", "name", "first_seen", "entry", "mentioned_at"},
                              {"class", "name", "first_seen", "entry"}};

// The authors in the tree of an entry (feed::tree_of).
std::vector<std::string> authors_in(const std::vector<tree::Node>& nodes) {
    std::vector<std::string> authors;
    for (const auto& node : nodes)
        if (node.cell.text == "Author")
            for (const auto& author : node.children) authors.push_back(author.cell.text);
    return authors;
}

// Reads an entry as a mention, without object; nullopt, with a line in the log: it is damaged.
std::optional<Mention> entry_in(const store::Row& row) {
    const auto first_seen = base::parse_rfc3339(row.text(8));
    const auto nodes = unpacked_tree(row.blob(9));
    if (!first_seen || !nodes) {
        base::log::error("a mention cannot be read", {{"entry", std::to_string(row.integer(0))}});
        return std::nullopt;
    }
    Mention mention;
    mention.entry = row.integer(0);
    mention.feed = row.integer(1);
    mention.title = row.text(2);
    mention.link = row.text(3);
    mention.feed_name = !row.text(4).empty()   ? row.text(4)
                        : !row.text(5).empty() ? row.text(5)
                                               : row.text(6);
    mention.authors = authors_in(*nodes);
    mention.published = base::parse_rfc3339(row.text(7));
    mention.first_seen = *first_seen;
    return mention;
}

// Returns entries by their ids.
std::map<std::int64_t, Mention> entries_of(Transaction& transaction,
                                           std::span<const std::int64_t> ids) {
    std::map<std::int64_t, Mention> entries;
    for (const auto& row :
         query_in(transaction,
                  "SELECT e.id, e.feed, e.title, e.link, f.name, f.rss_title, " +
                      std::string(shown_url_of_feed) +
                      ", e.published, e.first_seen, e.tree FROM entries e" +
                      std::string(store::read_first(transaction.engine())) +
                      "feeds f ON f.id = e.feed WHERE e.id IN",
                  {}, values_of(ids)))
        if (auto entry = entry_in(row)) entries.emplace(row.integer(0), *std::move(entry));
    return entries;
}

// A row of the table.
struct MentionRow {
    std::string first_seen;  // the entry; RFC 3339
    std::int64_t entry = 0;
    const ObjectName* object = nullptr;
    std::string mentioned_at;
};

// Returns the newest rows of an object, in the order of the primary key. Entries of an archive have higher numbers than
// newer ones of their feed.
void append_rows(std::vector<MentionRow>& rows, Transaction& transaction,
                 const ObjectName& object, std::size_t most) {
    for (const auto& row :
         transaction.query("SELECT first_seen, entry, mentioned_at FROM mentions"
                           " WHERE class = ? AND name = ?"
                           " ORDER BY first_seen DESC, entry DESC LIMIT ?",
                           {Value{object.class_name}, Value{object.name},
                            Value{static_cast<std::int64_t>(most)}}))
        rows.push_back({row.text(0), row.integer(1), &object, row.text(2)});
}

}  // namespace

std::vector<Mention> load_mentions(Transaction& transaction, std::span<const ObjectName> objects,
                                   std::size_t most) {
    std::vector<MentionRow> rows;
    for (const auto& object : objects) append_rows(rows, transaction, object, most);
    std::ranges::stable_sort(rows, [](const MentionRow& a, const MentionRow& b) {
        return std::tie(a.first_seen, a.entry) > std::tie(b.first_seen, b.entry);
    });
    if (rows.size() > most) rows.resize(most);
    std::vector<std::int64_t> ids;
    for (const auto& row : rows) ids.push_back(row.entry);
    const auto entries = entries_of(transaction, ids);
    std::vector<Mention> mentions;
    for (const auto& row : rows) {
        const auto entry = entries.find(row.entry);
        const auto at = base::parse_rfc3339(row.mentioned_at);
        if (entry == entries.end() || !at) continue;
        auto& mention = mentions.emplace_back(entry->second);
        mention.object = *row.object;
        mention.mentioned_at = *at;
    }
    return mentions;
}

std::size_t count_mentions(Transaction& transaction, const ObjectName& object) {
    return static_cast<std::size_t>(
        transaction
            .query("SELECT COUNT(*) FROM mentions WHERE class = ? AND name = ?",
                   {Value{object.class_name}, Value{object.name}})
            .at(0)
            .integer(0));
}

void replace_mentions(Transaction& transaction, std::int64_t entry,
                      std::span<const ObjectName> objects, base::Seconds now) {
    std::vector<ObjectName> known;
    for (const auto& row : transaction.query(
             "SELECT class, name, first_seen FROM mentions WHERE entry = ?", {Value{entry}})) {
        known.push_back({row.text(0), row.text(1)});
        if (std::ranges::count(objects, known.back()) > 0) continue;
        transaction.execute(
            "DELETE FROM mentions WHERE class = ? AND name = ? AND first_seen = ? AND entry = ?",
            {row.value(0), row.value(1), row.value(2), Value{entry}});
    }
    const auto rows =
        transaction.query("SELECT first_seen FROM entries WHERE id = ?", {Value{entry}});
    if (rows.empty()) return;  // the entry is gone
    std::vector<Value> added;
    for (const auto& object : objects)
        if (std::ranges::count(known, object) == 0)
            added.insert(added.end(),
                         {Value{object.class_name}, Value{object.name}, rows.front().value(0),
                          Value{entry}, Value{base::format_rfc3339(now)}});
    store::insert_missing(transaction, a_mention, added);
}

void delete_mentions(Transaction& transaction, std::span<const std::int64_t> oids) {
    std::map<std::string, std::vector<Value>> names;  // by class
    for (const auto& row : query_in(transaction, "SELECT class, name FROM objects WHERE oid IN",
                                    {}, values_of(oids)))
        names[row.text(0)].push_back(row.value(1));
    for (const auto& [class_name, of_class] : names)
        execute_in(transaction, "DELETE FROM mentions WHERE class = ? AND name IN",
                   {Value{class_name}}, of_class);
}

}  // namespace tables
