// SPDX-License-Identifier: MIT
#include "harvest/feed_row.hpp"

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/utf8.hpp"

namespace harvest {

namespace {

using base::rfc3339_or;
using store::Value;

constexpr std::string_view columns_of_feed =
    "f.id, f.url, f.base_url, f.name, f.created_at, f.last_read, f.rss_title, f.description,"
    " f.home_url, f.language, f.most_kb, f.public_query, f.system_enabled, f.system_status,"
    " f.last_fetch_attempt, f.last_fetch_success, f.last_fetch_hash, f.last_fetch_failures,"
    " f.http_etag, f.http_last_modified, f.http_304, f.next_fetch_attempt, f.claim,"
    " f.update_minutes, f.skip_times, f.poll_minutes, f.last_new_stories, f.last_full_fetch,"
    " f.moved_to";

constexpr std::size_t longest_description = 1000, longest_home_url = 2048, longest_language = 32;

std::int64_t skip_times_of(const FeedRow& feed) {
    return static_cast<std::int64_t>(feed.skip_hours.to_ullong() | feed.skip_days.to_ullong()
                                                                       << feed.skip_hours.size());
}

std::string fitting(const std::string& text, std::size_t most) {
    return std::string(base::cut_at(text, most));
}

}  // namespace

const std::string& FeedRow::display_name() const {
    if (!name.empty()) return name;
    return rss_title.empty() ? url : rss_title;
}

std::string FeedRow::failures() const {
    constexpr std::array<std::string_view, quarters_of_hard> fractions{"", ".25", ".5", ".75"};
    const auto quarters = std::max<std::int64_t>(last_fetch_failures, 0);
    return std::to_string(quarters / quarters_of_hard) +
           std::string(fractions.at(static_cast<std::size_t>(quarters % quarters_of_hard)));
}

bool shows_other_texts(const FeedRow& before, const FeedRow& after) {
    return before.name != after.name || before.url != after.url ||
           before.rss_title != fitting(after.rss_title, longest_title) ||
           before.description != fitting(after.description, longest_description) ||
           before.home_url != fitting(after.home_url, longest_home_url) ||
           before.language != fitting(after.language, longest_language);
}

std::string shown_url(const FeedRow& feed, const std::string& url) {
    const auto without_query = url.substr(0, url.find_first_of("?#"));
    if (!net::parse_url(without_query)) return {};
    return feed.public_query ? url : without_query;
}

FeedRow shown_to(Audience audience, FeedRow feed) {
    if (audience == Audience::operators) return feed;
    auto url = shown_url(feed, feed.url);
    feed.is_url_cut = url != feed.url;
    feed.url = std::move(url);
    feed.home_url = shown_url(feed, feed.home_url);
    feed.moved_to = shown_url(feed, feed.moved_to);
    return feed;
}

std::string digest_of_url(const net::Url& url) { return base::sha256_hex(net::normalized(url)); }

std::string select_feeds(std::string_view rest, std::string_view more) {
    std::string sql = "SELECT ";
    return sql.append(columns_of_feed).append(more).append(" FROM feeds f ").append(rest);
}

FeedRow feed_in(const store::Row& row) {
    std::size_t column = 0;
    const auto integer = [&] { return row.integer(column++); };
    const auto text = [&]() -> const std::string& { return row.text(column++); };
    const auto time = [&] { return base::parse_rfc3339(row.text(column++)); };
    FeedRow feed;
    feed.id = integer();
    feed.url = text();
    feed.base_url = text();
    feed.name = text();
    feed.created_at = time().value_or(base::Seconds{});
    feed.last_read = base::parse_date(text());
    feed.rss_title = text();
    feed.description = text();
    feed.home_url = text();
    feed.language = text();
    feed.most_kb = integer();
    feed.public_query = integer() != 0;
    feed.system_enabled = integer() != 0;
    feed.system_status = text();
    feed.last_fetch_attempt = time();
    feed.last_fetch_success = time();
    feed.last_fetch_hash = text();
    feed.last_fetch_failures = integer();
    feed.http_etag = row.blob(column++);
    feed.http_last_modified = row.blob(column++);
    feed.http_304 = integer() != 0;
    feed.next_fetch_attempt = time();
    feed.queued = integer() != 0;
    feed.update_minutes = integer();
    const auto skipped = static_cast<std::uint64_t>(integer());
    feed.skip_hours = skipped;
    feed.skip_days = skipped >> feed.skip_hours.size();
    feed.poll_minutes = integer();
    feed.last_new_stories = time();
    feed.last_full_fetch = time();
    feed.moved_to = text();
    return feed;
}

void append_fetched_values(std::vector<Value>& values, const FeedRow& feed) {
    values.insert(values.end(), {Value{fitting(feed.rss_title, longest_title)},
                                 Value{fitting(feed.description, longest_description)},
                                 Value{fitting(feed.home_url, longest_home_url)},
                                 Value{fitting(feed.language, longest_language)},
                                 Value{std::int64_t{feed.system_enabled ? 1 : 0}},
                                 Value{fitting(feed.system_status, 255)},
                                 Value{rfc3339_or(feed.last_fetch_attempt)},
                                 Value{rfc3339_or(feed.last_fetch_success)},
                                 Value{feed.last_fetch_hash},
                                 Value{feed.last_fetch_failures},
                                 Value{store::Blob{feed.http_etag}},
                                 Value{store::Blob{feed.http_last_modified}},
                                 Value{std::int64_t{feed.http_304 ? 1 : 0}},
                                 Value{rfc3339_or(feed.next_fetch_attempt)},
                                 Value{feed.update_minutes},
                                 Value{skip_times_of(feed)},
                                 Value{feed.poll_minutes},
                                 Value{rfc3339_or(feed.last_new_stories)},
                                 Value{rfc3339_or(feed.last_full_fetch)},
                                 Value{fitting(feed.moved_to, 2048)}});
}

}  // namespace harvest
