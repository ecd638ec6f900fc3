// HTML of any bytes from the notes of the first system: what is shown is well-formed, and has
// nothing but text, <br> and links to web addresses.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-adopted_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <libxml/parser.h>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/adopted.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

std::string_view view_of(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

void check_link(const xmlNode* link) {
    for (const auto* attribute = link->properties; attribute; attribute = attribute->next) {
        require(view_of(attribute->name) == "href" || view_of(attribute->name) == "rel");
        if (view_of(attribute->name) != "href" || !attribute->children) continue;
        const auto url = base::fold_ascii(view_of(attribute->children->content));
        require(url.starts_with("http://") || url.starts_with("https://"));
    }
}

void check_nodes(const xmlNode* node) {
    for (; node; node = node->next) {
        if (node->type == XML_TEXT_NODE) continue;
        require(node->type == XML_ELEMENT_NODE);
        if (view_of(node->name) == "a")
            check_link(node);
        else
            require(!node->properties);
        check_nodes(node->children);
    }
}

// As XML, <br> needs an end.
std::string as_xml(const std::string& html) {
    constexpr std::string_view line_break = "<br>";
    std::string xml = "<div>";
    for (std::size_t at = 0; at < html.size(); ++at) {
        xml += html[at];
        if (html.compare(at, line_break.size(), line_break) == 0) {
            xml += "br/>";
            at += line_break.size() - 1;
        }
    }
    return xml + "</div>";
}

void check(const std::string& html) {
    require(base::is_legal_text(html));
    const auto document = as_xml(html);
    const std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> parsed(
        xmlReadMemory(document.data(), static_cast<int>(document.size()), nullptr, "UTF-8",
                      XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET | XML_PARSE_HUGE),
        xmlFreeDoc);
    require(parsed != nullptr);
    check_nodes(xmlDocGetRootElement(parsed.get()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view foreign(reinterpret_cast<const char*>(data), size);
    std::string html;
    render::append_allowed(html, foreign);
    check(html);
    tables::Row row;
    row.kind = tables::RowKind::adopted;
    row.notes.adopted_html = foreign;
    render::Site site;
    for (const bool hides : {false, true}) {
        site.hide_curators = hides;
        std::string notes;
        const bool whole = render::append_adopted(notes, row, 100, site);
        check(notes);
        require(whole || notes.find("…") != std::string::npos);
    }
    return 0;
}
