// SPDX-License-Identifier: MIT
#include "app/services.hpp"

#include <algorithm>

#include "app/sources.hpp"
#include "base/in_order.hpp"
#include "base/log.hpp"
#include "store/dialect.hpp"

namespace app {
namespace {

using base::Result;
using namespace std::chrono_literals;

// Returns connections for the threads of a job, which share a fixed amount of memory.
store::Connect for_a_job(store::Connect connect, std::size_t threads) {
    constexpr std::size_t cache_mb = 256;
    return [connect = std::move(connect), each = std::max(cache_mb / threads, std::size_t{16})] {
        auto connection = connect();
        store::expect_many_writes(*connection, each);
        return connection;
    };
}

// A server answers requests meanwhile.
std::size_t threads_for_indexes(Waiting waiting) {
    return waiting == Waiting::request ? (base::processors() + 1) / 2 : base::processors();
}

}  // namespace

std::string missing_store(const Config& config) {
    const auto& url = config.store;
    if (url.engine != store::Engine::sqlite || std::filesystem::exists(url.path)) return {};
    return "there is no store at " + url.path.string() + "; run varve init";
}

std::unique_ptr<store::Pool> open_pool(const Config& config, store::IfMissing if_missing,
                                       Waiting waiting, std::size_t threads) {
    const auto connections = std::max(base::processors(), threads) + 2;
    const auto writers = config.store.engine == store::Engine::sqlite
                             ? store::Writers::one_at_a_time
                             : store::Writers::many;
    store::RetryPolicy retry_policy;
    const auto request_within = std::min(12s, config.store_give_up);
    retry_policy.last_attempt = config.store_give_up;
    if (waiting == Waiting::request)
        retry_policy.last_attempt = request_within;
    else
        retry_policy.attempts = 20;
    // A request has time for one silent server and a try at the next.
    const std::chrono::seconds answer_within = waiting == Waiting::request
                                                   ? std::max(1s, request_within * 5 / 6)
                                                   : std::min(30s, config.store_give_up);
    auto connect =
        store::connector(config.store, config.store_password, if_missing, answer_within);
    if (threads > 0) connect = for_a_job(std::move(connect), threads);
    return std::make_unique<store::Pool>(std::move(connect), connections, retry_policy, writers);
}

Result<Services> open_services(Config config, Waiting waiting, std::size_t threads) {
    Services services;
    services.config = std::move(config);
    services.config.source.threads = threads > 0 ? threads : threads_for_indexes(waiting);
    if (auto missing = missing_store(services.config); !missing.empty())
        return base::fail(base::ErrorKind::unavailable, std::move(missing));
    services.pool = open_pool(services.config, store::IfMissing::fail, waiting, threads);
    try {
        if (const auto fits = store::check_schema(*services.pool); !fits)
            return tl::unexpected(fits.error());
    } catch (const store::Failure& failure) {
        return base::fail(base::ErrorKind::unavailable,
                          std::string("the store cannot be reached: ") + failure.what());
    }
    services.current =
        std::make_unique<history::CurrentBuild>(build_opener(services.config), *services.pool);
    // Wide pages may keep half of the threads waiting.
    services.history = std::make_unique<query::HistoryService>(
        *services.pool, *services.current, services.config.history, base::system_clock_now,
        base::Gate::limits_of(services.config.serve.threads / 2, base::processors()));
    services.tokens = std::make_unique<serve::TokenHolders>(*services.pool);
    return services;
}

void look_at_build(history::CurrentBuild& current) {
    const auto before = current.why();
    try {
        current.look();
    } catch (const std::exception& error) {
        // Whatever is wrong, the earlier build or the history answers.
        base::log::warning("build not checked", {{"error", error.what()}});
        return;
    }
    const auto why = current.why();
    if (!why.empty() && why != before) base::log::error("build refused", {{"reason", why}});
}

std::unique_ptr<serve::Site> open_site(Services& services, Asker asker, serve::Metrics* metrics) {
    const auto& config = services.config;
    serve::Settings settings;
    // A program that answers one request keeps no page, so that none has a date.
    settings.cache_bytes =
        asker == Asker::server_clients ? config.serve.cache_mb << 20 : std::size_t{0};
    settings.max_items = config.serve.max_items;
    settings.max_age = config.serve.max_age;
    settings.count_hits = asker == Asker::server_clients;
    settings.private_site = config.site.is_private && asker != Asker::operator_of_it;
    settings.limits.per_minute = static_cast<double>(config.serve.limit_per_minute);
    settings.wide = base::Gate::limits_of(config.serve.threads, base::processors());
    settings.callback_guard = net::AddressGuard(config.net_allow);
    settings.metrics = metrics;
    return std::make_unique<serve::Site>(
        serve::Services{*services.history, *services.current, *services.pool, *services.tokens},
        config.site, *config.templates, std::move(settings));
}

}  // namespace app
