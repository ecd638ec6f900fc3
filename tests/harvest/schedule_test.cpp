// SPDX-License-Identifier: MIT
#include "harvest/fetch.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace harvest;
using namespace std::chrono_literals;
using std::chrono::seconds;

namespace {

// A Tuesday.
const base::Seconds noon = *base::parse_date("2008-04-01") + 12h;

ClaimedFeed claimed_feed() {
    ClaimedFeed claimed;
    claimed.feed.id = 1;
    claimed.feed.url = "http://a.example/feed";
    claimed.readers = 3;
    claimed.claimed_at = noon;
    return claimed;
}

FetchOutcome outcome_of(FetchStatus status, Severity severity = Severity::none,
                        int http_status = 200) {
    FetchOutcome outcome;
    outcome.status = status;
    outcome.severity = severity;
    outcome.http_status = http_status;
    return outcome;
}

FinishedFetch scheduled(const FetchOutcome& outcome, const ClaimedFeed& claimed = claimed_feed(),
                        double random = 0) {
    auto finished = schedule(claimed, claimed.feed, outcome, {.now = noon, .random = random});
    CHECK(finished.claimed == &claimed);
    return finished;
}

// How long after now the feed is fetched next.
seconds wait_of(const FetchOutcome& outcome, const ClaimedFeed& claimed = claimed_feed(),
                double random = 0) {
    return scheduled(outcome, claimed, random).after.next_fetch_attempt.value() - noon;
}

FetchOutcome failed_with(int http_status, Severity severity = Severity::soft) {
    return outcome_of(FetchStatus::failed, severity, http_status);
}

ServerHints hints_of(const std::vector<net::Field>& fields) { return read_hints(fields, noon); }

seconds fresh_for(const std::string& cache_control) {
    return hints_of({{"Cache-Control", cache_control}}).fresh_for.value_or(-1s);
}

FetchOutcome with_hints(const feed::UpdateHints& hints) {
    auto outcome = outcome_of(FetchStatus::ok);
    outcome.feed = hints;
    return outcome;
}

}  // namespace

TEST_CASE("A feed is fetched again sooner after news, and once a day if nobody reads it") {
    struct Waits {
        FetchOutcome outcome;
        seconds usual, unread;
    };
    const auto soft = Severity::soft;
    auto unread = claimed_feed();
    unread.readers = 0;
    for (const auto& [outcome, usual, of_unread] : std::vector<Waits>{
             {outcome_of(FetchStatus::ok), 30min, 24h},
             {outcome_of(FetchStatus::nonew), 60min, 24h},
             {outcome_of(FetchStatus::notmodified, Severity::none, 304), 60min, 24h},
             {outcome_of(FetchStatus::posterror, Severity::temporary), 30min, 30min},
             {outcome_of(FetchStatus::toobig, soft), 60min, 60min},
             {outcome_of(FetchStatus::noitems), 3h, 24h},
             {outcome_of(FetchStatus::parseerror, soft), 3h, 3h},
             {failed_with(500), 3h, 3h}}) {
        INFO(name_of(outcome.status));
        CHECK(wait_of(outcome) == usual);
        CHECK(wait_of(outcome, unread) == of_unread);
    }
}

TEST_CASE("Hard failures count 1, soft ones 0.5 and temporary ones 0.25, until a success") {
    auto claimed = claimed_feed();
    claimed.feed.last_fetch_failures = 4;
    const auto failures_after = [&](const FetchOutcome& outcome) {
        return scheduled(outcome, claimed).after.last_fetch_failures;
    };
    CHECK(failures_after(failed_with(403, Severity::hard)) == 8);
    CHECK(failures_after(failed_with(404, Severity::soft)) == 6);
    CHECK(failures_after(failed_with(0, Severity::temporary)) == 5);
    CHECK(failures_after(outcome_of(FetchStatus::parseerror, Severity::soft)) == 6);
    for (const auto status :
         {FetchStatus::ok, FetchStatus::nonew, FetchStatus::notmodified, FetchStatus::noitems})
        CHECK(failures_after(outcome_of(status)) == 0);
}

