// SPDX-License-Identifier: MIT
#include "render/xml.hpp"

#include "render/text.hpp"

namespace render {
namespace {

// "  <name a="b"" without its end.
void append_open(std::string& xml, std::size_t depth, std::string_view name,
                 Attributes attributes) {
    xml.append(depth, ' ');
    xml += '<';
    xml += name;
    for (const auto& attribute : attributes) {
        xml += ' ';
        xml += attribute.name;
        xml += "=\"";
        append_xml_attribute(xml, attribute.value);
        xml += '"';
    }
}

void append_close(std::string& xml, std::string_view name) {
    xml += "</";
    xml += name;
    xml += ">\n";
}

}  // namespace

void append_declaration(std::string& xml, std::string_view style_sheet) {
    xml += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (style_sheet.empty()) return;
    xml += "<?xml-stylesheet type=\"text/css\" href=\"";
    // As in an attribute, which also keeps "?>" out of it.
    append_xml_attribute(xml, style_sheet);
    xml += "\"?>\n";
}

void append_start(std::string& xml, std::size_t depth, std::string_view name,
                  Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += ">\n";
}

void append_end(std::string& xml, std::size_t depth, std::string_view name) {
    xml.append(depth, ' ');
    append_close(xml, name);
}

void append_empty(std::string& xml, std::size_t depth, std::string_view name,
                  Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += "/>\n";
}

void append_element(std::string& xml, std::size_t depth, std::string_view name,
                    std::string_view text, Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += '>';
    append_xml_text(xml, text);
    append_close(xml, name);
}

void append_url_element(std::string& xml, std::size_t depth, std::string_view name,
                        std::string_view url) {
    append_open(xml, depth, name, {});
    xml += '>';
    append_xml_url(xml, url);
    append_close(xml, name);
}

void append_html_element(std::string& xml, std::size_t depth, std::string_view name,
                         std::string_view html, Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += '>';
    append_xml_of_html(xml, html);
    append_close(xml, name);
}

}  // namespace render
