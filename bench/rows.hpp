// bench/rows.hpp -- rows of the speed table: ours and theirs in turn, five times each, and the
// ratio of their medians.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace bench {

constexpr int runs = 5;

inline double seconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Ends the program, with status 2, where the bench itself is broken.
inline void require(bool ok, const std::string& what) {
    if (ok) return;
    std::fprintf(stderr, "bench: %s\n", what.c_str());
    std::exit(2);
}

inline void shell(const std::string& command) {
    require(std::system((command + " > /dev/null").c_str()) == 0, command + " failed");
}

// Runs ours and theirs in turn and prints the row. False below the bar; a bar of 0 is none.
inline bool compare(const char* row, double bar, const std::function<void()>& ours,
                    const std::function<void()>& theirs) {
    std::vector<double> our_times, their_times;
    for (int i = 0; i < runs; ++i) {
        our_times.push_back(seconds(ours));
        their_times.push_back(seconds(theirs));
    }
    const double our = median(our_times), their = median(their_times), ratio = their / our;
    std::printf("%-42s %8.3f s %8.3f s   ratio %5.2f   ", row, our, their, ratio);
    if (bar > 0)
        std::printf("bar %4.2f   %s\n", bar, ratio >= bar ? "met" : "NOT MET");
    else
        std::printf("no bar\n");
    return ratio >= bar;
}

}  // namespace bench
