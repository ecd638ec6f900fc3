// SPDX-License-Identifier: MIT
#include "source/acedb/database_files.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <vector>

#include "source/file.hpp"

namespace source::acedb {
namespace {

namespace fs = std::filesystem;

// ACEDB.wrm, block1.wrm, block2.wrm, ...; beside them lie logs and locks, which change whenever a
// process looks at the database.
bool is_of_the_database(std::string_view name) {
    return name.ends_with(".wrm") && (name == "ACEDB.wrm" || name.starts_with("block"));
}

}  // namespace

std::string database_stamp(const std::string& folder) {
    std::vector<std::string> lines;
    std::error_code error;
    fs::directory_iterator entry(folder + "/database", error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const auto name = entry->path().filename().string();
        if (!is_of_the_database(name)) continue;
        const auto file = open_file(AT_FDCWD, entry->path().string());
        if (!file) continue;
        if (const auto stamp = stamp_of(*file))
            lines.push_back(name + ' ' + std::to_string(stamp->inode) + ' ' +
                            std::to_string(stamp->size) + ' ' +
                            std::to_string(stamp->modified_ns) + '\n');
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const auto& line : lines) all += line;
    return all;
}

}  // namespace source::acedb
