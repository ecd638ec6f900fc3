// query/people.hpp -- whom the users of stamps stand for, as the current build calls them.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "history/refresh.hpp"
#include "query/history_page.hpp"

namespace query {

class Curators {
   public:
    // Those of settings.curators. What the build does not have, or can't tell now, is called by
    // its name.
    //   build  nullptr: none is at hand
    //   cost   a load for each curator at the first call for a build, a copy after that
    [[nodiscard]] People of(const history::Settings& settings, const source::Build& build);

   private:
    std::mutex mutex_;
    std::string digest_;  // of the build that people_ are of; empty: not read yet
    std::chrono::steady_clock::time_point good_until_;
    People people_;
};

}  // namespace query
