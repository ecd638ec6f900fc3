// app/serving.hpp -- what answers requests under one configuration, and how a running server goes
// from one to the next: requests finish with what they began with.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "app/housekeeping.hpp"
#include "app/logs.hpp"
#include "app/rooms.hpp"
#include "serve/http.hpp"
#include "serve/monitoring.hpp"
#include "serve/site.hpp"

namespace app {

// The rooms of one configuration and the routes over them.
struct Serving {
    Rooms rooms;
    std::string base_path;  // of base_url: the routes lie below it
    std::unique_ptr<serve::Site> site;
};
using ServingPtr = std::shared_ptr<Serving>;

//   metrics  counts on from one configuration to the next, and outlives them
//   error    as open_rooms()
[[nodiscard]] base::Result<ServingPtr> open_serving(Config config, serve::Metrics& metrics);

// The same with its build looked at, so that it answers at once.
//   file   of the configuration
//   error  also: the configuration is wrong; unavailable: no build can be served
[[nodiscard]] base::Result<ServingPtr> prepare_serving(const std::filesystem::path& file,
                                                       serve::Metrics& metrics);

// Answers by the configuration that is in force. answer() is safe from any thread, the rest is
// the main thread's.
class Server {
   public:
    // What a server writes and counts whatever its configuration is; outlives it.
    struct Books {
        base::LogFile access;  // open already, if it is to be
        serve::Metrics metrics;
    };
    Server(ServingPtr first, Books& books);
    // Ends the process where an index is being made: the next one makes it anew.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void wait_for_first_look(std::chrono::seconds at_most) const;

    // Writes the access log too. Never throws.
    [[nodiscard]] serve::Response answer(const serve::Request& request);

    // Opens the logs anew, and begins to read the configuration anew, in a thread of its own.
    void reload();
    // To be called now and then while is_busy(): takes the new configuration over when it is
    // ready, or says in the log why it is refused; lets an old one go after its last request.
    void settle();
    [[nodiscard]] bool is_busy() const { return next_.valid() || !retired_.empty(); }

   private:
    struct InForce {
        ServingPtr serving;
        std::unique_ptr<Housekeeping> housekeeping;
    };
    using Prepared = base::Result<ServingPtr>;

    void begin_reading();
    void take_over(const Prepared& prepared);

    Books& books_;
    InForce now_;
    std::atomic<ServingPtr> answering_;  // now_'s
    std::list<InForce> retired_;         // some request may still be with them
    std::future<Prepared> next_;         // valid while a configuration is read
    bool once_more_ = false;             // asked for while one was read
};

}  // namespace app
