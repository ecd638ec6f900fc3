// SPDX-License-Identifier: MIT
#include "harvest/fetch.hpp"

#include <algorithm>
#include <utility>

#include "base/compress.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "feed/read_feed.hpp"
#include "feed/reference.hpp"

namespace harvest {

namespace {

using base::ErrorKind;

constexpr std::chrono::hours full_fetch_every{24};
constexpr std::string_view accepted_types =
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9,"
    " application/json;q=0.8, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1";

// "HTTP 404 Not Found"
std::string http_status_text(int status) {
    constexpr std::string_view reasons =
        "304 Not Modified|400 Bad Request|401 Unauthorized|402 Payment Required|403 "
        "Forbidden|404 Not Found|"
        "405 Method Not Allowed|406 Not Acceptable|408 Request Timeout|410 Gone|"
        "421 Misdirected Request|429 Too Many Requests|451 Unavailable For Legal Reasons|"
        "500 Internal Server Error|501 Not Implemented|502 Bad Gateway|503 Service Unavailable|"
        "504 Gateway Timeout";
    const auto number = std::to_string(status);
    for (const auto text : base::split(reasons, '|'))
        if (text.starts_with(number)) return "HTTP " + std::string(text);
    return "HTTP " + number;
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Returns a field as it was sent; empty: it is missing or cannot be sent back.
std::string validator_in(const net::Response& response, std::string_view name) {
    constexpr std::size_t longest_validator = 1024;
    const auto field = net::find_field(response.fields, name);
    if (!field || field->size() > longest_validator) return {};
    const auto is_control = [](unsigned char byte) { return byte < ' ' || byte == 0x7f; };
    return std::ranges::any_of(*field, is_control) ? std::string() : std::string(*field);
}

// "Varve/1.0 (+https://x.org)" becomes "Varve/1.0 (+https://x.org; 12 readers)".
std::string agent_with_readers(std::string agent, std::int64_t readers) {
    const auto count = std::to_string(readers) + (readers == 1 ? " reader" : " readers");
    const auto end = agent.rfind(')');
    if (end == std::string::npos) return agent + " (" + count + ")";
    return agent.insert(end, "; " + count);
}

FetchOutcome failed(std::string status, Severity severity, std::string detail = {}) {
    return {.status = FetchStatus::failed,
            .severity = severity,
            .system_status = std::move(status),
            .detail = std::move(detail)};
}

FetchOutcome too_large() {
    auto outcome = failed("too large", Severity::soft);
    outcome.status = FetchStatus::toobig;
    return outcome;
}

// The same permanent redirect in two consecutive fetches moves the feed.
void note_redirects(FeedRow& after, const Fetch& fetch) {
    if (fetch.redirects == 0 || !fetch.is_permanent) {
        after.moved_to.clear();
    } else if (after.moved_to == fetch.url) {
        after.url = fetch.url;
        after.moved_to.clear();
    } else {
        after.moved_to = fetch.url;
    }
}

void drop_validators(FeedRow& row) {
    row.http_etag.clear();
    row.http_last_modified.clear();
    row.last_fetch_hash.clear();
}

constexpr const char* no_entries = "no entries";

// The document is as it was: without entries, if it had none.
void note_unchanged(FetchOutcome& outcome, const FeedRow& feed, const char* detail) {
    const bool has_none = feed.system_status == no_entries;
    outcome.status = has_none ? FetchStatus::noitems : FetchStatus::notmodified;
    if (has_none) outcome.system_status = no_entries;
    outcome.detail = detail;
}

// A 304 may come with newer validators (RFC 9110 section 15.4.5).
ReadAnswer read_not_modified(const ClaimedFeed& claimed, const net::Response& response) {
    ReadAnswer answer{.after = claimed.feed, .outcome = {}};
    if (auto tag = validator_in(response, "etag"); !tag.empty())
        answer.after.http_etag = std::move(tag);
    if (auto date = validator_in(response, "last-modified"); !date.empty())
        answer.after.http_last_modified = std::move(date);
    answer.after.http_304 = true;
    note_unchanged(answer.outcome, claimed.feed, "not modified");
    return answer;
}

ReadAnswer read_body(const ClaimedFeed& claimed, const Fetch& fetch,
                     const net::Response& response, const FetchSettings& settings) {
    ReadAnswer answer{.after = claimed.feed, .outcome = {}};
    auto& after = answer.after;
    if (!fetch.is_conditional) after.last_full_fetch = claimed.claimed_at;
    after.http_etag = validator_in(response, "etag");
    const auto written_before =
        std::exchange(after.http_last_modified, validator_in(response, "last-modified"));
    auto hash = base::md5_hex(response.body);
    const auto type = net::find_field(response.fields, "content-type").value_or("");
    if (hash == after.last_fetch_hash) {
        note_unchanged(answer.outcome, claimed.feed, "same hash");
        // The index of a list names the size of its months in KB: a short mail may change no byte of it.
        const bool is_written =
            after.http_last_modified.empty() || after.http_last_modified != written_before;
        if (auto list = feed::read_list_index(response.body, type, fetch.url); list && is_written)
            answer.list = *std::move(list);
        return answer;
    }
    // Some servers do not say that they send gzip.
    const auto most = fetch.most_body;
    auto unpacked = base::is_gzip(response.body) ? base::gunzip(response.body, most + 1)
                                                 : base::Result<std::string>(response.body);
    if (unpacked && unpacked->size() > most) return {claimed.feed, too_large()};
    auto read = unpacked ? feed::read_feed(*unpacked, type, fetch.url)
                         : base::Result<feed::Feed>(tl::unexpected(unpacked.error()));
    if (!read) {
        if (auto list = feed::read_list_index(response.body, type, fetch.url)) {
            after.last_fetch_hash = std::move(hash);
            after.rss_title = list->title;
            answer.outcome.status = FetchStatus::nonew;
            answer.outcome.detail = "archive of a mailing list";
            answer.list = *std::move(list);
            return answer;
        }
        // Without validators, the next fetch gets the body again, which may be valid by then.
        drop_validators(after);
        answer.outcome = parse_error(read.error());
        return answer;
    }
    after.last_fetch_hash = std::move(hash);
    after.rss_title = read->title;
    after.description = read->description;
    after.home_url = read->home_url;
    after.language = read->language;
    answer.outcome.feed = read->hints;
    answer.outcome.status = read->entries.empty() ? FetchStatus::noitems : FetchStatus::nonew;
    if (read->entries.empty()) answer.outcome.system_status = no_entries;
    if (fetch.is_downgraded) answer.outcome.detail = "redirected from https to http";
    answer.entries = newest_entries(std::move(read->entries), settings.most_entries);
    read->entries.clear();
    answer.feed = *std::move(read);
    return answer;
}

}  // namespace

Fetch begin_page(std::string url, std::string user_agent) {
    return {.url = std::move(url),
            .fields = {{"User-Agent", std::move(user_agent)},
                       {"Accept", std::string(accepted_types)},
                       // Nobody needs the connection before the feed is due again.
                       {"Connection", "close"}}};
}

Fetch begin_fetch(const ClaimedFeed& claimed, const FetchSettings& settings) {
    const auto& feed = claimed.feed;
    auto fetch = begin_page(feed.url, agent_with_readers(settings.user_agent, claimed.readers));
    fetch.most_body =
        feed.most_kb > 0 ? static_cast<std::size_t>(feed.most_kb) * 1024 : settings.most_bytes;
    const bool has_validators = !feed.http_etag.empty() || !feed.http_last_modified.empty();
    // A clock that was ahead may have noted a time to come.
    const bool is_full_due = !feed.last_full_fetch ||
                             *feed.last_full_fetch > claimed.claimed_at ||
                             *feed.last_full_fetch + full_fetch_every <= claimed.claimed_at;
    fetch.is_conditional = has_validators && !is_full_due;
    if (fetch.is_conditional && !feed.http_etag.empty())
        fetch.fields.push_back({"If-None-Match", feed.http_etag});
    if (fetch.is_conditional && !feed.http_last_modified.empty())
        fetch.fields.push_back({"If-Modified-Since", feed.http_last_modified});
    return fetch;
}

base::Result<net::Request> request_of(const Fetch& fetch, const FetchSettings& settings) {
    auto url = net::parse_url(fetch.url);
    if (!url) return base::fail(url.error().kind, "the URL " + url.error().text);
    net::Request request;
    request.url = *std::move(url);
    request.fields = fetch.fields;
    request.connect = settings.connect;
    request.total = settings.total;
    request.most_body = fetch.most_body;
    request.asks_for_compression = true;
    return request;
}

std::optional<base::Result<Fetch>> redirected(const Fetch& fetch, const net::Response& response) {
    if (!is_redirect(response.status)) return std::nullopt;
    const auto location = net::find_field(response.fields, "location");
    if (!location) return base::fail(ErrorKind::malformed, "a redirect without Location");
    if (fetch.redirects >= most_redirects)
        return base::fail(ErrorKind::too_large, "too many redirects");
    auto target = feed::resolve_reference(fetch.url, *location);
    target.resize(std::min(target.find('#'), target.size()));
    const auto url = net::parse_url(target);
    if (!url) return base::fail(ErrorKind::malformed, "a redirect to an invalid URL");
    Fetch next = fetch;
    next.is_downgraded =
        next.is_downgraded || (fetch.url.starts_with("https:") && target.starts_with("http:"));
    next.url = url->text;
    ++next.redirects;
    next.is_permanent = next.is_permanent && (response.status == 301 || response.status == 308);
    return next;
}

ReadAnswer read_answer(const ClaimedFeed& claimed, const Fetch& fetch,
                       const net::Response& response, const FetchSettings& settings) {
    if (response.status == 304 ? !fetch.is_conditional
                               : response.status < 200 || response.status >= 300)
        return {claimed.feed, failed_status(response, claimed.claimed_at)};
    auto answer = response.status == 304 ? read_not_modified(claimed, response)
                                         : read_body(claimed, fetch, response, settings);
    answer.outcome.http_status = response.status;
    answer.outcome.server = read_hints(response.fields, claimed.claimed_at);
    if (answer.outcome.severity == Severity::none) note_redirects(answer.after, fetch);
    return answer;
}

FetchOutcome failed_status(const net::Response& response, base::Seconds now) {
    const auto status = response.status;
    const bool is_soft =
        status == 304 || status == 404 || status == 408 || status == 429 || status >= 500;
    auto outcome = failed(http_status_text(status), is_soft ? Severity::soft : Severity::hard,
                          status == 304 ? "not asked for" : "");
    outcome.http_status = status;
    outcome.server = read_hints(response.fields, now);
    return outcome;
}

FetchOutcome failed_request(const net::Failure& failure) {
    switch (failure.kind) {
        case net::FailureKind::refused: return failed("refused address", Severity::hard);
        case net::FailureKind::look_up: return failed("DNS error", Severity::temporary);
        case net::FailureKind::busy:
        case net::FailureKind::connect: return failed("connection error", Severity::soft);
        case net::FailureKind::timeout: return failed("read timeout", Severity::soft);
        case net::FailureKind::tls: return failed("SSL error", Severity::hard);
        case net::FailureKind::protocol: return failed("fetch error", Severity::soft);
        case net::FailureKind::too_large: break;
    }
    return too_large();
}

FetchOutcome failed_redirect(const base::Error& error) {
    return failed(error.kind == ErrorKind::too_large ? error.text : "fetch error", Severity::soft,
                  error.kind == ErrorKind::too_large ? "" : error.text);
}

FetchOutcome busy_redirect() {
    return failed("fetch error", Severity::temporary, "redirected to a busy server");
}

FetchOutcome parse_error(const base::Error& error) {
    auto outcome = failed("parse error", Severity::soft, error.text);
    outcome.status = FetchStatus::parseerror;
    return outcome;
}

ReadAnswer read_unrecordable(ReadAnswer answer) {
    drop_validators(answer.after);
    answer.entries.clear();
    answer.outcome.status = FetchStatus::posterror;
    answer.outcome.severity = Severity::temporary;
    answer.outcome.system_status = "entries cannot be recorded";
    answer.outcome.detail.clear();
    return answer;
}

std::vector<feed::Entry> newest_entries(std::vector<feed::Entry> entries, std::size_t most) {
    const auto has_time = [](const feed::Entry& entry) {
        return entry.published || entry.updated;
    };
    if (std::ranges::all_of(entries, has_time))
        std::ranges::stable_sort(entries, std::greater<>(), [](const feed::Entry& entry) {
            return entry.published ? *entry.published : *entry.updated;
        });
    if (entries.size() > most) entries.resize(most);
    std::ranges::reverse(entries);
    return entries;
}

}  // namespace harvest
