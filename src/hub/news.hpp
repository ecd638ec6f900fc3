// hub/news.hpp -- which topics may have news, and up to where hubs have looked for them.
// Only what is subscribed is looked at. A topic knows its own position, so looking at one too often costs
// time and nothing else; what must not happen is that one is passed over. Therefore a look goes
// back to the rows of a minute ago: rows are committed in another order than they are numbered in.
// All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "hub/topic.hpp"
#include "store/pool.hpp"

namespace hub {

// Topics to look at, and what the store had when they were chosen.
struct LookPlan {
    std::string version;  // the current release
    std::int64_t generation = 0;
    std::int64_t feed_writes = 0;  // of all source feeds
    std::int64_t newest_row = 0;   // the highest number (sid) of a row
    struct Candidate {
        std::int64_t topic = 0;
        // The row of history because of which it is looked at, or the writes of a source feed; empty: another reason.
        std::string row_seen;
    };
    std::vector<Candidate> candidates = {};
};

// Chooses the topics that may have news since the last look that was finished:
// - of objects, those with a row in a release up to the current one that has new rows since, or was not current
//   then, if the topic was not looked at because of this row already; and after a switch to another release those that it
//   has not been compared in: of classes that no release job has prewarmed, or that a job could not read;
// - all of watch lists, classes and releases, if the write generation has moved;
// - of source feeds, those whose copy shows something else since they were looked at (tables/feed_writes.hpp),
//   and those of feeds that were removed;
// - those whose first subscription has come in force since.
//   returns  nullopt: nothing has happened since
//   cost     four queries if nothing has happened, however many topics there are. Otherwise an index look-up for
//            each topic of an object and each release that has new rows: 100,000 topics take 0.3 s on
//            SQLite; and one for each topic of a source feed, if any of these was written
[[nodiscard]] std::optional<LookPlan> plan_look(store::Transaction& transaction,
                                                const std::string& current, base::Seconds now);
// Notes that a hub looks for news, whether there are any or not.
void note_looker_is_there(store::Transaction& transaction, base::Seconds now);
// Notes that all topics of a plan were looked at.
void note_finished_look(store::Transaction& transaction, const LookPlan& plan, base::Seconds now);

// One hub looks at a time, which saves time and nothing else. A claim lasts for a minute.
//   owner    any number that no other hub has
//   returns  false while another hub looks
[[nodiscard]] bool claim_look(store::Transaction& transaction, std::int64_t owner,
                              base::Seconds now);

// Lets others look, and itself.
void end_look(store::Transaction& transaction, std::int64_t owner);

struct TopicState {
    Topic topic;
    std::string position;
};
// Returns nullopt when nobody is subscribed to it.
[[nodiscard]] std::optional<TopicState> load_topic(store::Transaction& transaction,
                                                   std::int64_t topic, base::Seconds now);
// Notes that a topic had no news.
//   looked_in, row_seen  the release of the plan, and what the candidate says
void note_without_news(store::Transaction& transaction, const LookPlan::Candidate& candidate,
                       const std::string& looked_in);

}  // namespace hub