TEST_CASE("After failures the wait grows by 3 hours for each whole one, up to a day") {
    auto claimed = claimed_feed();
    for (const auto& [before, wait] : std::vector<std::pair<int, seconds>>{
             {0, 3h}, {3, 3h}, {4, 6h}, {6, 6h}, {24, 21h}, {28, 24h}, {32, 24h}, {100, 24h}}) {
        INFO(before);
        claimed.feed.last_fetch_failures = before;
        CHECK(wait_of(failed_with(403, Severity::hard), claimed) == wait);
    }
}

TEST_CASE("More than 30 failures disable a feed, which is tried once a week then") {
    auto claimed = claimed_feed();
    claimed.feed.last_fetch_failures = 116;
    auto finished = scheduled(failed_with(403, Severity::hard), claimed);
    CHECK(finished.after.last_fetch_failures == 120);
    CHECK(finished.after.system_enabled);
    CHECK(finished.event == EventKind::fetch_failed);
    CHECK(finished.outcome == "failed");
    claimed.feed.last_fetch_failures = 120;
    finished = scheduled(failed_with(0, Severity::temporary), claimed);
    CHECK_FALSE(finished.after.system_enabled);
    CHECK(finished.event == EventKind::fetch_disabled);
    CHECK(finished.outcome == "disabled");
    CHECK(finished.after.next_fetch_attempt == noon + 7 * 24h);
    claimed.feed = finished.after;
    CHECK(wait_of(failed_with(500), claimed) == 7 * 24h);
    const auto back = scheduled(outcome_of(FetchStatus::nonew), claimed);
    CHECK(back.after.system_enabled);
    CHECK(back.after.last_fetch_failures == 0);
    CHECK(back.event == EventKind::fetch_succeeded);
    CHECK(back.after.next_fetch_attempt == noon + 60min);
}

TEST_CASE("A feed that is gone is disabled at once and never fetched again") {
    const auto finished = scheduled([] {
        auto outcome = failed_with(410, Severity::hard);
        outcome.system_status = "HTTP 410 Gone";
        return outcome;
    }());
    CHECK_FALSE(finished.after.system_enabled);
    CHECK_FALSE(finished.after.next_fetch_attempt);
    CHECK(finished.event == EventKind::fetch_disabled);
    CHECK(finished.outcome == "disabled");
    CHECK(finished.note == "HTTP 410 Gone");
}

TEST_CASE("A row has when its feed was fetched, with success, and with news") {
    auto news = outcome_of(FetchStatus::ok);
    news.added = 1;
    auto finished = scheduled(news);
    CHECK(finished.after.last_fetch_attempt == noon);
    CHECK(finished.after.last_fetch_success == noon);
    CHECK(finished.after.last_new_stories == noon);
    CHECK(finished.after.poll_minutes == 30);
    CHECK(finished.after.system_status == "Working");
    CHECK(finished.event == EventKind::fetch_succeeded);
    news.added = 0;
    news.edited = 1;
    CHECK(scheduled(news).after.last_new_stories == noon);
    finished = scheduled(outcome_of(FetchStatus::nonew));
    CHECK(finished.after.last_fetch_success == noon);
    CHECK_FALSE(finished.after.last_new_stories);
    finished = scheduled(failed_with(500));
    CHECK(finished.after.last_fetch_attempt == noon);
    CHECK_FALSE(finished.after.last_fetch_success);
    CHECK(finished.after.poll_minutes == 180);
    CHECK(finished.event == EventKind::fetch_failed);
}

TEST_CASE("Notes of events are those of rss-fetcher") {
    using enum FetchStatus;
    const auto ok_text = "Working", broken = "parse error";
    const std::vector<std::pair<FetchOutcome, std::string>> notes{
        {{.status = ok, .system_status = ok_text, .skipped = 3, .added = 2},
         "3 skipped / 2 added"},
        {{.status = ok,
          .system_status = ok_text,
          .detail = "redirected from https to http",
          .skipped = 3,
          .added = 2,
          .edited = 1},
         "3 skipped / 2 added / 1 edited; redirected from https to http"},
        {{.status = notmodified, .system_status = ok_text, .detail = "same hash"}, "same hash"},
        {{.status = parseerror, .system_status = broken, .detail = "empty"},
         "parse error; empty"},
        {{.status = parseerror, .system_status = broken}, "parse error"}};
    for (const auto& [outcome, note] : notes) {
        CHECK(scheduled(outcome).note == note);
        CHECK(scheduled(outcome).after.system_status == outcome.system_status);
    }
}

