// SPDX-License-Identifier: MIT
#include "support/xml_rules.hpp"

#include <regex>
#include <utf8.h>

#include "base/text.hpp"
#include "support/html_rules.hpp"

namespace support {
namespace {

std::string owned(xmlChar* text) {
    const std::unique_ptr<xmlChar, void (*)(void*)> kept(text, [](void* p) { xmlFree(p); });
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

bool matches(const std::string& text, const char* pattern) {
    return std::regex_match(text, std::regex(pattern));
}

XmlDocument parse_xml(std::string_view bytes) {
    return {xmlReadMemory(bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr,
                          XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING),
            xmlFreeDoc};
}

std::string text_of(const xmlNode* node) { return owned(xmlNodeGetContent(node)); }

bool is_xhtml(const xmlNode* node) {
    return node->ns != nullptr &&
           std::string_view(reinterpret_cast<const char*>(node->ns->href)) ==
               "http://www.w3.org/1999/xhtml";
}

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

std::string child_text(const xmlNode* node, std::string_view name) {
    const auto* child = child_named(node, name);
    return child == nullptr ? "" : text_of(child);
}

std::string href_of(const xmlNode* feed, std::string_view link_name, std::string_view rel) {
    for (const auto* link : children_named(feed, link_name))
        if (attribute_of(link, "rel") == rel) return attribute_of(link, "href");
    return {};
}

XmlDocument XmlRules::document() {
    if (bytes_.size() > 5'000'000) find("ValidatorLimit", "", std::to_string(bytes_.size()));
    if (!utf8::is_valid(bytes_.begin(), bytes_.end())) find("NotUTF8", "", "");
    if (!bytes_.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                            "<?xml-stylesheet type=\"text/css\" href=\"http"))
        find("MissingEncoding", "", std::string(bytes_.substr(0, 60)));
    auto parsed = parse_xml(bytes_);
    if (!parsed || xmlDocGetRootElement(parsed.get()) == nullptr) {
        find("SAXError", "", "not well-formed");
        return {nullptr, xmlFreeDoc};
    }
    if (parsed->intSubset != nullptr) find("InvalidDoctype", "", "");
    return parsed;
}

void XmlRules::every_element(const xmlNode* node,
                             const std::map<std::string, std::string>& namespaces,
                             const std::map<std::string, std::set<std::string>>& attributes) {
    if (is_xhtml(node)) return xhtml(node);
    for (const auto* ns = node->nsDef; ns != nullptr; ns = ns->next) {
        const std::string prefix =
            ns->prefix == nullptr ? "" : reinterpret_cast<const char*>(ns->prefix);
        const auto known = namespaces.find(prefix);
        if (known == namespaces.end() || known->second != reinterpret_cast<const char*>(ns->href))
            find("UnknownNamespace", name_of(node), prefix);
    }
    const auto known = attributes.find(name_of(node));
    for (const auto* a = node->properties; a != nullptr; a = a->next) {
        const std::string name = reinterpret_cast<const char*>(a->name);
        if (known == attributes.end() || !known->second.contains(name))
            find("UnexpectedAttribute", name_of(node), name);
        bad_characters(name, attribute_of(node, name.c_str()));
    }
    const auto children = children_of(node);
    for (const auto* child : children) every_element(child, namespaces, attributes);
    if (children.empty()) return bad_characters(name_of(node), text_of(node));
    for (const auto* child = node->children; child != nullptr; child = child->next)
        if (child->type != XML_ELEMENT_NODE && !base::trim(text_of(child)).empty())
            find("UnexpectedText", name_of(node), text_of(child));
}

void XmlRules::xhtml(const xmlNode* node) {
    static const std::map<std::string, std::set<std::string>> known = {
        {"div", {}},     {"body", {}},
        {"h1", {}},      {"h2", {}},
        {"p", {}},       {"b", {}},
        {"ul", {}},      {"li", {}},
        {"del", {}},     {"ins", {}},
        {"br", {}},      {"code", {}},
        {"a", {"href"}}, {"meta", {"name", "content"}}};
    const auto name = name_of(node);
    const auto element = known.find(name);
    if (!is_xhtml(node) || element == known.end()) return find("NotHtml", "xhtml", name);
    for (const auto* a = node->properties; a != nullptr; a = a->next)
        if (!element->second.contains(reinterpret_cast<const char*>(a->name)))
            find("UnexpectedAttribute", name, reinterpret_cast<const char*>(a->name));
    if (name == "a") full_link("xhtml", attribute_of(node, "href"));
    if (children_of(node).empty()) bad_characters(name, text_of(node));
    for (const auto* child : children_of(node)) xhtml(child);
}

void XmlRules::find(const std::string& rule, const std::string& where, const std::string& what) {
    findings_.push_back(rule + ": " + where + ": " + what.substr(0, 200));
}

// U+FFFD, and what Windows-1252 has in the place of C1.
void XmlRules::bad_characters(const std::string& where, const std::string& text) {
    for (auto at = text.begin(); at != text.end();) {
        const auto c = utf8::unchecked::next(at);
        if (c == 0xFFFD || (c >= 0x80 && c <= 0x9F)) return find("BadCharacters", where, text);
    }
}

void XmlRules::not_blank(const std::string& where, const std::string& text) {
    if (base::trim(text).empty()) find("NotBlank", where, "");
}

void XmlRules::no_html(const std::string& where, const xmlNode* node, const std::string& text) {
    if (std::regex_search(text, std::regex("</\\w+>"))) find("ContainsHTML", where, text);
    if (!std::regex_search(text, std::regex("&#?\\w|<[/a-zA-Z]"))) return;
    if (line_of(node).find("&#x") == std::string_view::npos) find("CharacterData", where, text);
}

std::string_view XmlRules::line_of(const xmlNode* node) const {
    const auto lines = base::split(bytes_, '\n');
    const auto number = static_cast<std::size_t>(xmlGetLineNo(node));
    return number == 0 || number > lines.size() ? std::string_view() : lines[number - 1];
}

void XmlRules::full_link(const std::string& where, const std::string& text) {
    if (!matches(text, "[a-zA-Z][0-9a-zA-Z+.-]*:(//)?[0-9a-zA-Z;/?:@&=+$._!~*'()%,#-]+"))
        find("InvalidFullLink", where, text);
    if (!matches(text, "https?://[^/].*")) find("InvalidLink", where, text);
}

void XmlRules::id(const std::string& where, const std::string& text) {
    if (!matches(text, "tag:([a-z0-9._-]+@)?[a-z0-9.-]+,\\d{4}(-\\d{2}(-\\d{2})?)?:"
                       "[0-9a-zA-Z;/?:@&=+$._!~*'()%,-]*"))
        find("InvalidTAG", where, text);
    if (!ids_.insert(text).second) find("DuplicateValue", where, text);
}

void XmlRules::html(const std::string& text, const std::string& id) {
    const bool is_foreign = id.find(":/feed/") != std::string::npos;
    for (const auto& finding :
         is_foreign ? findings_in_foreign_html(text) : findings_in_html(text))
        findings_.push_back(finding);
}

void XmlRules::plausible(const std::string& where, base::Seconds time) {
    if (time > now_ || time < base::Date{std::chrono::year{1990} / 1 / 1})
        find("ImplausibleDate", where, base::format_rfc3339(time));
}

void XmlRules::language(const std::string& where, const std::string& text) {
    if (!matches(text, "[a-z]{2}(-[A-Za-z]{2,8})?")) find("InvalidLanguage", where, text);
}

void XmlRules::self(const std::string& where, const std::string& href) {
    if (!url_.empty() && href != url_) find("SelfDoesntMatchLocation", where, href);
}

}  // namespace support
