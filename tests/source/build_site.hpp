// A build in a folder of its own, for tests that write its files and open it.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <zstd.h>

#include "source/files_build.hpp"
#include "support/catch.hpp"
#include "support/gzipped.hpp"
#include "support/temp_dir.hpp"

namespace build_site {

// A build folder and an index folder for one test.
class Site {
   public:
    Site() { release("WS1", "2008-02-01"); }

    void release(const std::string& version, const std::string& date) const {
        write("release.ini", "version = " + version + "\ndate = " + date + "\n");
    }
    void write(const std::string& name, const std::string& bytes) const {
        folder_.write("build/" + name, bytes);
    }
    void remove(const std::string& name) const { std::filesystem::remove(build() / name); }
    [[nodiscard]] std::filesystem::path build() const { return folder_.path() / "build"; }
    [[nodiscard]] std::filesystem::path index() const { return folder_.path() / "index"; }
    [[nodiscard]] std::filesystem::path path() const { return folder_.path(); }

    [[nodiscard]] base::Result<source::Build> try_open(std::size_t most_mb = 64) const {
        return source::open_files({build().string(), index().string(), most_mb});
    }
    [[nodiscard]] source::Build open(std::size_t most_mb = 64) const {
        auto build = try_open(most_mb);
        INFO((build ? "" : build.error().text));
        REQUIRE(build);
        return *build;
    }
    // Returns the error's text after the build's folder.
    [[nodiscard]] std::string why_not() const {
        const auto build = try_open();
        REQUIRE_FALSE(build);
        CHECK((build.error().kind == base::ErrorKind::refused ||
               build.error().kind == base::ErrorKind::malformed));
        const auto place = std::filesystem::canonical(this->build()).string();
        const auto& text = build.error().text;
        return text.starts_with(place) ? text.substr(place.size()) : text;
    }

   private:
    support::TempDir folder_;
};

inline std::string name_found(const source::Build& build, const tree::ObjectName& asked) {
    const auto found = build->find(asked);
    REQUIRE(found);
    return *found ? (*found)->class_name + " " + (*found)->name : "none";
}

inline std::string text_in(const source::Build& build, const std::string& name) {
    const auto object = build->load({"Gene", name});
    INFO((object ? "" : object.error().text));
    REQUIRE(object);
    return object->nodes.at(0).children.at(0).cell.text;
}

inline std::string zstd(const std::string& bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
    REQUIRE_FALSE(ZSTD_isError(size));
    out.resize(size);
    return out;
}

}  // namespace build_site
