// render/template_check.hpp -- refuses templates that would show nothing where something was
// meant, or bytes of the data where they would be taken for markup or script.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "render/template_tables.hpp"

namespace render {

// Mustache of which is known: {{text}}, {{{html}}} and {{& html}}, sections and inverted
// sections, comments, {{> partial}}. Refused, each with file and line:
//   - names that the template does not know, plain text in {{{…}}}, HTML in {{…}},
//     sections as variables; set-delimiter tags; tags and sections that are not ended
//   - variables inside of <script>, <style>, a tag outside of a quoted value, attributes that
//     are not in our list (no on…, no style); text variables where a URL belongs
//   - sections that end elsewhere than they begin (in a tag, in a value, in text)
//   file     for the message
//   known    beside known_everywhere()
//   returns  what is wrong, "history.mustache:12: …"; nullopt: nothing
[[nodiscard]] std::optional<std::string> check_template(std::string_view file,
                                                        std::string_view text,
                                                        std::span<const Known> known);

// The names of partials that a template includes, each with the place of its tag.
struct Inclusion {
    std::string name;
    std::size_t from = 0, end = 0;  // of the tag in the text
};
// The first inclusion; nullopt: none, or a tag that is not ended comes first.
[[nodiscard]] std::optional<Inclusion> first_inclusion(std::string_view text);

}  // namespace render
