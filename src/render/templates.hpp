// render/templates.hpp -- the mustache templates, style sheets and script of the pages. Pure: the caller
// reads an operator's files.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace render {

class Variables;

// By file name: "history.mustache", "style.css".
using TemplateTexts = std::map<std::string, std::string, std::less<>>;

// The variables and sections that templates may use: those of the built-in ones, and what is set for operators
// alone. docs/templates.md lists them by page.
[[nodiscard]] const std::set<std::string_view>& template_variables();

class Templates {
   public:
    // Returns the built-in templates, with those of `own` in the place of built-in ones. An
    // operator's template is trusted: the check finds mistakes, not HTML that would be unsafe.
    //   error  malformed: a file name that is not one of templates/, text that is not mustache,
    //          a variable, section or partial that there is not; the text names the file, and the line
    //          of a name
    [[nodiscard]] static base::Result<Templates> make(const TemplateTexts& own = {});

    // The text of a file that is sent as it is: style.css, feed.css, varve.js,
    // json-feed.txt.
    [[nodiscard]] const std::string& file(std::string_view name) const;
    // Of all texts; part of the addresses of files.
    [[nodiscard]] const std::string& digest() const;

    // Fills a template.
    //   file       of a page or the layout
    //   variables  missing ones are empty
    [[nodiscard]] std::string fill(std::string_view file, const Variables& variables) const;

   private:
    struct State;
    explicit Templates(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

}  // namespace render