TEST_CASE("Retry-After is read in seconds and as a date") {
    const auto retry_after = [](const std::string& value) {
        return hints_of({{"RETRY-AFTER", value}}).retry_after.value_or(-1s);
    };
    CHECK(retry_after("120") == 120s);
    CHECK(retry_after(" 120 ") == 120s);
    CHECK(retry_after("Tue, 01 Apr 2008 13:00:00 GMT") == 1h);
    CHECK(retry_after("99999999999") > 24h);
    CHECK(retry_after("99999999999999999999999999") > 24h);
    for (const auto* none : {"", "0", "-5", "soon", "Tue, 01 Apr 2008 11:00:00 GMT", "1.5"})
        CHECK(retry_after(none) == -1s);
}

TEST_CASE(
    "A server that is busy is left alone as long as it asks for, an hour else, a day at most") {
    for (const int status : {429, 503}) {
        auto outcome = failed_with(status);
        CHECK(wait_of(outcome) == 3h);
        outcome.server.retry_after = 5h;
        CHECK(wait_of(outcome) == 5h);
        outcome.server.retry_after = 48h;
        CHECK(wait_of(outcome) == 24h);
    }
    auto outcome = outcome_of(FetchStatus::ok);
    outcome.server.retry_after = 2h;
    CHECK(wait_of(outcome) == 2h);
}

TEST_CASE(
    "The other feeds of a server wait after 429 for as long as it asks for, after 503 not") {
    auto outcome = failed_with(429);
    CHECK(scheduled(outcome).hold_base_until == noon + 1h);
    outcome.server.retry_after = 10min;
    CHECK(scheduled(outcome).hold_base_until == noon + 10min);
    outcome.server.retry_after = 48h;
    CHECK(scheduled(outcome).hold_base_until == noon + 24h);
    auto claimed = claimed_feed();
    claimed.feed.last_fetch_failures = 40;
    outcome.server.retry_after = 10min;
    CHECK(scheduled(outcome, claimed).hold_base_until == noon + 10min);
    CHECK_FALSE(scheduled(failed_with(503)).hold_base_until);
    CHECK_FALSE(scheduled(failed_with(500)).hold_base_until);
    CHECK_FALSE(scheduled(outcome_of(FetchStatus::ok)).hold_base_until);
}

TEST_CASE("Freshness is max-age, else the time from Date to Expires") {
    CHECK(fresh_for("max-age=7200") == 2h);
    CHECK(fresh_for("public, Max-Age = \"7200\" , x=1") == 2h);
    CHECK(fresh_for("s-maxage=7200") == -1s);
    CHECK(fresh_for("max-age=99999999999999999999") == std::chrono::days(366));
    CHECK(fresh_for("max-age=0") == -1s);
    CHECK(fresh_for("max-age=-7") == -1s);
    CHECK(fresh_for("max-age=many") == -1s);
    CHECK(fresh_for("max-age") == -1s);
    CHECK(fresh_for("no-cache") == -1s);
    CHECK(hints_of({{"cache-control", "private"}, {"Cache-Control", "max-age=60"}}).fresh_for ==
          60s);
    const net::Field expires{"Expires", "Tue, 01 Apr 2008 14:00:00 GMT"};
    CHECK(hints_of({expires}).fresh_for == 2h);
    // A server whose clock is an hour fast.
    CHECK(hints_of({{"Date", "Tue, 01 Apr 2008 13:00:00 GMT"}, expires}).fresh_for == 1h);
    CHECK(hints_of({{"Date", "today"}, expires}).fresh_for == 2h);
    CHECK_FALSE(hints_of({expires, {"Cache-Control", "max-age=0"}}).fresh_for);
    for (const auto* none : {"0", "-1", "Tue, 01 Apr 2008 11:00:00 GMT", ""})
        CHECK_FALSE(hints_of({{"Expires", none}}).fresh_for);
    CHECK(hints_of({}) == ServerHints{});
}

