// Which statements of a run a test strikes at, by a fault or by another process. All of them would
// take too long each time, so `make test` strikes at the first, the last, each commit of what was
// written and six others, and `make nightly` at all.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "support/stores.hpp"

namespace support {

// The statements of one run, numbered from 1.
struct Statements {
    int all = 0;
    std::vector<int> commits;  // of writing transactions

    void count(bool commits_writes) {
        ++all;
        if (commits_writes) commits.push_back(all);
    }
};

// Returns the numbers of the statements to strike at, in ascending order and the same in each run.
//   seed  chooses the six others
inline std::vector<int> strikes_in(const Statements& statements, unsigned seed = 0) {
    std::vector<int> every(static_cast<std::size_t>(statements.all));
    std::iota(every.begin(), every.end(), 1);
    if (is_nightly() || every.empty()) return every;
    auto chosen = statements.commits;
    chosen.push_back(1);
    chosen.push_back(statements.all);
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    std::vector<int> others;
    std::ranges::set_difference(every, chosen, std::back_inserter(others));
    std::ranges::sample(others, std::back_inserter(chosen), 6, std::mt19937(seed));
    std::ranges::sort(chosen);
    return chosen;
}

}  // namespace support
