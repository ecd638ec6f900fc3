// The route of the source feeds that the harvester polls: /feeds, for people and programs that look how it goes.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "feed/opml.hpp"
#include "harvest/entries.hpp"
#include "harvest/feed_status.hpp"
#include "render/json.hpp"
#include "render/pages.hpp"
#include "serve/context.hpp"
#include "serve/feeds.hpp"
#include "serve/responses.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

using harvest::Audience;
using harvest::EventKind;
using harvest::FeedRow;
using store::Access;
using store::Transaction;

constexpr std::size_t most_events = 100;       // of a feed: as many as are kept
constexpr std::size_t most_versions = 20;      // entries and edits on the page of a feed
constexpr std::size_t most_in_opml = 100'000;  // feeds
constexpr std::size_t read_at_once = 1000;     // of these

render::SourceStatus shown_status(const harvest::FeedStatus& status) {
    const auto& feed = status.feed;
    return {.id = feed.id,
            .name = feed.display_name(),
            .url = feed.url,
            .is_url_cut = feed.is_url_cut,
            .home_url = feed.home_url,
            .description = feed.description,
            .is_enabled = feed.system_enabled,
            .is_queued = feed.queued,
            .status = feed.system_status,
            .failures = feed.failures(),
            .poll_minutes = feed.poll_minutes,
            .last_fetch = feed.last_fetch_attempt,
            .next_fetch = feed.next_fetch_attempt,
            .last_news = feed.last_new_stories,
            .held_until = status.held_until};
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

Result<RenderedPage> render_list(const SiteContext& context, const Query& query) {
    std::vector<FeedRow> rows;
    harvest::HeldServers held;
    std::size_t count = 0;
    const auto& text = query.get("q");
    const auto page = query.number("page", 1);
    const auto from = (page - 1) * render::sources_on_page;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        count = harvest::count_feeds(transaction, text);
        rows = harvest::list_troubled_first(transaction, text, from, render::sources_on_page);
        held = harvest::held_servers(transaction, context.settings.clock());
    });
    if (page > 1 && from >= count) return fail(past_the_end());
    if (!query.has("format")) {
        render::SourcesView view{.feeds = {}, .count = count, .page = page, .text = text};
        for (const auto& row : rows)
            view.feeds.push_back(shown_status(harvest::status_of(row, held)));
        return RenderedPage{.body =
                                render::sources_page(view, context.page_site, context.templates)};
    }
    std::string body;
    base::JsonWriter json(body);
    json.begin_object().field("count", count);
    if (from + rows.size() < count)
        json.field("next_url",
                   context.absolute_url(query.with("page", std::to_string(page + 1)).url()));
    json.key("feeds").begin_array();
    for (const auto& row : rows) {
        json.begin_object();
        write_feed_fields(json, harvest::status_of(row, held));
        json.end_object();
    }
    json.end_array().end_object();
    return RenderedPage{.body = body + "\n"};
}

RenderedPage render_opml_of_sources(const SiteContext& context, const Query& query) {
    const auto copy_of = [&](const FeedRow& row) {
        return context.absolute_url(Query("/rss").with("feed", std::to_string(row.id)).url());
    };
    std::vector<feed::ListedFeed> feeds;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        feeds.clear();
        for (std::int64_t after = 0; feeds.size() < most_in_opml;) {
            const auto rows = harvest::list_feeds(transaction, after, query.get("q"),
                                                  read_at_once, Audience::everyone);
            for (const auto& row : rows) {
                // A feed whose URL must stay secret can be read here.
                feeds.push_back(
                    {row.is_url_cut ? copy_of(row) : row.url, row.display_name(), row.home_url});
                after = row.id;
            }
            if (rows.size() < read_at_once) break;
        }
    });
    return {.body = feed::write_opml(context.site.title + ": source feeds", feeds)};
}

Result<RenderedPage> render_source(const SiteContext& context, const Query& query) {
    const auto id = source_feed_of(query);
    std::optional<harvest::FeedStatus> status;
    std::size_t entries = 0;
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        status = harvest::load_status(transaction, id, most_events, context.settings.clock(),
                                      Audience::everyone);
        entries = harvest::count_entries(transaction, id);
    });
    if (!status) return fail(no_source_feed(id));
    auto copy = load_source_feed(context, id, {}, most_versions);
    if (!copy) return fail(copy.error());
    if (!query.has("format")) {
        render::SourceView view{
            .status = shown_status(*status), .events = {}, .copy = std::move(*copy)};
        for (const auto& event : status->events) view.events.push_back(event_of(event));
        return RenderedPage{.body =
                                render::source_page(view, context.page_site, context.templates)};
    }
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().key("feed").begin_object();
    write_feed_fields(json, *status);
    json.field("entries", entries).end_object();
    write_detail_fields(json, *status);
    json.key("newest").begin_array();
    for (const auto& item : copy->items) {
        json.begin_object();
        json.field("entry", item.entry).field("revision", item.revision);
        json.field("recorded_at", base::format_rfc3339(item.recorded_at));
        json.field("title", render::title_of(item));
        json.field("link", item.link);
        json.end_object();
    }
    json.end_array().end_object();
    return RenderedPage{.body = text + "\n"};
}

}  // namespace

Result<RenderedPage> render_sources(SiteContext& context, const Query& query) {
    if (query.has("feed")) return render_source(context, query);
    if (query.get("format") == "opml") return render_opml_of_sources(context, query);
    return render_list(context, query);
}

}  // namespace serve
