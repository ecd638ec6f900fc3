// The route of the source feeds that the harvester polls: /feeds, for people and programs that look how it goes.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "feed/opml.hpp"
#include "harvest/entries.hpp"
#include "harvest/feeds.hpp"
#include "render/change_json.hpp"
#include "render/pages.hpp"
#include "serve/context.hpp"
#include "serve/errors.hpp"
#include "serve/representation.hpp"
#include "serve/routes.hpp"
#include "serve/source_feeds.hpp"

namespace serve {

namespace {

using harvest::EventKind;
using harvest::FeedRow;
using store::Access;
using store::Transaction;
using Format = SourcesRequest::Format;

constexpr std::size_t most_events = 100;       // of a feed: as many as are kept
constexpr std::size_t most_newest = 20;        // entries and edits on the page of a feed
constexpr std::size_t most_in_opml = 100'000;  // feeds
constexpr std::size_t read_at_once = 1000;     // of these
constexpr long status_max_age = 60;            // seconds

// "1.25": failures are counted in quarters.
std::string failures_of(const FeedRow& feed) {
    constexpr std::array<std::string_view, 4> fractions{"", ".25", ".5", ".75"};
    const auto quarters = std::max<std::int64_t>(feed.last_fetch_failures, 0);
    return std::to_string(quarters / 4) +
           std::string(fractions.at(static_cast<std::size_t>(quarters % 4)));
}

render::SourceStatus status_of(const FeedRow& feed) {
    return {.id = feed.id,
            .name = feed.display_name(),
            .url = feed.url,
            .home_url = feed.home_url,
            .description = feed.description,
            .is_enabled = feed.system_enabled,
            .is_queued = feed.queued,
            .status = feed.system_status,
            .failures = failures_of(feed),
            .poll_minutes = feed.poll_minutes,
            .last_fetch = feed.last_fetch_attempt,
            .next_fetch = feed.next_fetch_attempt,
            .last_news = feed.last_new_stories};
}

render::FetchEvent event_of(const harvest::FetchEvent& event) {
    using Outcome = render::FetchEvent::Outcome;
    const auto outcome_of = [&] {
        switch (event.event) {
            case EventKind::queued: return Outcome::begun;
            case EventKind::fetch_succeeded: break;
            case EventKind::fetch_failed:
            case EventKind::fetch_disabled: return Outcome::failed;
        }
        // "3 skipped / 2 added / 1 edited"; "not modified"
        const bool has_added = event.note.find(" added") != std::string::npos &&
                               event.note.find("/ 0 added") == std::string::npos;
        return has_added || event.note.find(" edited") != std::string::npos
                   ? Outcome::news
                   : Outcome::nothing_new;
    };
    return {event.created_at, outcome_of(), std::string(harvest::name_of(event.event)),
            event.note};
}

void write_time(base::JsonWriter& json, std::string_view name,
                const std::optional<base::Seconds>& time) {
    json.field(name, time ? base::format_rfc3339(*time) : std::string());
}

// Writes the columns of the table under their names: all but validators, and what harvesters claim by.
void write_columns(base::JsonWriter& json, const FeedRow& feed) {
    using render::write_text;
    json.field("id", feed.id);
    write_text(json, "url", feed.url);
    write_text(json, "base_url", feed.base_url);
    write_text(json, "name", feed.name);
    json.field("added_at", base::format_rfc3339(feed.added_at));
    json.field("last_read", feed.last_read ? base::format_date(*feed.last_read) : std::string());
    write_text(json, "rss_title", feed.rss_title);
    write_text(json, "description", feed.description);
    write_text(json, "home_url", feed.home_url);
    write_text(json, "language", feed.language);
    json.field("most_kb", feed.most_kb);
    json.key("system_enabled").value(feed.system_enabled);
    write_text(json, "system_status", feed.system_status);
    write_time(json, "last_fetch_attempt", feed.last_fetch_attempt);
    write_time(json, "last_fetch_success", feed.last_fetch_success);
    json.field("last_fetch_hash", feed.last_fetch_hash);
    json.key("last_fetch_failures").raw(failures_of(feed));
    json.key("http_304").value(feed.http_304);
    write_time(json, "next_fetch_attempt", feed.next_fetch_attempt);
    json.key("queued").value(feed.queued);
    json.field("update_minutes", feed.update_minutes);
    json.field("poll_minutes", feed.poll_minutes);
    write_time(json, "last_new_stories", feed.last_new_stories);
    write_time(json, "last_full_fetch", feed.last_full_fetch);
    write_text(json, "moved_to", feed.moved_to);
}

Result<RenderedPage> render_list(const SiteContext& context, const SourcesRequest& request) {
    std::vector<FeedRow> rows;
    std::size_t count = 0;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        count = harvest::count_feeds(transaction, request.text);
        rows = harvest::list_troubled_first(transaction, request.text, request.from,
                                            render::sources_on_page);
    });
    if (request.from > 0 && request.from >= count) {
        auto last = request;
        last.from =
            count == 0 ? 0 : (count - 1) / render::sources_on_page * render::sources_on_page;
        return fail(past_the_end(context.absolute_url(url_of(last))));
    }
    if (request.format == Format::html) {
        render::SourcesView view{
            .feeds = {}, .count = count, .from = request.from, .text = request.text};
        for (const auto& row : rows) view.feeds.push_back(status_of(row));
        return RenderedPage{.body = render::sources_page(view, context.site, context.templates)};
    }
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("count", count);
    const auto end = request.from + rows.size();
    if (end < count) {
        auto next = request;
        next.from = end;
        json.field("next_url", context.absolute_url(url_of(next)));
    }
    json.key("feeds").begin_array();
    for (const auto& row : rows) {
        json.begin_object();
        write_columns(json, row);
        json.end_object();
    }
    json.end_array().end_object();
    return RenderedPage{.body = text + "\n"};
}

