// SPDX-License-Identifier: MIT
#include "harvest/fetch.hpp"

#include "base/digest.hpp"
#include "support/catch.hpp"
#include "support/gzipped.hpp"

using namespace harvest;
using namespace std::chrono_literals;

namespace {

const base::Seconds noon = *base::parse_date("2008-04-01") + 12h;
const FetchSettings settings{.user_agent = "Varve/1.0 (+https://x.org; mail@x.org)"};
const std::string one_entry =
    "<rss version='2.0'><channel><title>T</title><link>http://a.example/</link>"
    "<description>D</description><language>en</language><ttl>90</ttl>"
    "<item><guid>1</guid><title>one</title></item></channel></rss>";

// A feed that was fetched whole an hour ago.
ClaimedFeed known_feed() {
    ClaimedFeed claimed;
    claimed.feed.id = 1;
    claimed.feed.url = "http://a.example/feed";
    claimed.feed.http_etag = "W/\"a, b\"";
    claimed.feed.http_last_modified = "Tuesday, whenever";
    claimed.feed.last_full_fetch = noon - 1h;
    claimed.claimed_at = noon;
    claimed.readers = 12;
    return claimed;
}

std::string field_of(const net::Request& request, const std::string& name) {
    return std::string(net::find_field(request.fields, name).value_or("(none)"));
}

net::Request request_for(const ClaimedFeed& claimed, const FetchSettings& with = settings) {
    auto request = request_of(begin_fetch(claimed, with), with);
    REQUIRE(request);
    return *std::move(request);
}

net::Response response(int status, std::vector<net::Field> fields = {}, std::string body = "") {
    net::Response made;
    made.status = status;
    made.fields = std::move(fields);
    made.body = std::move(body);
    return made;
}

ReadAnswer answered(const net::Response& answer, const ClaimedFeed& claimed = known_feed()) {
    return read_answer(claimed, begin_fetch(claimed, settings), answer, settings);
}

std::string text_of(const FetchOutcome& outcome) {
    return std::string(name_of(outcome.status)) + "|" + outcome.system_status + "|" +
           outcome.detail;
}

Fetch follow(const Fetch& fetch, int status, const std::string& location) {
    auto next = redirected(fetch, response(status, {{"Location", location}}));
    REQUIRE(next);
    REQUIRE(*next);
    return **std::move(next);
}

std::string error_of_redirect(const Fetch& fetch, const net::Response& answer) {
    const auto next = redirected(fetch, answer);
    REQUIRE(next);
    REQUIRE_FALSE(*next);
    return text_of(failed_redirect(next->error()));
}

std::vector<std::string> ids_of(const std::vector<feed::Entry>& entries) {
    std::vector<std::string> ids;
    for (const auto& entry : entries) ids.push_back(entry.id);
    return ids;
}

}  // namespace

TEST_CASE("Validators are sent back byte for byte, both of them") {
    for (const std::string tag : {"\"plain\"", "W/\"weak\"", "unquoted", "\"\"", "\"a\\b\"",
                                  "\"\xe4\"", "'single'", "\"a\"-gzip"})
        for (const std::string date :
             {"Tue, 01 Apr 2008 12:00:00 GMT", "0", "2008-04-01", "tue, 1 apr 08"}) {
            const auto read =
                answered(response(200, {{"etag", tag}, {"LAST-MODIFIED", date}}, one_entry));
            CHECK(read.after.http_etag == tag);
            CHECK(read.after.http_last_modified == date);
            auto claimed = known_feed();
            claimed.feed = read.after;
            const auto request = request_for(claimed);
            CHECK(field_of(request, "If-None-Match") == tag);
            CHECK(field_of(request, "If-Modified-Since") == date);
        }
}

