// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/log.hpp"
#include "feed/read_feed.hpp"
#include "harvest/workers.hpp"
#include "tables/counters.hpp"

namespace harvest {

namespace {

using store::Access;
using store::Transaction;

using namespace std::chrono_literals;

constexpr auto look_for_pages_every = 1s;
// From the claim to the answer. The claim lasts longer, so that clocks may differ.
constexpr auto longest_page = 45s;
static_assert(longest_page < store::claim_lasts);
constexpr std::size_t messages_at_once = 500;
// What an index of a list says of days may be that of another time zone.
constexpr auto zones_differ_by = std::chrono::days(1);

// Makes entries ready. Those without a time come before all that the feed itself had.
//   window  window_day() of the feed
std::vector<ReadyEntry> dated_entries(std::span<const feed::Entry* const> entries,
                                      base::Seconds feed_created_at,
                                      const std::optional<base::Date>& window) {
    auto ready = make_ready(entries);
    for (auto& one : ready) {
        one.dated = one.entry->published ? one.entry->published
                    : one.entry->updated ? one.entry->updated
                                         : feed_created_at;
        if (window) one.seen_on = *window - std::chrono::days(1);
    }
    return ready;
}

// Records entries and counts them. What else is done with entries that are new belongs here, as in Fetcher::record.
EntriesRecorded record_and_count(Transaction& transaction, std::int64_t feed,
                                 std::span<const ReadyEntry> ready, base::Seconds now) {
    auto recorded = record_entries(transaction, feed, ready, now);
    if (recorded.copy_differs) tables::mark_copies(transaction, {feed});
    tables::count_outcomes(
        transaction, "harvest_notes",
        {{"added", static_cast<std::int64_t>(recorded.added)},
         {"second insertion", static_cast<std::int64_t>(recorded.inserted_twice)}},
        tables::slot_of_process());
    return recorded;
}

// Returns whether the archive still has this claim, and keeps others from it until the transaction ends.
bool hold(Transaction& transaction, const ClaimedArchive& claimed) {
    const auto feed = claimed.archive.feed;
    return tables::lock_feed(transaction, feed) &&
           store::has_claim(transaction, archive_queue.rows, feed, claimed.claim);
}

bool is_too_long(const Archive& archive) {
    return archive.pages >= most_archive_pages || archive.added >= most_archive_entries;
}

// Returns what comes after a page of a chain.
Archive after_document(Transaction& transaction, Archive archive, const ArchivePage& page,
                       const EntriesRecorded& recorded, base::Seconds now) {
    if (page.previous_url.empty()) return walked_to_end(std::move(archive), "no older page", now);
    // The first page may have the same entries as the feed.
    const bool is_covered = !page.entries.empty() && recorded.added == 0 && archive.pages > 1;
    if (is_covered) return walked_to_end(std::move(archive), "covered ground", now);
    const auto url = net::parse_url(page.previous_url);
    if (!url) return walked_to_end(std::move(archive), "no older page", now);
    if (is_known_url(transaction, archive.feed, *url))
        return walked_to_end(std::move(archive), "page seen before", now);
    return walked_on(std::move(archive), url->text, now);
}

// Returns whether a failed page is unlikely to be readable later.
bool is_lasting(const FetchOutcome& failure) {
    return failure.severity == Severity::hard || failure.http_status == 404 ||
           failure.status == FetchStatus::toobig || failure.status == FetchStatus::parseerror;
}

void note_known(Transaction& transaction, const Archive& archive) {
    if (const auto url = net::parse_url(archive.next_url))
        add_known_url(transaction, archive.feed, *url);
}

// Returns what the body of an answer has.
//   error  malformed: "empty", "html?", "no version", …
base::Result<ArchivePage> read_archive_page(const std::string& url,
                                            const net::Response& response) {
    const auto type = net::find_field(response.fields, "content-type").value_or("");
    if (feed::is_month_url(url)) {
        auto month = feed::read_month(response.body, url);
        if (!month) return tl::unexpected(month.error());
        if (month->is_cut)
            base::log::warning("a month of a mailing list is too long and was cut",
                               {{"url", url.substr(0, url.find('?'))}});
        return ArchivePage{.entries = std::move(month->entries), .is_month = true};
    }
    auto read = feed::read_feed(response.body, type, url);
    if (read) {
        auto& previous = read->prev_archive_url;
        previous.resize(std::min(previous.find('#'), previous.size()));
        const auto all = read->entries.size();
        return ArchivePage{.entries = newest_entries(std::move(read->entries), all),
                           .previous_url = std::move(previous)};
    }
    if (auto index = feed::read_list_index(response.body, type, url))
        return ArchivePage{.index = *std::move(index)};
    return tl::unexpected(read.error());
}

}  // namespace

void ArchiveWalker::work() {
    const auto now = context_.steady();
    if (now < look_at_) return;
    look_at_ = now + look_for_pages_every;
    write_results();
    if (open() >= most_open) return;
    const auto due = context_.read(due_rows, archive_queue, most_open - open());
    if (due.empty()) return;
    for (auto& claimed : context_.write(claim_archives, due, context_.new_claim()))
        begin(std::move(claimed), now + longest_page);
}

void ArchiveWalker::begin(ClaimedArchive claimed, SteadyTime until) {
    // Readers are those of feeds.
    auto fetch = begin_page(claimed.archive.next_url, context_.options.user_agent);
    fetch.most_body = most_bytes;
    ++open_;
    const auto use = [this](ClaimedArchive fetched, Fetch ended, Getter::Answer answer) {
        --open_;
        results_.push_back(read(std::move(fetched), std::move(ended.url), std::move(answer)));
    };
    getter_.get(std::move(claimed), std::move(fetch), until, use);
}

ArchiveWalker::Result ArchiveWalker::read(ClaimedArchive claimed, std::string url,
                                          Getter::Answer answer) {
    Result result{.claimed = std::move(claimed), .url = std::move(url)};
    if (!answer)
        result.failure = std::move(answer.error());
    else if (answer->status < 200 || answer->status >= 300)
        result.failure = failed_status(*answer, result.claimed.claimed_at);
    else if (auto page = read_archive_page(result.url, *answer))
        result.page = *std::move(page);
    else
        result.failure = parse_error(page.error());
    return result;
}

void ArchiveWalker::write_results() {
    for (; !results_.empty(); results_.pop_back()) {
        auto& result = results_.back();
        const auto url = shown_url(result.claimed.feed, result.url);
        const auto write_it = [&] { write(result); };
        if (store::is_written("a page of an archive cannot be recorded", url, write_it)) continue;
        result.page.reset();
        result.failure.status = FetchStatus::posterror;
        result.failure.severity = Severity::hard;
        result.failure.system_status = "entries cannot be recorded";
        // If even that cannot be written, the page is read again when its claim has ended.
        store::is_written("the failure of a page of an archive cannot be recorded", url,
                          write_it);
    }
}

// A claim that has ended meanwhile is another harvester's: nothing is written then.
void ArchiveWalker::write(Result& result) {
    const auto& claimed = result.claimed;
    std::vector<const feed::Entry*> fresh;
    std::optional<base::Date> window;
    if (result.page)
        store::perform(context_.pool, Access::read, [&](Transaction& transaction) {
            const auto feed = claimed.archive.feed;
            fresh = unrecorded(transaction, feed, result.page->entries);
            // What the feed itself has was seen later than the pages of its archive. A month of a list is all that
            // there is of it.
            window = result.page->is_month ? std::nullopt : window_day(transaction, feed);
        });
    auto all = dated_entries(fresh, claimed.feed.created_at, window);
    note_mentions(all, context_.options.mentions, context_.rules);
    std::span<const ReadyEntry> ready(all);
    while (result.page && result.page->is_month && ready.size() > messages_at_once) {
        write_part(result, ready.first(messages_at_once));
        ready = ready.subspan(messages_at_once);
    }
    context_.write([&](Transaction& transaction, base::Seconds now) {
        if (!hold(transaction, claimed)) {
            release_base_url(transaction, claimed.base_url, claimed.claim, now);
            return;
        }
        if (result.page && result.page->is_month)
            note_seen(transaction, claimed.feed, result.page->entries, now);
        const auto after = result.page ? record(transaction, result, ready, now)
                                       : after_failure(transaction, result, now);
        finish_page(transaction, claimed, after,
                    result.page ? std::nullopt : hold_after(result.failure, now), now);
    });
}

// Records a part of a long month by itself, so that others who wait for the store get their turns.
void ArchiveWalker::write_part(Result& result, std::span<const ReadyEntry> ready) {
    auto& claimed = result.claimed;
    claimed.archive.added += context_.write([&](Transaction& transaction, base::Seconds now) {
        if (!hold(transaction, claimed)) return std::int64_t{0};
        const auto recorded = record_and_count(transaction, claimed.archive.feed, ready, now);
        return static_cast<std::int64_t>(recorded.added);
    });
}

Archive ArchiveWalker::record(Transaction& transaction, const Result& result,
                              std::span<const ReadyEntry> ready, base::Seconds now) {
    const auto& page = *result.page;
    auto archive = result.claimed.archive;
    if (page.index) return after_index(transaction, std::move(archive), *page.index, now);
    const auto recorded = record_and_count(transaction, archive.feed, ready, now);
    ++archive.pages;
    archive.added += static_cast<std::int64_t>(recorded.added);
    note_known(transaction, archive);
    if (is_too_long(archive)) return walked_to_end(std::move(archive), "too many pages", now);
    if (page.is_month) return after_month(transaction, std::move(archive), now);
    return after_document(transaction, std::move(archive), page, recorded, now);
}

// Begins with the newest month. Months that were over when an earlier walk ended were read by it.
Archive ArchiveWalker::after_index(Transaction& transaction, Archive archive,
                                   const feed::ListIndex& index, base::Seconds now) {
    archive.is_list = true;
    std::vector<feed::ListMonth> left;
    for (const auto& month : index.months) {
        const auto url = net::parse_url(month.text_url);
        const bool was_over = archive.finished_at && month.first_day + std::chrono::days(31) <=
                                                         *archive.finished_at - zones_differ_by;
        if (url && !was_over && !is_known_url(transaction, archive.feed, *url))
            left.push_back(month);
    }
    if (left.empty()) {
        months_.erase(archive.feed);
        return walked_to_end(std::move(archive), "no older page", now);
    }
    auto next_url = left.front().text_url;
    months_[archive.feed] = {std::move(left), archive.finished_at};
    return walked_on(std::move(archive), std::move(next_url), now);
}

// Goes on with the month before, or else looks at the index again: when this harvester does not know the months, and at
// the end, since messages may have come meanwhile.
Archive ArchiveWalker::after_month(Transaction& transaction, Archive archive, base::Seconds now) {
    const auto known = months_.find(archive.feed);
    auto index_url = feed::index_of_month(archive.next_url);
    if (known == months_.end() || known->second.finished_at != archive.finished_at)
        return walked_on(std::move(archive), std::move(index_url), now);
    const auto& months = known->second.months;
    auto month = std::ranges::find(months, archive.next_url, &feed::ListMonth::text_url);
    while (month != months.end()) {
        const auto url = net::parse_url(month->text_url);
        if (url && !is_known_url(transaction, archive.feed, *url))
            return walked_on(std::move(archive), month->text_url, now);
        ++month;
    }
    return walked_on(std::move(archive), std::move(index_url), now);
}

// A month that cannot be read is left out, but counts, because an index may name others each time. Without a page of a
// chain, nobody knows the one before it.
Archive ArchiveWalker::after_failure(Transaction& transaction, const Result& result,
                                     base::Seconds now) {
    const auto& failure = result.failure;
    const auto& archive = result.claimed.archive;
    auto after = page_failed(archive, explanation_of(failure), failure.server.retry_after, now);
    base::log::warning("a page of an archive cannot be read",
                       {{"feed", std::to_string(archive.feed)},
                        {"url", shown_url(result.claimed.feed, archive.next_url)},
                        {"reason", after.status}});
    const bool is_month = archive.is_list && feed::is_month_url(archive.next_url);
    if (!is_month || (!is_lasting(failure) && after.state != ArchiveState::failed)) return after;
    after = archive;
    ++after.pages;
    note_known(transaction, after);
    if (is_too_long(after)) return walked_to_end(std::move(after), "too many pages", now);
    return after_month(transaction, std::move(after), now);
}

}  // namespace harvest
