// render/templates.hpp -- the mustache templates, style sheets and script of the pages, checked
// before they are used. Pure: who calls reads the files.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "render/variables.hpp"

namespace render {

// By file name: "history.mustache", "style.css".
using TemplateTexts = std::map<std::string, std::string, std::less<>>;

// Those of templates/, compiled in.
[[nodiscard]] const TemplateTexts& built_in_templates();

class Templates {
   public:
    // The built-in ones, each replaced by the text of its name in `own` where there is one.
    //   error  malformed: no mustache, a name that is no template's, or a variable, section or
    //          partial that its page does not know; names the file, the line and what is wrong
    //          (render/template_check.hpp)
    [[nodiscard]] static base::Result<Templates> make(const TemplateTexts& own = {});

    // The text of a file that is sent as it is: style.css, feed.css, varve.js.
    [[nodiscard]] const std::string& file(std::string_view name) const;
    // Of all texts; goes into entity tags.
    [[nodiscard]] const std::string& digest() const;

    // The template filled in, for this room.
    //   file       one of page_templates()
    //   variables  of the names and kinds that the template knows; what is not there is empty
    [[nodiscard]] std::string fill(std::string_view file, const Variables& variables) const;

    struct State;

   private:
    explicit Templates(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

}  // namespace render
