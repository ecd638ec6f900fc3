// SPDX-License-Identifier: MIT
#include "app/opener.hpp"

#include "base/log.hpp"
#include "source/acedb/build.hpp"
#include "source/acedb/tace_session.hpp"
#include "source/dump.hpp"
#include "source/index_folder.hpp"

namespace app {
namespace {

// The index kept of the newest release before `release` that was served once; one that is
// damaged is as good as none, and says so in the log.
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

// A running database is whole, or does not run.
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

}  // namespace app
