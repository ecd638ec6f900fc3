// Recorded conversations with AceDB 4.9.62 (tests/data/wire).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/dumps.hpp"

namespace recordings {

inline const std::string folder = "tests/data/wire/";

// Returns the body after the nth `## title -> …` in a file of replies, up to the next `## `.
inline std::string reply_in(const std::string& file, const std::string& title, int nth = 1) {
    const auto text = dumps::read(folder + file);
    auto head = text.find("## " + title + " -> ");
    while (--nth > 0) head = text.find("## " + title + " -> ", head + 1);
    INFO(title);
    REQUIRE(head != std::string::npos);
    const auto begin = text.find('\n', head) + 1;
    auto reply = text.substr(begin, text.find("\n## ", begin) - begin) + '\n';
    // A blank line separates it from the next one.
    while (reply.ends_with("Active Objects\n\n") || reply.ends_with("\n\n\n")) reply.pop_back();
    return reply;
}

// One write that was seen on the wire. Only its first 4,096 bytes were kept.
struct Seen {
    bool by_client = false;
    std::size_t size = 0;
    std::string bytes;
};

// Returns the writes of a hexlog.
inline std::vector<Seen> seen_in(const std::string& file) {
    std::vector<Seen> all;
    std::size_t at = 0;
    const auto text = dumps::read(folder + file);
    while (at < text.size()) {
        const auto line = std::string_view(text).substr(at, text.find('\n', at) - at);
        at += line.size() + 1;
        if (line.ends_with(" EOF")) continue;
        if (!line.starts_with(' ')) {
            all.push_back({line.starts_with("C"), std::stoul(std::string(line.substr(5))), {}});
            continue;
        }
        constexpr std::size_t bytes_at = 9, bytes_in_line = 16;
        const auto& want = all.back().size;
        for (std::size_t i = 0; i < bytes_in_line && all.back().bytes.size() < want; ++i) {
            const std::string hex(line.substr(bytes_at + 3 * i, 2));
            if (hex == "  ") break;
            all.back().bytes += static_cast<char>(std::stoi(hex, nullptr, 16));
        }
    }
    return all;
}

}  // namespace recordings
