// serve/desk.hpp -- what the routes ask of the rooms behind them.
// Structs of functions, so that the routes can be tested without store or build. Each function
// is safe from any thread; what can't be reached is base::Kind::unavailable.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "query/history_service.hpp"
#include "query/query.hpp"

namespace serve {

template <class T>
using Asked = base::Result<T>;

// What is read beside the history of one object; contracts are those of history/reading.hpp.
struct ReadingDesk {
    std::function<Asked<query::HistoryPage>(const std::string& class_name,
                                            const query::PageRequest&)>
        class_history;
    std::function<Asked<query::HistoryPage>(const std::string& version,
                                            const query::PageRequest&)>
        release_history;
    std::function<Asked<std::vector<query::ReleaseSummary>>(std::size_t most)> newest_releases;
    std::function<Asked<query::ReleaseContents>(const std::string& version,
                                                const query::ContentsQuery&)>
        release_contents;
    std::function<Asked<std::vector<query::Named>>(const std::string& class_name,
                                                   const std::string& text, std::size_t most)>
        find_named;
    std::function<Asked<std::vector<query::Named>>(const std::vector<tree::ObjectName>&)>
        labelled;
    std::function<Asked<std::vector<std::string>>()> known_classes;
    std::function<Asked<query::Difference>(const tree::ObjectName&, const std::string& from,
                                           const std::string& to)>
        difference;
};

// So much has been done since the program began.
struct Effort {
    std::uint64_t computations = 0;   // objects loaded and compared for a request
    std::uint64_t store_retries = 0;  // transactions that were run again
};

// What is for operators, and for private sites.
struct OperatorDesk {
    // Why the newest build is not served; empty: it is.
    std::function<std::string()> refused_build;
    // The release that is answered from; nullopt: no build has been accepted yet.
    std::function<std::optional<base::Release>()> current_release;
    // Why the store's schema does not fit this program; empty: it does. Asked for at most once in
    // ten seconds.
    std::function<Asked<std::string>()> schema_fault;
    // May take seconds; asked for at most once a minute.
    std::function<Asked<query::StoreCounts>()> store_counts;
    std::function<Effort()> effort;
    // Whose token this is; nullopt: nobody's. Needed where a site is private.
    std::function<Asked<std::optional<std::string>>(const std::string& token)> token_holder = {};
};

struct Desk {
    // Contracts are those of query::HistoryService.
    std::function<query::CacheVersion()> moment;
    std::function<Asked<query::HistoryService::Answer>(const tree::ObjectName&,
                                                       const query::PageRequest&)>
        history_of;
    std::function<Asked<query::HistoryService::Listed>(const std::vector<tree::ObjectName>&,
                                                       const query::PageRequest&)>
        watch_list;
    std::function<void(const tree::ObjectName&)> note_hit;
    ReadingDesk reading;
    OperatorDesk operators;
};

// The desk of a running program, but for what its operators' part asks of the store itself
// (schema_fault, store_counts, effort, token_holder), which is the caller's to fill in. `ledger`
// and `current` outlive it.
[[nodiscard]] Desk desk_over(query::HistoryService& ledger, const history::CurrentBuild& current);

}  // namespace serve
