// SPDX-License-Identifier: MIT
#include "tables/watch_lists.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/releases.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

constexpr std::string_view base32 = "abcdefghijklmnopqrstuvwxyz234567";  // RFC 4648, lower case
constexpr std::size_t most_damaged = 20;

const store::Insert a_watch_list{
    "watch_lists", {"id", "objects", "created_at", "last_used"}, {"id"}};

// Of the row of a list: its feed has no subscription at the hub.
constexpr std::string_view is_unsubscribed =
    " AND NOT EXISTS (SELECT 1 FROM topics t JOIN subscriptions s ON s.topic = t.id"
    " WHERE t.subject = 'watch_list' AND t.class = '' AND t.name = watch_lists.id)";

// One object a line, "CLASS:NAME", both percent-encoded.
std::string text_of(const std::vector<ObjectName>& objects) {
    std::string text;
    for (const auto& object : objects) {
        text += base::percent_encode(object.class_name) + ":";
        text += base::percent_encode(object.name) + "\n";
    }
    return text;
}

std::string id_of(std::string_view text) {
    base::Digest digest(base::Algorithm::sha256);
    digest.update(text);
    const auto bytes = digest.raw();
    std::string id;
    unsigned bits = 0, count = 0;
    for (const char byte : std::string_view(bytes).substr(0, 10)) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (count += 8; count >= 5; count -= 5) id += base32[bits >> (count - 5) & 31U];
    }
    return id;
}

// Returns nullopt for what text_of() does not write.
std::optional<std::vector<ObjectName>> objects_in_text(std::string_view text) {
    std::vector<ObjectName> objects;
    if (!text.ends_with('\n')) return std::nullopt;
    text.remove_suffix(1);
    for (const auto line : base::split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        auto class_name = base::percent_decode(line.substr(0, colon), base::Plus::literal);
        auto name = base::percent_decode(line.substr(colon + 1), base::Plus::literal);
        if (!class_name || !name || class_name->empty() || name->empty()) return std::nullopt;
        objects.push_back({std::move(*class_name), std::move(*name)});
    }
    return objects;
}

std::optional<std::string> text_with_id(Transaction& transaction, const std::string& id) {
    const auto rows =
        transaction.query("SELECT objects FROM watch_lists WHERE id = ?", {Value{id}});
    if (rows.empty()) return std::nullopt;
    return rows.front().text(0);
}

// Deletes the list that nobody used for longest, if that is long enough.
bool make_room_for_list(Transaction& transaction, base::Date today) {
    const auto oldest =
        transaction.query("SELECT id FROM watch_lists WHERE last_used < ?"
                          " AND (last_used < ? OR last_used = SUBSTR(created_at, 1, 10))" +
                              std::string(is_unsubscribed) + " ORDER BY last_used, id LIMIT 1",
                          {Value{base::format_date(today - never_used_list_stays)},
                           Value{base::format_date(today - unused_list_stays)}});
    if (oldest.empty()) return false;
    return delete_watch_list(transaction, oldest.front().text(0));
}

}  // namespace

bool is_watch_list_id(std::string_view text) {
    return text.size() == watch_list_id_size &&
           text.find_first_not_of(base32) == std::string_view::npos;
}

WatchListRow watch_list_of(std::vector<ObjectName> objects) {
    auto id = id_of(text_of(objects));
    return {std::move(id), std::move(objects)};
}

std::optional<std::vector<ObjectName>> find_watch_list(Transaction& transaction,
                                                       const std::string& id) {
    const auto text = text_with_id(transaction, id);
    if (!text || id_of(*text) != id) return std::nullopt;
    return objects_in_text(*text);
}

KeptList keep_watch_list(Transaction& transaction, const WatchListRow& list, base::Seconds now,
                         std::size_t most) {
    const auto today = std::chrono::floor<std::chrono::days>(now);
    const auto text = text_of(list.objects);
    if (text.size() > longest_watch_list) return KeptList::too_long;
    if (const auto there = text_with_id(transaction, list.id)) {
        if (*there != text) return KeptList::taken;
        note_use_of_lists(transaction, {list.id}, today);
        return KeptList::kept;
    }
    const auto lists = transaction.query("SELECT COUNT(*) FROM watch_lists").at(0).integer(0);
    if (static_cast<std::size_t>(lists) >= most && !make_room_for_list(transaction, today))
        return KeptList::full;
    const bool is_new = store::insert_unless_there(transaction, a_watch_list,
                                                   std::vector{Value{list.id}, Value{text},
                                                               Value{base::format_rfc3339(now)},
                                                               Value{base::format_date(today)}});
    // Otherwise another process has inserted a row with this id meanwhile.
    return is_new || text_with_id(transaction, list.id) == text ? KeptList::kept
                                                                : KeptList::taken;
}

void note_use_of_lists(Transaction& transaction, const std::set<std::string>& ids,
                       base::Date day) {
    const Value today{base::format_date(day)};
    for (const auto& id : ids)
        transaction.execute("UPDATE watch_lists SET last_used = ? WHERE id = ? AND last_used < ?",
                            {today, Value{id}, today});
}

std::vector<WatchListUse> list_watch_lists(Transaction& transaction, const std::string& after,
                                           std::size_t most) {
    std::vector<WatchListUse> lists;
    for (const auto& row :
         transaction.query("SELECT id, objects, created_at, last_used FROM watch_lists"
                           " WHERE id > ? ORDER BY id LIMIT ?",
                           {Value{after}, Value{static_cast<std::int64_t>(most)}})) {
        const auto objects = std::ranges::count(row.text(1), '\n');
        lists.push_back(
            {row.text(0), static_cast<std::size_t>(objects), row.text(2), row.text(3)});
    }
    return lists;
}

bool delete_watch_list(Transaction& transaction, const std::string& id) {
    return transaction.execute("DELETE FROM watch_lists WHERE id = ?", {Value{id}}) > 0;
}

std::size_t delete_unused_watch_lists(Transaction& transaction, base::Date since,
                                      std::size_t most) {
    const auto unused = transaction.query(
        "SELECT id FROM watch_lists WHERE last_used < ?" + std::string(is_unsubscribed) +
            " ORDER BY last_used, id LIMIT ?",
        {Value{base::format_date(since)}, Value{static_cast<std::int64_t>(most)}});
    for (const auto& row : unused) delete_watch_list(transaction, row.text(0));
    return unused.size();
}

CheckedWatchLists check_watch_lists(Transaction& transaction) {
    constexpr std::int64_t at_once = 1000;
    CheckedWatchLists checked;
    for (std::string last;;) {
        const auto rows = transaction.query(
            "SELECT id, objects FROM watch_lists WHERE id > ? ORDER BY id LIMIT ?",
            {Value{last}, Value{at_once}});
        if (rows.empty()) return checked;
        for (const auto& row : rows) {
            ++checked.lists;
            const bool is_whole =
                id_of(row.text(1)) == row.text(0) && objects_in_text(row.text(1));
            if (!is_whole && checked.damaged.size() < most_damaged)
                checked.damaged.push_back(row.text(0));
        }
        last = rows.back().text(0);
    }
}

}  // namespace tables
