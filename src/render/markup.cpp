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

// The reference for each byte in some notation; empty: the byte itself. This is a table because every
// byte of every page passes here (std::string::find_first_of took ten times as long).
class References {
   public:
    constexpr References(std::initializer_list<std::pair<char, std::string_view>> references) {
        for (unsigned byte = 0; byte < of_.size(); ++byte)
            stops_[byte] = byte < 0x20 || byte >= 0x7F ? doubtful : none;
        for (const char blank : {'\t', '\n', '\r'}) stops_[index(blank)] = none;
        for (const auto& [byte, reference] : references) {
            of_[index(byte)] = reference;
            mark(byte);
        }
    }
    // Makes next() stop at this byte too, though it has no reference.
    constexpr References& mark(char byte) {
        stops_[index(byte)] |= marked;
        return *this;
    }
    [[nodiscard]] constexpr std::string_view of(char byte) const { return of_[index(byte)]; }
    // Returns where the next byte is that has a reference or is marked; text.size(): there is none.
    [[nodiscard]] std::size_t next(std::string_view text, std::size_t from) const {
        return next(text, from, marked);
    }

    // Appends a text that is legal; runs of bytes without a reference are copied whole.
    void append_legal(std::string& out, std::string_view text) const {
        for (std::size_t run = 0;;) {
            const auto at = next(text, run);
            out.append(text, run, at - run);
            if (at == text.size()) return;
            out += of(text[at]);
            run = at + 1;
        }
    }

    // Appends any text. One walk is enough where it is ASCII.
    void append(std::string& out, std::string_view text) const {
        if (append_ascii(out, text)) return;
        std::string kept;
        append_legal(out, legal(text, kept));
    }

    // Appends a text that is ASCII and legal. Returns false for any other one, and appends nothing.
    bool append_ascii(std::string& out, std::string_view text) const {
        const auto from = out.size();
        for (std::size_t run = 0;;) {
            const auto at = next(text, run, marked | doubtful);
            out.append(text, run, at - run);
            if (at == text.size()) return true;
            if (of(text[at]).empty()) {
                out.resize(from);
                return false;
            }
            out += of(text[at]);
            run = at + 1;
        }
    }

   private:
    // Why a walk stops at a byte: it is marked; it may belong to something that is not legal.
    enum Stop : unsigned char { none = 0, marked = 1, doubtful = 2 };

    static constexpr std::size_t index(char byte) { return static_cast<unsigned char>(byte); }
    [[nodiscard]] std::size_t next(std::string_view text, std::size_t from, int stops) const {
        while (from < text.size() && (stops_[index(text[from])] & stops) == 0) ++from;
        return from;
    }

    std::array<std::string_view, 256> of_{};
    std::array<unsigned char, 256> stops_{};
};

constexpr References xml_text = {
    {'&', "&#x26;"}, {'<', "&#x3C;"}, {'>', "&#x3E;"}, {'\r', "&#xD;"}};
constexpr References xml_url = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\r', "&#xD;"}};
constexpr References xml_attribute = {{'&', "&amp;"},  {'<', "&lt;"},  {'>', "&gt;"},
                                      {'"', "&quot;"}, {'\t', "&#9;"}, {'\n', "&#10;"},
                                      {'\r', "&#13;"}};
// With marks on the bytes that begin characters which HTML may not have: U+007F … U+00BF, U+F000 and
// above.
constexpr References html_text = [] {
    References html = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                       {'"', "&quot;"}, {'\'', "&#39;"}, {'\r', " "}};
    for (const char lead : {'\x7F', '\xC2', '\xEF', '\xF0', '\xF1', '\xF2', '\xF3', '\xF4'})
        html.mark(lead);
    return html;
}();

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

void append_legal_html(std::string& html, std::string_view text) {
    for (;;) {
        const auto plain = html_text.next(text, 0);
        html.append(text, 0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return;
        if (const auto reference = html_text.of(text.front()); !reference.empty()) {
            html += reference;
            text.remove_prefix(1);
            continue;
        }
        auto at = text.begin();
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        if (is_bad_character(c) || is_parse_error(c))
            html += "&#xFFFD;";
        else
            html.append(text.begin(), at);
        text = {at, text.end()};
    }
}

}  // namespace

void append_html(std::string& html, std::string_view text) {
    if (html_text.append_ascii(html, text)) return;
    std::string kept;
    text = legal(text, kept);
    if (base::turns_direction(text))
        append_legal_html(html, base::isolated(text));
    else
        append_legal_html(html, text);
}

void append_html_value(std::string& html, std::string_view text) {
    if (html_text.append_ascii(html, text)) return;
    std::string kept;
    append_legal_html(html, legal(text, kept));
}

void append_declaration(std::string& xml, std::string_view style_sheet) {
    xml += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (style_sheet.empty()) return;
    xml += "<?xml-stylesheet type=\"text/css\" href=\"";
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
                    std::string_view text, Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += '>';
    xml_text.append(xml, text);
    append_close(xml, name);
}

void append_url_element(std::string& xml, std::size_t depth, std::string_view name,
                        std::string_view url) {
    append_open(xml, depth, name, {});
    xml += '>';
    xml_url.append(xml, url);
    append_close(xml, name);
}

void append_html_element(std::string& xml, std::size_t depth, std::string_view name,
                         std::string_view html, Attributes attributes) {
    append_open(xml, depth, name, attributes);
    xml += '>';
    append_xml_of_html(xml, html);
    append_close(xml, name);
}

void append_xhtml_element(std::string& xml, std::size_t depth, std::string_view name,
                          std::string_view html) {
    append_open(xml, depth, name, {{"xmlns", "http://www.w3.org/1999/xhtml"}});
    xml += '>';
    append_xhtml(xml, html);
    append_close(xml, name);
}

}  // namespace render
