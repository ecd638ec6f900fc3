// source/ace_database.hpp -- a running AceDB, and the sessions that are open to it.
// Safe from any thread. One session a thread at a time; those that are free are kept open, the
// one used last is used first. A session that is lost (KILL, end of file, a broken frame, the
// child died) is replaced by a new one, once for each question; not after a time-out, since a
// database of one thread may still be at work on the question.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/reply.hpp"
#include "source/acedb/session.hpp"

namespace source::acedb {

struct DatabaseSettings {
    // Opens one more session (socket_session, tace_session).
    std::function<base::Result<SessionPtr>()> open;
    std::string name;                   // for messages: host:port, or the folder
    std::size_t most_sessions = 8;      // open at once; who finds none free waits
    std::chrono::seconds patience{10};  // of who waits; then unavailable
    // Differs once sessions that were opened before see a database that is gone, and is cheap:
    // a tace goes on to read what it found at its start (source/database_files.hpp). Empty: no
    // session outlives its database.
    std::function<std::string()> stamp = {};
};

class Database {
   public:
    explicit Database(DatabaseSettings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] const std::string& name() const { return settings_.name; }

    // What the database is now: `status`.
    //   error  unavailable, refused (the log-in), malformed
    [[nodiscard]] base::Result<Status> status();

    // Runs `talk` on a session to the database of this identity (Status::identity; a server
    // that was restarted may hold another release), a second time on a new one when the first
    // has ended. Whatever `talk` keeps of a first run it must drop at a second.
    // A session on which `talk` fails is used again where the error is absent or refused, and
    // closed else: nobody knows what it says next.
    //   error  unavailable: not reached, or it holds another build now; refused; what talk
    //          returns
    //   cost   that of `talk`; a `status` where another identity was heard of since the session
    //          was asked last. A server that was silent is asked by one thread at a time, and
    //          the others are told so at once
    using Talk = std::function<base::Result<void>(Session&)>;
    [[nodiscard]] base::Result<void> with_session(const std::string& identity, const Talk& talk);

   private:
    using Clock = std::chrono::steady_clock;
    struct Open {
        SessionPtr session;
        std::string identity;    // of the database, as this session heard it last
        std::string stamp;       // when it was opened
        bool is_spent = false;   // not to be used again
        bool is_silent = false;  // there is none: who was to answer the opening did not
    };
    // A place among most_sessions, and the session that has it; given back at its end.
    class Lease;

    [[nodiscard]] base::Result<Open> take_place();
    void give_place(Open open);
    [[nodiscard]] base::Result<void> open_into(Open& open);
    [[nodiscard]] base::Result<Status> ask_status(Open& open);
    [[nodiscard]] base::Result<void> see_that_it_is(const std::string& identity, Open& open);
    [[nodiscard]] base::Result<void> twice(const std::function<base::Result<void>(Open&)>& once);
    [[nodiscard]] bool may_ask();
    void note_end(const base::Result<void>& done, const Open& open);
    [[nodiscard]] std::string stamp() const { return settings_.stamp ? settings_.stamp() : ""; }

    DatabaseSettings settings_;
    std::mutex mutex_;  // of all below
    std::condition_variable freed_;
    std::vector<Open> free_;
    std::size_t in_use_ = 0;
    std::string heard_;  // the identity that any session heard last
    std::optional<base::Error> silence_;
    Clock::time_point ask_again_;  // of a silent server
};

}  // namespace source::acedb
