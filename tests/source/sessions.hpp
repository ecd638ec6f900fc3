// Questions to sessions with AceDB, and what a process has open because of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <utility>

#include "source/acedb/session.hpp"
#include "support/catch.hpp"

namespace sessions {

using source::acedb::ReplyOptions;
using source::acedb::SessionPtr;

inline SessionPtr opened(base::Result<SessionPtr> session) {
    INFO((session ? "" : session.error().text));
    REQUIRE(session);
    return std::move(*session);
}

inline base::Error error_of(const base::Result<SessionPtr>& session) {
    REQUIRE_FALSE(session);
    return session.error();
}

inline std::string answer(source::acedb::Session& session, std::string_view command,
                          const ReplyOptions& taking = {}) {
    const auto reply = session.ask(command, taking);
    INFO((reply ? "" : reply.error().text));
    REQUIRE(reply);
    return *reply;
}

// Returns the error of a question that closes the session.
inline base::Error error_of_ask(source::acedb::Session& session, std::string_view command,
                                const ReplyOptions& taking = {}) {
    const auto reply = session.ask(command, taking);
    REQUIRE_FALSE(reply);
    CHECK_FALSE(session.is_open());
    const auto next = session.ask(command, taking);
    REQUIRE_FALSE(next);
    CHECK(next.error().kind == base::ErrorKind::unavailable);
    return reply.error();
}

inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

inline bool has_children() {
    siginfo_t none{};
    return ::waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace sessions
