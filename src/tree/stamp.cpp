// SPDX-License-Identifier: MIT
#include "tree/stamp.hpp"

#include <array>

namespace tree {

std::optional<Stamp> parse_stamp(std::string_view text) {
    constexpr std::size_t time_size = 19;  // YYYY-MM-DD_hh:mm:ss
    if (text.size() < time_size + 2 || text[10] != '_') return std::nullopt;
    std::array<char, time_size> time{};
    text.copy(time.data(), time_size);
    time[10] = 'T';
    const auto at = base::parse_rfc3339({time.data(), time_size});
    if (!at) return std::nullopt;
    auto rest = text.substr(time_size);
    if (rest.front() == '.') {
        const auto end = rest.find_first_not_of("0123456789", 1);
        if (end == 1 || end == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(end);
    }
    if (rest.size() < 2 || rest.front() != '_') return std::nullopt;
    return Stamp{*at, rest.substr(1)};
}

std::string stamp_text(base::Seconds at, std::string_view by) {
    std::string text = base::format_rfc3339(at);
    text[10] = '_';
    text.back() = '_';
    return text + std::string(by);
}

}  // namespace tree
