// bench/dump_bench.cpp -- the two dump rows of the speed table: index a plain dump against
// `wc -l`, sign its objects against `openssl md5`. Medians of 5 alternating runs, page cache
// warm, as ratios of speeds.
//   dump_bench FILE SCRATCH_FOLDER
// Prints a line a row: what, our seconds, theirs, ratio, bar. Exit code 1 below a bar.
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
    require(argc == 3, "use: dump_bench FILE SCRATCH_FOLDER");
    const std::string file = argv[1];
    const fs::path build = fs::path(argv[2]) / "build", index = fs::path(argv[2]) / "index";
    fs::create_directories(build);
    fs::remove(build / "dump.ace");
    fs::create_symlink(fs::absolute(file), build / "dump.ace");
    std::ofstream(build / "release.ini") << "version = WS1\ndate = 2008-01-25\n";
    shell("cat '" + file + "'");

    const auto make_index = [&] {
        fs::remove_all(index);
        const auto opened = source::open_dump({build.string(), index.string(), 64});
        require(opened.has_value(), opened ? "" : opened.error().text);
    };
    const auto sign = [&] {
        const auto objects = source::sign_file(file, 64 << 20, [](const source::Signed&) {});
        require(objects.has_value(), objects ? "" : objects.error().text);
    };
    const bool indexes = compare("index a plain dump : wc -l", 0.30, make_index,
                                 [&] { shell("wc -l '" + file + "'"); });
    const bool signs = compare("sign every object, one core : openssl md5", 0.70, sign,
                               [&] { shell("openssl md5 '" + file + "'"); });
    return indexes && signs ? 0 : 1;
}
