// SPDX-License-Identifier: MIT
#include <condition_variable>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "app/commands.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "serve/cgi.hpp"
#include "serve/fastcgi.hpp"
#include "serve/stop_signals.hpp"
#include "serve/variables.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;

// Looks for a new build twice a second and writes hits once a minute, until it is destroyed.
class Housekeeping {
   public:
    explicit Housekeeping(Rooms& rooms)
        : rooms_(rooms), thread_([this](auto stop) { run(stop); }) {}
    // An index in the making is no reason to stay: it is made anew by the next process.
    ~Housekeeping() {
        thread_.request_stop();
        flush_hits();
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, 200ms, [this] { return ended_; })) return;
        base::log::info("stopped while an index was made");
        std::_Exit(ok);
    }
    Housekeeping(const Housekeeping&) = delete;
    Housekeeping& operator=(const Housekeeping&) = delete;

    // Until the first look is over, or `at_most`: a first index may take longer.
    void wait_for_first_look(std::chrono::seconds at_most) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, at_most, [this] { return looked_; });
    }

   private:
    void run(const std::stop_token& stop) {
        auto next_flush = std::chrono::steady_clock::now() + 60s;
        while (!stop.stop_requested()) {
            look();
            if (std::chrono::steady_clock::now() >= next_flush) {
                flush_hits();
                next_flush += 60s;
            }
            std::unique_lock lock(mutex_);
            looked_ = true;
            changed_.notify_all();
            changed_.wait_for(lock, stop, 500ms, [] { return false; });
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    void look() {
        try {
            rooms_.current->look();
        } catch (const std::exception& error) {
            // Whatever a build does to its reader, the one before it is served on.
            base::log::warning("build not judged", {{"error", error.what()}});
        }
    }

    void flush_hits() {
        try {
            rooms_.ledger->flush_hits();
        } catch (const std::exception& error) {
            base::log::warning("hits not written", {{"error", error.what()}});
        }
    }

    Rooms& rooms_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool looked_ = false, ended_ = false;
    std::jthread thread_;  // last: it uses the others
};

int serve_cgi(Rooms& rooms) {
    try {
        rooms.current->look();
    } catch (const store::Failure& failure) {
        // The request is answered all the same, with what there is.
        base::log::error("build not judged", {{"error", failure.what()}});
    }
    const auto site = open_site(rooms, CountHits::no);
    const bool sent = ::serve::answer_cgi(
        ::environ, {}, [&](const auto& request) { return site->answer(request); });
    return sent ? ok : failed;
}

int serve_fastcgi(Rooms& rooms) {
    // Each thread would keep an arena of its own: measured with a cache of 4 MB, 94 MB and
    // growing, against 41 MB with one, at the same speed.
    ::mallopt(M_ARENA_MAX, 1);
    ::serve::StopSignals signals;
    Housekeeping housekeeping(rooms);
    housekeeping.wait_for_first_look(2s);
    const auto site = open_site(rooms, CountHits::yes);
    const auto& config = rooms.config;
    auto listener = ::serve::listen_on(config.serve.listen);
    if (!listener) return complain(listener.error().text, failed);
    ::serve::FastcgiSettings settings;
    settings.threads = config.serve.threads;
    settings.base_path = ::serve::base_path_of(config.site.base_url);
    auto server = ::serve::Fastcgi::start(
        std::move(*listener), settings,
        [&](const ::serve::Request& request) { return site->answer(request); });
    if (!server) return complain(server.error().text, failed);
    base::log::info("serving", {{"listen", config.serve.listen}});
    for (;;) {
        const auto signal = signals.wait(1h);
        if (!signal) continue;
        if (*signal != SIGHUP) break;
        base::log::info("SIGHUP: the configuration is read at start only");
    }
    (*server)->stop();
    base::log::info("stopped");
    return ok;
}

bool is_cgi() { return ::serve::started_as_cgi(::environ); }

}  // namespace

int serve(const Config& config) {
    auto rooms = open_rooms(config, Waiting::request);
    // As CGI program there is nobody to read stderr but the web server's log, and the client
    // has to be answered.
    if (!rooms && is_cgi()) {
        base::log::error("can't start", {{"reason", rooms.error().text}});
        fmt::print("Status: 503 Service Unavailable\r\nRetry-After: 60\r\n"
                   "Content-Type: text/plain; charset=utf-8\r\n\r\n"
                   "The change histories can't be read now. Please try again in a minute.\n");
        return ok;
    }
    if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
    return is_cgi() ? serve_cgi(*rooms) : serve_fastcgi(*rooms);
}

int feed(const Config& config, const ObjectWords& object, const std::string& format) {
    auto rooms = open_rooms(config);
    if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
    rooms->current->look();
    const auto site = open_site(*rooms, CountHits::no);
    ::serve::Request request;
    request.path = "/rss";
    request.query = "class=" + base::percent_encode(object.class_name) +
                    "&name=" + base::percent_encode(object.name) +
                    (format == "rss" ? "" : "&format=" + base::percent_encode(format));
    auto response = site->answer(request);
    // Spelled otherwise: what the server would send after the redirection.
    for (const auto& [name, value] : response.fields)
        if (response.status == 301 && name == "Location") {
            request.query = value.substr(value.find('?') + 1);
            response = site->answer(request);
            break;
        }
    if (response.status != 200)
        return complain(response.body ? base::trim(*response.body) : "no answer", failed);
    std::fwrite(response.body->data(), 1, response.body->size(), stdout);
    return std::fflush(stdout) == 0 ? ok : complain("can't write the feed", failed);
}

}  // namespace app
