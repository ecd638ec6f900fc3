// SPDX-License-Identifier: MIT
#include "app/releases_file.hpp"

#include <fcntl.h>
#include <map>

#include "base/text.hpp"
#include "source/file.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
namespace fs = std::filesystem;

constexpr std::size_t largest_releases = std::size_t{16} << 20;

std::string releases_beside(const fs::path& config_file) {
    return (fs::absolute(config_file).parent_path() / "releases.tsv").string();
}

}  // namespace

Result<std::vector<base::Release>> read_releases(const fs::path& config_file) {
    const auto file = releases_beside(config_file);
    const auto text = source::read_file(AT_FDCWD, file, largest_releases);
    std::vector<base::Release> releases;
    if (!text && text.error().kind == ErrorKind::absent) return releases;
    if (!text) return base::fail_at("cannot read " + file, text.error());
    std::map<std::string_view, base::Date> days;
    int number = 0;
    for (const auto line : base::split(*text, '\n')) {
        ++number;
        if (base::trim(line).empty()) continue;
        const auto parts = base::split(base::trim(line), '\t');
        const auto day = parts.size() == 2 ? base::parse_date(parts[1]) : std::nullopt;
        if (!day || !base::is_version(parts[0]))
            return base::fail(ErrorKind::refused,
                              file + ":" + std::to_string(number) +
                                  ": must be a version, a TAB and a date like 2008-02-15");
        const auto& [version, first_day] = *days.emplace(parts[0], *day).first;
        if (first_day != *day)
            return base::fail(ErrorKind::refused,
                              file + ":" + std::to_string(number) + ": " + std::string(version) +
                                  " has the date " + base::format_date(first_day) +
                                  " in an earlier line; remove one of the two");
        releases.push_back({std::string(parts[0]), *day});
    }
    return releases;
}

std::string identity_of_releases(const fs::path& config_file) {
    const auto found = source::find_identity(AT_FDCWD, releases_beside(config_file));
    if (!found) return found.error().text;
    if (!*found) return "no releases.tsv";
    const auto& identity = **found;
    return std::to_string(identity.inode) + ' ' + std::to_string(identity.size) + ' ' +
           std::to_string(identity.modified_ns);
}

}  // namespace app
