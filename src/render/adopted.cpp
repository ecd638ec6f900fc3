// SPDX-License-Identifier: MIT
#include "render/adopted.hpp"

#include <algorithm>
#include <libxml/HTMLparser.h>
#include <limits>
#include <memory>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/display_text.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

struct FreeDocument {
    void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
};
using Document = std::unique_ptr<xmlDoc, FreeDocument>;

std::string_view view_of(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

//   text  legal
Document parse(const std::string& text) {
    constexpr int options = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                            HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED | HTML_PARSE_COMPACT;
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return {};
    return Document(
        htmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "UTF-8", options));
}

// Returns `url` with characters that a URL may not have as %XX. Escapes that it has stay.
std::string as_url(std::string_view url) {
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#@!$&()*+,;=%";
    std::string safe;
    for (const char c : url) {
        if (allowed.find(c) != std::string_view::npos)
            safe += c;
        else
            safe += base::percent_encode({&c, 1});
    }
    return safe;
}

// Empty if the element has no http(s) URL.
std::string url_of(xmlNode* element) {
    xmlChar* value = xmlGetProp(element, reinterpret_cast<const xmlChar*>("href"));
    auto url = as_url(base::trim(view_of(value)));
    xmlFree(value);
    return is_web_url(url) ? url : std::string();
}

class AllowedWriter {
   public:
    explicit AllowedWriter(std::string& html) : html_(html) {}

    // Recursion is safe: the parser refuses trees deeper than 256 levels.
    void write_all(xmlNode* first) {
        for (auto* node = first; node; node = node->next) {
            if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE)
                append_html(html_, view_of(node->content));
            else if (node->type == XML_ELEMENT_NODE)
                write(node);
        }
    }

   private:
    void write(xmlNode* element) {
        const auto name = view_of(element->name);
        if (name == "script" || name == "style") return;
        if (name == "br") {
            html_ += "<br>";
            return;
        }
        const auto url = name == "a" && !in_link_ ? url_of(element) : std::string();
        if (!url.empty()) {
            html_ += "<a href=\"";
            append_html(html_, url);
            html_ += "\">";
            in_link_ = true;
            write_all(element->children);
            in_link_ = false;
            html_ += "</a>";
            return;
        }
        if (!htmlTagLookup(element->name)) append_html(html_, "<" + std::string(name) + ">");
        write_all(element->children);
    }

    std::string& html_;
    bool in_link_ = false;
};

// Returns the longest beginning of at most `most` bytes; up to a <br> if there is one.
std::string_view cut_notes(std::string_view notes, std::size_t most) {
    if (notes.size() <= most) return notes;
    const auto line_break = notes.substr(0, most).rfind("<br");
    return line_break == std::string_view::npos ? base::cut_at(notes, most)
                                                : notes.substr(0, line_break);
}

// Returns the bytes of the timestamp that `text` begins with, its user included; 0: none.
std::size_t stamp_at(std::string_view text) {
    constexpr std::string_view shape = "dddd-dd-dd_dd:dd:dd";
    constexpr std::string_view ends = " \t\r\n<>()[],;\"'&";
    if (text.size() < shape.size()) return 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return 0;
    return std::min(text.find_first_of(ends, shape.size()), text.size());
}

}  // namespace

std::string without_users(std::string_view foreign) {
    constexpr std::size_t day = 10;
    std::string text;
    while (!foreign.empty()) {
        const auto size = stamp_at(foreign);
        text += foreign.substr(0, size == 0 ? 1 : day);
        foreign.remove_prefix(size == 0 ? 1 : size);
    }
    return text;
}

void append_allowed(std::string& html, std::string_view foreign) {
    // The parser would stop at a NUL, which legal text does not have.
    const auto document = parse(base::legal_text(foreign));
    if (document) AllowedWriter(html).write_all(document->children);
}

bool append_adopted(std::string& html, const tables::Row& row, std::size_t most,
                    const Site& site) {
    const std::string_view notes = row.notes.adopted_html;
    const auto shown = cut_notes(notes, most);
    append_allowed(html, site.hide_curators ? without_users(shown) : std::string(shown));
    if (shown.size() == notes.size()) return true;
    html.append(" ") += ellipsis;
    return false;
}

}  // namespace render
