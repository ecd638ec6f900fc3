// Settings of any bytes: varve.conf, and after a line `////` each releases.tsv and release.ini.
// SPDX-License-Identifier: MIT
#include "app/config_file.hpp"
#include "base/release.hpp"
#include "fuzz/fuzz.hpp"
#include "source/build_folder.hpp"
#include "support/temp_dir.hpp"

void fuzz(std::string_view rest) {
    static const support::TempDir folder;
    folder.write("build/a.ace", "");
    constexpr std::string_view between = "////\n";
    for (const auto* name : {"varve.conf", "releases.tsv", "build/release.ini"}) {
        const auto end = rest.find(between);
        folder.write(name, rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + between.size());
    }
    const auto config = app::load_config(folder.path() / "varve.conf");
    if (config) {
        require(!config->site.base_url.empty() && !config->site.base_url.ends_with('/'));
        for (const auto& release : config->history.known_releases)
            require(base::is_version(release.version));
    }
    const auto build = source::open_folder((folder.path() / "build").string());
    require(!build || base::is_version(build->release.version));
}
