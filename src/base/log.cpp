// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <algorithm>
#include <atomic>
#include <unistd.h>
#include <utf8.h>

#include "base/date.hpp"
#include "base/utf8.hpp"

namespace base::log {
namespace {

std::atomic<int> sink{2};
std::atomic<Level> threshold{Level::info};

constexpr std::string_view name_of(Level level) {
    switch (level) {
        case Level::debug: return "debug";
        case Level::info: return "info";
        case Level::warning: return "warning";
        case Level::error: return "error";
    }
    return "?";
}

// Returns the bytes of the first character; 0 when they are not UTF-8.
std::size_t character_size(std::string_view text) {
    for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size)
        if (const auto character = text.substr(0, size);
            utf8::is_valid(character.begin(), character.end()))
            return size;
    return 0;
}

// True for control characters (C0, DEL, C1), the separators of lines and paragraphs, and what turns direction.
bool begins_line_or_controls(std::string_view character) {
    const auto* at = character.data();
    const auto code = static_cast<char32_t>(utf8::unchecked::next(at));
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           turns_direction(code);
}

// Quotes a value with other than plain characters. Control characters never reach a terminal, and
// bytes that are not UTF-8 do not either.
void append_value(std::string& line, std::string_view value) {
    constexpr std::string_view special = " =\"\\";
    const auto is_plain = [&](char c) {
        return c > 0x20 && c != 0x7F && special.find(c) == std::string_view::npos;
    };
    bool plain = !value.empty();
    for (const char c : value) plain = plain && is_plain(c);
    if (plain) {
        line += value;
        return;
    }
    line += '"';
    while (!value.empty()) {
        const auto size = character_size(value);
        const auto character = value.substr(0, size);
        if (size == 0 || begins_line_or_controls(character)) {
            line += '?';
        } else {
            if (character == "\"" || character == "\\") line += '\\';
            line += character;
        }
        value.remove_prefix(std::max<std::size_t>(size, 1));
    }
    line += '"';
}

}  // namespace

std::string line_of(std::string_view begin, Fields fields) {
    std::string line(begin);
    for (const auto& [key, value] : fields) {
        line += ' ';
        line += key;
        line += '=';
        append_value(line, value);
    }
    line += '\n';
    return line;
}

void write(Level level, std::string_view what, Fields fields) {
    if (level < threshold.load(std::memory_order_relaxed)) return;
    std::string begin = format_rfc3339(system_clock_now());
    begin += " level=";
    begin += name_of(level);
    begin += " msg=";
    append_value(begin, what);
    const auto line = line_of(begin, fields);
    // A log that cannot be written must not stop the program.
    [[maybe_unused]] const auto written = ::write(sink, line.data(), line.size());
}

void send_to(int descriptor, Level least) {
    sink = descriptor;
    threshold = least;
}

}  // namespace base::log
