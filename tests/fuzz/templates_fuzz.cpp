// A template of any bytes: it is refused, or fills pages.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-templates_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>

#include "render/templates.hpp"

namespace {

// Sets everything that a page may set: half of it as a section with one item.
render::Variables all_variables(const render::PageTemplate& page) {
    render::Variables variables;
    bool is_section = false;
    for (const auto names : {render::common_variables(), page.variables}) {
        for (const auto name : names) {
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto& page = render::page_templates()[size % render::page_templates().size()];
    const auto templates = render::Templates::make({{std::string(page.file), text}});
    if (templates) (void)templates->fill(page.file, all_variables(page));
    return 0;
}