TEST_CASE("No validator is invented, and one that cannot be sent back is not kept") {
    auto claimed = known_feed();
    claimed.feed.http_last_modified.clear();
    CHECK(field_of(request_for(claimed), "If-None-Match") == "W/\"a, b\"");
    CHECK(field_of(request_for(claimed), "If-Modified-Since") == "(none)");
    const auto dated = answered(
        response(200, {{"Date", "Tue, 01 Apr 2008 12:00:00 GMT"}},
                 "<rss version='2.0'><channel><pubDate>Tue, 01 Apr 2008 12:00:00 GMT</pubDate>"
                 "<item><guid>1</guid></item></channel></rss>"));
    CHECK(dated.after.http_etag.empty());
    CHECK(dated.after.http_last_modified.empty());
    for (const auto& wrong : {std::string("\"a\x01\""), std::string("\"\0\"", 3),
                              std::string("\"a\x7f\""), std::string(1025, 'x')}) {
        const auto read =
            answered(response(200, {{"ETag", wrong}, {"Last-Modified", wrong}}, one_entry));
        CHECK(read.after.http_etag.empty());
        CHECK(read.after.http_last_modified.empty());
        CHECK(read.entries.size() == 1);
    }
}

TEST_CASE("A request has an address, a contact and the number of readers, and nothing that names "
          "us else") {
    auto claimed = known_feed();
    auto request = request_for(claimed);
    CHECK(request.url.text == "http://a.example/feed");
    CHECK(request.method == net::Method::get);
    CHECK(request.asks_for_compression);
    CHECK(request.most_body == 150 * 1024);
    CHECK(field_of(request, "User-Agent") ==
          "Varve/1.0 (+https://x.org; mail@x.org; 12 readers)");
    std::string names;
    for (const auto& field : request.fields) names += field.name + " ";
    CHECK(names == "User-Agent Accept Connection If-None-Match If-Modified-Since ");
    claimed.readers = 1;
    claimed.feed.most_kb = 3;
    request = request_for(claimed);
    CHECK(field_of(request, "User-Agent") == "Varve/1.0 (+https://x.org; mail@x.org; 1 reader)");
    CHECK(request.most_body == 3 * 1024);
    CHECK(field_of(request_for(claimed, {.user_agent = "Varve"}), "User-Agent") ==
          "Varve (1 reader)");
    claimed.feed.url = "gopher://a.example/";
    CHECK_FALSE(request_of(begin_fetch(claimed, settings), settings));
}

TEST_CASE("A feed is fetched without validators once a day") {
    auto claimed = known_feed();
    CHECK(begin_fetch(claimed, settings).is_conditional);
    claimed.feed.last_full_fetch = noon - 24h + 1s;
    CHECK(begin_fetch(claimed, settings).is_conditional);
    claimed.feed.last_full_fetch = noon - 24h;
    CHECK_FALSE(begin_fetch(claimed, settings).is_conditional);
    CHECK(field_of(request_for(claimed), "If-None-Match") == "(none)");
    CHECK(field_of(request_for(claimed), "If-Modified-Since") == "(none)");
    const auto full = answered(response(200, {{"ETag", "\"2\""}}, one_entry), claimed);
    CHECK(full.after.last_full_fetch == noon);
    for (const auto& unknown : {std::optional<base::Seconds>(), std::optional(noon + 1s)}) {
        claimed.feed.last_full_fetch = unknown;  // or noted by a clock that was ahead
        CHECK_FALSE(begin_fetch(claimed, settings).is_conditional);
    }
    CHECK(answered(response(200, {}, one_entry)).after.last_full_fetch == noon - 1h);
}

TEST_CASE("New validators replace old ones after each 200, and those of a 304 after it") {
    auto read = answered(response(200, {{"ETag", "\"2\""}}, one_entry));
    CHECK(read.after.http_etag == "\"2\"");
    CHECK(read.after.http_last_modified.empty());
    read = answered(response(304, {{"ETag", "\"3\""}}));
    CHECK(read.after.http_etag == "\"3\"");
    CHECK(read.after.http_last_modified == "Tuesday, whenever");
    CHECK(read.after.http_304);
    CHECK(text_of(read.outcome) == "notmodified|Working|not modified");
    CHECK_FALSE(read.feed);
    read = answered(response(304));
    CHECK(read.after.http_etag == "W/\"a, b\"");
}

