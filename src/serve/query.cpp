// SPDX-License-Identifier: MIT
#include "serve/query.hpp"

#include <algorithm>
#include <array>

#include "base/release.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace serve {

namespace {

constexpr std::array<std::string_view, 5> feed_parameters = {"class", "name", "n", "since",
                                                             "format"};

// How a parameter is named to people.
std::string parameter(std::string_view name) { return std::string(name) + "="; }

bool holds_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

Answered<std::string> decode_value(std::string_view name, std::string_view raw) {
    auto value = base::percent_decode(raw, base::Plus::is_space);
    if (!value) return refuse(400, parameter(name) + " has an invalid percent escape.");
    if (holds_control(*value)) return refuse(400, parameter(name) + " has a control character.");
    if (!base::is_legal_text(*value)) return refuse(400, parameter(name) + " is not UTF-8.");
    return std::move(*value);
}

// The name of a parameter if it is one of `known`, whichever of its letters were escaped.
std::optional<std::string_view> known_name(std::string_view raw,
                                           std::span<const std::string_view> known) {
    constexpr std::size_t longest_escaped = 3 * 16;
    if (raw.size() > longest_escaped) return std::nullopt;
    const auto name = base::percent_decode(raw, base::Plus::is_space);
    if (!name) return std::nullopt;
    const auto found = std::find(known.begin(), known.end(), *name);
    if (found == known.end()) return std::nullopt;
    return *found;
}

// Takes one "name=value" of the query into `parameters`, if it is known.
std::optional<Refusal> take(std::string_view part, std::span<const std::string_view> known,
                            Parameters& parameters) {
    const auto equals = part.find('=');
    const auto name = known_name(part.substr(0, equals), known);
    if (!name) return std::nullopt;
    const auto raw = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    auto value = decode_value(*name, raw);
    if (!value) return value.error();
    if (!parameters.emplace(*name, std::move(*value)).second)
        return Refusal{400, parameter(*name) + " is given twice.", {}};
    return std::nullopt;
}

std::string value_of(const Parameters& parameters, std::string_view name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string() : found->second;
}

Answered<history::ObjectName> object_in(const Parameters& parameters) {
    history::ObjectName object{value_of(parameters, "class"), value_of(parameters, "name")};
    if (object.class_name.empty() && object.name.empty())
        return refuse(400, "class= and name= are missing.");
    if (object.class_name.empty()) return refuse(400, "class= is missing.");
    if (object.name.empty()) return refuse(400, "name= is missing.");
    if (object.class_name.size() > longest_class)
        return refuse(400, "class= is longer than 64 bytes.");
    if (object.name.size() > longest_name) return refuse(400, "name= is longer than 512 bytes.");
    return object;
}

Answered<history::Window> window_in(const Parameters& parameters, std::size_t most_items) {
    history::Window window{.most = std::min(default_items, most_items), .since = ""};
    if (const auto n = parameters.find("n"); n != parameters.end()) {
        const auto count = base::parse_integer(n->second);
        if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > most_items)
            return refuse(400, "n= is no number from 1 to " + std::to_string(most_items) + ".");
        window.most = static_cast<std::size_t>(*count);
    }
    if (const auto since = parameters.find("since"); since != parameters.end()) {
        if (!base::is_version(since->second))
            return refuse(400, "since= is no version of a release.");
        window.since = since->second;
    }
    return window;
}

Answered<std::string> format_in(const Parameters& parameters) {
    const auto format = parameters.find("format");
    if (format == parameters.end()) return std::string();
    if (format->second == "rss") return format->second;
    if (format->second == "atom" || format->second == "json")
        return refuse(406, "format=" + format->second + " is not offered; format=rss is.");
    return refuse(400, "format= is none of the formats known: rss.");
}

}  // namespace

Answered<Parameters> parse_query(std::string_view query,
                                 std::span<const std::string_view> known) {
    if (query.size() > longest_query)
        return refuse(414,
                      "The query is longer than " + std::to_string(longest_query) + " bytes.");
    Parameters parameters;
    std::size_t count = 0;
    while (!query.empty()) {
        const auto end = query.find_first_of("&;");
        const auto part = query.substr(0, end);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        if (part.empty()) continue;
        if (++count > most_parameters)
            return refuse(400, "There are more than " + std::to_string(most_parameters) +
                                   " parameters.");
        if (auto refusal = take(part, known, parameters))
            return tl::unexpected<Refusal>(std::move(*refusal));
    }
    return parameters;
}

Answered<FeedQuery> parse_feed_query(std::string_view query, std::size_t most_items) {
    const auto parameters = parse_query(query, feed_parameters);
    if (!parameters) return tl::unexpected<Refusal>(parameters.error());
    auto object = object_in(*parameters);
    if (!object) return tl::unexpected<Refusal>(object.error());
    auto window = window_in(*parameters, most_items);
    if (!window) return tl::unexpected<Refusal>(window.error());
    auto format = format_in(*parameters);
    if (!format) return tl::unexpected<Refusal>(format.error());
    return FeedQuery{std::move(*object), std::move(*window), parameters->contains("n"),
                     std::move(*format)};
}

std::string to_text(const FeedQuery& query) {
    std::string text = "class=" + base::percent_encode(query.object.class_name) +
                       "&name=" + base::percent_encode(query.object.name);
    if (query.says_most) text += "&n=" + std::to_string(query.window.most);
    if (!query.window.since.empty()) text += "&since=" + query.window.since;
    if (!query.format.empty()) text += "&format=" + query.format;
    return text;
}

}  // namespace serve
