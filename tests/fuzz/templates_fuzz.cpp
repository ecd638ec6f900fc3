// A template of any bytes: it is refused, or fills pages.
// SPDX-License-Identifier: MIT
#include <string>

#include "fuzz/fuzz.hpp"
#include "render/templates.hpp"
#include "render/variables.hpp"

namespace {

// Sets everything that a page may set: half of it as a section with one item.
render::Variables all_variables() {
    render::Variables variables;
    bool is_section = false;
    for (const auto name : render::template_variables()) {
        if (is_section)
            variables.list(std::string(name), {render::Variables().set("text", "<&>")});
        else
            variables.set(std::string(name), "<&>");
        is_section = !is_section;
    }
    return variables;
}

}  // namespace

void fuzz(std::string_view bytes) {
    constexpr std::string_view file = "error.mustache";
    const auto templates = render::Templates::make({{std::string(file), std::string(bytes)}});
    if (templates) (void)templates->fill(file, all_variables());
}
