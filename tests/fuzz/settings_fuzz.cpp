// Settings of any bytes: varve.conf, and after a line `////` each releases.tsv and release.ini.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-settings_fuzz    this one
// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "app/config_file.hpp"
#include "base/release.hpp"
#include "base/utf8.hpp"
#include "source/build_folder.hpp"

namespace {

namespace fs = std::filesystem;

void require(bool holds) {
    if (!holds) std::abort();
}

// A folder of its own for each process, removed at its end.
class Folder {
   public:
    Folder() {
        auto name = (fs::temp_directory_path() / "settings-fuzz-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr);
        path_ = name;
        fs::create_directory(path_ / "build");
        write("build/a.ace", "");
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }
    void write(const char* name, std::string_view bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
    }

   private:
    fs::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Folder folder;
    constexpr std::string_view between = "////\n";
    std::string_view rest(reinterpret_cast<const char*>(data), size);
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
    return 0;
}
