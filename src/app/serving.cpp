// SPDX-License-Identifier: MIT
#include "app/serving.hpp"

#include <cstdlib>
#include <exception>
#include <utility>

#include "app/commands.hpp"
#include "app/config_file.hpp"
#include "app/sources.hpp"
#include "base/log.hpp"
#include "serve/cgi.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::Result;

void warn_of_restart(const Config& before, const Config& after) {
    const auto say = [](std::string_view key) {
        base::log::warning("needs a restart", {{"key", key}});
    };
    if (before.serve.listen != after.serve.listen) say("[serve] listen");
    if (before.serve.trusted_front != after.serve.trusted_front) say("[serve] trusted_front");
    if (before.serve.threads != after.serve.threads) say("[serve] threads");
}

// Monitors ask all the time, and say nothing about readers.
bool is_monitoring(std::string_view path) { return path == "/healthz" || path == "/metrics"; }

void begin_housekeeping(Serving& serving) {
    serving.housekeeping =
        std::make_unique<Housekeeping>(serving.services, pace_of(serving.services.config.source));
}

}  // namespace

Pace pace_of(const SourceConfig& config) {
    Pace pace;
    if (is_running_database(config.kind)) pace.idle = 5s;
    return pace;
}

Housekeeping::Housekeeping(Services& services, Pace pace)
    : services_(services), pace_(pace), thread_([this](const auto& stop) { run(stop); }) {}

Housekeeping::~Housekeeping() {
    stop();
    thread_.join();
    flush_hits();
}

void Housekeeping::wait_for_first_look(std::chrono::seconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return looked_; });
}

void Housekeeping::note_request() {
    if (asked_.load(std::memory_order_relaxed) || asked_.exchange(true)) return;
    {
        const std::lock_guard lock(mutex_);
    }  // the thread has not looked at it yet, or it waits
    changed_.notify_all();
}

void Housekeeping::stop() { thread_.request_stop(); }

bool Housekeeping::has_ended() { return ends_within(0ms); }

bool Housekeeping::ends_within(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return ended_; });
}

void Housekeeping::run(const std::stop_token& stop) {
    auto next_flush = std::chrono::steady_clock::now() + 60s;
    while (!stop.stop_requested()) {
        asked_ = false;
        look_at_build(*services_.current);
        if (std::chrono::steady_clock::now() >= next_flush) {
            flush_hits();
            next_flush += 60s;
        }
        std::unique_lock lock(mutex_);
        looked_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, stop, pace_.busy, [] { return false; });
        changed_.wait_for(lock, stop, pace_.idle - pace_.busy, [this] { return asked_.load(); });
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

void Housekeeping::flush_hits() const {
    try {
        services_.history->flush_hits();
    } catch (const std::exception& error) {
        base::log::warning("request counts not saved", {{"error", error.what()}});
    }
}

Result<ServingPtr> open_serving(Config config, serve::Metrics& metrics) {
    auto services = open_services(std::move(config), Waiting::request);
    if (!services) return tl::unexpected(services.error());
    auto serving = std::make_shared<Serving>();
    serving->services = std::move(*services);
    serving->base_path = serve::base_path_of(serving->services.config.site.base_url);
    serving->site = open_site(serving->services, Asker::server_clients, &metrics);
    return serving;
}

Prepared prepare_serving(const std::filesystem::path& file, serve::Metrics& metrics) {
    try {
        auto config = load_config(file);
        if (!config) return {nullptr, config.error().text};
        auto serving = open_serving(std::move(*config), metrics);
        if (!serving) return {nullptr, serving.error().text};
        return look_again(std::move(*serving));
    } catch (const std::exception& error) {
        return {nullptr, error.what()};
    }
}

Prepared look_again(ServingPtr serving) {
    try {
        auto& current = *serving->services.current;
        current.look();
        const auto fault = current.build() ? std::string() : "no build: " + current.why();
        return {std::move(serving), fault};
    } catch (const std::exception& error) {
        return {std::move(serving), error.what()};
    }
}

Server::Server(ServingPtr first, serve::Metrics& metrics)
    : metrics_(metrics), answering_(first),
      thread_([this](const std::stop_token& stop) { run(stop); }) {
    begin_housekeeping(*first);
}

Server::~Server() {
    thread_.request_stop();
    answering_.load()->housekeeping->stop();
    std::unique_lock lock(mutex_);
    bool all = changed_.wait_for(lock, 200ms, [this] { return has_ended_; });
    auto left = all ? std::exchange(retired_, {}) : std::list<ServingPtr>();
    left.push_back(answering_);
    for (auto& each : left) {
        all = each->housekeeping->ends_within(200ms) && all;
        each->housekeeping->flush_hits();
    }
    if (all) return;
    base::log::info("stopped while an index was made");
    std::_Exit(ok);
}

void Server::wait_for_first_look(std::chrono::seconds at_most) const {
    answering_.load()->housekeeping->wait_for_first_look(at_most);
}

serve::Response Server::answer(const serve::Request& request) {
    const auto serving = answering_.load();
    const auto answer_below = [&](const serve::Request& below) {
        if (!is_monitoring(below.path)) serving->housekeeping->note_request();
        return serving->site->answer(below);
    };
    if (serving->base_path.empty()) return answer_below(request);
    auto below = request;
    below.path = serve::path_below(request.path, serving->base_path);
    return answer_below(below);
}

void Server::reload() {
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
    changed_.notify_all();
}

std::chrono::seconds Server::stop_within() const {
    return answering_.load()->services.config.serve.stop_within;
}

void Server::run(const std::stop_token& stop) {
    ServingPtr waiting;  // rejected, until its build can be served
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const auto pace = waiting            ? pace_of(waiting->services.config.source).idle
                          : retired_.empty() ? std::chrono::milliseconds(1h)
                                             : 50ms;
        changed_.wait_for(lock, stop, pace, [this] { return is_asked_; });
        const bool is_asked = std::exchange(is_asked_, false);
        if (stop.stop_requested()) break;
        lock.unlock();
        if (is_asked) reported_.clear();
        if (is_asked)
            waiting = take(prepare_serving(answering_.load()->services.config.file, metrics_));
        else if (waiting)
            waiting = take(look_again(std::move(waiting)));
        // An old configuration that only retired_ refers to has no requests any more.
        retired_.remove_if([](const ServingPtr& old) {
            return old.use_count() == 1 && old->housekeeping->has_ended();
        });
        lock.lock();
    }
    has_ended_ = true;
    changed_.notify_all();
}

ServingPtr Server::take(Prepared prepared) {
    if (prepared.fault.empty()) {
        take_over(std::move(prepared.serving));
        return nullptr;
    }
    if (prepared.fault != reported_) {
        reported_ = prepared.fault;
        metrics_.note_rejection(prepared.fault);
        base::log::error("configuration rejected, the previous one stays in use",
                         {{"reason", prepared.fault}});
    }
    return std::move(prepared.serving);
}

void Server::take_over(ServingPtr next) {
    auto before = answering_.load();
    const auto& config = next->services.config;
    base::log::send_to(2, config.log_level);
    warn_of_restart(before->services.config, config);
    begin_housekeeping(*next);
    metrics_.note_rejection("");
    answering_ = next;
    before->housekeeping->stop();
    before->housekeeping->flush_hits();
    retired_.push_back(std::move(before));
    base::log::info("configuration reloaded", {{"file", config.file.string()}});
}

}  // namespace app
