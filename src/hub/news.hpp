// hub/news.hpp -- which topics may have news, and up to where hubs have looked for them.
// Only what is subscribed is looked at. A topic knows its own position, so looking at one too often costs
// time and nothing else; what must not happen is that one is passed over. Rows are committed in another order
// than they are numbered in, though within a minute: so looks begin behind the highest number (sid) that was
// seen more than a minute ago. Rows are also recorded before their release becomes current; and one that is
// replaced has a new number.
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
    std::string version;       // the current release
    bool is_compared = false;  // with all objects: it is in the feed of releases
    // Numbers of rows: the highest; up to which the next look need not look again; and the highest at some time
    // within the last minute, which will be that.
    std::int64_t highest = 0, seen = 0, settling = 0;
    base::Seconds settling_since{};
    std::int64_t feed_writes = 0;  // of all source feeds
    struct Candidate {
        std::int64_t topic = 0;
        // The number of the row because of which it is looked at, or the writes of a source feed; empty: another
        // reason.
        std::string row_seen;
    };
    std::vector<Candidate> candidates = {};
};

// Chooses the topics that may have news since the last look that was finished:
// - of objects, those with a row in a release up to the current one that was recorded since, or whose release
//   has become visible since, if the topic was not looked at because of this row already; and after a switch to
//   another release those that may not have been compared in it, unless a release job has read all objects;
// - all of watch lists, classes and releases, if a row was recorded or another release is served;
// - of source feeds, those whose copy shows something else since they were looked at (tables/counters.hpp),
//   and those of feeds that were removed;
// - those whose first subscription has come in force since.
//   returns  nullopt: nothing has happened since
//   cost     a few queries if nothing has happened, however many topics there are. Otherwise an index look-up for
//            each row of the last minutes; after a switch one for each topic of an object and each release
//            that has become visible: 100,000 topics take 0.3 s on SQLite; and one for each topic of a source
//            feed, if any of these was written
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
