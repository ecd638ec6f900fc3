// app/config_keys.hpp -- the keys of varve.conf: a table, in the order of varve.conf.example.
// For config.cpp and its tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "app/config.hpp"

namespace app {

// A configuration while its lines are read.
struct Draft {
    std::filesystem::path folder;  // that paths are relative to
    Config config;
    std::filesystem::path password_file;  // of the store; empty: none
    std::set<std::string> seen;           // "[site] title"

    [[nodiscard]] std::filesystem::path resolve(std::string_view path) const {
        return (folder / path).lexically_normal();
    }
};

enum class Needed : unsigned char { no, yes };

struct Key {
    std::string_view section;
    std::string_view name;  // empty: whatever stands there, a class or a user
    // What the line does; the error is what is wrong with the value.
    //   key  as it stands in the file
    base::Result<void> (*take)(Draft& draft, const std::string& key, const std::string& value);
    Needed needed = Needed::no;
};

[[nodiscard]] std::span<const Key> known_keys();

// Takes one line in.
//   error  refused: "[section] key: …", no such section or key, or its value can't be right
[[nodiscard]] base::Result<void> take_line(Draft& draft, const std::string& section,
                                           const std::string& key, const std::string& value);

}  // namespace app
