// app/serving.hpp -- what answers requests under one configuration, and how a running server switches
// to the next one: requests finish under the configuration they began with.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "app/services.hpp"
#include "serve/http.hpp"
#include "serve/metrics.hpp"
#include "serve/site.hpp"

namespace app {

// How long the server waits after a look at the build before the next one.
struct Pace {
    std::chrono::milliseconds busy{500};  // when a request came meanwhile
    std::chrono::milliseconds idle{500};  // at most; at least `busy`
    bool operator==(const Pace&) const = default;
};
// Returns the pace for a source: files cost nothing, and AceDB logs each question.
[[nodiscard]] Pace pace_of(const SourceConfig& config);

// What a server does besides answering, in a thread of its own: looks for a new build at its pace, and
// writes hits once a minute.
class Housekeeping {
   public:
    // Requires that `services` outlives it.
    Housekeeping(Services& services, Pace pace);
    ~Housekeeping();  // waits until has_ended(), and writes the remaining hits
    Housekeeping(const Housekeeping&) = delete;
    Housekeeping& operator=(const Housekeeping&) = delete;

    // Waits for the end of the first look, or `at_most`: a first index may take longer.
    void wait_for_first_look(std::chrono::seconds at_most);

    // Notes that somebody asks for what depends on the build. Call it from any thread.
    //   cost  reads one variable, as long as a look is due anyway
    void note_request();

    // Starts no further look. A running one cannot be stopped: it may be making an index.
    void stop();
    [[nodiscard]] bool has_ended();
    [[nodiscard]] bool ends_within(std::chrono::milliseconds at_most);

    // Writes hits now, from any thread; logs a failure.
    void flush_hits() const;

   private:
    void run(const std::stop_token& stop);

    Services& services_;
    const Pace pace_;
    std::atomic<bool> asked_ = false;  // since the last look began
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool looked_ = false, ended_ = false;
    std::jthread thread_;  // last: it uses the others
};

// The services of one configuration, and the site that answers from them.
struct Serving {
    Services services;
    std::string base_path;  // of base_url: the routes lie below it
    std::unique_ptr<serve::Site> site;
    // From the moment at which the server answers from it. Last: it uses the others.
    std::unique_ptr<Housekeeping> housekeeping;
};
using ServingPtr = std::shared_ptr<Serving>;

//   metrics  continues from one configuration to the next, and outlives them
//   error    as open_services()
[[nodiscard]] base::Result<ServingPtr> open_serving(Config config, serve::Metrics& metrics);

// A configuration that was read to replace the current one.
struct Prepared {
    ServingPtr serving;  // nullptr: the configuration or its store cannot be used
    std::string fault;   // why it cannot take over; empty: it can answer at once
};
//   file  of the configuration
[[nodiscard]] Prepared prepare_serving(const std::filesystem::path& file,
                                       serve::Metrics& metrics);
// Looks at its build, which may be served by now.
[[nodiscard]] Prepared look_again(ServingPtr serving);

// Answers under the current configuration, and reads it again in a thread of its own. answer() is safe from any
// thread; only the main thread calls the rest.
class Server {
   public:
    //   metrics  outlive the server
    Server(ServingPtr first, serve::Metrics& metrics);
    // Ends the process when an index is being made: the next process makes it again.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void wait_for_first_look(std::chrono::seconds at_most) const;

    // Never throws.
    [[nodiscard]] serve::Response answer(const serve::Request& request);

    // Has the configuration read again. It takes over when it is ready. Otherwise the log says why it is rejected,
    // and its build is looked at again and again if nothing else is wrong.
    void reload();
    // As the configuration says now.
    [[nodiscard]] std::chrono::seconds stop_within() const;

   private:
    void run(const std::stop_token& stop);
    // Returns what is to be looked at again; nullptr: nothing.
    [[nodiscard]] ServingPtr take(Prepared prepared);
    void take_over(ServingPtr next);

    serve::Metrics& metrics_;
    std::atomic<ServingPtr> answering_;
    // Of the thread:
    std::list<ServingPtr> retired_;  // a request may still use them
    std::string reported_;           // the fault that the log has
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_asked_ = false, has_ended_ = false;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace app
