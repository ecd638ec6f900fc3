// feed/xml_parser.hpp -- libxml2 as a source of tags and texts, with limits for hostile documents.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "feed/xml_attributes.hpp"

namespace feed {

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
