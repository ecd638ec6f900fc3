// render/variables.hpp -- what fills a template: texts, and sections that are shown once for each item.
// {{name}} escapes a text; {{{name}}} inserts HTML that Varve made.
// SPDX-License-Identifier: MIT
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <utility>
#include <vector>

namespace render {

class Variables {
   public:
    // An empty text and a section without items are false: if they were left out, a template would find what
    // has the name around it.
    Variables& set(const std::string& name, const std::string& text) {
        data_[name] = text.empty() ? Data(false) : Data(text);
        return *this;
    }
    Variables& list(const std::string& name, const std::vector<Variables>& items) {
        Data list(Data::type::list);
        for (const auto& item : items) list.push_back(item.data_);
        data_[name] = items.empty() ? Data(false) : std::move(list);
        return *this;
    }
    // A section that is shown once or not at all.
    Variables& flag(const std::string& name, bool shown) {
        data_[name] = Data(shown);
        return *this;
    }

    [[nodiscard]] const kainjow::mustache::data& data() const { return data_; }

   private:
    using Data = kainjow::mustache::data;
    Data data_;
};

}  // namespace render