TEST_CASE("A feed is not fetched before what its server and it itself ask for, up to a day") {
    auto outcome = outcome_of(FetchStatus::ok);
    outcome.server.fresh_for = 2h;
    CHECK(wait_of(outcome) == 2h);
    outcome.server.fresh_for = 24h * 365;
    CHECK(wait_of(outcome) == 24h);
    outcome.server.fresh_for = 60s;
    CHECK(wait_of(outcome) == 30min);
    CHECK(wait_of(with_hints({.ttl = 180min})) == 3h);
    CHECK(wait_of(with_hints({.period = 240min})) == 4h);
    CHECK(wait_of(with_hints({.ttl = 300min, .period = 240min})) == 5h);
    CHECK(wait_of(with_hints({.ttl = 999'999min})) == 24h);
    CHECK(wait_of(with_hints({.ttl = 1min})) == 30min);
    CHECK(scheduled(with_hints({.ttl = 180min})).after.update_minutes == 180);
    CHECK(scheduled(with_hints({.ttl = 300min, .period = 240min})).after.update_minutes == 300);
    CHECK(scheduled(with_hints({})).after.update_minutes == 0);
}

TEST_CASE("What a feed asks for holds for fetches that did not read it, too") {
    auto claimed = claimed_feed();
    claimed.feed.update_minutes = 300;
    for (const auto& outcome :
         {outcome_of(FetchStatus::notmodified, Severity::none, 304), failed_with(404)}) {
        CHECK(wait_of(outcome, claimed) == 5h);
        CHECK(scheduled(outcome, claimed).after.update_minutes == 300);
    }
    claimed.feed = {};
    claimed.feed.skip_hours.set(13);
    claimed.feed.skip_days.set(3);  // Wednesday
    const auto unchanged = outcome_of(FetchStatus::notmodified, Severity::none, 304);
    CHECK(wait_of(unchanged, claimed) == 2h);
    CHECK(wait_of(failed_with(404), claimed) == 3h);
    claimed.readers = 0;
    CHECK(wait_of(unchanged, claimed) == 36h);
    CHECK(scheduled(unchanged, claimed).after.skip_hours.count() == 1);
    // A feed that does not ask for it any more.
    CHECK(scheduled(with_hints({}), claimed).after.skip_days.none());
}

TEST_CASE("Hours and days that a feed wants to be left alone in are skipped") {
    feed::UpdateHints hints;
    hints.skip_hours.set(12).set(13);
    CHECK(wait_of(with_hints(hints)) == 2h);
    hints.skip_days.set(2);  // Tuesday
    CHECK(wait_of(with_hints(hints)) == 12h);
    hints = {};
    hints.skip_hours.set(20);
    CHECK(wait_of(with_hints(hints)) == 30min);
    // A whole long weekend, although it is longer than a day.
    hints = {};
    hints.skip_days.set(2).set(3).set(4);
    CHECK(wait_of(with_hints(hints)) == 12h + 48h);
    // Never is nonsense.
    hints.skip_days.set();
    CHECK(wait_of(with_hints(hints)) == 30min);
    hints = {};
    hints.skip_hours.set();
    CHECK(wait_of(with_hints(hints)) == 30min);
    hints.skip_hours.reset(11);
    hints.skip_days.set().reset(2);
    CHECK(wait_of(with_hints(hints)) == 7 * 24h - 1h);
}

TEST_CASE(
    "The fetches of many feeds are spread by a tenth, after skipped hours within the hour") {
    CHECK(wait_of(outcome_of(FetchStatus::ok), claimed_feed(), 0.5) == 30min + 90s);
    CHECK(wait_of(outcome_of(FetchStatus::ok), claimed_feed(), 0.999) <= 33min);
    CHECK(wait_of(failed_with(500), claimed_feed(), 0.5) == 3h + 9min);
    CHECK(scheduled(outcome_of(FetchStatus::ok), claimed_feed(), 0.5).after.poll_minutes == 30);
    feed::UpdateHints hints;
    hints.skip_hours.set(12);
    CHECK(wait_of(with_hints(hints), claimed_feed(), 0.5) == 1h + 15min);
    CHECK(wait_of(with_hints(hints), claimed_feed(), 0.999) < 2h);
}
