// Access to the elements of an XML document, for the rules of feeds and for tests of XML.
// SPDX-License-Identifier: MIT
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

using XmlDocument = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;
// Returns null when the bytes are not well-formed.
[[nodiscard]] XmlDocument parse_xml(std::string_view bytes);

[[nodiscard]] std::string text_of(const xmlNode* node);
[[nodiscard]] std::string attribute_of(const xmlNode* node, const char* name);
[[nodiscard]] std::string name_of(const xmlNode* node);  // with its prefix
[[nodiscard]] std::vector<const xmlNode*> children_of(const xmlNode* node);
[[nodiscard]] std::vector<const xmlNode*> children_named(const xmlNode* node,
                                                         std::string_view name);
[[nodiscard]] const xmlNode* child_named(const xmlNode* node, std::string_view name);

}  // namespace support
