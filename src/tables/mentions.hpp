// tables/mentions.hpp -- the table mentions: which entries of source feeds name an object. Entries and feeds are the
// harvester's; what a page of the object shows of them is read here, in the transaction that reads its history.
// A mention is of a class and name as they are recorded, and outlives the object's leaving the current build.
// All functions throw store::Failure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace tables {

// SQL for the URL of a row `f` of the table feeds as everyone may see it: queries often hold keys, so it is without its
// query, unless the operator made that public.
inline constexpr std::string_view shown_url_of_feed =
    "CASE WHEN f.public_query = 1 OR INSTR(f.url, '?') = 0 THEN f.url"
    " ELSE SUBSTR(f.url, 1, INSTR(f.url, '?') - 1) END";

// An entry that mentions an object, as pages and feeds show it. All texts are foreign.
struct Mention {
    tree::ObjectName object;
    std::int64_t entry = 0, feed = 0;
    std::string title, link;  // each may be empty; the link is an http(s) URL
    std::string
        feed_name;  // the operator's name of the feed, else its own title, else its URL as everyone may see it
    std::vector<std::string> authors = {};  // a name or a mail address each
    std::optional<base::Seconds> published = {};
    base::Seconds first_seen{};  // when the entry was recorded; of one from an archive, published
    base::Seconds mentioned_at{};  // when the mention was
    bool operator==(const Mention&) const = default;

    // When it happened: what the feed says, but not later than it was recorded.
    [[nodiscard]] base::Seconds happened_at() const {
        return published && *published < first_seen ? *published : first_seen;
    }
};

// Returns mentions of objects, the entries that were recorded last first. Damaged ones are left out and logged.
//   cost  at most `most` rows of the primary key for each object, and two look-ups for each mention that is returned
[[nodiscard]] std::vector<Mention> load_mentions(store::Transaction& transaction,
                                                 std::span<const tree::ObjectName> objects,
                                                 std::size_t most);
// Returns how many entries mention the object.
//   cost  a range of an index
[[nodiscard]] std::size_t count_mentions(store::Transaction& transaction,
                                         const tree::ObjectName& object);

// Makes these the objects that an entry mentions. A mention that stays keeps its time.
//   objects  each once
void replace_mentions(store::Transaction& transaction, std::int64_t entry,
                      std::span<const tree::ObjectName> objects, base::Seconds now);

// Deletes the mentions of recorded objects, before these are deleted.
//   cost  two statements for 64 objects
void delete_mentions(store::Transaction& transaction, std::span<const std::int64_t> oids);

}  // namespace tables
