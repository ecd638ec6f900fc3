// Archives of mailing lists of any bytes: as an index page, as the text of a month, and as the field of a mail.
// SPDX-License-Identifier: MIT
#include <string>

#include "base/utf8.hpp"
#include "feed/pipermail.hpp"
#include "fuzz/fuzz.hpp"

namespace {

constexpr const char* folder = "https://x.org/pipermail/list/";

}  // namespace

void fuzz(std::string_view bytes) {
    if (const auto index = feed::read_list_index(bytes, "text/html", folder)) {
        require_text(index->title);
        for (const auto& month : index->months) {
            require(month.text_url.starts_with(folder));
            require(feed::is_month_url(month.text_url));
            require(feed::index_of_month(month.text_url) == folder);
        }
    }
    constexpr feed::MonthLimits limits{
        .most_bytes = 1 << 16, .most_messages = 50, .most_text = 999};
    if (const auto month =
            feed::read_month(bytes, folder + std::string("2008-May.txt.gz"), limits)) {
        require(month->entries.size() <= limits.most_messages);
        for (const auto& entry : month->entries) {
            require(!entry.id.empty() && !entry.digest.empty());
            require(base::is_legal_text(entry.guid) && base::is_legal_text(entry.title) &&
                    base::is_legal_text(entry.content));
            for (const auto& author : entry.authors) require_text(author.name);
        }
    }
    require(base::is_legal_text(feed::decode_mail_field(bytes)));
}
