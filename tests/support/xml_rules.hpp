// The rules of the W3C feed validator for every XML feed, and access to its elements.
// SPDX-License-Identifier: MIT
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"

namespace support {

using XmlDocument = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;
// Returns null when the bytes are not well-formed.
[[nodiscard]] XmlDocument parse_xml(std::string_view bytes);

[[nodiscard]] std::string text_of(const xmlNode* node);
[[nodiscard]] bool is_xhtml(const xmlNode* node);
[[nodiscard]] std::string attribute_of(const xmlNode* node, const char* name);
[[nodiscard]] std::string name_of(const xmlNode* node);  // with its prefix
[[nodiscard]] std::vector<const xmlNode*> children_of(const xmlNode* node);
[[nodiscard]] std::vector<const xmlNode*> children_named(const xmlNode* node,
                                                         std::string_view name);
[[nodiscard]] const xmlNode* child_named(const xmlNode* node, std::string_view name);
[[nodiscard]] std::string child_text(const xmlNode* node, std::string_view name);
// Returns the href of the link with this relation, or an empty text.
[[nodiscard]] std::string href_of(const xmlNode* feed, std::string_view link_name,
                                  std::string_view rel);

// Collects findings in one document.
class XmlRules {
   public:
    XmlRules(std::string_view bytes, std::string_view url, base::Seconds now)
        : bytes_(bytes), url_(url), now_(now) {}

    // Checks the document itself: size, encoding, well-formed, no DTD, one style sheet.
    //   returns  null when it cannot be read
    XmlDocument document();
    // Checks namespaces (by prefix), attributes (by element) and characters of it and all below. Where
    // there are elements of XHTML, they and all below are of a small part of it.
    void every_element(const xmlNode* node, const std::map<std::string, std::string>& namespaces,
                       const std::map<std::string, std::set<std::string>>& attributes);

    void find(const std::string& rule, const std::string& where, const std::string& what);
    void not_blank(const std::string& where, const std::string& text);
    // ContainsHTML: end tags that are seen after parsing. CharacterData: "<a" or "&#x" that the
    // document does not write as &#x3C; or &#x26;.
    void no_html(const std::string& where, const xmlNode* node, const std::string& text);
    void full_link(const std::string& where, const std::string& text);
    // A tag: URI of RFC 4151; each occurs once.
    void id(const std::string& where, const std::string& text);
    //   id  of the item: that of a source feed has HTML of others
    void html(const std::string& text, const std::string& id);
    void plausible(const std::string& where, base::Seconds time);
    void language(const std::string& where, const std::string& text);
    // Checks the address of the document, where it is known.
    void self(const std::string& where, const std::string& href);

    [[nodiscard]] std::vector<std::string> take() && { return std::move(findings_); }

   private:
    void xhtml(const xmlNode* node);
    void bad_characters(const std::string& where, const std::string& text);
    [[nodiscard]] std::string_view line_of(const xmlNode* node) const;

    std::string_view bytes_, url_;
    base::Seconds now_;
    std::set<std::string> ids_;
    std::vector<std::string> findings_;
};

[[nodiscard]] bool matches(const std::string& text, const char* pattern);

}  // namespace support
