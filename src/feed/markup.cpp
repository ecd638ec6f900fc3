// SPDX-License-Identifier: MIT
#include "feed/markup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <libxml/HTMLparser.h>
#include <re2/re2.h>
#include <unicode/utf16.h>
#include <utf8.h>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace feed {
namespace {

bool is_space(char c) { return base::is_blank(c) || c == '\n' || c == '\r' || c == '\f'; }

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Returns the number of the character that a reference names: "nbsp", "#8217", "#x2019"; nullopt: none.
std::optional<std::uint32_t> number_named(const std::string& name) {
    if (!name.starts_with('#')) {
        const auto* entity = htmlEntityLookup(reinterpret_cast<const xmlChar*>(name.c_str()));
        return entity ? std::optional<std::uint32_t>(entity->value) : std::nullopt;
    }
    const bool is_hex = name.starts_with("#x") || name.starts_with("#X");
    const auto digits = std::string_view(name).substr(is_hex ? 2 : 1);
    std::uint32_t c = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), c, is_hex ? 16 : 10);
    if (error != std::errc() || end != digits.end()) return std::nullopt;
    return c < 0x100 ? std::uint32_t{base::from_windows_1252(static_cast<unsigned char>(c))} : c;
}

struct Reference {
    std::uint32_t number;  // of the character
    std::size_t size;      // bytes
};
// Returns the reference that a text begins with, which may be to half of a surrogate pair; nullopt: none.
std::optional<Reference> number_at(std::string_view text) {
    constexpr std::size_t longest = 12;
    const auto end = text.substr(0, longest).find(';');
    if (!text.starts_with('&') || end == std::string_view::npos) return std::nullopt;
    const auto number = number_named(std::string(text.substr(1, end - 1)));
    return number ? std::optional<Reference>({*number, end + 1}) : std::nullopt;
}

// Returns the reference to a character that a text begins with; nullopt: none.
std::optional<Reference> reference_at(std::string_view text) {
    const auto first = number_at(text);
    if (!first) return std::nullopt;
    const auto [number, size] = *first;
    if (U_IS_LEAD(number))
        if (const auto second = number_at(text.substr(size));
            second && U_IS_TRAIL(second->number))
            return Reference{
                static_cast<std::uint32_t>(U16_GET_SUPPLEMENTARY(number, second->number)),
                size + second->size};
    const bool is_character = number < 0x110000 && !U_IS_SURROGATE(number);
    return Reference{is_character ? number : 0xFFFD, size};
}

// Returns the text with line ends for carriage returns.
std::string with_line_ends(std::string text) {
    static const RE2 carriage_return("\\r\\n?");
    if (text.find('\r') != std::string::npos) RE2::GlobalReplace(&text, carriage_return, "\n");
    return text;
}

// Returns where a declaration ends: at the '>' that is in no quotes; at the next '<' if there is none before; else at the
// end. So each declaration in a DOCTYPE is dropped by itself. The value of an entity may have a '<'.
std::size_t end_of_declaration(std::string_view text) {
    const bool is_entity = text.starts_with("<!ENTITY");
    char quote = '\0';  // that ends the value
    for (std::size_t at = 1; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '>' && quote == '\0') return at + 1;
        if (c == '<' && !(is_entity && quote != '\0')) return at;
        if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = '\0';
    }
    return text.size();
}

}  // namespace

std::string decoded(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const auto at = std::min(text.find('&'), text.size());
        plain += text.substr(0, at);
        text.remove_prefix(at);
        if (text.empty()) break;
        const auto reference = reference_at(text);
        std::string character = reference ? "" : "&";
        if (reference) utf8::append(reference->number, std::back_inserter(character));
        if (base::is_legal_text(character)) plain += character;
        text.remove_prefix(reference ? reference->size : 1);
    }
    return with_line_ends(std::move(plain));
}

std::string Tag::value(std::string_view attribute, std::size_t most) const {
    const auto found = std::ranges::find_if(attributes, [&](const Attribute& each) {
        const auto local = each.name.starts_with("xmlns:")
                               ? std::string_view()
                               : each.name.substr(each.name.find(':') + 1);  // npos + 1 is 0
        return base::equal_ignoring_case(each.name, attribute) ||
               base::equal_ignoring_case(local, attribute);
    });
    if (found == attributes.end()) return {};
    return decoded(base::cut_at(found->written, most));
}

