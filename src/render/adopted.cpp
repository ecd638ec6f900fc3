// SPDX-License-Identifier: MIT
#include "render/adopted.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utf8.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/links.hpp"
#include "render/text.hpp"

namespace render {
namespace {

constexpr std::size_t longest_reference = 10;  // "&#1114111;"
constexpr std::size_t longest_tag = 4'000;     // longer ones are text: keeps the scan linear

// The character meant by what stands between '&' and ';'.
std::optional<std::uint32_t> character_of(std::string_view reference) {
    constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> named = {
        {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xA0}}};
    for (const auto& [name, character] : named)
        if (name == reference) return character;
    if (!reference.starts_with('#') || reference.size() < 2) return std::nullopt;
    reference.remove_prefix(1);
    const bool hex = reference.front() == 'x' || reference.front() == 'X';
    if (hex) reference.remove_prefix(1);
    std::uint32_t c = 0;
    const auto* end = reference.data() + reference.size();
    const auto [stop, error] = std::from_chars(reference.data(), end, c, hex ? 16 : 10);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    if (error != std::errc() || stop != end || c == 0 || c > 0x10FFFF || surrogate)
        return std::nullopt;
    return c;
}

std::string decoded(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const auto ampersand = text.find('&');
        plain += text.substr(0, ampersand);
        if (ampersand == std::string_view::npos) break;
        text.remove_prefix(ampersand);
        const auto end = text.substr(0, longest_reference).find(';');
        const auto c =
            end == std::string_view::npos ? std::nullopt : character_of(text.substr(1, end - 1));
        if (c) {
            utf8::append(*c, std::back_inserter(plain));
            text.remove_prefix(end + 1);
        } else {
            plain += '&';
            text.remove_prefix(1);
        }
    }
    return plain;
}

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The value of href="…" when that is all that stands between "<a" and ">" (or the first of what
// stands there, other attributes being left out).
std::optional<std::string_view> href_in(std::string_view attributes) {
    while (!attributes.empty()) {
        attributes.remove_prefix(
            std::min(attributes.find_first_not_of(" \t\r\n"), attributes.size()));
        const auto equals = attributes.find('=');
        if (equals == std::string_view::npos || equals + 1 >= attributes.size()) return {};
        const auto name = attributes.substr(0, equals);
        const char quote = attributes[equals + 1];
        if (quote != '"' && quote != '\'') return {};
        const auto end = attributes.find(quote, equals + 2);
        if (end == std::string_view::npos) return {};
        if (base::equal_ignoring_case(name, "href"))
            return attributes.substr(equals + 2, end - equals - 2);
        attributes.remove_prefix(end + 1);
    }
    return {};
}

// `url` with what may not stand in one as %XX; what is escaped already stays.
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

enum class TagKind { none, line_break, link, link_end };
struct Tag {
    TagKind kind = TagKind::none;
    std::size_t size = 0;  // bytes of it in the text
    std::string url = {};  // of a link
};

// What the '<' at the front of `text` begins.
Tag tag_at(std::string_view text) {
    const auto end = text.substr(0, longest_tag).find('>');
    if (end == std::string_view::npos) return {};
    auto inner = text.substr(1, end - 1);
    const auto word =
        base::trim(inner.ends_with('/') ? inner.substr(0, inner.size() - 1) : inner);
    if (base::equal_ignoring_case(word, "br")) return {TagKind::line_break, end + 1};
    if (base::equal_ignoring_case(inner, "/a")) return {TagKind::link_end, end + 1};
    if (inner.size() < 2 || (inner[0] != 'a' && inner[0] != 'A') || !is_blank(inner[1]))
        return {};
    const auto href = href_in(inner.substr(1));
    if (!href) return {};
    auto url = as_url(base::trim(decoded(*href)));
    if (!is_web_url(url)) return {};
    return {TagKind::link, end + 1, std::move(url)};
}

void add_text(Html& html, std::string_view foreign) {
    constexpr std::size_t slice = 1'000;  // so that a long text is cut, not left out whole
    const auto text = base::legal_text(decoded(foreign));
    for (std::string_view rest = text; !rest.empty();) {
        const auto part = cut_at(rest, slice);
        std::string escaped;
        append_html(escaped, part);
        if (!html.add(escaped)) return;
        rest.remove_prefix(part.size());
    }
}

// Bytes of the timestamp that `text` begins with, its user included; 0: it begins with none.
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

void add_allowed(Html& html, std::string_view foreign) {
    const auto legal = base::legal_text(foreign);
    std::string_view rest = legal;
    bool in_link = false;
    while (!rest.empty() && !html.full()) {
        const auto text_end = std::min(rest.find('<'), rest.size());
        add_text(html, rest.substr(0, text_end));
        rest.remove_prefix(text_end);
        if (rest.empty()) break;
        auto tag = tag_at(rest);
        const bool fits = (tag.kind == TagKind::link && !in_link) ||
                          (tag.kind == TagKind::link_end && in_link) ||
                          tag.kind == TagKind::line_break;
        if (!fits) {
            html.add("&lt;");
            rest.remove_prefix(1);
            continue;
        }
        rest.remove_prefix(tag.size);
        if (tag.kind == TagKind::line_break) {
            html.add("<br>");
        } else if (tag.kind == TagKind::link_end) {
            html.close();
            in_link = false;
        } else {
            std::string start = "<a href=\"";
            append_html(start, tag.url);
            in_link = html.open("a", start + "\">");
        }
    }
    if (in_link) html.close();
}

void add_adopted(Html& html, const tables::Row& row, const Site& site) {
    const auto& notes = row.notes.adopted_html;
    add_allowed(html, site.hide_curators ? without_users(notes) : notes);
}

}  // namespace render
