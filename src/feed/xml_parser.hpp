// feed/xml_parser.hpp -- libxml2 as a source of tags and texts, with limits for hostile documents.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <libxml/parser.h>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace feed {

[[nodiscard]] inline std::string_view view_of(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

// One attribute: five pointers for local name, prefix, URI, and begin and end of the value.
class XmlAttribute {
   public:
    XmlAttribute(const xmlChar** all, int index)
        : parts_(all + 5 * static_cast<std::ptrdiff_t>(index)) {}

    [[nodiscard]] std::string_view name() const { return view_of(parts_[0]); }
    [[nodiscard]] std::string_view prefix() const { return view_of(parts_[1]); }
    // Returns the value, cut at a character. libxml2 leaves &amp; as &#38; where it does not substitute entities.
    [[nodiscard]] std::string value(std::size_t most) const {
        constexpr std::string_view reference = "&#38;";
        const std::string_view written(reinterpret_cast<const char*>(parts_[3]),
                                       static_cast<std::size_t>(parts_[4] - parts_[3]));
        auto rest = base::cut_at(written, most);
        std::string value;
        value.reserve(rest.size());
        for (auto at = rest.find(reference); at != std::string_view::npos;
             at = rest.find(reference)) {
            value.append(rest.substr(0, at)).append("&");
            rest.remove_prefix(at + reference.size());
        }
        return value.append(rest);
    }

   private:
    const xmlChar** parts_;
};

// Receives the tags and texts of a document.
class XmlHandler {
   public:
    XmlHandler() = default;
    XmlHandler(const XmlHandler&) = delete;
    XmlHandler& operator=(const XmlHandler&) = delete;
    virtual ~XmlHandler() = default;

    struct Tag {
        std::string_view local, prefix;
        const xmlChar* uri;  // of its namespace; equal ones are one pointer; null: none
        const xmlChar** attributes;
        int attribute_count;
    };
    virtual void start(const Tag& tag) = 0;
    virtual void end(std::string_view local) = 0;
    virtual void text(std::string_view text) = 0;
};

// Parses a document as far as it can be parsed. Loads nothing and expands no entity. Stops at the tag with which the
// document has more than 20,000 names, or more than 100 namespaces at once: libxml2 compares each with all others.
//   text     after mend_xml()
//   returns  whether it is well-formed and was read to its end
bool parse_xml(std::string_view text, XmlHandler& handler);

}  // namespace feed
