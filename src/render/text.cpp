// SPDX-License-Identifier: MIT
#include "render/text.hpp"

#include <utf8.h>

#include "base/utf8.hpp"

namespace render {
namespace {

// `text` itself where it is legal, else a legal copy that lives in `kept`.
std::string_view legal(std::string_view text, std::string& kept) {
    if (base::is_legal_text(text)) return text;
    kept = base::legal_text(text);
    return kept;
}

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr bool is_bad_character(char32_t c) { return c == 0xFFFD || (c >= 0x80 && c <= 0x9F); }

// HTML's "control character" and "noncharacter in input stream" (HTML section 13.2.3.5).
constexpr bool is_parse_error(char32_t c) {
    return c == 0x7F || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

// Appends `text` with each of its special bytes replaced; runs between them are copied whole.
template <class Reference>
void append_replacing(std::string& out, std::string_view text, std::string_view special,
                      Reference reference) {
    for (;;) {
        const auto at = text.find_first_of(special);
        out += text.substr(0, at);
        if (at == std::string_view::npos) return;
        out += reference(text[at]);
        text.remove_prefix(at + 1);
    }
}

constexpr std::string_view html_reference(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: return " ";  // CR
    }
}

void append_wide(std::string& html, std::string_view text) {
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        if (is_bad_character(c) || is_parse_error(c)) {
            html += "&#xFFFD;";
        } else {
            html.append(from, at);
        }
    }
}

// A byte of a character that needs care: DEL or anything beyond ASCII.
bool is_careful(char c) { return static_cast<unsigned char>(c) >= 0x7F; }

void append_lines_joined(std::string& line, std::string_view text) {
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        if (c < 0x80 && is_blank(static_cast<char>(c))) {
            if (!line.empty() && line.back() != ' ') line += ' ';
        } else if (is_bad_character(c)) {
            line += '?';
        } else {
            line.append(from, at);
        }
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::string plain_line(std::string_view text) {
    std::string kept, line;
    text = legal(text, kept);
    line.reserve(text.size());
    append_lines_joined(line, text);
    if (line.find("</") == std::string::npos) return line;
    std::string without_tags;
    append_replacing(without_tags, line, "<>",
                     [](char c) { return c == '<' ? "\xE2\x80\xB9" : "\xE2\x80\xBA"; });
    return without_tags;
}

void append_xml_text(std::string& xml, std::string_view text) {
    std::string kept;
    append_replacing(xml, legal(text, kept), "&<>\r", [](char c) -> std::string_view {
        return c == '&' ? "&#x26;" : c == '<' ? "&#x3C;" : c == '>' ? "&#x3E;" : "&#xD;";
    });
}

void append_xml_of_html(std::string& xml, std::string_view html) {
    std::string kept;
    append_replacing(xml, legal(html, kept), "&<>\r", [](char c) -> std::string_view {
        return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&#xD;";
    });
}

void append_html(std::string& html, std::string_view text) {
    std::string kept;
    text = legal(text, kept);
    std::size_t plain_from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool careful = is_careful(c);
        if (!careful && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'' && c != '\r')
            continue;
        html += text.substr(plain_from, i - plain_from);
        if (careful) {
            std::size_t end = i;
            while (end < text.size() && is_careful(text[end])) ++end;
            append_wide(html, text.substr(i, end - i));
            i = end - 1;
        } else {
            html += html_reference(c);
        }
        plain_from = i + 1;
    }
    html += text.substr(plain_from);
}

std::string_view cut_at(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && is_continuation(text[most])) --most;
    return text.substr(0, most);
}

std::string_view end_of(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    auto from = text.size() - most;
    while (from < text.size() && is_continuation(text[from])) ++from;
    return text.substr(from);
}

}  // namespace render
