// SPDX-License-Identifier: MIT
#include "serve/parameters.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace serve {

namespace {

using tree::longest_class;
using tree::longest_name;
constexpr std::string_view list_parameter = "object";
constexpr std::string_view pasted_parameter = "pasted";

// Returns the name of a parameter as error texts show it.
std::string shown(std::string_view name) { return std::string(name) + "="; }

std::string in_bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

Result<std::string> decode_value(std::string_view name, std::string_view raw) {
    auto value = base::percent_decode(raw, base::Plus::is_space);
    if (!value) return fail(400, shown(name) + " has an invalid percent escape.");
    // The name of an object may have several lines, and so may the text by which it is searched for.
    const bool is_name =
        name == "name" || name == "q" || name == list_parameter || name == pasted_parameter;
    const bool is_legal = base::is_legal_text(*value);
    if (has_control_character(*value) && !(is_name && is_legal))
        return fail(400, shown(name) + " contains a control character.");
    if (!is_legal) return fail(400, shown(name) + " is not valid UTF-8.");
    return std::move(*value);
}

// Returns the decoded name of a parameter if it is one of `known`.
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

// Removes the first "name=value" from a query and returns it.
std::string_view next_parameter(std::string_view& query) {
    const auto end = query.find_first_of("&;");
    const auto part = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    return part;
}

std::string_view raw_value_of(std::string_view part) {
    const auto equals = part.find('=');
    return equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
}

// Adds one "name=value" to `parameters` if the name is known.
std::optional<HttpError> add_parameter(std::string_view part,
                                       std::span<const std::string_view> known,
                                       Parameters& parameters) {
    const auto name = known_name(part.substr(0, part.find('=')), known);
    if (!name) return std::nullopt;
    auto value = decode_value(*name, raw_value_of(part));
    if (!value) return value.error();
    auto& values = parameters.values[std::string(*name)];
    if (!values.empty() && *name != list_parameter && *name != pasted_parameter)
        return HttpError{400, shown(*name) + " is given more than once."};
    values.push_back(std::move(*value));
    return std::nullopt;
}

// Decodes valid escapes and leaves the others as they are.
std::string decoded_loosely(std::string_view text) {
    std::string decoded;
    while (!text.empty()) {
        const auto count = text.front() == '%' ? std::min<std::size_t>(3, text.size()) : 1;
        const auto part = text.substr(0, count);
        const auto byte = base::percent_decode(part, base::Plus::is_space);
        decoded += byte ? *byte : std::string(1, text.front());
        text.remove_prefix(byte ? count : 1);
    }
    return decoded;
}

// Finds "token" in the name of a parameter, and in what may be the name of another one in its value.
bool may_hold_token(std::string_view parameter) {
    const auto once = decoded_loosely(parameter);
    const auto text = base::fold_ascii(decoded_loosely(once));
    const auto token = text.find("token");
    if (token == std::string::npos) return false;
    return text.find('=') == std::string::npos || text.find('=', token) != std::string::npos;
}

}  // namespace

Result<tree::ObjectName> parse_object(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
        return fail(400, "object=" + std::string(base::cut_at(text, 80)) +
                             " is not of the form CLASS:NAME.");
    tree::ObjectName object{text.substr(0, colon), text.substr(colon + 1)};
    if (object.class_name.size() > longest_class)
        return fail(400,
                    "object= contains a class name longer than " + in_bytes(longest_class) + ".");
    if (object.name.size() > longest_name)
        return fail(400, "object= contains an object name longer than " + in_bytes(longest_name) +
                             ".");
    return object;
}

std::string without_token(std::string_view query) {
    std::string kept;
    while (!query.empty()) {
        const auto before = query;
        const auto part = next_parameter(query);
        if (!may_hold_token(part)) kept += before.substr(0, before.size() - query.size());
    }
    while (kept.ends_with('&') || kept.ends_with(';')) kept.pop_back();
    if (kept.size() > longest_logged) kept.resize(longest_logged);
    return kept;
}

tl::unexpected<HttpError> too_long(std::string_view name, std::size_t longest) {
    return fail(400, shown(name) + " is longer than " + in_bytes(longest) + ".");
}

std::span<const std::string> Parameters::all(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::span<const std::string>() : found->second;
}

const std::string* Parameters::find(std::string_view name) const {
    const auto given = all(name);
    return given.empty() ? nullptr : &given.front();
}

Result<Parameters> parse_query(std::string_view query, std::span<const std::string_view> known) {
    const bool lists = std::find(known.begin(), known.end(), list_parameter) != known.end();
    const auto longest = lists ? longest_list_query : longest_query;
    if (query.size() > longest)
        return fail(414, "The query is longer than " + std::to_string(longest) + " bytes.");
    Parameters parameters;
    std::size_t count = 0;
    while (!query.empty()) {
        const auto part = next_parameter(query);
        if (part.empty()) continue;
        if (++count > most_parameters)
            return fail(400, "The query has more than " + std::to_string(most_parameters) +
                                 " parameters.");
        if (auto error = add_parameter(part, known, parameters)) return fail(std::move(*error));
    }
    return parameters;
}

Extracted extract_parameter(std::string_view query, std::string_view name) {
    Extracted extracted;
    const std::string_view one[] = {name};
    while (!query.empty()) {
        const auto before = query;
        const auto part = next_parameter(query);
        if (known_name(part.substr(0, part.find('=')), one)) {
            extracted.values.push_back(
                base::percent_decode(raw_value_of(part), base::Plus::is_space).value_or(""));
            continue;
        }
        extracted.rest += before.substr(0, before.size() - query.size());
    }
    // Without the separator of a last parameter that was removed.
    if (!extracted.values.empty() &&
        (extracted.rest.ends_with('&') || extracted.rest.ends_with(';')))
        extracted.rest.pop_back();
    return extracted;
}

}  // namespace serve