TEST_CASE("A 304 that was not asked for is a failure") {
    auto claimed = known_feed();
    claimed.feed.last_full_fetch.reset();
    const auto read = answered(response(304), claimed);
    CHECK(text_of(read.outcome) == "failed|HTTP 304 Not Modified|not asked for");
    CHECK(read.outcome.severity == Severity::soft);
    CHECK_FALSE(read.after.http_304);
}

TEST_CASE("The same bytes are not read again") {
    auto claimed = known_feed();
    claimed.feed = answered(response(200, {{"ETag", "\"2\""}}, one_entry)).after;
    const auto again = answered(response(200, {{"ETag", "\"3\""}}, one_entry), claimed);
    CHECK(text_of(again.outcome) == "notmodified|Working|same hash");
    CHECK(again.after.http_etag == "\"3\"");
    CHECK(again.after.last_fetch_hash == base::md5_hex(one_entry));
    CHECK(again.entries.empty());
    CHECK_FALSE(again.feed);
    // A document without entries stays one.
    const std::string empty = "<rss version='2.0'><channel><title>T</title></channel></rss>";
    claimed.feed = answered(response(200, {{"ETag", "\"2\""}}, empty)).after;
    claimed.feed.system_status = "no entries";
    CHECK(text_of(answered(response(200, {}, empty), claimed).outcome) ==
          "noitems|no entries|same hash");
    CHECK(text_of(answered(response(304, {}, ""), claimed).outcome) ==
          "noitems|no entries|not modified");
}

TEST_CASE(
    "A body that cannot be read leaves no validators, so that the next fetch gets it again") {
    auto claimed = known_feed();
    claimed.feed.last_fetch_hash = "old";
    claimed.feed.rss_title = "before";
    for (const auto& [body, text] : std::vector<std::pair<std::string, std::string>>{
             {"", "parseerror|parse error|empty"},
             {"<html><body>no feed</body></html>", "parseerror|parse error|html?"},
             {"{\"a\":1}", "parseerror|parse error|no version"}}) {
        const auto read = answered(response(200, {{"ETag", "\"2\""}}, body), claimed);
        CHECK(text_of(read.outcome) == text);
        CHECK(read.outcome.severity == Severity::soft);
        CHECK(read.after.http_etag.empty());
        CHECK(read.after.http_last_modified.empty());
        CHECK(read.after.last_fetch_hash.empty());
        CHECK(read.after.rss_title == "before");
    }
}

TEST_CASE("A feed that was read says what it is, and when to come back") {
    const auto read = answered(response(200, {{"Cache-Control", "max-age=60"}}, one_entry));
    CHECK(text_of(read.outcome) == "nonew|Working|");
    CHECK(read.after.rss_title == "T");
    CHECK(read.after.description == "D");
    CHECK(read.after.home_url == "http://a.example/");
    CHECK(read.after.language == "en");
    CHECK(read.outcome.feed.value().ttl == 90min);
    CHECK(read.outcome.server.fresh_for == 60s);
    CHECK(read.outcome.http_status == 200);
    CHECK(ids_of(read.entries) == std::vector<std::string>{"1"});
    const auto none = answered(
        response(200, {}, "<rss version='2.0'><channel><title>T</title></channel></rss>"));
    CHECK(text_of(none.outcome) == "noitems|no entries|");
    CHECK(none.outcome.severity == Severity::none);
}

