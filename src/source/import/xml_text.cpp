// SPDX-License-Identifier: MIT
#include "source/import/xml_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.hpp"

namespace source::import {
namespace {

constexpr bool ends_tag_run(char c) { return c == '<' || c == '>' || c == '"' || c == '\''; }

// The first quote, `<`, or byte that is none of 0x20 … 0x7F; or end. Bytes above are negative.
const char* find_special(const char* at, const char* end, char quote) {
#ifdef __SSE2__
    const auto quotes = _mm_set1_epi8(quote), less = _mm_set1_epi8('<'),
               blank = _mm_set1_epi8(0x20);
    for (; end - at >= 16; at += 16) {
        const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto stops =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, less));
        const auto found = static_cast<unsigned>(
            _mm_movemask_epi8(_mm_or_si128(stops, _mm_cmplt_epi8(bytes, blank))));
        if (found != 0) return at + std::countr_zero(found);
    }
#endif
    while (at != end && *at != quote && *at != '<' && *at >= 0x20) ++at;
    return at;
}

// The value of `encoding` in an XML declaration; empty where there is none.
std::string_view encoding_in(std::string_view declaration) {
    const auto found = declaration.find("encoding");
    if (found == std::string_view::npos) return {};
    auto rest = base::trim(declaration.substr(found + 8));
    if (!rest.starts_with('=')) return {};
    rest = base::trim(rest.substr(1));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return {};
    return rest.substr(1, std::min(rest.find(rest.front(), 1), rest.size()) - 1);
}

}  // namespace

std::optional<XmlEncoding> declared_encoding(std::string_view declaration) {
    const auto encoding = encoding_in(declaration);
    const auto is_one_of = [&](const auto& names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return base::equal_ignoring_case(name, encoding);
        });
    };
    constexpr std::array<std::string_view, 5> utf8{"", "UTF-8", "UTF8", "US-ASCII", "ASCII"};
    constexpr std::array<std::string_view, 3> latin1{"ISO-8859-1", "ISO_8859-1", "Latin1"};
    if (is_one_of(utf8)) return XmlEncoding::utf8;
    if (is_one_of(latin1)) return XmlEncoding::latin1;
    return std::nullopt;
}

void append_latin1(std::string& out, std::string_view bytes) {
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            out += c;
        } else {
            out += static_cast<char>(0xC0 | (byte >> 6));
            out += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
}

XmlRun tag_run(std::string_view bytes) {
    XmlRun run;
    for (; run.size < bytes.size() && !ends_tag_run(bytes[run.size]); ++run.size)
        if (bytes[run.size] == '\n') ++run.line_ends;
    return run;
}

XmlRun value_run(std::string_view bytes, char quote, bool needs_care) {
    const char *begin = bytes.data(), *end = begin + bytes.size(), *at = begin;
    if (!needs_care) {
        at = find_special(begin, end, quote);
        if (at == end || *at == quote || *at == '<')
            return {static_cast<std::size_t>(at - begin), 0, false};
    }
    XmlRun run{0, 0, true};
    for (; at != end && *at != quote && *at != '<'; ++at)
        if (*at == '\n') ++run.line_ends;
    run.size = static_cast<std::size_t>(at - begin);
    return run;
}

void append_value(std::string& out, std::string_view value) {
    for (std::size_t at = 0; at < value.size(); ++at) {
        switch (value[at]) {
            case '\n': out += "&#10;"; break;
            case '\t': out += "&#9;"; break;
            case '\r':
                if (!value.substr(at + 1).starts_with('\n')) out += "&#13;";
                break;
            default: out += value[at];
        }
    }
}

}  // namespace source::import
