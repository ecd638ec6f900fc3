// render/templates.hpp -- the mustache templates, style sheets and script of the pages, and the
// variables that fill them. Pure: the caller reads an operator's files.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace render {

// Names and values for a template: texts, and sections that are shown once for each item.
// {{name}} escapes a text; {{{name}}} inserts HTML that Varve made.
class Variables {
   public:
    struct Value {
        std::string text;              // empty for a section
        std::vector<Variables> items;  // of a section
        bool is_section = false;
    };

    Variables& set(std::string_view name, std::string text) {
        values_.insert_or_assign(std::string(name), Value{std::move(text), {}, false});
        return *this;
    }
    Variables& list(std::string_view name, std::vector<Variables> items) {
        values_.insert_or_assign(std::string(name), Value{{}, std::move(items), true});
        return *this;
    }
    // A section that is shown once or not at all.
    Variables& flag(std::string_view name, bool shown) {
        return list(name, std::vector<Variables>(shown ? 1 : 0));
    }
    Variables& add(const Variables& others) {
        for (const auto& [name, value] : others.values_) values_[name] = value;
        return *this;
    }

    [[nodiscard]] const std::map<std::string, Value, std::less<>>& values() const {
        return values_;
    }

   private:
    std::map<std::string, Value, std::less<>> values_;
};

// By file name: "history.mustache", "style.css".
using TemplateTexts = std::map<std::string, std::string, std::less<>>;

// What the template of a page may use besides common_variables(): the variables and sections that
// the built-in one uses. docs/templates.md lists them for operators.
using TemplateNames = std::set<std::string_view>;
struct PageTemplate {
    std::string_view file;  // "history.mustache"
    TemplateNames variables;
};
[[nodiscard]] std::span<const PageTemplate> page_templates();
// The variables and sections of every page: those of the layout, the search and the subscription form,
// and what is set for operators alone.
[[nodiscard]] const TemplateNames& common_variables();

class Templates {
   public:
    // Returns the built-in templates, with those of `own` in the place of built-in ones. An
    // operator's template is trusted: the check finds mistakes, not HTML that would be unsafe.
    //   error  malformed: a file name that is not one of templates/, text that is not mustache,
    //          a variable, section or partial that the page does not have; the text names file
    //          and line
    [[nodiscard]] static base::Result<Templates> make(const TemplateTexts& own = {});

    // The text of a file that is sent as it is: style.css, feed.css, varve.js,
    // json-feed.txt.
    [[nodiscard]] const std::string& file(std::string_view name) const;
    // Of all texts; part of the addresses of files.
    [[nodiscard]] const std::string& digest() const;

    // Fills a template.
    //   file       one of page_templates()
    //   variables  missing ones are empty
    [[nodiscard]] std::string fill(std::string_view file, const Variables& variables) const;

    struct State;

   private:
    explicit Templates(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

}  // namespace render