TEST_CASE("A body that is gzip without saying so is read, within the limit of its size") {
    const auto packed = support::gzipped(one_entry);
    CHECK(
        ids_of(answered(response(200, {{"Content-Type", "application/gzip"}}, packed)).entries) ==
        std::vector<std::string>{"1"});
    const auto bomb = support::gzipped(one_entry + std::string(1'000'000, ' '));
    CHECK(text_of(answered(response(200, {}, bomb)).outcome) == "toobig|too large|");
    CHECK(text_of(answered(response(200, {}, packed.substr(0, 50))).outcome) ==
          "parseerror|parse error|damaged gzip data");
}

TEST_CASE("Statuses are named, and each counts as it should") {
    const auto hard = Severity::hard, soft = Severity::soft;
    for (const auto& [status, text, severity] :
         std::vector<std::tuple<int, std::string, Severity>>{
             {400, "HTTP 400 Bad Request", hard},
             {401, "HTTP 401 Unauthorized", hard},
             {403, "HTTP 403 Forbidden", hard},
             {404, "HTTP 404 Not Found", soft},
             {408, "HTTP 408 Request Timeout", soft},
             {410, "HTTP 410 Gone", hard},
             {418, "HTTP 418", hard},
             {429, "HTTP 429 Too Many Requests", soft},
             {500, "HTTP 500 Internal Server Error", soft},
             {503, "HTTP 503 Service Unavailable", soft},
             {599, "HTTP 599", soft},
             {300, "HTTP 300", hard}}) {
        const auto read = answered(response(status, {{"Retry-After", "60"}}, "x"));
        CHECK(text_of(read.outcome) == "failed|" + text + "|");
        CHECK(read.outcome.severity == severity);
        CHECK(read.outcome.http_status == status);
        CHECK(read.outcome.server.retry_after == 60s);
        CHECK(read.after.http_etag == "W/\"a, b\"");
    }
}

TEST_CASE("Failures of the network are named, and each counts as it should") {
    using enum net::FailureKind;
    for (const auto& [kind, text, severity] :
         std::vector<std::tuple<net::FailureKind, std::string, Severity>>{
             {refused, "failed|refused address|", Severity::hard},
             {look_up, "failed|DNS error|", Severity::temporary},
             {connect, "failed|connection error|", Severity::soft},
             {timeout, "failed|read timeout|", Severity::soft},
             {too_large, "toobig|too large|", Severity::soft},
             {tls, "failed|SSL error|", Severity::hard},
             {protocol, "failed|fetch error|", Severity::soft}}) {
        const auto outcome = failed_request({kind, "10.0.0.1 is a private address"});
        CHECK(text_of(outcome) == text);
        CHECK(outcome.severity == severity);
        CHECK(outcome.http_status == 0);
    }
}

TEST_CASE("Redirects are followed to absolute URLs, with the same validators") {
    const auto first = begin_fetch(known_feed(), settings);
    for (const int status : {301, 302, 303, 307, 308}) {
        const auto next = follow(first, status, "../other?x=1#part");
        CHECK(next.url == "http://a.example/other?x=1");
        CHECK(next.redirects == 1);
        CHECK(next.is_conditional);
        CHECK(next.is_permanent == (status == 301 || status == 308));
        CHECK_FALSE(next.is_downgraded);
        CHECK(field_of(request_of(next, settings).value(), "If-None-Match") == "W/\"a, b\"");
    }
    CHECK(follow(first, 302, "//b.example").url == "http://b.example/");
    for (const int status : {200, 300, 304, 305, 306, 404})
        CHECK_FALSE(redirected(first, response(status, {{"Location", "/x"}})));
}

TEST_CASE("A redirect that leads nowhere is a soft failure") {
    const auto first = begin_fetch(known_feed(), settings);
    CHECK(error_of_redirect(first, response(301)) ==
          "failed|fetch error|a redirect without Location");
    for (const auto* wrong :
         {"ftp://a.example/", "javascript:alert(1)", "file:///etc/passwd",
          "http://user@a.example/", "http://127.1/", "http://[::1]/", "http://"})
        CHECK(error_of_redirect(first, response(302, {{"Location", wrong}})) ==
              "failed|fetch error|a redirect to an invalid URL");
    auto fetch = first;
    for (std::size_t i = 0; i < most_redirects; ++i) fetch = follow(fetch, 302, "/feed");
    CHECK(error_of_redirect(fetch, response(302, {{"Location", "/feed"}})) ==
          "failed|too many redirects|");
    CHECK(text_of(busy_redirect()) == "failed|fetch error|redirected to a busy server");
}

