// SPDX-License-Identifier: MIT
#include "support/xml_rules.hpp"

namespace support {
namespace {

std::string owned(xmlChar* text) {
    const std::unique_ptr<xmlChar, void (*)(void*)> kept(text, [](void* p) { xmlFree(p); });
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

XmlDocument parse_xml(std::string_view bytes) {
    return {xmlReadMemory(bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr,
                          XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING),
            xmlFreeDoc};
}

std::string text_of(const xmlNode* node) { return owned(xmlNodeGetContent(node)); }

std::string attribute_of(const xmlNode* node, const char* name) {
    return owned(xmlGetNoNsProp(node, reinterpret_cast<const xmlChar*>(name)));
}

std::string name_of(const xmlNode* node) {
    const std::string local = reinterpret_cast<const char*>(node->name);
    if (node->ns == nullptr || node->ns->prefix == nullptr) return local;
    return reinterpret_cast<const char*>(node->ns->prefix) + (":" + local);
}

std::vector<const xmlNode*> children_of(const xmlNode* node) {
    std::vector<const xmlNode*> children;
    for (const auto* child = node->children; child != nullptr; child = child->next)
        if (child->type == XML_ELEMENT_NODE) children.push_back(child);
    return children;
}

std::vector<const xmlNode*> children_named(const xmlNode* node, std::string_view name) {
    auto children = children_of(node);
    std::erase_if(children, [name](const auto* child) { return name_of(child) != name; });
    return children;
}

const xmlNode* child_named(const xmlNode* node, std::string_view name) {
    const auto children = children_named(node, name);
    return children.empty() ? nullptr : children.front();
}

}  // namespace support
