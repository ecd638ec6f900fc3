// SPDX-License-Identifier: MIT
#include "app/rooms.hpp"

#include <thread>

#include "base/log.hpp"
#include "source/acedb/build.hpp"
#include "source/acedb/tace_session.hpp"
#include "source/dump.hpp"
#include "source/index_folder.hpp"
#include "store/dialect.hpp"

namespace app {
namespace {

using base::Result;
using namespace std::chrono_literals;

// Returns the kept index of the newest release before `release` that was served once. A damaged
// index counts as missing and is logged.
source::Build previous_of(const std::filesystem::path& indexes, const base::Release& release,
                          const history::WasServed& was_served) {
    const auto kept = source::kept_indexes(indexes);
    for (auto index = kept.rbegin(); index != kept.rend(); ++index) {
        if (!(index->release < release)) continue;
        auto opened = source::open_kept_index(index->path);
        if (!opened)
            base::log::warning("kept index not usable", {{"reason", opened.error().text}});
        else if (was_served((*opened)->release(), (*opened)->digest()))
            return std::move(*opened);
    }
    return nullptr;
}

history::BuildOpener dump_opener(const SourceConfig& config) {
    source::DumpSettings settings;
    settings.folder = config.path;
    settings.index_dir = config.index;
    settings.max_object_mb = config.max_object_mb;
    return {
        [settings] { return source::identity_of(settings.folder); },
        [settings](history::Wholeness wholeness) {
            auto asked = settings;
            asked.accept_cut = wholeness == history::Wholeness::not_required;
            return source::open_dump(asked);
        },
        {},
    };
}

// A running database is always whole.
history::BuildOpener live_opener(const Config& config) {
    source::acedb::BuildSettings settings;
    settings.database = database_of(config.source);
    settings.index_dir = config.source.index;
    settings.max_object_mb = config.source.max_object_mb;
    settings.version = config.source.release;
    settings.date = config.source.date;
    settings.known_releases = config.history.known_releases;
    return {
        [settings] { return source::acedb::identity_of(settings); },
        [settings](history::Wholeness) { return source::acedb::open_build(settings); },
        {},
    };
}

source::acedb::DatabaseSettings settings_of_server(const SourceConfig& config) {
    source::acedb::DatabaseSettings settings;
    settings.open = [address = config.server] {
        return source::acedb::open_socket_session(address);
    };
    return settings;
}

source::acedb::DatabaseSettings settings_of_tace(const SourceConfig& config) {
    const source::acedb::TaceSettings command{config.program, config.path, config.server.timeout};
    source::acedb::DatabaseSettings settings;
    settings.open = [command] { return source::acedb::open_tace_session(command); };
    settings.stamp = [folder = command.folder] { return source::acedb::database_stamp(folder); };
    return settings;
}

}  // namespace

std::shared_ptr<source::acedb::Database> database_of(const SourceConfig& config) {
    if (config.kind == SourceKind::dump) return nullptr;
    auto settings =
        config.kind == SourceKind::server ? settings_of_server(config) : settings_of_tace(config);
    settings.name = name_of(config);
    settings.most_sessions = config.connections;
    settings.patience = config.server.timeout;
    return std::make_shared<source::acedb::Database>(std::move(settings));
}

history::BuildOpener build_opener(const Config& config) {
    auto opener =
        config.source.kind == SourceKind::dump ? dump_opener(config.source) : live_opener(config);
    opener.previous_of = [index = config.source.index](const base::Release& release,
                                                       const history::WasServed& was_served) {
        return previous_of(index, release, was_served);
    };
    return opener;
}

Config with_folder(Config config, const std::filesystem::path& folder) {
    config.source.kind = SourceKind::dump;
    config.source.path = folder;
    return config;
}

std::string name_of(const SourceConfig& config) {
    return config.kind == SourceKind::server ? config.server.name() : config.path.string();
}

namespace {

// Returns connections for the threads of a job, which share a fixed amount of memory.
store::Connect for_a_job(store::Connect connect, std::size_t threads) {
    constexpr std::size_t cache_mb = 256;
    return [connect = std::move(connect), each = std::max(cache_mb / threads, std::size_t{16})] {
        auto connection = connect();
        store::expect_many_writes(*connection, each);
        return connection;
    };
}

}  // namespace

std::unique_ptr<store::Pool> open_pool(const Config& config, store::IfMissing if_missing,
                                       Waiting waiting, std::size_t threads) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const auto connections = std::max(cores, threads) + 2;
    const auto writers = config.store.engine == store::Engine::sqlite
                             ? store::Writers::one_at_a_time
                             : store::Writers::many;
    store::RetryPolicy retry_policy;
    if (waiting == Waiting::request)
        retry_policy.last_attempt = 12s;  // enough for one silent server and a try at the next
    else
        retry_policy.attempts = 20;
    const std::chrono::seconds answer_within = waiting == Waiting::request   ? 10s
                                               : waiting == Waiting::command ? 30s
                                                                             : 24h;
    auto connect =
        store::connector(config.store, config.store_password, if_missing, answer_within);
    if (threads > 0) connect = for_a_job(std::move(connect), threads);
    return std::make_unique<store::Pool>(std::move(connect), connections, retry_policy, writers);
}

Result<Rooms> open_rooms(Config config, Waiting waiting, std::size_t threads) {
    Rooms rooms;
    rooms.config = std::move(config);
    const auto& url = rooms.config.store;
    if (url.engine == store::Engine::sqlite && !std::filesystem::exists(url.path))
        return base::fail(base::Kind::unavailable,
                          "there is no store at " + url.path.string() + "; run varve init");
    rooms.pool = open_pool(rooms.config, store::IfMissing::fail, waiting, threads);
    try {
        const auto connection = rooms.pool->lease();
        if (const auto fits = store::check_schema(*connection); !fits)
            return tl::unexpected(fits.error());
    } catch (const store::Failure& failure) {
        return base::fail(base::Kind::unavailable,
                          std::string("the store cannot be reached: ") + failure.what());
    }
    rooms.current =
        std::make_unique<history::CurrentBuild>(build_opener(rooms.config), *rooms.pool);
    rooms.ledger = std::make_unique<query::HistoryService>(
        *rooms.pool, *rooms.current, rooms.config.history, base::system_clock_now);
    rooms.tokens = std::make_unique<serve::TokenHolders>(*rooms.pool);
    return rooms;
}

std::unique_ptr<serve::Site> open_site(Rooms& rooms, Asker asker, serve::Metrics* metrics) {
    const auto& config = rooms.config;
    serve::Settings settings;
    settings.cache_bytes = config.serve.cache_mb << 20;
    settings.max_items = config.serve.max_items;
    settings.max_age = config.serve.max_age;
    settings.configuration_digest = config.page_digest;
    settings.count_hits = asker == Asker::server_clients;
    settings.private_site = config.site.is_private && asker != Asker::operator_of_it;
    settings.limits.per_minute = static_cast<double>(config.serve.limit_per_minute);
    settings.limits.burst = static_cast<double>(config.serve.limit_burst);
    settings.metrics = metrics;
    return std::make_unique<serve::Site>(
        serve::Services{*rooms.ledger, *rooms.current, *rooms.pool, *rooms.tokens}, config.site,
        *config.templates, std::move(settings));
}

}  // namespace app
