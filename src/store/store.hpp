// store/store.hpp -- a database opened by its URL, and its schema brought up to date.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"
#include "store/pool.hpp"

namespace store {

// store.url, taken apart:
//   sqlite:PATH
//   mysql://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE[?tls=verify|off][&socket=PATH]
struct Url {
    Engine engine = Engine::sqlite;
    std::filesystem::path path;  // sqlite
    struct Host {
        std::string name;
        unsigned port = 3306;
        bool operator==(const Host&) const = default;
    };
    std::vector<Host> hosts;  // mysql, in the order in which they are tried
    std::string user, database, socket;
    bool verify_tls = false;
    bool operator==(const Url&) const = default;
};

//   error  refused, naming what is wrong with the URL (a password in it is refused too)
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);

// How to connect: opens one connection at each call, with time-outs, utf8mb4, 5 s lock wait;
// of several hosts the next one is tried when one is not reached or not ready, or is sending its
// state to another node, which may halt it (unless all others are out of reach).
//   password       from store.password_file, without its line end; empty: none
//   answer_within  of one statement on MariaDB; a server that is silent for longer is lost
enum class IfMissing { fail, create };  // of an SQLite file
[[nodiscard]] Connect connector(Url url, std::string password, IfMissing if_missing,
                                std::chrono::seconds answer_within = std::chrono::seconds(30));

// The number of the schema that sql/objects_history.sql makes.
[[nodiscard]] int newest_schema();

// The text of sql/objects_history.sql, or of its SQLite twin.
[[nodiscard]] std::string_view schema_sql(Engine engine);

struct Upgraded {
    int from = 0;  // number of the schema; 0: the database was empty
    int to = 0;
};
// Creates the schema, or upgrades an older one step by step. Does nothing when it is up to date,
// and continues a run that was interrupted. `varve init` calls archive::initialise, which adopts
// a database of the first system too.
//   error   refused: a newer schema than this program's, or tables of another program
//   throws  Failure
[[nodiscard]] base::Result<Upgraded> initialise(Connection& connection);

// Whether this program can work with the schema as it stands.
//   error  refused: none yet ("run varve init"), older ("run varve init"), newer than the
//          program, an import that was broken off or goes on
[[nodiscard]] base::Result<void> check_schema(Connection& connection);

}  // namespace store
