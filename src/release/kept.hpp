// release/kept.hpp -- the indexes kept of earlier releases, each opened once a job.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "source/source.hpp"
#include "store/pool.hpp"

namespace release {

// The kept index of a release whose digest is this one, or can't be told from it (that of a
// server and that of files); nullptr: there is none.
using OpenKept =
    std::function<source::Build(const std::string& version, const std::string& digest)>;

class Kept {
   public:
    // `pool` outlives it. `at_hand`: builds that are open already; some may be nullptr.
    Kept(store::Pool& pool, std::vector<source::Build> at_hand, OpenKept open)
        : pool_(pool), at_hand_(std::move(at_hand)), open_(std::move(open)) {}

    // The index of the release as it was recorded; nullptr: none.
    //   throws  store::Failure
    [[nodiscard]] source::Build of(const std::string& version);

   private:
    [[nodiscard]] source::Build open(const std::string& version) const;

    store::Pool& pool_;
    std::vector<source::Build> at_hand_;
    OpenKept open_;
    std::mutex mutex_;
    std::map<std::string, source::Build> builds_;
};

}  // namespace release
