// base/json.hpp -- the writer of all JSON that leaves the program.
//   std::string text;
//   base::JsonWriter json(text);
//   json.begin_object().field("class", "Gene").field("rows", 3);
//   json.key("path").begin_array();
//   for (const auto& cell : cells) write_json(json, cell);
//   json.end_array().end_object();  // {"class":"Gene","rows":3,"path":[…]}
// A type that others write as well has a function `write_json(JsonWriter&, const T&)` beside it
// (tree/json.hpp). Deterministic: members stand in the order of the calls. JSON is read with
// simdjson (tree::parse_json).
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Appends `text` in quotes, escaped where RFC 8259 section 7 requires it or a terminal would obey (U+0080 to U+009F,
// U+202A to U+202E, U+2066 to U+2069). Reads what is no UTF-8 as base::legal_text does, so it is always valid JSON.
void append_json_string(std::string& out, std::string_view text);

// Appends one or more JSON values to a string, with the commas between them. The caller balances
// begin and end, and calls key() before each member of an object.
class JsonWriter {
   public:
    // Requires that `out` outlives the writer. Others may append to it between two documents.
    //   indent  blanks per level; 0: no white space at all
    explicit JsonWriter(std::string& out, std::size_t indent = 0) : out_(out), indent_(indent) {}

    JsonWriter& begin_object() { return begin('{'); }
    JsonWriter& end_object() { return end('}'); }
    JsonWriter& begin_array() { return begin('['); }
    JsonWriter& end_array() { return end(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
    JsonWriter& value(double number);  // null when it is not finite
    template <std::integral Integer>
    JsonWriter& value(Integer number) {
        return raw(std::to_string(number));
    }
    JsonWriter& null() { return raw("null"); }
    // JSON that was written before, as it is.
    JsonWriter& raw(std::string_view json);

    template <class Value>
    JsonWriter& field(std::string_view name, const Value& member) {
        return key(name).value(member);
    }

   private:
    JsonWriter& begin(char bracket);
    JsonWriter& end(char bracket);
    void begin_element();  // the comma and the line before a key or a value
    void begin_line();

    std::string& out_;
    const std::size_t indent_;
    std::size_t depth_ = 0;
    bool has_elements_ = false;  // in the innermost object or array
    bool is_after_key_ = false;
};

}  // namespace base
