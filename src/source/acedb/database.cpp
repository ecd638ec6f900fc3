// SPDX-License-Identifier: MIT
#include "source/acedb/database.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/log.hpp"

namespace source::acedb {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::size_t largest_status = 1 << 20;

// True when the other side answered by the rules, and will go on to.
bool is_an_answer(const base::Error& error) {
    return error.kind == ErrorKind::absent || error.kind == ErrorKind::refused;
}

std::string description_of(const Status& status) {
    return (status.name.empty() ? "a database without a name" : status.name) +
           (status.directory.empty() ? "" : " in " + status.directory);
}

}  // namespace

class Database::Lease {
   public:
    Lease(Database& database, Open leased) : open(std::move(leased)), database_(database) {}
    ~Lease() { database_.release(std::move(open)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Open open;

   private:
    Database& database_;
};

// True for callers that may ask a silent server: the first one after a pause.
//   needs  mutex_
bool Database::may_ask() {
    if (!silence_) return true;
    if (Clock::now() < ask_again_) return false;
    ask_again_ = Clock::now() + settings_.patience;
    return true;
}

Result<Database::Open> Database::acquire() {
    std::unique_lock lock(mutex_);
    if (!may_ask()) return tl::unexpected(*silence_);
    const auto has_place = [&] { return in_use_ < settings_.most_sessions; };
    if (!has_place()) {
        const bool came = freed_.wait_for(lock, settings_.patience,
                                          [&] { return has_place() || silence_.has_value(); });
        if (!came)
            return base::fail(ErrorKind::unavailable,
                              name() + ": all " + std::to_string(settings_.most_sessions) +
                                  " sessions are busy; try again");
        if (!has_place()) return tl::unexpected(*silence_);
    }
    ++in_use_;
    if (free_.empty()) return Open{};
    auto open = std::move(free_.back());
    free_.pop_back();
    return open;
}

void Database::release(Open open) {
    const bool is_usable = open.session && !open.is_spent && open.session->is_open();
    {
        const std::lock_guard lock(mutex_);
        --in_use_;
        if (is_usable) free_.push_back(std::move(open));
    }
    freed_.notify_one();
}

Result<void> Database::open_into(Open& open) {
    open = {};
    const auto since = Clock::now();
    auto session = settings_.open();
    open.is_silent = !session && Clock::now() - since >= settings_.pause;
    if (!session) return tl::unexpected(session.error());
    open.session = std::move(*session);
    const auto now = ask_status(open);
    if (!now) return tl::unexpected(now.error());
    return {};
}

Result<Status> Database::ask_status(Open& open) {
    const auto reply = open.session->ask("status", {.most_bytes = largest_status});
    if (!reply) return tl::unexpected(reply.error());
    auto now = parse_status(*reply);
    if (!now) {
        open.is_spent = true;
        return base::fail_at(name(), now.error());
    }
    open.identity = now->identity;
    const std::lock_guard lock(mutex_);
    seen_ = now->identity;
    return now;
}

Result<void> Database::check_identity(const std::string& identity, Open& open) {
    const auto seen = [&] {
        const std::lock_guard lock(mutex_);
        return seen_;
    };
    if (open.identity == identity && seen() == identity) return {};
    const auto now = ask_status(open);
    if (!now) return tl::unexpected(now.error());
    if (now->identity == identity) return {};
    return base::fail(ErrorKind::unavailable, name() +
                                                  " holds another build now than the one that " +
                                                  "was indexed: " + description_of(*now));
}

void Database::note_outcome(const Result<void>& done, const Open& open) {
    const bool is_silent = open.session ? open.session->is_silent() : open.is_silent;
    {
        const std::lock_guard lock(mutex_);
        if (done || done.error().kind != ErrorKind::unavailable || !is_silent) {
            silence_.reset();
            return;
        }
        silence_ = done.error();
        ask_again_ = Clock::now() + settings_.pause;
    }
    freed_.notify_all();
}

Database::Asked Database::ask(const Question& once) {
    auto place = acquire();
    if (!place) return {tl::unexpected(place.error()), true};
    Lease lease(*this, std::move(*place));
    auto& open = lease.open;
    auto done = open.session ? Result<void>() : open_into(open);
    if (done) done = once(open);
    const auto is_gone = [&] {
        return !done && done.error().kind == ErrorKind::unavailable &&
               !(open.session && open.session->is_open());
    };
    if (is_gone() && open.session && !open.session->is_silent()) {
        done = open_into(open);
        if (done) done = once(open);
    }
    note_outcome(done, open);
    return {done, is_gone()};
}

Result<void> Database::run(const Question& once) {
    constexpr std::chrono::milliseconds first_pause{100}, longest_pause{2000};
    const auto deadline = Clock::now() + settings_.endurance;
    bool has_waited = false;
    for (auto pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
        auto asked = ask(once);
        if (asked.done || !asked.is_gone) return asked.done;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0 && has_waited)
            return base::fail(asked.done.error().kind, asked.done.error().text + " (waited " +
                                                           in_seconds(settings_.endurance) +
                                                           " for the database)");
        if (left.count() <= 0) return asked.done;
        if (!std::exchange(has_waited, true))
            base::log::warning("waiting for the database", {{"reason", asked.done.error().text}});
        std::this_thread::sleep_for(std::min(pause, left));
    }
}

Result<Status> Database::status() {
    Status now;
    const auto done = run([&](Open& open) -> Result<void> {
        auto said = ask_status(open);
        if (!said) return tl::unexpected(said.error());
        now = std::move(*said);
        return {};
    });
    if (!done) return tl::unexpected(done.error());
    return now;
}

Result<void> Database::run_with_session(const std::string& identity,
                                        const std::function<Result<void>(Session&)>& talk) {
    return run([&](Open& open) -> Result<void> {
        if (const auto is = check_identity(identity, open); !is) return is;
        auto done = talk(*open.session);
        open.is_spent = !done && !is_an_answer(done.error());
        return done;
    });
}

}  // namespace source::acedb
