// app/rooms.hpp -- builds, store, history and site as the configuration describes them, for the
// server and for every command.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/config.hpp"
#include "base/result.hpp"
#include "history/current.hpp"
#include "query/history_service.hpp"
#include "serve/site.hpp"
#include "serve/tokens.hpp"
#include "source/acedb/database.hpp"
#include "store/pool.hpp"

namespace app {

// Returns how to identify and open the configured build, and how to find the one before. It holds
// the sessions of a running database, so keep it as long as the configuration.
[[nodiscard]] history::BuildOpener build_opener(const Config& config);

// Returns the running database of the configuration without opening a session; nullptr when the
// source is files.
[[nodiscard]] std::shared_ptr<source::acedb::Database> database_of(const SourceConfig& config);

// Returns the configuration with a folder of dump files as its source.
[[nodiscard]] Config with_folder(Config config, const std::filesystem::path& folder);

// Returns the name of the source for people: a folder, or host:port.
[[nodiscard]] std::string name_of(const SourceConfig& config);

// Members use those above them; they are destroyed from last to first.
struct Rooms {
    Config config;
    std::unique_ptr<store::Pool> pool;
    std::unique_ptr<history::CurrentBuild> current;
    std::unique_ptr<query::HistoryService> ledger;
    std::unique_ptr<serve::TokenHolders> tokens;
};

// Who waits for the store. A request gives up after half a second of failures, and when a server is
// silent for 10 s. A command endures 20 s of failures, while a cluster elects its nodes, and 30 s of
// silence. An upgrade may wait hours for one statement that indexes millions of rows.
enum class Waiting { request, command, upgrade };

// Opens the store and checks its schema; does not look at the current build yet.
//   threads  of a job that writes much; 0 without one
//   error    refused (schema), unavailable (the store cannot be reached)
[[nodiscard]] base::Result<Rooms> open_rooms(Config config, Waiting waiting = Waiting::command,
                                             std::size_t threads = 0);

// Opens only the pool of the store, without checking the schema.
[[nodiscard]] std::unique_ptr<store::Pool> open_pool(const Config& config,
                                                     store::IfMissing if_missing,
                                                     Waiting waiting = Waiting::command,
                                                     std::size_t threads = 0);

// Who sends requests. Only requests to a server count as hits. The operator at a terminal needs no
// token, unlike clients of a CGI program.
enum class Asker : unsigned char { server_clients, cgi_client, operator_of_it };
//   metrics  counts requests and outlives the site; nullptr: the site has its own
[[nodiscard]] std::unique_ptr<serve::Site> open_site(Rooms& rooms, Asker asker,
                                                     serve::Metrics* metrics = nullptr);

}  // namespace app
