// app/config_keys.hpp -- the keys of varve.conf: one table of their fallbacks and of what reads their values.
// For config_file.cpp and its tests.
// Pure. Functions of values fail with what is wrong with the value; the caller adds file, line,
// section and key.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.hpp"
#include "base/result.hpp"
#include "tree/object.hpp"

namespace app {

// A configuration whose lines are being read.
struct Draft {
    // Every key has its fallback.
    //   file  of the configuration
    explicit Draft(const std::filesystem::path& file);

    std::filesystem::path folder;  // paths are relative to it
    Config config;
    // Where the file has "[site] title", and where it has "[site]"; lines count from 1.
    std::map<std::string, std::size_t> lines;

    [[nodiscard]] std::filesystem::path resolve(std::string_view path) const {
        return (folder / path).lexically_normal();
    }
    // Returns "varve.conf:17", the line of "[site] title", or else that of "[site]"; the file alone
    // when it has neither.
    [[nodiscard]] std::string position_of(std::string_view place) const;
};

enum class Needed : unsigned char { no, yes };

// Stores a value; the error says what is wrong with it.
//   key  as in the file
using Take = base::Result<void>(Draft& draft, const std::string& key, const std::string& value);

// A key. varve.conf.example, of which the manual is made, says what it means (tests/app/config_keys_test.cpp).
struct Key {
    std::string_view section;
    std::string_view name;      // empty for any name: a class or a user
    std::string_view fallback;  // the value where the file has none; empty: there is none
    Take* take;
    Needed needed = Needed::no;
    std::optional<SourceKind> kind = std::nullopt;  // of sources that have it; nullopt: all

    // "[site] title"
    [[nodiscard]] std::string place() const {
        return "[" + std::string(section) + "] " + std::string(name);
    }
};

[[nodiscard]] std::span<const Key> known_keys();

// Stores the value of one line.
//   error  refused: "varve.conf:17: [section] key: …", no such section or key (with the one that was
//          probably meant), or a wrong value
[[nodiscard]] base::Result<void> take_line(Draft& draft, const std::string& section,
                                           const std::string& key, const std::string& value);

// Checks that no required key is missing, that the keys of [source] fit its kind, and that [mail] has a
// user with each password.
//   error  refused: "varve.conf:17: [source] path …"
[[nodiscard]] base::Result<void> check_keys(const Draft& draft);

// Returns an error of kind refused.
[[nodiscard]] tl::unexpected<base::Error> wrong(std::string text);

// Returns the words between separators without the blanks around them; skips empty ones.
[[nodiscard]] std::vector<std::string> words_of(std::string_view list, char separator);

// A mail address in ASCII, alone or as "Name <name@example.org>".
[[nodiscard]] base::Result<render::Mailbox> mailbox_of(std::string_view value);
// "Person:WBPerson1983", split at the first colon.
[[nodiscard]] base::Result<tree::ObjectName> object_of(std::string_view value);
// The version of a release: "WS188".
[[nodiscard]] base::Result<std::string> version_of(std::string_view value);

}  // namespace app
