// source/acedb/database.hpp -- a running AceDB, and the sessions that are open to it.
// Safe from any thread. Each thread has a session of its own; free ones are kept open, and the
// one used last is used first. A session that is lost (KILL, end of file, a broken frame) is replaced by a new one, once for each question; not after a time-out, since a
// database with one thread may still be working on the question.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/protocol.hpp"
#include "source/acedb/session.hpp"

namespace source::acedb {

struct DatabaseSettings {
    // Opens one more session.
    std::function<base::Result<Session>()> open;
    std::string name;               // for messages: host:port
    std::size_t most_sessions = 8;  // open at once; then callers wait
    // How long they wait; then unavailable.
    std::chrono::milliseconds patience = std::chrono::seconds(10);
    // A silent server is asked again after this time. An opening that fails after this time has
    // waited for a silent server, since nothing else takes so long.
    std::chrono::milliseconds pause = std::chrono::seconds(1);
    // How long a question waits for a database that nobody can reach, with pauses that double from 100
    // ms to 2 s. For jobs, so that they outlive a restart; 0: readers get an error at once.
    std::chrono::milliseconds endurance{0};
};

class Database {
   public:
    explicit Database(DatabaseSettings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] const std::string& name() const { return settings_.name; }

    // Returns what the database is now: `status`.
    //   error  unavailable, refused (the log-in), malformed
    [[nodiscard]] base::Result<Status> status();

    // Runs `talk` on a session to the database of this identity (Status::identity; a server that
    // was restarted may hold another release). Runs it again on a new session when the first one
    // ended. A session on which `talk` fails is
    // used again after the errors absent and refused, else closed, since nobody knows what it
    // says next.
    //   error  unavailable: not reached, or it holds another build now; refused; those of `talk`
    //   cost   that of `talk`; a `status`, if any session saw another identity since this one was
    //          asked. One thread at a time asks a server that was silent; the others fail at once
    //   returns  what `talk` returns, a Result
    template <class Talk>
    [[nodiscard]] auto with_session(const std::string& identity, const Talk& talk) {
        std::invoke_result_t<Talk, Session&> answer;
        const auto done = run_with_session(identity, [&](Session& session) -> base::Result<void> {
            answer = talk(session);
            if (!answer) return tl::unexpected(answer.error());
            return {};
        });
        if (!done) answer = tl::unexpected(done.error());
        return answer;
    }

   private:
    [[nodiscard]] base::Result<void> run_with_session(
        const std::string& identity, const std::function<base::Result<void>(Session&)>& talk);
    using Clock = std::chrono::steady_clock;
    struct Open {
        std::optional<Session> session;
        std::string identity;    // of the database, as this session saw it last
        bool is_spent = false;   // must not be used again
        bool is_silent = false;  // there is no session: nobody answered when it was opened
    };
    // One of most_sessions, returned by the destructor.
    class Lease;

    [[nodiscard]] base::Result<Open> acquire();
    void release(Open open);
    [[nodiscard]] base::Result<void> open_into(Open& open);
    [[nodiscard]] base::Result<Status> ask_status(Open& open);
    [[nodiscard]] base::Result<void> check_identity(const std::string& identity, Open& open);
    using Question = std::function<base::Result<void>(Open&)>;
    struct Asked {
        base::Result<void> done;
        bool is_gone = false;  // nobody could be reached, or the session ended
    };
    [[nodiscard]] Asked ask(const Question& once);
    [[nodiscard]] base::Result<void> run(const Question& once);
    [[nodiscard]] bool may_ask();
    void note_outcome(const base::Result<void>& done, const Open& open);

    DatabaseSettings settings_;
    std::mutex mutex_;  // guards all below
    std::condition_variable freed_;
    std::vector<Open> free_;
    std::size_t in_use_ = 0;
    std::string seen_;  // the identity that any session saw last
    std::optional<base::Error> silence_;
    Clock::time_point ask_again_;  // of a silent server
};

}  // namespace source::acedb
