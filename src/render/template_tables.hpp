// render/template_tables.hpp -- which templates there are, and which variables each may use.
// docs/templates.md tells operators the same.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "render/variables.hpp"

namespace render {

struct Known {
    std::string_view name;
    Is is;
    std::string_view in = {};  // the section it stands in; empty: everywhere
};

struct Template {
    std::string_view file;         // "history.mustache"
    std::span<const Known> known;  // beside those that all templates know
};
[[nodiscard]] std::span<const Template> page_templates();

// What all page templates know.
[[nodiscard]] std::span<const Known> known_everywhere();

// Files that pages include as {{> search}}, and files that are sent as they are.
[[nodiscard]] bool is_partial(std::string_view file);
[[nodiscard]] bool is_sent_as_it_is(std::string_view file);

}  // namespace render
