// tables/release_order.hpp -- the place of each release among those known, ready to be asked
// for many rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "tables/tables.hpp"

namespace tables {

class ReleaseOrder {
   public:
    struct Place {
        Release release;
        std::size_t rank = 0;  // 0: the oldest
        // Known releases of the same date that come before it (in the order of releases). It
        // depends on which are known: when one of this date becomes known later (named in the
        // configuration, an older build visited), those behind it move on by one, and with them
        // the times of their items by a second. Versions and ids of items never move.
        int of_day = 0;
        bool is_shown = false;  // it is not newer than the current one
    };

    ReleaseOrder(const Releases& releases, const Release& current);

    // nullptr: no such release is known. Valid as long as the order is.
    [[nodiscard]] const Place* find(const std::string& version) const;

    // The rank that a window begins behind: rows of a greater one are in it.
    //   error  refused: it begins after a release that is not known
    [[nodiscard]] base::Result<std::ptrdiff_t> begins_behind(const std::string& since) const;

   private:
    std::unordered_map<std::string, Place> places_;
};

}  // namespace tables
