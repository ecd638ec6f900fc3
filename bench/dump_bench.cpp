// bench/dump_bench.cpp -- the two dump rows of the speed table: index a plain dump against
// `wc -l`, load and sign its objects as a release job does against `openssl md5`. Medians of 5
// alternating runs, page cache warm, as ratios of speeds.
//   dump_bench [DUMP]    without DUMP: one of 600 MB, made once beside this program by
//                        bench-make_build
// Prints a line a row: what, our seconds, theirs, ratio, bar. Status 1 below a bar.
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <string>

#include "base/log.hpp"
#include "rows.hpp"
#include "source/files_build.hpp"
#include "tree/outline.hpp"

namespace {

namespace fs = std::filesystem;
using bench::compare;
using bench::require;
using bench::shell;

fs::path made_dump(const fs::path& folder) {
    const auto made = folder / "dump_bench.made", part = folder / "dump_bench.part";
    if (fs::exists(made)) return made / "dump.ace";
    fs::remove_all(part);
    const auto maker = (folder / "bench-make_build").string();
    shell("'" + maker + "' --bytes 600000000 --folder '" + part.string() + "'");
    fs::rename(part, made);
    return made / "dump.ace";
}

}  // namespace

int main(int argc, char** argv) {
    base::log::send_to(2, base::log::Level::warning);
    const fs::path folder = fs::path(argv[0]).parent_path();
    const auto file = argc > 1 ? fs::path(argv[1]) : made_dump(folder);
    const fs::path build_dir = folder / "dump_bench.build", index = folder / "dump_bench.index";
    fs::remove_all(build_dir);
    fs::create_directories(build_dir);
    fs::create_symlink(fs::absolute(file), build_dir / "dump.ace");
    std::ofstream(build_dir / "release.ini") << "version = WS1\ndate = 2008-01-25\n";
    const auto quoted = "'" + file.string() + "'";
    shell("cat " + quoted);

    const auto make_index = [&] {
        fs::remove_all(index);
        const auto opened = source::open_files({build_dir.string(), index.string(), 64});
        require(opened.has_value(), opened ? "" : opened.error().text);
    };
    // What the product does with an object that changed: seek, parse, sign.
    const auto sign = [&] {
        const auto build = source::open_files({build_dir.string(), index.string(), 64});
        require(build.has_value(), build ? "" : build.error().text);
        source::each_object(**build, [&](const source::Listed& listed) {
            const auto object = (*build)->load(listed.id());
            require(object.has_value(), object ? "" : object.error().text);
            require(!tree::signature_of(object->nodes).empty(), "a signature");
            return true;
        });
    };
    const bool indexes = compare("index a plain dump : wc -l", 0.30, make_index,
                                 [&] { shell("wc -l " + quoted); });
    const bool signs = compare("load and sign every object, one core : openssl md5", 0, sign,
                               [&] { shell("openssl md5 " + quoted); });
    fs::remove_all(build_dir);
    fs::remove_all(index);
    return indexes && signs ? 0 : 1;
}
