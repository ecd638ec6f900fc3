// app/services.hpp -- store, history and site as the configuration describes them, for the server and
// for every command. The source of builds is in sources.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "app/config.hpp"
#include "base/result.hpp"
#include "history/current.hpp"
#include "query/history_service.hpp"
#include "serve/access_control.hpp"
#include "serve/site.hpp"
#include "store/pool.hpp"

namespace app {

// Members use those above them; they are destroyed from last to first.
struct Services {
    Config config;
    std::unique_ptr<store::Pool> pool;
    std::unique_ptr<history::CurrentBuild> current;
    std::unique_ptr<query::HistoryService> history;
    std::unique_ptr<serve::TokenHolders> tokens;
};

// Who waits for the store. A request gives up after half a second of failures, and when a server is
// silent for 10 s. A command endures 20 s of failures, while a cluster elects its nodes, and 30 s of
// silence.
enum class Waiting { request, command };

// Opens the store and checks its schema; does not look at the current build yet.
//   threads  of a job that writes much; 0 without one
//   error    refused (schema), unavailable (the store cannot be reached)
[[nodiscard]] base::Result<Services> open_services(Config config,
                                                   Waiting waiting = Waiting::command,
                                                   std::size_t threads = 0);

// Returns what to say of a store that does not exist; empty: it exists, or only its server knows.
[[nodiscard]] std::string missing_store(const Config& config);

// Opens only the pool of the store, without checking the schema.
[[nodiscard]] std::unique_ptr<store::Pool> open_pool(const Config& config,
                                                     store::IfMissing if_missing,
                                                     Waiting waiting = Waiting::command,
                                                     std::size_t threads = 0);

// Calls use(row) for each row of a list that is read in parts.
//   last  the id before the first one
//   load  (transaction, id) returns the rows that follow, some at once; each has an id
template <class Id, class Load, class Use>
void for_each_row(store::Pool& pool, Id last, const Load& load, const Use& use) {
    for (;;) {
        const auto rows =
            store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
                return load(transaction, last);
            });
        if (rows.empty()) return;
        for (const auto& row : rows) use(row);
        last = rows.back().id;
    }
}

// Looks at the build (CurrentBuild::look), and logs why it cannot be checked, or why it is refused when that
// is new. For callers that answer from the earlier build or from history then.
void look_at_build(history::CurrentBuild& current);

// Who sends requests. Only requests to a server count as hits. The operator at a terminal needs no
// token, unlike clients of a CGI program.
enum class Asker : unsigned char { server_clients, cgi_client, operator_of_it };
//   metrics  counts requests and outlives the site; nullptr: the site has its own
[[nodiscard]] std::unique_ptr<serve::Site> open_site(Services& services, Asker asker,
                                                     serve::Metrics* metrics = nullptr);

}  // namespace app
