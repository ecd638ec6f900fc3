// SPDX-License-Identifier: MIT
#include "harvest/archives.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "harvest/feeds.hpp"
#include "store/dialect.hpp"

namespace harvest {

namespace {

using base::ErrorKind;
using base::format_rfc3339;
using store::Transaction;
using store::Value;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 3> state_names{"walking", "finished", "failed"};
constexpr std::string_view chain_kind = "feed", list_kind = "pipermail";

// After the first failure, the second …; after one more, the archive fails.
constexpr std::array<std::chrono::seconds, 4> page_pauses{10min, 1h, 6h, std::chrono::days(1)};

const store::Insert an_archive{
    "archives",
    {"feed", "kind", "next_url", "base_url", "state", "started_at", "next_attempt"},
    {"feed"}};

const store::Insert a_known_url{"known_urls", {"feed", "url_digest"}, {"feed", "url_digest"}};

ArchiveState archive_state_named(std::string_view name) {
    const auto found = std::ranges::find(state_names, name);
    return found == state_names.end() ? ArchiveState::failed
                                      : static_cast<ArchiveState>(found - state_names.begin());
}

Archive archive_in(const store::Row& row) {
    return {.feed = row.integer(0),
            .is_list = row.text(1) == list_kind,
            .next_url = row.text(2),
            .state = archive_state_named(row.text(3)),
            .status = row.text(4),
            .pages = row.integer(5),
            .added = row.integer(6),
            .failures = row.integer(7),
            .started_at = base::parse_rfc3339(row.text(8)).value_or(base::Seconds{}),
            .finished_at = base::parse_rfc3339(row.text(9)),
            .next_attempt = base::parse_rfc3339(row.text(10)),
            .is_claimed = row.integer(11) != 0};
}

void insert_archive(Transaction& transaction, std::int64_t feed, std::string_view kind,
                    const net::Url& url, base::Seconds now) {
    store::insert_unless_there(transaction, an_archive,
                               std::vector{Value{feed}, Value{std::string(kind)}, Value{url.text},
                                           Value{net::origin_of(url)},
                                           Value{std::string(name_of(ArchiveState::walking))},
                                           Value{format_rfc3339(now)},
                                           Value{format_rfc3339(now)}});
}

}  // namespace

std::string_view name_of(ArchiveState state) {
    return state_names.at(static_cast<std::size_t>(state));
}

std::optional<Archive> load_archive(Transaction& transaction, std::int64_t feed) {
    const auto rows = transaction.query(
        "SELECT feed, kind, next_url, state, status, pages, added, failures, started_at,"
        " finished_at, next_attempt, claim FROM archives WHERE feed = ?",
        {Value{feed}});
    if (rows.empty()) return std::nullopt;
    return archive_in(rows.front());
}

base::Result<void> start_archive(Transaction& transaction, std::int64_t feed,
                                 const std::string& url, base::Seconds now) {
    const auto parsed = url_in(url);
    if (!parsed) return base::fail(parsed.error().kind, "the URL " + parsed.error().text);
    if (transaction.query("SELECT 1 FROM feeds WHERE id = ?", {Value{feed}}).empty())
        return base::fail(ErrorKind::absent, "no feed has the id " + std::to_string(feed));
    transaction.execute("DELETE FROM archives WHERE feed = ?", {Value{feed}});
    forget_known_urls(transaction, feed);
    insert_archive(transaction, feed, chain_kind, *parsed, now);
    return {};
}

void note_archive(Transaction& transaction, std::int64_t feed, const std::string& url,
                  base::Seconds now) {
    const auto parsed = net::parse_url(std::string_view(url).substr(0, url.find('#')));
    if (!parsed || load_archive(transaction, feed)) return;
    insert_archive(transaction, feed, chain_kind, *parsed, now);
}

void note_list_index(Transaction& transaction, std::int64_t feed, const std::string& url,
                     const feed::ListIndex& index, base::Seconds now) {
    const auto parsed = net::parse_url(url);
    if (!parsed) return;
    const auto archive = load_archive(transaction, feed);
    if (!archive) insert_archive(transaction, feed, list_kind, *parsed, now);
    if (!archive || !archive->is_list) return;
    if (const auto newest = net::parse_url(index.months.front().text_url))
        forget_known_url(transaction, feed, *newest);
    if (archive->state == ArchiveState::walking) return;
    transaction.execute("UPDATE archives SET next_url = ?, base_url = ?, state = ?, status = '',"
                        " failures = 0, pages = 0, added = 0, next_attempt = ?"
                        " WHERE feed = ? AND claim = 0",
                        {Value{parsed->text}, Value{net::origin_of(*parsed)},
                         Value{std::string(name_of(ArchiveState::walking))},
                         Value{format_rfc3339(now)}, Value{feed}});
}

std::vector<ClaimedArchive> claim_archives(Transaction& transaction, std::span<const DueRow> due,
                                           std::int64_t claim, base::Seconds now) {
    std::vector<ClaimedArchive> claimed;
    for (const auto& [row, base_url] : claim_rows(transaction, archive_queue, due, claim, now)) {
        auto archive = load_archive(transaction, row.id);
        auto feed = load_feed(transaction, row.id, Audience::operators);
        if (archive && feed)
            claimed.push_back({.archive = *std::move(archive),
                               .feed = *std::move(feed),
                               .claimed_at = now,
                               .claim = claim,
                               .base_url = base_url});
    }
    return claimed;
}

bool finish_page(Transaction& transaction, const ClaimedArchive& claimed, const Archive& after,
                 const std::optional<base::Seconds>& hold_base_until, base::Seconds now) {
    release_base_url(transaction, claimed.base_url, claimed.claim, now, hold_base_until);
    const auto url = net::parse_url(after.next_url);
    const auto written = transaction.execute(
        "UPDATE archives SET kind = ?, next_url = ?, base_url = ?, state = ?, status = ?,"
        " pages = ?, added = ?, failures = ?, finished_at = ?, next_attempt = ?, claim = 0"
        " WHERE feed = ? AND claim = ?",
        {Value{std::string(after.is_list ? list_kind : chain_kind)}, Value{after.next_url},
         Value{url ? net::origin_of(*url) : std::string()},
         Value{std::string(name_of(after.state))},
         Value{std::string(base::cut_at(base::legal_text(after.status), 255))},
         Value{after.pages}, Value{after.added}, Value{after.failures},
         Value{base::rfc3339_or(after.finished_at)}, Value{base::rfc3339_or(after.next_attempt)},
         Value{after.feed}, Value{claimed.claim}});
    if (written == 0) return false;
    if (after.state == ArchiveState::finished) forget_known_urls(transaction, after.feed);
    return true;
}

bool is_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    return !transaction
                .query("SELECT 1 FROM known_urls WHERE feed = ? AND url_digest = ?",
                       {Value{feed}, Value{digest_of_url(url)}})
                .empty();
}