RenderedPage render_opml_of_sources(const SiteContext& context, const SourcesRequest& request) {
    std::vector<feed::ListedFeed> feeds;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        feeds.clear();
        for (std::int64_t after = 0; feeds.size() < most_in_opml;) {
            const auto rows = harvest::list_feeds(transaction, after, request.text, read_at_once);
            for (const auto& row : rows) {
                feeds.push_back({row.url, row.display_name(), row.home_url});
                after = row.id;
            }
            if (rows.size() < read_at_once) break;
        }
    });
    return {.body = feed::write_opml(context.site.title + ": source feeds", feeds)};
}

Result<RenderedPage> render_source(const SiteContext& context, const SourcesRequest& request) {
    std::optional<FeedRow> row;
    std::vector<harvest::FetchEvent> events;
    std::size_t entries = 0;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        row = harvest::load_feed(transaction, request.feed);
        if (!row) return;
        events = harvest::load_events(transaction, row->id, most_events);
        entries = harvest::count_entries(transaction, row->id);
    });
    if (!row) return fail(no_source_feed(request.feed));
    FeedRequest newest;
    newest.source_feed = row->id;
    newest.page.most = most_newest;
    auto copy = load_source_feed(context, newest);
    if (!copy) return fail(copy.error());
    if (request.format == Format::html) {
        render::SourceView view{
            .status = status_of(*row), .events = {}, .copy = std::move(*copy)};
        for (const auto& event : events) view.events.push_back(event_of(event));
        return RenderedPage{.body = render::source_page(view, context.site, context.templates)};
    }
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().key("feed").begin_object();
    write_columns(json, *row);
    json.field("entries", entries);
    json.end_object();
    json.key("events").begin_array();
    for (const auto& event : events) {
        json.begin_object();
        json.field("created_at", base::format_rfc3339(event.created_at));
        json.field("event", harvest::name_of(event.event));
        render::write_text(json, "note", event.note);
        json.end_object();
    }
    json.end_array().key("newest").begin_array();
    for (const auto& item : copy->items) {
        json.begin_object();
        json.field("entry", item.entry).field("revision", item.revision);
        json.field("recorded_at", base::format_rfc3339(item.recorded_at));
        render::write_text(json, "title", render::title_of(item));
        render::write_text(json, "link", item.link);
        json.end_object();
    }
    json.end_array().end_object();
    return RenderedPage{.body = text + "\n"};
}

Result<RenderedPage> render_sources(const SiteContext& context, const SourcesRequest& request) {
    if (request.feed > 0) return render_source(context, request);
    if (request.format == Format::opml) return render_opml_of_sources(context, request);
    return render_list(context, request);
}

std::string media_type_of(Format format) {
    switch (format) {
        case Format::json: return "application/json";
        case Format::opml: return "text/x-opml; charset=utf-8";
        case Format::html: break;
    }
    return "text/html; charset=utf-8";
}

// Returns a version of the page that lasts a minute: fetches that bring nothing are no writes that others follow.
query::CacheVersion version_of_minute(SiteContext& context) {
    auto version = context.wide_version();
    version.generation = std::chrono::duration_cast<std::chrono::minutes>(
                             context.settings.steady_clock().time_since_epoch())
                             .count();
    return version;
}

}  // namespace

Result<Response> answer_sources(SiteContext& context, const Request& request) {
    const auto sources = parse_sources_request(request.query);
    if (!sources) return fail(sources.error());
    const Metadata metadata{.content_type = media_type_of(sources->format),
                            .vary = "Accept-Encoding",
                            .max_age = std::min(status_max_age, context.settings.max_age),
                            .is_for_browser = sources->format == Format::html};
    return cached_response(
        context, request,
        {url_of(*sources), version_of_minute(context), metadata, PageCost::wide},
        [&] { return render_sources(context, *sources); });
}

}  // namespace serve
