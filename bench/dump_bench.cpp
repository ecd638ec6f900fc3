// bench/dump_bench.cpp -- the two dump rows of the speed table: index a plain dump against
// `wc -l`, sign its objects against `openssl md5`. Medians of 5 alternating runs, page cache
// warm, as ratios of speeds.
//   dump_bench [DUMP]    without DUMP: one of 600 MB, made once beside this program by
//                        bench-make_build
// Prints a line a row: what, our seconds, theirs, ratio, bar. Status 1 below a bar.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "source/dump.hpp"
#include "source/sign.hpp"

namespace {

namespace fs = std::filesystem;
constexpr int runs = 5;

double seconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void require(bool ok, const std::string& what) {
    if (ok) return;
    std::fprintf(stderr, "dump_bench: %s\n", what.c_str());
    std::exit(2);
}

void shell(const std::string& command) {
    require(std::system((command + " > /dev/null").c_str()) == 0, command + " failed");
}

fs::path made_dump(const fs::path& folder) {
    const auto made = folder / "dump_bench.made", part = folder / "dump_bench.part";
    if (fs::exists(made)) return made / "dump.ace";
    fs::remove_all(part);
    const auto maker = (folder / "bench-make_build").string();
    shell("'" + maker + "' --bytes 600000000 --folder '" + part.string() + "'");
    fs::rename(part, made);
    return made / "dump.ace";
}

// Runs ours and theirs in turn.
bool compare(const char* row, double bar, const std::function<void()>& ours,
             const std::function<void()>& theirs) {
    std::vector<double> our_times, their_times;
    for (int i = 0; i < runs; ++i) {
        our_times.push_back(seconds(ours));
        their_times.push_back(seconds(theirs));
    }
    const double our = median(our_times), their = median(their_times), ratio = their / our;
    std::printf("%-42s %8.3f s %8.3f s   ratio %5.2f   bar %4.2f   %s\n", row, our, their, ratio,
                bar, ratio >= bar ? "met" : "NOT MET");
    return ratio >= bar;
}

}  // namespace

int main(int argc, char** argv) {
    base::log::send_to(2, base::log::Level::warning);
    const fs::path folder = fs::path(argv[0]).parent_path();
    const auto file = argc > 1 ? fs::path(argv[1]) : made_dump(folder);
    const fs::path build = folder / "dump_bench.build", index = folder / "dump_bench.index";
    fs::remove_all(build);
    fs::create_directories(build);
    fs::create_symlink(fs::absolute(file), build / "dump.ace");
    std::ofstream(build / "release.ini") << "version = WS1\ndate = 2008-01-25\n";
    const auto quoted = "'" + file.string() + "'";
    shell("cat " + quoted);

    const auto make_index = [&] {
        fs::remove_all(index);
        const auto opened = source::open_dump({build.string(), index.string(), 64});
        require(opened.has_value(), opened ? "" : opened.error().text);
    };
    const auto sign = [&] {
        const auto objects =
            source::sign_file(file.string(), 64 << 20, [](const source::Signed&) {});
        require(objects.has_value(), objects ? "" : objects.error().text);
    };
    const bool indexes = compare("index a plain dump : wc -l", 0.30, make_index,
                                 [&] { shell("wc -l " + quoted); });
    const bool signs = compare("sign every object, one core : openssl md5", 1.0, sign,
                               [&] { shell("openssl md5 " + quoted); });
    fs::remove_all(build);
    fs::remove_all(index);
    return indexes && signs ? 0 : 1;
}
