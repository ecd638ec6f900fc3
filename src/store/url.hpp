// store/url.hpp -- where a database is: store.url, parsed. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace store {

// The parts of store.url:
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

//   error  refused, with what is wrong with the URL (a password in it, too)
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);

// What to do when an SQLite file does not exist. A new one, with the files beside it, is for its user
// and group (0640) or for its user alone (0600), less what the umask withholds.
enum class IfMissing { fail, create, create_private };

}  // namespace store
