// source/acedb/build.hpp -- a build that is a running AceDB: objects are asked for one by one,
// names come from an index made with `list` when the build is first opened.
//
// Such a build can't tell which objects differ from another build without loading them. So the
// digests of its objects are made of (identity, class, name) and equal no other build's; its
// digest as a whole is "server:" and a hex digest over those (base::contradict()).
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/acedb/database.hpp"
#include "source/source.hpp"

namespace source::acedb {

struct BuildSettings {
    std::shared_ptr<Database> database;
    std::string index_dir;                       // made if it is not there
    std::size_t max_object_mb = 64;              // a larger reply is abandoned
    std::vector<std::string> skip_classes = {};  // Source::skips()
    // The release: `version`, or else the database's own Name; its date in known_releases, or else
    // `date`, which may be that of an earlier release.
    std::string version;
    std::optional<base::Date> date;
    // Asked whenever the release is looked for.
    std::function<base::Result<std::vector<base::Release>>()> known_releases;
};

// Opens the build that the database holds now. Makes its index when none fits, gently: the server
// has one thread, and other clients. Each state of a database has an index of its own
// (source/index/index_folder.hpp).
//   error  refused: no version or date is known (what to write where), wrong password; those of
//          known_releases;
//          unavailable: not reached, or it changed meanwhile; malformed: the replies are not
//          AceDB's
//   cost   a `status` when the index fits; else `find`, `list` and `model` for each class, and
//          1,500 objects for rule C4
[[nodiscard]] base::Result<Build> open_build(const BuildSettings& settings);

// Returns the release that the database holds now; costs one `status`.
//   error  refused: no version or date is known; unavailable, malformed
[[nodiscard]] base::Result<base::Release> release_of(const BuildSettings& settings);

// Returns text that differs when the build does; costs one `status`.
//   error  unavailable, refused, malformed
[[nodiscard]] base::Result<std::string> identity_of(const BuildSettings& settings);

}  // namespace source::acedb