TEST_CASE("A feed moves when two fetches one after the other meet the same permanent redirect") {
    auto claimed = known_feed();
    const auto fetch_by = [&](const std::vector<int>& statuses, const std::string& to,
                              int last = 200) {
        auto fetch = begin_fetch(claimed, settings);
        for (const int status : statuses) fetch = follow(fetch, status, to);
        claimed.feed = read_answer(claimed, fetch, response(last, {}, one_entry), settings).after;
        return claimed.feed.url;
    };
    const std::string old = "http://a.example/feed", moved = "http://b.example/feed";
    CHECK(fetch_by({301}, moved) == old);
    CHECK(claimed.feed.moved_to == moved);
    CHECK(fetch_by({302}, moved) == old);
    CHECK(claimed.feed.moved_to.empty());
    CHECK(fetch_by({308}, moved) == old);
    CHECK(fetch_by({301}, "http://c.example/") == old);
    CHECK(claimed.feed.moved_to == "http://c.example/");
    for (const auto& statuses : {std::vector{301, 302}, std::vector{302, 301}}) {
        CHECK(fetch_by(statuses, moved) == old);
        CHECK(claimed.feed.moved_to.empty());
    }
    CHECK(fetch_by({301}, moved) == old);
    // An error says nothing about where the feed is.
    CHECK(fetch_by({301}, moved, 500) == old);
    CHECK(claimed.feed.moved_to == moved);
    CHECK(fetch_by({}, "") == old);
    CHECK(claimed.feed.moved_to.empty());
    CHECK(fetch_by({301}, moved) == old);
    CHECK(fetch_by({308}, moved) == moved);
    CHECK(claimed.feed.moved_to.empty());
    CHECK(fetch_by({}, "") == moved);
}

TEST_CASE("A redirect from https to http is told") {
    auto claimed = known_feed();
    claimed.feed.url = "https://a.example/feed";
    auto fetch = follow(begin_fetch(claimed, settings), 302, "http://a.example/feed");
    CHECK(fetch.is_downgraded);
    fetch = follow(fetch, 302, "https://b.example/feed");
    CHECK(fetch.is_downgraded);
    CHECK(read_answer(claimed, fetch, response(200, {}, one_entry), settings).outcome.detail ==
          "redirected from https to http");
    CHECK_FALSE(
        follow(begin_fetch(known_feed(), settings), 302, "https://a.example/").is_downgraded);
}

TEST_CASE("The newest 20 entries are taken, the oldest of them first") {
    std::vector<feed::Entry> entries(25);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].id = std::to_string(i);
    const auto by_order = ids_of(newest_entries(entries, 20));
    REQUIRE(by_order.size() == 20);
    CHECK(by_order.front() == "19");
    CHECK(by_order.back() == "0");
    // The document has the oldest first, and times say so.
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto& time = i % 2 == 0 ? entries[i].published : entries[i].updated;
        time = noon + i * 1h;
    }
    const auto by_time = ids_of(newest_entries(entries, 20));
    CHECK(by_time.front() == "5");
    CHECK(by_time.back() == "24");
    // One without a time: the order of the document counts.
    entries[24].published.reset();
    CHECK(ids_of(newest_entries(entries, 20)).back() == "0");
    // Equal times keep the order of the document.
    for (auto& entry : entries) entry.published = noon;
    CHECK(ids_of(newest_entries(entries, 3)) == std::vector<std::string>{"2", "1", "0"});
    CHECK(newest_entries({}, 20).empty());
}
