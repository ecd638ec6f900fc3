// render/variables.hpp -- what a page gives its template: names and values, by kind.
// Plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace render {

// The kind decides where a template may use a variable (render/template_check.hpp).
enum class Is : unsigned char {
    text,     // plain text: {{name}}, escaped
    url,      // an http(s) or mailto URL, or one below the page: {{name}} in href too
    html,     // HTML that our code made: {{{name}}}
    section,  // {{#name}}…{{/name}}, once for each item
};

class Variables {
   public:
    struct Value {
        Is is = Is::text;
        std::string text;              // of section: empty
        std::vector<Variables> items;  // of section
    };

    Variables& text(std::string_view name, std::string value) {
        return set(name, {Is::text, std::move(value), {}});
    }
    Variables& url(std::string_view name, std::string value) {
        return set(name, {Is::url, std::move(value), {}});
    }
    Variables& html(std::string_view name, std::string value) {
        return set(name, {Is::html, std::move(value), {}});
    }
    Variables& list(std::string_view name, std::vector<Variables> items) {
        return set(name, {Is::section, {}, std::move(items)});
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
    Variables& set(std::string_view name, Value value) {
        values_.insert_or_assign(std::string(name), std::move(value));
        return *this;
    }
    std::map<std::string, Value, std::less<>> values_;
};

}  // namespace render
