// SPDX-License-Identifier: MIT
#include "harvest/feed_status.hpp"

#include <utility>

namespace harvest {

namespace {

using base::rfc3339_or;

void write_archive(base::JsonWriter& json, const Archive& archive) {
    json.begin_object()
        .field("kind", archive.is_list ? "pipermail" : "feed")
        .field("state", name_of(archive.state))
        .field("status", archive.status)
        .field("next_url", archive.next_url)
        .field("pages", archive.pages)
        .field("added", archive.added)
        .field("failures", archive.failures)
        .field("started_at", base::format_rfc3339(archive.started_at))
        .field("finished_at", rfc3339_or(archive.finished_at))
        .field("next_attempt", rfc3339_or(archive.next_attempt))
        .end_object();
}

}  // namespace

FeedStatus status_of(FeedRow feed, const HeldServers& held) {
    FeedStatus status{.feed = std::move(feed)};
    if (const auto found = held.find(status.feed.base_url); found != held.end())
        status.held_until = found->second;
    return status;
}

std::optional<FeedStatus> load_status(store::Transaction& transaction, std::int64_t feed,
                                      std::size_t most_events, base::Seconds now,
                                      Audience audience) {
    auto row = load_feed(transaction, feed, audience);
    if (!row) return std::nullopt;
    auto status = status_of(*std::move(row), held_servers(transaction, now));
    status.archive = load_archive(transaction, feed);
    if (status.archive && audience == Audience::everyone)
        status.archive->next_url = shown_url(status.feed, status.archive->next_url);
    status.events = load_events(transaction, feed, most_events);
    return status;
}

void write_feed_fields(base::JsonWriter& json, const FeedStatus& status) {
    const auto& feed = status.feed;
    json.field("id", feed.id)
        .field("url", feed.url)
        .field("base_url", feed.base_url)
        .field("name", feed.name)
        .field("created_at", base::format_rfc3339(feed.created_at))
        .field("last_read", feed.last_read ? base::format_date(*feed.last_read) : std::string())
        .field("rss_title", feed.rss_title)
        .field("description", feed.description)
        .field("home_url", feed.home_url)
        .field("language", feed.language)
        .field("most_kb", feed.most_kb)
        .field("public_query", feed.public_query)
        .field("system_enabled", feed.system_enabled)
        .field("system_status", feed.system_status)
        .field("last_fetch_attempt", rfc3339_or(feed.last_fetch_attempt))
        .field("last_fetch_success", rfc3339_or(feed.last_fetch_success))
        .field("last_fetch_hash", feed.last_fetch_hash);
    json.key("last_fetch_failures").raw(feed.failures());
    json.field("http_304", feed.http_304)
        .field("next_fetch_attempt", rfc3339_or(feed.next_fetch_attempt))
        .field("held_until", rfc3339_or(status.held_until))
        .field("queued", feed.queued)
        .field("update_minutes", feed.update_minutes)
        .field("poll_minutes", feed.poll_minutes)
        .field("last_new_stories", rfc3339_or(feed.last_new_stories))
        .field("last_full_fetch", rfc3339_or(feed.last_full_fetch))
        .field("moved_to", feed.moved_to);
}

void write_detail_fields(base::JsonWriter& json, const FeedStatus& status) {
    if (status.archive) {
        json.key("archive");
        write_archive(json, *status.archive);
    }
    json.key("events").begin_array();
    for (const auto& event : status.events)
        json.begin_object()
            .field("created_at", base::format_rfc3339(event.created_at))
            .field("event", name_of(event.event))
            .field("note", event.note)
            .end_object();
    json.end_array();
}

}  // namespace harvest
