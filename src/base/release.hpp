// base/release.hpp -- a published version of a database, and the order of releases.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>

#include "base/date.hpp"
#include "base/text.hpp"

namespace base {

struct Release {
    std::string version;  // "WS187": 1 ... 32 characters of A-Z a-z 0-9 . _ -
    Date released_on{};
    bool operator==(const Release&) const = default;
};

// Orders by date, then by the natural order of the version (WS99 before WS100).
[[nodiscard]] inline std::strong_ordering operator<=>(const Release& a, const Release& b) {
    if (const auto by_date = a.released_on <=> b.released_on; by_date != 0) return by_date;
    return natural_compare(a.version, b.version) <=> 0;
}

inline constexpr std::size_t longest_version = 32;  // bytes
// Versions appear in URLs, file names and keys, so other texts are refused when they are read.
[[nodiscard]] inline bool is_version(std::string_view text) {
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !text.empty() && text.size() <= longest_version && text.front() != '.' &&
           text.front() != '-' && text.find_first_not_of(allowed) == std::string_view::npos;
}

// What the digest of a build begins with that a running database holds.
inline constexpr std::string_view server_digest = "server:";

// Returns true when two digests of builds cannot be of one build. The digest of files and that of
// a server say nothing about each other.
[[nodiscard]] inline bool contradict(std::string_view a, std::string_view b) {
    return a != b && a.starts_with(server_digest) == b.starts_with(server_digest);
}

}  // namespace base
