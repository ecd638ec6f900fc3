// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <atomic>
#include <unistd.h>

#include "base/date.hpp"
#include "base/log_file.hpp"

namespace base::log {
namespace {

constexpr int to_file = -1;
std::atomic<int> sink{2};  // a descriptor, or to_file
std::atomic<Level> threshold{Level::info};

LogFile file;

constexpr std::string_view name_of(Level level) {
    switch (level) {
        case Level::debug: return "debug";
        case Level::info: return "info";
        case Level::warning: return "warning";
        case Level::error: return "error";
    }
    return "?";
}

// Quoted when it holds more than plain characters; control characters never reach a terminal.
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
    for (const char c : value) {
        if (c == '"' || c == '\\') line += '\\';
        line += (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) ? '?' : c;
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
    const int descriptor = sink.load();
    if (descriptor == to_file) {
        file.write(line);
        return;
    }
    // A log that can't be written must not stop the program; there is nobody left to tell.
    [[maybe_unused]] const auto written = ::write(descriptor, line.data(), line.size());
}

void send_to(int descriptor, Level least) {
    sink = descriptor;
    threshold = least;
    file.close();
}

Result<void> send_to_file(const std::string& path, Level least) {
    if (const auto opened = file.open(path); !opened) return opened;
    sink = to_file;
    threshold = least;
    return {};
}

}  // namespace base::log
