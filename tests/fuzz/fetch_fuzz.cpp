// Answers of servers with any fields and body: what is kept of them can be sent back, what they ask for has bounds, and
// redirects and hubs lead to URLs of the web. The first line has the status; fields follow up to an empty line.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/date.hpp"
#include "fuzz/fuzz.hpp"
#include "harvest/fetch.hpp"
#include "net/url.hpp"

namespace {

using namespace std::chrono_literals;

const base::Seconds now = *base::parse_date("2008-04-01") + 12h;

net::Response response_in(std::string_view bytes) {
    net::Response response;
    auto line = bytes.substr(0, bytes.find('\n'));
    response.status = static_cast<int>(200 + base::parse_count(line).value_or(0) % 400);
    while (line.size() < bytes.size()) {
        bytes.remove_prefix(line.size() + 1);
        line = bytes.substr(0, bytes.find('\n'));
        if (line.empty()) break;
        const auto colon = std::min(line.find(':'), line.size());
        response.fields.push_back(
            {std::string(line.substr(0, colon)),
             std::string(base::trim(line.substr(std::min(colon + 1, line.size()))))});
    }
    response.body = bytes.substr(std::min<std::size_t>(1, bytes.size()));
    return response;
}

harvest::ClaimedFeed claimed_feed() {
    harvest::ClaimedFeed claimed;
    claimed.feed.id = 1;
    claimed.feed.url = "https://a.example/feed";
    claimed.claimed_at = now;
    claimed.readers = 1;
    return claimed;
}

bool can_be_sent(std::string_view value) {
    return std::ranges::none_of(value,
                                [](unsigned char byte) { return byte < ' ' || byte == 0x7f; });
}

void check_answer(const harvest::ClaimedFeed& claimed, const harvest::Fetch& fetch,
                  const net::Response& response) {
    const auto read = harvest::read_answer(claimed, fetch, response, {});
    require(can_be_sent(read.after.http_etag) && can_be_sent(read.after.http_last_modified));
    require(base::is_legal_text(read.outcome.detail) &&
            base::is_legal_text(read.outcome.system_status));
    require(read.entries.size() <= harvest::FetchSettings().most_entries);
    const auto finished =
        harvest::schedule(claimed, read.after, read.outcome, {.now = now, .random = 0.5});
    require(!finished.note.empty());
    if (finished.after.next_fetch_attempt)
        require(*finished.after.next_fetch_attempt >= now + 15min &&
                *finished.after.next_fetch_attempt <= now + 10 * 24h);
    if (finished.hold_base_until)
        require(*finished.hold_base_until > now && *finished.hold_base_until <= now + 24h);
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto response = response_in(bytes);
    const auto claimed = claimed_feed();
    for (const bool is_conditional : {false, true}) {
        auto fetch = harvest::begin_fetch(claimed, {});
        fetch.is_conditional = is_conditional;
        if (const auto next = harvest::redirected(fetch, response); next && *next)
            require(net::parse_url((*next)->url).has_value());
        check_answer(claimed, fetch, response);
    }
    for (const auto& field : response.fields) {
        const auto time = feed::parse_time(field.value);
        if (time) require(feed::parse_time(base::format_rfc3339(*time)) == time);
    }
}
