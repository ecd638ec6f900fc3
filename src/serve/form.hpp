// serve/form.hpp -- the fields of a form that a browser sends with POST, in either of its two
// encodings (HTML: application/x-www-form-urlencoded; RFC 7578: multipart/form-data). The bytes come
// from strangers.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.hpp"

namespace serve {

inline constexpr std::size_t most_form_fields = 1000;  // above: 400

struct FormField {
    std::string name;
    std::string value;  // legal text (base::is_legal_text), without a byte order mark
    bool operator==(const FormField&) const = default;
};

// The fields in the order of the body; a name may be there several times.
struct Form {
    std::vector<FormField> fields;

    // Returns the first value of this name; empty when there is none.
    [[nodiscard]] std::string_view value(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
    bool operator==(const Form&) const = default;
};

// Parses a body. Files are fields like others; their names and types are not looked at.
//   content_type  the field of the request: for multipart/form-data with its boundary
//   error         415 for another type; 400 for what is not in this encoding, for a value that is
//                 not UTF-8 text, and for too many fields
//   cost          O(body)
[[nodiscard]] Result<Form> parse_form(std::string_view content_type, std::string_view body);

}  // namespace serve
