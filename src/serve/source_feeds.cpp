// SPDX-License-Identifier: MIT
#include "serve/source_feeds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "harvest/feeds.hpp"
#include "harvest/versions.hpp"

namespace serve {

namespace {

using store::Access;
using store::Transaction;

// Returns the texts of a field of an entry, as feed::tree_of() writes them.
std::vector<std::string> texts_at(const std::vector<tree::Node>& nodes, std::string_view tag) {
    std::vector<std::string> texts;
    for (const auto& node : nodes)
        if (node.cell.kind == tree::CellKind::tag && node.cell.text == tag)
            for (const auto& value : node.children) texts.push_back(value.cell.text);
    return texts;
}

render::SourceItem item_of(harvest::EntryVersion version) {
    auto& entry = version.entry;
    const bool is_edit = version.revision > 0;
    const auto published =
        std::min(version.published.value_or(entry.first_seen), entry.first_seen);
    return {.entry = entry.id,
            .revision = version.revision,
            .recorded_at = version.recorded_at,
            .published = is_edit ? std::nullopt : version.published,
            .entry_day = std::chrono::floor<std::chrono::days>(published),
            .title = std::move(version.title),
            .link = entry.link,
            .authors = texts_at(entry.tree, "Author"),
            .categories = texts_at(entry.tree, "Category"),
            .content = is_edit ? std::string() : std::move(entry.content),
            .changes = std::move(version.changes)};
}

}  // namespace

std::int64_t source_feed_of(const Query& query) {
    return static_cast<std::int64_t>(query.number("feed", 0));
}

HttpError no_source_feed(std::int64_t feed) {
    return {404, "There is no source feed with the number " + std::to_string(feed) + "."};
}

Result<render::SourceFeed> load_source_feed(const SiteContext& context, std::int64_t id,
                                            const std::string& older, std::size_t most) {
    std::optional<harvest::FeedRow> row;
    harvest::EntryVersions found;
    std::optional<harvest::VersionPosition> before;
    if (const auto position = render::parse_position(older))
        before = {position->recorded_at, position->entry, position->revision};
    store::perform(context.pool, Access::read, [&](Transaction& transaction) {
        row = harvest::load_feed(transaction, id);
        if (row) found = harvest::load_versions(transaction, row->id, before, most);
    });
    if (!row) return fail(no_source_feed(id));
    render::SourceFeed feed{.id = row->id,
                            .name = row->display_name(),
                            .url = row->url,
                            .description = row->description,
                            .language = row->language,
                            .updated = row->added_at};
    for (auto& version : found.versions) feed.items.push_back(item_of(std::move(version)));
    if (!feed.items.empty()) feed.updated = feed.items.front().recorded_at;
    if (found.rest)
        feed.rest = {found.rest->recorded_at, found.rest->entry, found.rest->revision};
    return feed;
}

void note_reader(SiteContext& context, std::int64_t feed) {
    const auto today = std::chrono::floor<std::chrono::days>(context.settings.clock());
    if (!context.noted_readers.note(feed, today)) return;
    try {
        // A program that is started for one request looks first, and need not wait for those who write.
        const bool is_noted =
            store::perform(context.pool, Access::read, [&](Transaction& transaction) {
                const auto row = harvest::load_feed(transaction, feed);
                return !row || row->last_read >= today;
            });
        if (is_noted) return;
        store::perform(context.pool, Access::write, harvest::note_read, feed, today);
    } catch (const store::Failure& failure) {
        context.noted_readers.forget(feed);
        base::log::warning("cannot record that a feed has readers", {{"reason", failure.what()}});
    }
}

}  // namespace serve
