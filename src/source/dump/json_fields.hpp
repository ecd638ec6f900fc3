// source/json_fields.hpp -- the keys of a line of JSON Lines, before its nodes are looked at.
// Pure. Views last as long as the text or the parser.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <simdjson.h>
#include <string_view>

#include "tree/object.hpp"

namespace source::dump {

struct JsonFields {
    std::optional<std::string_view> class_name, name, stamp, at, by;
    simdjson::dom::element tree;
};

// What is wrong with the object `json`, or nullptr: then class and name are there and not empty,
// and `tree` is an array.
[[nodiscard]] const char* read_fields(const simdjson::dom::element& json, JsonFields& fields);

// needs  read_fields found nothing wrong
[[nodiscard]] tree::ObjectName id_of(const JsonFields& fields);

// Class and name in the first bytes of a line that is not held, where they stand there with
// nothing but strings and numbers before them.
[[nodiscard]] std::optional<tree::ObjectName> id_in_head(std::string_view head);

}  // namespace source::dump
