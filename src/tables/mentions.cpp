// SPDX-License-Identifier: MIT
#include "tables/mentions.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/log.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/trees.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;
using tree::ObjectName;

const store::Insert a_mention{
    "mentions", {"class", "name", "entry", "mentioned_at"}, {"class", "name", "entry"}};

// The authors in the tree of an entry (feed/entry_tree.hpp).
std::vector<std::string> authors_in(const std::vector<tree::Node>& nodes) {
    std::vector<std::string> authors;
    for (const auto& node : nodes)
        if (node.cell.text == "Author")
            for (const auto& author : node.children) authors.push_back(author.cell.text);
    return authors;
}

// Reads a row; nullopt, with a line in the log: it is damaged.
std::optional<Mention> mention_in(const store::Row& row, const ObjectName& object) {
    const auto first_seen = base::parse_rfc3339(row.text(8)),
               mentioned_at = base::parse_rfc3339(row.text(9));
    const auto nodes = unpacked_tree(row.blob(10));
    if (!first_seen || !mentioned_at || !nodes) {
        base::log::error("a mention cannot be read", {{"entry", std::to_string(row.integer(0))}});
        return std::nullopt;
    }
    Mention mention;
    mention.object = object;
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
    mention.mentioned_at = *mentioned_at;
    return mention;
}

void delete_mention(Transaction& transaction, const ObjectName& object, std::int64_t entry) {
    transaction.execute("DELETE FROM mentions WHERE class = ? AND name = ? AND entry = ?",
                        {Value{object.class_name}, Value{object.name}, Value{entry}});
}

}  // namespace

std::vector<Mention> load_mentions(Transaction& transaction, const ObjectName& object,
                                   std::optional<std::int64_t> before, std::size_t most) {
    static constexpr std::int64_t behind_all = std::numeric_limits<std::int64_t>::max();
    const auto rows = transaction.query(
        "SELECT e.id, e.feed, e.title, e.link, f.name, f.rss_title, f.url, e.published, "
        "e.first_seen, m.mentioned_at, e.tree FROM mentions m" +
            std::string(store::read_first(transaction.engine())) + "entries e ON e.id = m.entry" +
            std::string(store::read_first(transaction.engine())) +
            "feeds f ON f.id = e.feed WHERE m.class = ? AND m.name = ? AND m.entry < ?"
            " ORDER BY m.entry DESC LIMIT ?",
        {Value{object.class_name}, Value{object.name}, Value{before.value_or(behind_all)},
         Value{static_cast<std::int64_t>(most)}});
    std::vector<Mention> mentions;
    for (const auto& row : rows)
        if (auto mention = mention_in(row, object)) mentions.push_back(*std::move(mention));
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

bool replace_mentions(Transaction& transaction, std::int64_t entry,
                      std::span<const ObjectName> objects, base::Seconds now) {
    std::vector<ObjectName> known;
    for (const auto& row :
         transaction.query("SELECT class, name FROM mentions WHERE entry = ?", {Value{entry}}))
        known.push_back({row.text(0), row.text(1)});
    bool has_written = false;
    for (const auto& object : known) {
        if (std::ranges::count(objects, object) > 0) continue;
        delete_mention(transaction, object, entry);
        has_written = true;
    }
    std::vector<Value> added;
    for (const auto& object : objects) {
        if (std::ranges::count(known, object) > 0) continue;
        added.insert(added.end(), {Value{object.class_name}, Value{object.name}, Value{entry},
                                   Value{base::format_rfc3339(now)}});
    }
    store::insert_missing(transaction, a_mention, added);
    return has_written || !added.empty();
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
