// SPDX-License-Identifier: MIT
#include "source/acedb/release.hpp"

#include <algorithm>

namespace source::acedb {

using base::Kind;
using base::Result;

Result<base::Release> live_release(const BuildSettings& settings, const Status& status) {
    const auto& version = settings.version.empty() ? status.name : settings.version;
    const auto place = settings.database->name() + ": ";
    if (version.empty())
        return base::fail(Kind::refused, place +
                                             "the database has no Name; write its release into "
                                             "the configuration: [source] release = WS188");
    if (!base::is_version(version))
        return base::fail(Kind::refused,
                          place +
                              "the database's Name is no version, up to 32 of letters, digits,"
                              " . _ -; write one into the configuration: [source] release = "
                              "WS188");
    if (settings.date) return base::Release{version, *settings.date};
    const auto& known = settings.known_releases;
    const auto it = std::find_if(known.begin(), known.end(),
                                 [&](const auto& one) { return one.version == version; });
    if (it != known.end()) return *it;
    return base::fail(Kind::refused, place + "no date of release " + version +
                                         " is known; write a line of it into releases.tsv beside "
                                         "the configuration, version TAB date, or [source] date");
}

}  // namespace source::acedb
