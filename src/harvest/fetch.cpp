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
        "400 Bad Request|401 Unauthorized|402 Payment Required|403 Forbidden|404 Not Found|"
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

ReadAnswer failed(const Fetch& fetch, std::string status, Severity severity,
                  std::string detail = {}) {
    return {.after = fetch.claimed.feed,
            .outcome = {.status = FetchStatus::failed,
                        .severity = severity,
                        .system_status = std::move(status),
                        .detail = std::move(detail)}};
}

ReadAnswer too_large(const Fetch& fetch) {
    auto answer = failed(fetch, "too large", Severity::soft);
    answer.outcome.status = FetchStatus::toobig;
    return answer;
}

std::size_t most_body_of(const Fetch& fetch, const FetchSettings& settings) {
    const auto kb = fetch.claimed.feed.most_kb;
    return kb > 0 ? static_cast<std::size_t>(kb) * 1024 : settings.most_bytes;
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
void note_unchanged(FetchOutcome& outcome, const Fetch& fetch, const char* detail) {
    const bool has_none = fetch.claimed.feed.system_status == no_entries;
    outcome.status = has_none ? FetchStatus::noitems : FetchStatus::notmodified;
    if (has_none) outcome.system_status = no_entries;
    outcome.detail = detail;
}

// A 304 may come with newer validators (RFC 9110 section 15.4.5).
ReadAnswer read_not_modified(const Fetch& fetch, const net::Response& response) {
    if (!fetch.is_conditional)
        return failed(fetch, "HTTP 304 Not Modified", Severity::soft, "not asked for");
    ReadAnswer answer{.after = fetch.claimed.feed, .outcome = {}};
    if (auto tag = validator_in(response, "etag"); !tag.empty())
        answer.after.http_etag = std::move(tag);
    if (auto date = validator_in(response, "last-modified"); !date.empty())
        answer.after.http_last_modified = std::move(date);
    answer.after.http_304 = true;
    note_unchanged(answer.outcome, fetch, "not modified");
    return answer;
}

ReadAnswer read_error_status(const Fetch& fetch, int status) {
    const bool is_soft = status == 404 || status == 408 || status == 429 || status >= 500;
    return failed(fetch, http_status_text(status), is_soft ? Severity::soft : Severity::hard);
}

ReadAnswer read_body(const Fetch& fetch, const net::Response& response,
                     const FetchSettings& settings) {
    ReadAnswer answer{.after = fetch.claimed.feed, .outcome = {}};
    auto& after = answer.after;
    if (!fetch.is_conditional) after.last_full_fetch = fetch.claimed.claimed_at;
    after.http_etag = validator_in(response, "etag");
    const auto written_before =
        std::exchange(after.http_last_modified, validator_in(response, "last-modified"));
    auto hash = base::md5_hex(response.body);
    const auto type = net::find_field(response.fields, "content-type").value_or("");
    if (hash == after.last_fetch_hash) {
        note_unchanged(answer.outcome, fetch, "same hash");
        // The index of a list names the size of its months in KB: a short mail may change no byte of it.
        const bool is_written =
            after.http_last_modified.empty() || after.http_last_modified != written_before;
        if (auto list = feed::read_list_index(response.body, type, fetch.url); list && is_written)
            answer.list = *std::move(list);
        return answer;
    }
    // Some servers do not say that they send gzip.
    const auto most = most_body_of(fetch, settings);
    auto unpacked = base::is_gzip(response.body) ? base::gunzip(response.body, most + 1)
                                                 : base::Result<std::string>(response.body);
    if (unpacked && unpacked->size() > most) return too_large(fetch);
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
        answer.outcome.status = FetchStatus::parseerror;
        answer.outcome.severity = Severity::soft;
        answer.outcome.system_status = "parse error";
        answer.outcome.detail = read.error().text;
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

Fetch begin_fetch(ClaimedFeed claimed) {
    const auto now = claimed.claimed_at;
    const auto& feed = claimed.feed;
    const bool has_validators = !feed.http_etag.empty() || !feed.http_last_modified.empty();
    const bool is_full_due =
        !feed.last_full_fetch || *feed.last_full_fetch + full_fetch_every <= now;
    Fetch fetch{.claimed = std::move(claimed), .url = {}};
    fetch.url = fetch.claimed.feed.url;
    fetch.is_conditional = has_validators && !is_full_due;
    return fetch;
}

base::Result<net::Request> request_of(const Fetch& fetch, const FetchSettings& settings) {
    auto url = net::parse_url(fetch.url);
    if (!url) return base::fail(url.error().kind, "the URL " + url.error().text);
    const auto& feed = fetch.claimed.feed;
    const auto readers = fetch.claimed.readers;
    net::Request request;
    request.url = *std::move(url);
    request.fields = {{"User-Agent", agent_with_readers(settings.user_agent, readers)},
                      {"Accept", std::string(accepted_types)},
                      // Nobody needs the connection before the feed is due again.
                      {"Connection", "close"}};
    if (fetch.is_conditional && !feed.http_etag.empty())
        request.fields.push_back({"If-None-Match", feed.http_etag});
    if (fetch.is_conditional && !feed.http_last_modified.empty())
        request.fields.push_back({"If-Modified-Since", feed.http_last_modified});
    request.connect = settings.connect;
    request.total = settings.total;
    request.most_body = most_body_of(fetch, settings);
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

ReadAnswer read_answer(const Fetch& fetch, const net::Response& response,
                       const FetchSettings& settings) {
    auto answer = response.status == 304 ? read_not_modified(fetch, response)
                  : response.status >= 200 && response.status < 300
                      ? read_body(fetch, response, settings)
                      : read_error_status(fetch, response.status);
    answer.outcome.http_status = response.status;
    answer.outcome.server = read_hints(response.fields, fetch.claimed.claimed_at);
    if (answer.outcome.severity == Severity::none) note_redirects(answer.after, fetch);
    return answer;
}

ReadAnswer read_failure(const Fetch& fetch, const net::Failure& failure) {
    switch (failure.kind) {
        case net::FailureKind::refused: return failed(fetch, "refused address", Severity::hard);
        case net::FailureKind::look_up: return failed(fetch, "DNS error", Severity::temporary);
        case net::FailureKind::busy:
        case net::FailureKind::connect: return failed(fetch, "connection error", Severity::soft);
        case net::FailureKind::timeout: return failed(fetch, "read timeout", Severity::soft);
        case net::FailureKind::tls: return failed(fetch, "SSL error", Severity::hard);
        case net::FailureKind::protocol: return failed(fetch, "fetch error", Severity::soft);
        case net::FailureKind::too_large: break;
    }
    return too_large(fetch);
}

ReadAnswer read_failed_redirect(const Fetch& fetch, const base::Error& error) {
    return failed(fetch, error.kind == ErrorKind::too_large ? error.text : "fetch error",
                  Severity::soft, error.kind == ErrorKind::too_large ? "" : error.text);
}

ReadAnswer read_busy_redirect(const Fetch& fetch) {
    return failed(fetch, "fetch error", Severity::temporary, "redirected to a busy server");
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
