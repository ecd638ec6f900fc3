// app/rooms.hpp -- the rooms of one program, built from its configuration and tied together.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "app/config.hpp"
#include "app/opener.hpp"
#include "app/tokens.hpp"
#include "base/result.hpp"
#include "history/current.hpp"
#include "query/history_service.hpp"
#include "serve/site.hpp"
#include "store/pool.hpp"

namespace app {

// Members are destroyed from the last to the first: each uses those above it.
struct Rooms {
    Config config;
    std::unique_ptr<store::Pool> pool;
    std::unique_ptr<history::CurrentBuild> current;
    std::unique_ptr<query::HistoryService> ledger;
    std::unique_ptr<TokenHolders> tokens;
};

// Who waits for the store. A reader's request gives up half a second after the store began to
// refuse, and on a server that is silent for 10 s; a command stays through 20 s of refusals,
// while a cluster makes up its mind, and through 30 s of silence.
// An upgrade adds an index to millions of rows in one statement: it stays for hours.
enum class Waiting { request, command, upgrade };

// The store opened and its schema checked, the current build not yet looked at.
//   error  refused (schema), unavailable (the store can't be reached)
//   threads  of a job that writes much; 0: there is none
[[nodiscard]] base::Result<Rooms> open_rooms(Config config, Waiting waiting = Waiting::command,
                                             std::size_t threads = 0);

// The store's pool alone; the schema is not looked at.
[[nodiscard]] std::unique_ptr<store::Pool> open_pool(const Config& config,
                                                     store::IfMissing if_missing,
                                                     Waiting waiting = Waiting::command,
                                                     std::size_t threads = 0);

// Who asks. Only what the clients of a server ask for is counted as hits; the operator at a
// terminal needs no token, and clients of a CGI program do.
enum class Asker : unsigned char { server_clients, cgi_client, operator_of_it };
//   metrics  where requests are counted; it outlives the site. nullptr: for the site alone
[[nodiscard]] std::unique_ptr<serve::Site> open_site(Rooms& rooms, Asker asker,
                                                     serve::Metrics* metrics = nullptr);

}  // namespace app
