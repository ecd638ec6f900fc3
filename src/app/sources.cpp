// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/sources.hpp"

#include <algorithm>
#include <utility>

#include "app/config_file.hpp"
#include "app/print.hpp"
#include "base/log.hpp"
#include "source/acedb/build.hpp"
#include "source/acedb/session.hpp"
#include "source/build_folder.hpp"
#include "source/files_build.hpp"
#include "source/index/index_folder.hpp"

namespace app {
namespace {

using base::Result;

// Returns the kept indexes of the newest release before `release` that was served once. A damaged
// index counts as missing and is logged.
std::vector<source::Build> previous_of(const SourceConfig& config, const base::Release& release,
                                       const history::WasServed& was_served) {
    std::vector<source::Build> found;
    const auto kept = source::kept_indexes(config.index);
    for (auto index = kept.rbegin(); index != kept.rend(); ++index) {
        if (!(index->release < release)) continue;
        if (!found.empty() && found.front()->release() != index->release) break;
        auto opened = source::open_kept_index(index->path, config.skip_classes);
        if (!opened)
            base::log::warning("an earlier index cannot be used",
                               {{"reason", opened.error().text}});
        else if (was_served((*opened)->release(), (*opened)->digest()))
            found.push_back(std::move(*opened));
    }
    return found;
}

// Makes a folder for this user alone, unless it is there: its files hold the content of builds.
Result<void> make_private_folder(const std::filesystem::path& folder) {
    std::error_code error;
    const bool is_new = std::filesystem::create_directories(folder, error);
    if (is_new) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    if (error) return source::fail_errno("making " + folder.string(), error.value());
    return {};
}

history::BuildOpener opener_of_files(const SourceConfig& config) {
    source::FilesSettings settings;
    settings.folder = config.path;
    settings.index_dir = config.index;
    settings.max_object_mb = config.max_object_mb;
    settings.skip_classes = config.skip_classes;
    settings.threads = config.threads;
    return {
        [settings] { return source::identity_of(settings.folder); },
        [settings](history::Wholeness wholeness) {
            auto asked = settings;
            asked.accept_cut = wholeness == history::Wholeness::not_required;
            return source::open_files(asked);
        },
        {},
    };
}

source::acedb::BuildSettings settings_of_database(const Config& config) {
    source::acedb::BuildSettings settings;
    settings.database = database_of(config.source);
    settings.index_dir = config.source.index;
    settings.max_object_mb = config.source.max_object_mb;
    settings.skip_classes = config.source.skip_classes;
    settings.version = config.source.release;
    settings.date = config.source.date;
    settings.known_releases = [file = config.file] { return read_releases(file); };
    return settings;
}

// A running database is always whole. Its date may be added to releases.tsv after it was refused.
history::BuildOpener opener_of_database(const Config& config) {
    const auto settings = settings_of_database(config);
    return {
        [settings, file = config.file]() -> Result<std::string> {
            auto identity = source::acedb::identity_of(settings);
            if (!identity) return identity;
            return *identity + identity_of_releases(file);
        },
        [settings](history::Wholeness) { return source::acedb::open_build(settings); },
        {},
        {},
        [settings](const base::Release& release) {
            const auto listed = settings.known_releases();
            const bool is_listed = listed && std::ranges::count(*listed, release.version,
                                                                &base::Release::version) > 0;
            return !is_listed && release.released_on == settings.date;
        },
    };
}

}  // namespace

std::string name_of(const SourceConfig& config) {
    return is_running_database(config.kind) ? config.server.name() : config.path.string();
}

std::shared_ptr<source::acedb::Database> database_of(const SourceConfig& config) {
    if (!is_running_database(config.kind)) return nullptr;
    auto address = config.server;
    address.timeout = config.timeout;
    source::acedb::DatabaseSettings settings;
    settings.open = [address] { return source::acedb::Session::open(address); };
    settings.name = name_of(config);
    settings.patience = config.timeout;
    settings.endurance = config.endurance;
    return std::make_shared<source::acedb::Database>(std::move(settings));
}

history::BuildOpener build_opener(const Config& config) {
    auto opener = is_running_database(config.source.kind) ? opener_of_database(config)
                                                          : opener_of_files(config.source);
    opener.previous_of = [source = config.source](const base::Release& release,
                                                  const history::WasServed& was_served) {
        return previous_of(source, release, was_served);
    };
    opener.sweep = [index = config.source.index](const history::IsSuperseded& is_superseded) {
        source::sweep_indexes(index, is_superseded);
    };
    if (config.site.is_private)
        opener.open = [open = std::move(opener.open),
                       index = config.source.index](history::Wholeness wholeness) {
            auto made = make_private_folder(index);
            return made ? open(wholeness) : Result<source::Build>(tl::unexpected(made.error()));
        };
    if (config.source.is_staged)
        opener.options = " --build " + shell_word(config.source.path.string());
    return opener;
}

Result<base::Release> current_release(const Config& config) {
    if (is_running_database(config.source.kind))
        return source::acedb::release_of(settings_of_database(config));
    const auto folder = source::open_folder(config.source.path.string());
    if (!folder) return tl::unexpected(folder.error());
    return folder->release;
}

Config with_folder(Config config, const std::filesystem::path& folder) {
    if (folder.empty()) return config;
    config.source.kind = SourceKind::dump;
    config.source.path = folder;
    config.source.is_staged = true;
    return config;
}

}  // namespace app
