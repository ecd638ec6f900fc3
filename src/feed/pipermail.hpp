// feed/pipermail.hpp -- the archive of a mailing list as Mailman 2 writes it (Pipermail): an index page that lists months,
// and for each month a text with its messages (mbox).
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "feed/feed.hpp"

namespace feed {

struct ListMonth {
    base::Date first_day{};
    std::string text_url;  // "https://x.org/pipermail/list/2008-February.txt.gz"
    bool operator==(const ListMonth&) const = default;
};
struct ListIndex {
    std::string title;              // plain: "The list Archives"
    std::vector<ListMonth> months;  // newest first, each once; at least one, at most 1,200
};

// Reads an index page.
//   url    that it was fetched from, with or without a slash at its end; months of another folder are left out
//   error  malformed: it lists no month that has a text
[[nodiscard]] base::Result<ListIndex> read_list_index(std::string_view bytes,
                                                      std::string_view content_type,
                                                      const std::string& url);

// True for a URL whose last part is named like the text of a month.
[[nodiscard]] bool is_month_url(std::string_view url);
// Returns the index that a month belongs to: its folder.
[[nodiscard]] std::string index_of_month(const std::string& month_url);

struct MonthLimits {
    std::size_t most_bytes = std::size_t{8} << 20;  // of the text, unpacked
    std::size_t most_messages = 4000;
    std::size_t most_text = 65536;  // bytes of one message; a longer one is cut at a character
};
struct ListMessages {
    std::vector<Entry> entries;  // in the order of the text, which is that of their arrival
    bool is_cut = false;         // there were more
};

// Reads the text of a month, which may be packed with gzip. An entry has the Message-ID as its guid, the page of the
// month's threads as its link, the author without an address, and the text of the message as HTML. A message without a
// time that can be read has that of its arrival.
//   month_url  that it was fetched from
//   error      malformed: no message, or the gzip data are damaged
//   cost       O(bytes)
[[nodiscard]] base::Result<ListMessages> read_month(std::string_view bytes,
                                                    const std::string& month_url,
                                                    const MonthLimits& limits = {});

// Returns the text of a field of a mail with its encoded words decoded (RFC 2047), on one line.
[[nodiscard]] std::string decode_mail_field(std::string_view field);

}  // namespace feed
