// hub/news.hpp -- the queue of topics that are to be looked at (table topics), and what comes of a look.
// A topic's position alone decides what is new in it, so looking at one too often costs time and nothing else; what
// must not happen is that one is passed over. Rows are committed in another order than they are numbered in, though
// within a minute: so those behind the highest number (sid) that was seen are looked at, and once more a minute later.
// Rows are also recorded before their release becomes current. Besides, each topic is looked at once a day.
// All functions throw store::Failure. Times are those of the store's clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "hub/topic.hpp"
#include "store/claim.hpp"
#include "store/pool.hpp"

namespace hub {

// Returns whether something was recorded, or another release is served, since topics were marked last.
//   cost  a few queries, however many topics there are
[[nodiscard]] bool is_something_new(store::Transaction& transaction, const std::string& current,
                                    base::Seconds now);
// Makes due at `look_at` the topics that may have news since topics were marked last:
// - of objects, those with a row in a release up to the current one that was recorded since, or whose release has
//   become visible since; and after a switch to a release that no job has read whole, all of them;
// - of classes and releases, those of these rows; all of them, if another release is served;
// - of watch lists and of all releases, all.
// Copies of source feeds become due when something is recorded for them (tables::mark_copies()).
// Nothing, while a hub is there that serves a later release: hosts do not switch at the same moment.
//   cost  an index look-up for each row of the last minute; after a switch one for each topic of an object and each
//         release that has become visible
void mark_topics(store::Transaction& transaction, const std::string& current,
                 base::Seconds look_at, base::Seconds now);
// Returns whether topics were marked for this release. A look by another one would find nothing, and say so for a day.
[[nodiscard]] bool are_marked_for(store::Transaction& transaction, const std::string& current);
// Notes that a hub looks for news, whether there are any or not: monitors see it. Called once a minute.
void note_looker_is_there(store::Transaction& transaction, const std::string& current,
                          base::Seconds now);

struct DueTopic {
    store::QueuedRow row;
    Topic topic;
    std::string position = {};  // up to which its subscribers have it; empty: not known yet
    // Whether somebody is subscribed or has asked to be. If not, the position moves on without a notification.
    bool is_wanted = false;
    std::int64_t tries = 0;  // looks in a row that have failed
};
// Returns topics that are due, those that wait longest first.
[[nodiscard]] std::vector<DueTopic> due_topics(store::Transaction& transaction, std::size_t most,
                                               base::Seconds now);
// Claims those of them that are still as they were read, if topics were marked for this release.
[[nodiscard]] std::vector<DueTopic> claim_topics(store::Transaction& transaction,
                                                 const std::vector<DueTopic>& due,
                                                 const std::string& current, std::int64_t claim,
                                                 base::Seconds now);

// What a look has found.
struct Look {
    enum class Outcome : unsigned char {
        nothing,
        position,      // alone: news.position is that of now
        notification,  // news.body is for the subscribers
        absent,        // there is no such feed
        failed,        // it can't be read now
        not_looked,    // the claim is given back
    };
    DueTopic topic;
    Outcome outcome = Outcome::not_looked;
    FeedNews news = {};
    std::chrono::seconds pause{0};  // until the next look
};
// A subscriber that asked for a feed that is not there.
struct Denied {
    std::string callback, topic_url;
};
// Writes what a look has found: a notification is made due for all subscriptions of the topic. Looks whose claim has
// ended meanwhile are left out.
//   returns  whose requests were deleted, because there is no such feed
//   cost     a statement that writes all subscriptions of the topic
std::vector<Denied> finish_look(store::Transaction& transaction, const Look& look,
                                base::Seconds now);

// How long after a look the next one follows, whatever is written, and after one that has failed.
[[nodiscard]] std::chrono::seconds pause_after_look(double random);  // 0 … 1
[[nodiscard]] std::chrono::seconds pause_after_failed_looks(std::int64_t tries);

}  // namespace hub
