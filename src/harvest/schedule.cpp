// SPDX-License-Identifier: MIT
#include "harvest/fetch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace harvest {

namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

constexpr seconds after_news = 30min, without_news = 60min, without_readers = 24h,
                  after_damage = 3h, when_too_big = 60min, for_each_failure = 3h;
constexpr seconds asked_to_wait = 1h, probe_every = std::chrono::days(7);
constexpr std::int64_t most_failures = 30 * quarters_of_hard;
constexpr double spread = 0.1;
constexpr seconds spread_in_hour =
    30min;  // shorter than the hour that a skipped one is followed by

static_assert(longest_pause + longest_pause / 10 + probe_every + spread_in_hour <
                  furthest_fetch &&
              probe_every + longest_pause < furthest_fetch);

std::int64_t quarters_of(Severity severity) {
    switch (severity) {
        case Severity::none: return 0;
        case Severity::temporary: return quarters_of_temporary;
        case Severity::soft: return quarters_of_soft;
        case Severity::hard: break;
    }
    return quarters_of_hard;
}

// Returns a number of seconds; one that is too large for an integer is very long (RFC 9111 section 1.2.2).
std::optional<std::int64_t> delta_seconds(std::string_view text) {
    constexpr std::int64_t longest = 1 << 30;
    if (!text.empty() && std::ranges::all_of(text, base::is_digit))
        return std::min(base::parse_integer(text).value_or(longest), longest);
    return base::parse_integer(text);
}

// Returns the value of a directive of Cache-Control: "max-age=3600"; nullopt: it has none.
std::optional<std::int64_t> directive_in(std::string_view field, std::string_view name) {
    for (const auto part : base::split(field, ',')) {
        const auto equals = std::min(part.find('='), part.size());
        if (!base::equal_ignoring_case(base::trim(part.substr(0, equals)), name)) continue;
        auto value =
            equals == part.size() ? std::string_view("0") : base::trim(part.substr(equals + 1));
        if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
            value = value.substr(1, value.size() - 2);
        return delta_seconds(value);
    }
    return std::nullopt;
}

std::optional<seconds> positive(seconds wait) {
    if (wait <= 0s) return std::nullopt;
    return std::min<seconds>(wait, std::chrono::days(366));
}

bool is_success(FetchStatus status) {
    return status == FetchStatus::ok || status == FetchStatus::nonew ||
           status == FetchStatus::notmodified || status == FetchStatus::noitems;
}

// Returns how long to wait if neither the server nor the feed asks for more.
seconds own_wait(const ClaimedFeed& claimed, const FetchOutcome& outcome, std::int64_t failures) {
    const bool is_unread = claimed.readers == 0;
    switch (outcome.status) {
        case FetchStatus::ok: return is_unread ? without_readers : after_news;
        case FetchStatus::nonew:
        case FetchStatus::notmodified: return is_unread ? without_readers : without_news;
        case FetchStatus::noitems: return is_unread ? without_readers : after_damage;
        case FetchStatus::parseerror: return after_damage;
        case FetchStatus::toobig: return when_too_big;
        case FetchStatus::posterror: return after_news;
        case FetchStatus::failed:
        case FetchStatus::disabled: break;
    }
    return std::min(for_each_failure * std::max<std::int64_t>(failures / quarters_of_hard, 1),
                    longest_pause);
}

// Returns how long a busy server wants to be left alone.
seconds pause_of(const ServerHints& server) {
    return std::min(server.retry_after.value_or(asked_to_wait), longest_pause);
}

//   update_minutes  of the feed, also where this fetch did not read it
seconds asked_wait(const FetchOutcome& outcome, std::int64_t update_minutes) {
    seconds wait{0};
    const auto at_least = [&](seconds asked) {
        wait = std::max(wait, std::min(asked, longest_pause));
    };
    if (outcome.http_status == 429 || outcome.http_status == 503)
        at_least(pause_of(outcome.server));
    at_least(outcome.server.retry_after.value_or(0s));
    at_least(outcome.server.fresh_for.value_or(0s));
    at_least(std::chrono::minutes(update_minutes));
    return wait;
}

// Returns the first time outside of the hours and days that the feed asks to skip.
base::Seconds after_skipped(base::Seconds time, const FeedRow& feed) {
    using std::chrono::days;
    using std::chrono::hours;
    if (feed.skip_hours.all() || feed.skip_days.all()) return time;
    constexpr int hours_of_week = 24 * 7;
    for (int step = 0; step < hours_of_week; ++step) {
        const auto day = std::chrono::floor<days>(time);
        const auto hour = std::chrono::floor<hours>(time - day).count();
        const auto weekday = std::chrono::weekday(day).c_encoding();
        if (!feed.skip_hours.test(static_cast<std::size_t>(hour)) &&
            !feed.skip_days.test(weekday))
            return time;
        time = std::chrono::floor<hours>(time) + hours(1);
    }
    return time;
}

