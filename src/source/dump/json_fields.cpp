// SPDX-License-Identifier: MIT
#include "source/dump/json_fields.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/utf8.hpp"

namespace source::dump {
namespace {

using Json = simdjson::dom::element;

// A key whose value is a string, and what is said when it is none.
struct Key {
    std::string_view name;
    std::optional<std::string_view> JsonFields::* value;
    const char *twice, *no_string;
};
constexpr std::array<Key, 5> keys = {
    {{"class", &JsonFields::class_name, "\"class\" stands twice", "\"class\" is no string"},
     {"name", &JsonFields::name, "\"name\" stands twice", "\"name\" is no string"},
     {"stamp", &JsonFields::stamp, "\"stamp\" stands twice", "\"stamp\" is no string"},
     {"at", &JsonFields::at, "\"at\" stands twice", "\"at\" is no string"},
     {"by", &JsonFields::by, "\"by\" stands twice", "\"by\" is no string"}}};

const char* take(std::string_view name, const Json& value, JsonFields& fields, bool& has_tree) {
    if (name == "tree") {
        if (std::exchange(has_tree, true)) return "\"tree\" stands twice";
        if (!value.is_array()) return "\"tree\" is no array";
        fields.tree = value;
        return nullptr;
    }
    const auto* key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& one) { return one.name == name; });
    if (key == keys.end()) return nullptr;  // a later version's
    auto& into = fields.*key->value;
    if (into) return key->twice;
    return value.get(into.emplace()) == simdjson::SUCCESS ? nullptr : key->no_string;
}

const char* read_strings(const Json& json, JsonFields& fields, bool& has_tree) {
    simdjson::dom::object object;
    if (json.get(object) != simdjson::SUCCESS) return "no JSON object";
    for (const auto& field : object)
        if (const auto* what = take(field.key, field.value, fields, has_tree)) return what;
    if (!fields.class_name) return "no \"class\"";
    if (!fields.name) return "no \"name\"";
    if (fields.class_name->empty()) return "an empty \"class\"";
    if (fields.name->empty()) return "an empty \"name\"";
    return nullptr;
}

// Behind the string, number or word that begins at `at`; npos when it does not end in `text`, or
// is an array or object.
std::size_t end_of_scalar(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] == '{' || text[at] == '[') return std::string_view::npos;
    if (text[at] != '"') return text.find_first_of(",}", at);
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at < text.size() ? at + 1 : std::string_view::npos;
}

// How much of `head` is a start of an object with whole fields of strings, numbers and words.
std::size_t whole_fields(std::string_view head) {
    constexpr std::string_view blanks = " \t\r";
    auto at = head.find_first_not_of(blanks);
    std::size_t whole = 0;
    if (at == std::string_view::npos || head[at] != '{') return whole;
    do {
        at = end_of_scalar(head, head.find_first_not_of(blanks, at + 1));
        at = head.find_first_not_of(blanks, at);
        if (at == std::string_view::npos || head[at] != ':') return whole;
        at = end_of_scalar(head, head.find_first_not_of(blanks, at + 1));
        if (at == std::string_view::npos) return whole;
        whole = at;
        at = head.find_first_not_of(blanks, at);
    } while (at != std::string_view::npos && head[at] == ',');
    return whole;
}

}  // namespace

const char* read_fields(const Json& json, JsonFields& fields) {
    bool has_tree = false;
    if (const auto* what = read_strings(json, fields, has_tree)) return what;
    return has_tree ? nullptr : "no \"tree\"";
}

tree::ObjectName id_of(const JsonFields& fields) {
    return {base::legal_text(*fields.class_name), base::legal_text(*fields.name)};
}

std::optional<tree::ObjectName> id_in_head(std::string_view head) {
    const auto text = std::string(head.substr(0, whole_fields(head))) + '}';
    simdjson::dom::parser parser;
    Json json;
    JsonFields fields;
    bool has_tree = false;
    if (parser.parse(text).get(json) != simdjson::SUCCESS) return std::nullopt;
    if (read_strings(json, fields, has_tree) != nullptr) return std::nullopt;
    return id_of(fields);
}

}  // namespace source::dump
