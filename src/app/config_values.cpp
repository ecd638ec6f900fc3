// SPDX-License-Identifier: MIT
#include "app/config_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/release.hpp"
#include "base/text.hpp"

namespace app {
namespace {

using base::Result;

bool is_http(std::string_view url) {
    return url.starts_with("http://") || url.starts_with("https://");
}

std::string quoted(std::string_view value) { return '"' + std::string(value) + '"'; }

// "2007", "2007-03" or "2007-03-01".
bool is_date_or_part(std::string_view text) {
    const std::string whole = std::string(text) + (text.size() == 4   ? "-01-01"
                                                   : text.size() == 7 ? "-01"
                                                                      : "");
    return base::parse_date(whole).has_value();
}

}  // namespace

tl::unexpected<base::Error> wrong(std::string text) {
    return base::fail(base::Kind::refused, std::move(text));
}

Result<std::int64_t> number_of(std::string_view value, std::int64_t least, std::int64_t most) {
    const auto number = base::parse_integer(value);
    if (!number || *number < least || *number > most)
        return wrong(quoted(value) + " is no number from " + std::to_string(least) + " to " +
                     std::to_string(most));
    return *number;
}

Result<bool> truth_of(std::string_view value) {
    if (value == "yes") return true;
    if (value == "no") return false;
    return wrong(quoted(value) + " is neither yes nor no");
}

std::vector<std::string> words_of(std::string_view list, char separator) {
    std::vector<std::string> words;
    for (const auto part : base::split(list, separator))
        if (const auto word = base::trim(part); !word.empty()) words.emplace_back(word);
    return words;
}

Result<Paths> paths_of(std::string_view value) {
    Paths paths;
    for (const auto path : base::split(value, ',')) {
        auto& tags = paths.emplace_back();
        for (const auto part : base::split(path, '>')) {
            const auto tag = base::trim(part);
            if (tag.empty())
                return wrong(quoted(value) + ": paths like Identity>Name>Public_name are needed");
            tags.emplace_back(tag);
        }
    }
    return paths;
}

Result<std::string> address_template_of(std::string value) {
    if (value.empty()) return value;
    if (!is_http(value)) return wrong("no http or https address: " + quoted(value));
    for (auto at = value.find('{'); at != std::string::npos; at = value.find('{', at + 1)) {
        const auto end = value.find('}', at);
        const auto name = std::string_view(value).substr(at, end - at + 1);
        if (name != "{name}" && name != "{class}" && name != "{class_lower}")
            return wrong("unknown placeholder in " + quoted(value));
    }
    return value;
}

Result<std::string> base_url_of(std::string url) {
    if (!is_http(url)) return wrong("no http or https address: " + quoted(url));
    if (url.find_first_of("?# \"<>") != std::string::npos)
        return wrong("an address without query, fragment and blanks is needed");
    while (url.back() == '/') url.pop_back();
    return url;
}

Result<std::string> authority_of(std::string value) {
    const auto parts = base::split(value, ',');
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyz0123456789.-_@ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool fits = parts.size() == 2 && !parts[0].empty() &&
                      parts[0].find_first_not_of(allowed) == std::string_view::npos &&
                      is_date_or_part(parts[1]);
    if (!fits) return wrong("like wormbase.org,2007 is needed, a name and a date you had it");
    return value;
}

Result<tree::ObjectName> object_of(std::string_view value) {
    const auto colon = value.find(':');
    const auto class_name = base::trim(value.substr(0, colon));
    const auto name = colon == std::string_view::npos ? "" : base::trim(value.substr(colon + 1));
    if (class_name.empty() || name.empty() || class_name.size() > tree::longest_class ||
        name.size() > tree::longest_name)
        return wrong(quoted(value) + " is no object like Person:WBPerson1983");
    return tree::ObjectName{std::string(class_name), std::string(name)};
}

Result<base::Date> date_of(std::string_view value) {
    const auto day = base::parse_date(value);
    if (!day) return wrong(quoted(value) + " is no date like 2007-01-01");
    return *day;
}

Result<base::log::Level> level_of(std::string_view value) {
    using base::log::Level;
    constexpr std::array<std::pair<std::string_view, Level>, 4> levels = {
        {{"debug", Level::debug},
         {"info", Level::info},
         {"warning", Level::warning},
         {"error", Level::error}}};
    const auto* found = std::ranges::find(levels, value, [](const auto& it) { return it.first; });
    if (found == levels.end())
        return wrong(quoted(value) + " is none of debug, info, warning, error");
    return found->second;
}

Result<std::string> version_of(std::string_view value) {
    if (!base::is_version(value))
        return wrong(quoted(value) +
                     " is no version like WS188: up to 32 of letters, digits, . _ -");
    return std::string(value);
}

Result<std::string> word_of(std::string_view value) {
    const bool is_word =
        !value.empty() && std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7f; });
    if (!is_word) return wrong("one word without blanks is needed");
    return std::string(value);
}

}  // namespace app
