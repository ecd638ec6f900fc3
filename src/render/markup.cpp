// SPDX-License-Identifier: MIT
#include "render/markup.hpp"

#include <algorithm>
#include <array>
#include <utf8.h>
#include <utility>

#include "base/utf8.hpp"
#include "render/display_text.hpp"

namespace render {
namespace {

// Returns `text` itself where it is legal, else a legal copy, which `kept` owns.
std::string_view legal(std::string_view text, std::string& kept) {
    if (base::is_legal_text(text)) return text;
    kept = base::legal_text(text);
    return kept;
}

// HTML's "control character" and "noncharacter in input stream" (HTML section 13.2.3.5).
constexpr bool is_parse_error(char32_t c) {
    return c == 0x7F || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

// Stands for a byte that begins characters of which HTML may not have all.
constexpr std::string_view doubtful = "?";

// The reference for each byte in some notation; empty: the byte itself. This is a table because every
// byte of every page passes here (std::string::find_first_of took ten times as long).
class References {
   public:
    constexpr References(std::initializer_list<std::pair<char, std::string_view>> references) {
        for (std::size_t byte = ' '; byte < 0x7F; ++byte) is_plain_[byte] = true;
        for (const auto& [byte, reference] : references) {
            of_[index(byte)] = reference;
            is_plain_[index(byte)] = false;
        }
    }

    // Returns whether the text is ASCII without a reference, as most texts are: nothing has to be done.
    [[nodiscard]] bool is_plain(std::string_view text) const {
        return std::ranges::all_of(text, [&](char byte) { return is_plain_[index(byte)]; });
    }

    // Appends any text. Runs of bytes without a reference are copied whole.
    void append(std::string& out, std::string_view text) const {
        if (is_plain(text)) {
            out += text;
            return;
        }
        std::string kept;
        text = legal(text, kept);
        for (;;) {
            std::size_t at = 0;
            while (at < text.size() && of_[index(text[at])].empty()) ++at;
            out.append(text, 0, at);
            text.remove_prefix(at);
            if (text.empty()) return;
            const auto reference = of_[index(text.front())];
            auto end = text.begin();
            const auto c = static_cast<char32_t>(utf8::unchecked::next(end));
            if (reference != doubtful)
                out += reference;
            else if (is_bad_character(c) || is_parse_error(c))
                out += "&#xFFFD;";
            else
                out.append(text.begin(), end);
            text = {end, text.end()};
        }
    }

   private:
    static constexpr std::size_t index(char byte) { return static_cast<unsigned char>(byte); }

    std::array<std::string_view, 256> of_{};
    std::array<bool, 256> is_plain_{};
};

constexpr References xml_text = {
    {'&', "&#x26;"}, {'<', "&#x3C;"}, {'>', "&#x3E;"}, {'\r', "&#xD;"}};
constexpr References xml_url = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\r', "&#xD;"}};
constexpr References xml_attribute = {{'&', "&amp;"},  {'<', "&lt;"},  {'>', "&gt;"},
                                      {'"', "&quot;"}, {'\t', "&#9;"}, {'\n', "&#10;"},
                                      {'\r', "&#13;"}};
// The last ones begin U+007F … U+00BF, U+F000 and above.
constexpr References html_text = {{'&', "&amp;"},     {'<', "&lt;"},      {'>', "&gt;"},
                                  {'"', "&quot;"},    {'\'', "&#39;"},    {'\r', " "},
                                  {'\x7F', doubtful}, {'\xC2', doubtful}, {'\xEF', doubtful},
                                  {'\xF0', doubtful}, {'\xF1', doubtful}, {'\xF2', doubtful},
                                  {'\xF3', doubtful}, {'\xF4', doubtful}};

// What U+2066 to U+2069 begin with: the marks that begin isolates of direction, and the one that ends them.
constexpr std::string_view isolates = "\xE2\x81";

void append_xml_of_html(std::string& xml, std::string_view html) {
    constexpr std::string_view start = "<![CDATA[", end = "]]>";
    std::string kept;
    html = legal(html, kept);
    xml.reserve(xml.size() + html.size() + start.size() + end.size());
    xml += start;
    for (auto at = html.find(end); at != std::string_view::npos; at = html.find(end)) {
        xml.append(html, 0, at + 2);  // an end inside is torn in two sections
        xml += end;
        xml += start;
        html.remove_prefix(at + 2);
    }
    xml += html;
    xml += end;
}

void append_xhtml(std::string& xml, std::string_view html) {
    std::string kept;
    html = legal(html, kept);
    while (!html.empty()) {
        const auto open = std::min(html.find('<'), html.size());
        xml.append(html, 0, open);
        html.remove_prefix(open);
        const auto end = html.find('>');
        if (end == std::string_view::npos) break;
        const auto tag = html.substr(0, end);
        xml.append(tag).append(tag == "<br" || tag.starts_with("<meta ") ? "/>" : ">");
        html.remove_prefix(end + 1);
    }
}

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
        xml_attribute.append(xml, attribute.value);
        xml += '"';
    }
}

void append_close(std::string& xml, std::string_view name) {
    xml += "</";
    xml += name;
    xml += ">\n";
}

}  // namespace

void append_html(std::string& html, std::string_view text) {
    if (html_text.is_plain(text)) {
        html += text;
        return;
    }
    std::string kept, isolated;
    text = legal(text, kept);
    if (!base::is_isolated(text)) text = isolated = base::isolated(text);
    std::size_t depth = 0, from = 0;
    for (auto at = text.find(isolates); at != std::string_view::npos;
         at = text.find(isolates, at + isolates.size())) {
        const auto last = text[at + isolates.size()];
        const bool begins = last >= '\xA6' && last <= '\xA8', ends = last == '\xA9';
        if ((begins && depth++ == 0) || (ends && --depth == 0)) {
            html_text.append(html, text.substr(from, at - from));
            html += begins ? "<bdi>" : "</bdi>";
            from = at + isolates.size() + 1;
        }
    }
    html_text.append(html, text.substr(from));
}

void append_html_value(std::string& html, std::string_view text) { html_text.append(html, text); }

void append_declaration(std::string& xml, std::string_view style_sheet) {
    xml += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<?xml-stylesheet type=\"text/css\" href=\"";
    // As in an attribute, which also keeps "?>" out of it.
    xml_attribute.append(xml, style_sheet);
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
                    std::string_view text, Attributes attributes, Content content) {
    append_open(xml, depth, name, attributes);
    xml += '>';
    switch (content) {
        case Content::text: xml_text.append(xml, text); break;
        case Content::url: xml_url.append(xml, text); break;
        case Content::html: append_xml_of_html(xml, text); break;
        case Content::xhtml: append_xhtml(xml, text); break;
    }
    append_close(xml, name);
}

}  // namespace render
