// render/digest.hpp -- a mail of what changed in some objects since a release, for those who read no
// feeds: its subject, its content, its id.
// Pure: no clock, no I/O. The same digest gives the same bytes. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "query/history_page.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "tables/rows.hpp"

namespace render {

// What a mail says of a row: the item that feeds have of it.
struct DigestItem {
    base::Release release;
    tree::ObjectName object;
    std::string words;  // "unc-26 Status Live → Dead, 3 more changes": plain text on one line
    std::string title, url, content;  // as in feeds; the content is HTML
    // All of it follows from what became of other objects, or most objects of the class share it.
    bool only_follows = false;
};
[[nodiscard]] DigestItem digest_item_of(const tables::Row& row, const query::HistoryPage& page,
                                        const Site& site);
// Orders items by release, the newest first, and within it those that only follow behind the others;
// then by class and name.
[[nodiscard]] bool comes_first(const DigestItem& a, const DigestItem& b);

// Returns what became of an object: "changed", "created", "vanished" or "reappeared".
[[nodiscard]] std::string_view outcome_of(tables::RowKind kind);

struct Digest {
    std::string id;           // of the list or class, as in its feed: a tag: URI
    std::string page_url;     // the page for people; empty: there is none
    std::string since;        // version
    std::string class_name;   // of a whole class; else empty
    std::size_t objects = 0;  // of a list: those that are known, changed or not
    // How many of them came to what, each by its newest row.
    std::map<std::string_view, std::size_t> outcomes;
    bool counts_all = true;                    // false: there are more than those
    std::set<base::Release> releases;          // of all rows
    std::set<base::Release> counted_releases;  // of the newest row of each object
    std::vector<DigestItem> items;             // in the order of comes_first()
    std::size_t left_out = 0;                  // rows that are not among the items
    // Some objects could not be compared with the current release.
    bool is_incomplete = false;
    // Names of the list that stand for no object, or for several: "Gene alpha".
    std::vector<std::string> unknown;
};

// Returns what is read in an inbox, on one line: "2 of 12 objects changed, 1 vanished in WS188: unc-26
// Status Live → Dead, 3 more changes; abc-1 vanished". At most 250 bytes.
//   needs  digest.items
[[nodiscard]] std::string subject_of(const Digest& digest);

// Returns the digest as an HTML document of at most 100 KB: the content of items up to 64 KB, then
// titles of up to 100 more, and how many there are besides, with links to the pages that have them.
[[nodiscard]] std::string html_of(const Digest& digest, const Site& site,
                                  const Templates& templates);

// Returns what a Message-ID has between < and >. It is made of authority, list, since and newest release
// that is in it, so that mail programs recognise a digest that was sent twice.
[[nodiscard]] std::string message_id_of(const Digest& digest, const Site& site);

}  // namespace render