std::optional<Tag> tag_at(std::string_view text, std::size_t place) {
    constexpr std::size_t most_attributes = 100;
    const auto skip = [&](auto belongs) {
        const auto begin = place;
        while (place < text.size() && belongs(text[place])) ++place;
        return text.substr(begin, place - begin);
    };
    Tag tag;
    tag.name = skip([](char c) { return !is_space(c) && c != '/' && c != '>'; });
    for (;;) {
        skip([](char c) { return is_space(c) || c == '/'; });
        if (place >= text.size()) return std::nullopt;
        if (text[place] == '>') break;
        Tag::Attribute attribute;
        const auto begin = place++;
        skip([](char c) { return !is_space(c) && c != '/' && c != '>' && c != '='; });
        attribute.name = text.substr(begin, place - begin);
        skip(is_space);
        if (place < text.size() && text[place] == '=') {
            ++place;
            skip(is_space);
            if (place >= text.size()) return std::nullopt;
            if (const char quote = text[place]; quote == '"' || quote == '\'') {
                ++place;
                attribute.written = skip([quote](char c) { return c != quote; });
                if (place++ >= text.size()) return std::nullopt;
            } else {
                attribute.written = skip([](char c) { return !is_space(c) && c != '>'; });
            }
        }
        if (tag.attributes.size() < most_attributes) tag.attributes.push_back(attribute);
    }
    tag.is_empty = text[place - 1] == '/';
    tag.size = place + 1;
    return tag;
}

std::optional<XmlToken> XmlTokens::next() {
    while (!rest_.empty()) {
        if (const auto size = std::min(rest_.find('<'), rest_.size()); size > 0) {
            const auto text = rest_.substr(0, size);
            rest_.remove_prefix(size);
            return XmlToken{XmlToken::Kind::text, decoded(text)};
        }
        auto* section = std::ranges::find_if(
            sections_, [&](const Section& each) { return rest_.starts_with(each.begin); });
        if (section == sections_.end() && rest_.starts_with("<!")) {
            rest_.remove_prefix(end_of_declaration(rest_));
            continue;
        }
        if (auto token = section == sections_.end() ? take_tag() : take_section(*section))
            return token;
    }
    return std::nullopt;
}

std::optional<XmlToken> XmlTokens::take_section(Section& section) {
    constexpr std::size_t longest_junk = 16 * 1024;
    const bool is_declaration = rest_.starts_with("<?xml ") &&
                                all_.size() - rest_.size() < longest_junk &&
                                !std::exchange(has_declaration_, true);
    const auto end = section.is_endless ? std::string_view::npos
                                        : rest_.find(section.end, section.begin.size());
    section.is_endless = end == std::string_view::npos;
    const auto content = section.is_endless
                             ? std::string_view()
                             : rest_.substr(section.begin.size(), end - section.begin.size());
    rest_.remove_prefix(section.is_endless ? section.begin.size() : end + section.end.size());
    if (is_declaration) return XmlToken{XmlToken::Kind::declaration};
    if (&section != sections_.data() || content.empty()) return std::nullopt;
    return XmlToken{XmlToken::Kind::text, with_line_ends(std::string(content))};
}

std::optional<XmlToken> XmlTokens::take_tag() {
    const auto written = rest_.substr(0, rest_.find('<', 1));
    const bool is_end = written.starts_with("</");
    const bool is_tag = is_end || (written.size() > 1 && begins_name(written[1]));
    auto tag = tag_at(written, is_end ? 2 : 1);
    if (is_end && !tag)  // "</title<link>"
        tag = Tag{.name = written.substr(2, written.find_first_of(" \t\r\n/>", 2) - 2),
                  .attributes = {},
                  .size = written.size()};
    if (!is_tag || !tag) {
        const bool is_cut_off = is_tag && written.size() == rest_.size();
        rest_.remove_prefix(is_cut_off ? written.size() : 1);
        if (is_cut_off) return std::nullopt;
        return XmlToken{XmlToken::Kind::text, "<"};
    }
    // In <a b=c/>, the slash is not of the value.
    if (tag->is_empty && !tag->attributes.empty())
        if (auto& last = tag->attributes.back().written;
            !last.empty() && &last.back() == &written[tag->size - 2])
            last.remove_suffix(1);
    rest_.remove_prefix(tag->size);
    const auto kind = is_end ? XmlToken::Kind::end : XmlToken::Kind::start;
    return XmlToken{kind, {}, *std::move(tag)};
}

}  // namespace feed
