// source/live_listing.hpp -- which objects a running AceDB has, and the sample of them that rule
// C4 looks at; asked gently.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/build.hpp"
#include "source/index.hpp"

namespace source::acedb {

struct Listed {
    std::vector<std::string> classes;  // that have objects, as the database spells them
    std::uint64_t untracked = 0;       // objects whose class or name is too long
    std::vector<tree::ObjectName> sample;
};

// Adds every object to the index, class by class: `classes`, then `find` and `list` for each.
//   error  as Database::with_session; unavailable: fewer names than it tells of; malformed: it
//          answers otherwise than AceDB does
//   cost   memory for the names of the largest class
[[nodiscard]] base::Result<Listed> list_objects(const BuildSettings& settings,
                                                const std::string& identity, IndexWriter& writer);

// Rule C4: the stamps of the loading sessions, by `find` and `show` of each object of the sample.
//   error  unavailable, refused
[[nodiscard]] base::Result<std::vector<std::string>> sample_stamps(
    const BuildSettings& settings, const std::string& identity,
    const std::vector<tree::ObjectName>& sample);

// Kernel classes, which AceDB's own dump leaves out too, and UserSession: no objects of the
// database.
[[nodiscard]] bool is_kernel_class(std::string_view class_name);

}  // namespace source::acedb
