// SPDX-License-Identifier: MIT
#include "app/serving.hpp"

#include <cstdlib>
#include <exception>
#include <functional>
#include <utility>

#include "app/access_log.hpp"
#include "app/commands.hpp"
#include "base/log.hpp"
#include "serve/cgi.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::Result;

void say_what_waits(const Config& before, const Config& after) {
    const auto say = [](std::string_view key) {
        base::log::warning("takes a restart", {{"key", key}});
    };
    if (before.serve.listen != after.serve.listen) say("[serve] listen");
    if (before.serve.threads != after.serve.threads) say("[serve] threads");
}

}  // namespace

Result<ServingPtr> open_serving(Config config, serve::Metrics& metrics) {
    auto rooms = open_rooms(std::move(config), Waiting::request);
    if (!rooms) return tl::unexpected(rooms.error());
    auto serving = std::make_shared<Serving>();
    serving->rooms = std::move(*rooms);
    serving->base_path = serve::base_path_of(serving->rooms.config.site.base_url);
    serving->site = open_site(serving->rooms, Asker::server_clients, &metrics);
    return serving;
}

Result<ServingPtr> prepare_serving(const std::filesystem::path& file, serve::Metrics& metrics) {
    try {
        auto config = load_config(file);
        if (!config) return tl::unexpected(config.error());
        auto serving = open_serving(std::move(*config), metrics);
        if (!serving) return serving;
        auto& current = *(*serving)->rooms.current;
        current.look();
        if (!current.build())
            return base::fail(base::Kind::unavailable, "no build: " + current.why());
        return serving;
    } catch (const std::exception& error) {
        return base::fail(base::Kind::unavailable, error.what());
    }
}

Server::Server(ServingPtr first, Books& books)
    : books_(books), now_{std::move(first), nullptr}, answering_(now_.serving) {
    now_.housekeeping = std::make_unique<Housekeeping>(now_.serving->rooms);
}

Server::~Server() {
    now_.housekeeping->stop();
    retired_.push_back(std::move(now_));
    bool all = !next_.valid() || next_.wait_for(200ms) == std::future_status::ready;
    for (auto& each : retired_) {
        all = each.housekeeping->ends_within(200ms) && all;
        each.housekeeping->flush_hits();
    }
    if (all) return;
    base::log::info("stopped while an index was made");
    std::_Exit(ok);
}

void Server::wait_for_first_look(std::chrono::seconds at_most) const {
    now_.housekeeping->wait_for_first_look(at_most);
}

serve::Response Server::answer(const serve::Request& request) {
    const auto began = std::chrono::steady_clock::now();
    const auto serving = answering_.load();
    const auto response = [&] {
        if (serving->base_path.empty()) return serving->site->answer(request);
        auto below = request;
        below.path = serve::path_below(request.path, serving->base_path);
        return serving->site->answer(below);
    }();
    if (!books_.access.is_open()) return response;
    const auto took =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
    books_.access.write(access_line(base::system_clock_now(), request, response, took));
    return response;
}

void Server::begin_reading() {
    next_ = std::async(std::launch::async, prepare_serving, now_.serving->rooms.config.file,
                       std::ref(books_.metrics));
}

// The logs first, and in any case: logrotate has moved them, whatever the configuration is like.
void Server::reload() {
    if (const auto opened = open_logs(now_.serving->rooms.config.log, books_.access); !opened)
        base::log::error("log not opened anew", {{"reason", opened.error().text}});
    if (next_.valid())
        once_more_ = true;
    else
        begin_reading();
}

void Server::take_over(const Prepared& prepared) {
    const auto& before = now_.serving->rooms.config;
    if (!prepared) {
        base::log::error("configuration refused, the one before stays",
                         {{"reason", prepared.error().text}});
        return;
    }
    const auto& after = (*prepared)->rooms.config;
    if (const auto opened = open_logs(after.log, books_.access); !opened) {
        base::log::error("configuration refused, the one before stays",
                         {{"reason", opened.error().text}});
        [[maybe_unused]] const auto as_before = open_logs(before.log, books_.access);
        return;
    }
    say_what_waits(before, after);
    InForce next{*prepared, std::make_unique<Housekeeping>((*prepared)->rooms)};
    answering_ = next.serving;
    now_.housekeeping->stop();
    now_.housekeeping->flush_hits();
    retired_.push_back(std::exchange(now_, std::move(next)));
    base::log::info("configuration read anew", {{"file", after.file.string()}});
}

void Server::settle() {
    if (next_.valid() && next_.wait_for(0ms) == std::future_status::ready) {
        const auto prepared = next_.get();
        if (!std::exchange(once_more_, false))
            take_over(prepared);
        else
            begin_reading();
    }
    // Nobody else has it: answering_ holds another by now, and requests have let it go.
    retired_.remove_if([](const InForce& old) {
        return old.serving.use_count() == 1 && old.housekeeping->has_ended();
    });
}

}  // namespace app