void add_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    store::insert_unless_there(transaction, a_known_url,
                               std::vector{Value{feed}, Value{digest_of_url(url)}});
}

void forget_known_url(Transaction& transaction, std::int64_t feed, const net::Url& url) {
    transaction.execute("DELETE FROM known_urls WHERE feed = ? AND url_digest = ?",
                        {Value{feed}, Value{digest_of_url(url)}});
}

void forget_known_urls(Transaction& transaction, std::int64_t feed) {
    transaction.execute("DELETE FROM known_urls WHERE feed = ?", {Value{feed}});
}

Archive walked_on(Archive archive, std::string next_url, base::Seconds now) {
    archive.next_url = std::move(next_url);
    archive.failures = 0;
    archive.status.clear();
    archive.next_attempt = now + page_spacing;
    return archive;
}

Archive walked_to_end(Archive archive, std::string_view why, base::Seconds now) {
    archive.state = ArchiveState::finished;
    archive.status = why;
    archive.failures = 0;
    archive.finished_at = now;
    archive.next_attempt.reset();
    return archive;
}

Archive page_failed(Archive archive, std::string status,
                    std::optional<std::chrono::seconds> retry_after, base::Seconds now) {
    const auto failures = static_cast<std::size_t>(std::max<std::int64_t>(archive.failures, 0));
    ++archive.failures;
    archive.status = std::move(status);
    if (failures >= page_pauses.size()) {
        archive.state = ArchiveState::failed;
        archive.next_attempt.reset();
        return archive;
    }
    const auto least = std::min(retry_after.value_or(0s), longest_pause);
    archive.next_attempt = now + std::max(page_pauses.at(failures), least);
    return archive;
}

}  // namespace harvest