std::string note_of(const FetchOutcome& outcome) {
    if (outcome.status == FetchStatus::ok || outcome.status == FetchStatus::nonew) {
        auto note = std::to_string(outcome.skipped) + " skipped / " +
                    std::to_string(outcome.added) + " added";
        if (outcome.edited > 0) note += " / " + std::to_string(outcome.edited) + " edited";
        return outcome.detail.empty() ? note : note + "; " + outcome.detail;
    }
    return outcome.status == FetchStatus::notmodified ? outcome.detail : explanation_of(outcome);
}

seconds part_of(seconds time, double factor) {
    return seconds(std::lround(static_cast<double>(time.count()) * factor));
}

std::int64_t minutes_of(seconds time) {
    return std::chrono::ceil<std::chrono::minutes>(time).count();
}

void note_hints(FeedRow& after, const FetchOutcome& outcome) {
    if (!outcome.feed) return;
    const auto none = std::chrono::minutes(0);
    after.update_minutes =
        std::max(outcome.feed->period.value_or(none), outcome.feed->ttl.value_or(none)).count();
    after.skip_hours = outcome.feed->skip_hours;
    after.skip_days = outcome.feed->skip_days;
}

}  // namespace

std::string_view name_of(FetchStatus status) {
    constexpr std::array<std::string_view, 9> names{"ok",        "nonew",      "notmodified",
                                                    "toobig",    "parseerror", "noitems",
                                                    "posterror", "failed",     "disabled"};
    return names.at(static_cast<std::size_t>(status));
}

ServerHints read_hints(const std::vector<net::Field>& fields, base::Seconds now) {
    ServerHints hints;
    if (const auto field = net::find_field(fields, "retry-after")) {
        const auto text = base::trim(*field);
        if (const auto number = delta_seconds(text))
            hints.retry_after = positive(seconds(*number));
        else if (const auto date = base::parse_http_date(text))
            hints.retry_after = positive(*date - now);
    }
    std::optional<std::int64_t> max_age;
    for (const auto& field : fields)
        if (base::equal_ignoring_case(field.name, "cache-control") && !max_age)
            max_age = directive_in(field.value, "max-age");
    if (max_age) {
        hints.fresh_for = positive(seconds(*max_age));
    } else if (const auto field = net::find_field(fields, "expires")) {
        const auto sent = net::find_field(fields, "date");
        const auto since = sent ? base::parse_http_date(base::trim(*sent)) : std::nullopt;
        if (const auto date = base::parse_http_date(base::trim(*field)))
            hints.fresh_for = positive(*date - since.value_or(now));
    }
    return hints;
}

std::string explanation_of(const FetchOutcome& outcome) {
    return outcome.detail.empty() ? outcome.system_status
                                  : outcome.system_status + "; " + outcome.detail;
}

std::optional<base::Seconds> hold_after(const FetchOutcome& outcome, base::Seconds now) {
    if (outcome.http_status != 429) return std::nullopt;
    return now + pause_of(outcome.server);
}

FinishedFetch schedule(const ClaimedFeed& claimed, FeedRow after, const FetchOutcome& outcome,
                       const ScheduleTime& time) {
    FinishedFetch finished;
    finished.claimed = &claimed;
    finished.after = std::move(after);
    auto& row = finished.after;
    finished.note = note_of(outcome);
    finished.outcome = name_of(outcome.status);
    row.last_fetch_attempt = time.now;
    row.system_status = outcome.system_status;
    if (is_success(outcome.status)) {
        row.last_fetch_success = time.now;
        row.last_fetch_failures = 0;
        row.system_enabled = true;
    } else {
        row.last_fetch_failures += quarters_of(outcome.severity);
        finished.event = EventKind::fetch_failed;
    }
    if (outcome.added + outcome.edited > 0) row.last_new_stories = time.now;
    note_hints(row, outcome);
    const auto wait = std::max(own_wait(claimed, outcome, row.last_fetch_failures),
                               asked_wait(outcome, row.update_minutes));
    row.poll_minutes = minutes_of(wait);
    const auto jitter = part_of(wait, spread * time.random);
    auto next = time.now + wait + jitter;
    // All feeds that skip an hour would be fetched as soon as it is over.
    if (const auto allowed = after_skipped(next, row); allowed > next)
        next = allowed + part_of(spread_in_hour, time.random);
    row.next_fetch_attempt = next;
    finished.hold_base_until = hold_after(outcome, time.now);
    const bool is_gone = outcome.http_status == 410;
    if (is_gone || row.last_fetch_failures > most_failures) {
        finished.event = EventKind::fetch_disabled;
        finished.outcome = name_of(FetchStatus::disabled);
        row.system_enabled = false;
        row.next_fetch_attempt =
            is_gone ? std::nullopt
                    : std::optional<base::Seconds>(time.now + probe_every + jitter);
    }
    return finished;
}

}  // namespace harvest
