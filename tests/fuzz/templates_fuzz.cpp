// A template of any bytes: it is refused, or fills pages.
// SPDX-License-Identifier: MIT
#include <string>

#include "fuzz/fuzz.hpp"
#include "render/templates.hpp"

namespace {

// Sets everything that a page may set: half of it as a section with one item.
render::Variables all_variables(const render::PageTemplate& page) {
    render::Variables variables;
    bool is_section = false;
    for (const auto* names : {&render::common_variables(), &page.variables}) {
        for (const auto name : *names) {
            if (is_section)
                variables.list(name, {render::Variables().set("text", "<&>")});
            else
                variables.set(name, "<&>");
            is_section = !is_section;
        }
    }
    return variables;
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto pages = render::page_templates();
    const auto& page = pages[bytes.size() % pages.size()];
    const auto templates =
        render::Templates::make({{std::string(page.file), std::string(bytes)}});
    if (templates) (void)templates->fill(page.file, all_variables(page));
}
