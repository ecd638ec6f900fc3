// SPDX-License-Identifier: MIT
#include "feed/charset.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <re2/re2.h>
#include <unicode/unistr.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <utf8.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace feed {
namespace {

using namespace std::string_view_literals;

constexpr auto replacement_bytes = "\xEF\xBF\xBD"sv;
constexpr auto utf8_label = "utf-8"sv, latin_label = "windows-1252"sv;

// Charsets, and labels whose documents are written in them: browsers read these labels otherwise than ICU.
struct Labels {
    std::string_view used, written;  // with a blank around each
};
constexpr auto labels = std::to_array<Labels>({
    {utf8_label, " utf8 unicode-1-1-utf-8 "},
    {latin_label,
     " ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1"
     " cp1252 x-cp1252 ansi "},
    {"windows-1254", " iso-8859-9 "},
    {"windows-874", " iso-8859-11 tis-620 "},
    {"gb18030", " gb2312 gbk x-gbk "},
    {"windows-31j", " shift_jis shift-jis sjis x-sjis cp932 "},
    {"windows-949", " euc-kr ks_c_5601-1987 cp949 "},
    {"big5-hkscs", " big5 "},
});
// Returns bytes of a charset as UTF-8, with U+FFFD for what is no character; nullopt: ICU does not know the charset.
std::optional<std::string> converted(std::string_view bytes, std::string_view charset) {
    icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()),
                            std::string(charset).c_str());
    text.findAndReplace(u"\x1A", u"\uFFFD");  // ICU writes both
    std::string utf8;
    return text.isBogus() ? std::nullopt : std::optional(text.toUTF8String(utf8));
}

// Returns the charset to use for a label; empty: none. ICU knows hundreds, among them some in which harmless bytes are
// markup (UTF-7), or markup is other bytes (IBM037). Those of wide characters are known by their zero bytes.
std::string charset_of(std::string_view label) {
    constexpr std::size_t longest = 40;
    constexpr auto allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_.:"sv;
    const auto name = base::fold_ascii(label);
    if (name.size() > longest || name.find_first_not_of(allowed) != std::string::npos) return {};
    for (const auto& [used, written] : labels)
        if (written.find(' ' + name + ' ') != std::string_view::npos) return std::string(used);
    std::string ascii;
    for (char c = ' '; c <= '~'; ++c) ascii += c;
    return !name.empty() && converted(ascii, name) == ascii ? name : std::string();
}

// What shows the charset of a document whatever its labels say.
struct Sign {
    std::string_view mark;   // a byte order mark
    std::string_view zeros;  // which of the first four bytes are zero
    std::string_view charset;
};
constexpr auto signs = std::to_array<Sign>({
    {"\xEF\xBB\xBF"sv, "none", utf8_label},
    {"\xFF\xFE\0\0"sv, "x000", "utf-32le"},
    {"\0\0\xFE\xFF"sv, "000x", "utf-32be"},
    {"\xFF\xFE"sv, "x0x0", "utf-16le"},
    {"\xFE\xFF"sv, "0x0x", "utf-16be"},
});

// Returns the byte of a character in windows-1252, or in ISO-8859-1 with its control characters.
std::optional<char> latin_byte_of(char32_t c) {
    if (c < 0x100) return static_cast<char>(c);
    for (unsigned byte = 0x80; byte < 0xA0; ++byte)
        if (base::from_windows_1252(static_cast<unsigned char>(byte)) == c && c != 0xFFFD)
            return static_cast<char>(byte);
    return std::nullopt;
}

// Returns a text that was encoded as UTF-8 twice; nullopt: it was not. Everything beyond ASCII must be the bytes of
// valid characters: in a correct text, one letter with an accent is enough to rule that out.
std::optional<std::string> decoded_twice(std::string_view text) {
    const auto has = [&](std::string_view letter) { return text.find(letter) != text.npos; };
    if (!has("Â") && !has("Ã") && !has("â")) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size());
    for (auto at = text.begin(); at != text.end();) {
        const auto byte = latin_byte_of(utf8::unchecked::next(at));
        if (!byte) return std::nullopt;
        bytes += *byte;
    }
    if (!utf8::is_valid(bytes.begin(), bytes.end())) return std::nullopt;
    return bytes;
}

// Returns the text with the characters of windows-1252 that authors meant by the control characters U+0080 to U+009F.
std::string without_c1(std::string_view text) {
    std::string mended;
    while (!text.empty()) {
        const auto at = std::min(text.find('\xC2'), text.size());
        mended += text.substr(0, at);
        const auto character = text.substr(at, 2);
        const auto byte = static_cast<unsigned char>(character.size() < 2 ? 0 : character[1]);
        if (byte >= 0x80 && byte < 0xA0)
            utf8::append(static_cast<std::uint32_t>(base::from_windows_1252(byte)),
                         std::back_inserter(mended));
        else
            mended += character;
        text.remove_prefix(at + character.size());
    }
    return mended;
}

// Returns the character that a surrogate pair means whose halves are encoded by themselves (CESU-8); nullopt: there is none.
std::optional<std::uint32_t> surrogate_pair_at(std::string_view bytes) {
    const auto half_at = [&](std::size_t at) -> std::uint32_t {
        const auto byte = [&](std::size_t i) {
            return static_cast<unsigned char>(bytes[at + i]);
        };
        if (bytes.size() < at + 3 || byte(0) != 0xED || byte(1) < 0xA0) return 0;
        return 0xD000U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    };
    const auto lead = half_at(0), trail = half_at(3);
    if (!U_IS_LEAD(lead) || !U_IS_TRAIL(trail)) return std::nullopt;
    return static_cast<std::uint32_t>(U16_GET_SUPPLEMENTARY(lead, trail));
}

// Makes decoded text legal, without the control characters that XML forbids.
std::string finished(std::string text) {
    if (auto once = decoded_twice(text)) text = *std::move(once);
    text = without_c1(text);
    if (base::is_legal_text(text)) return text;
    std::erase_if(text, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
    return base::legal_text(text);
}

// Reads bytes that are labelled UTF-8 or not at all: as windows-1252 if they have no character of UTF-8 beyond ASCII.
// Else only bytes that belong to no character are windows-1252; a character that a program has cut off is U+FFFD.
std::string read_as_utf8(std::string_view bytes) {
    if (base::is_legal_text(bytes)) return finished(std::string(bytes));
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    const auto* units = reinterpret_cast<const std::uint8_t*>(bytes.data());
    bool has_characters = false;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto begin = at;
        if (const auto pair = surrogate_pair_at(bytes.substr(at))) {
            utf8::append(*pair, std::back_inserter(text));
            at += 6;
            has_characters = true;
            continue;
        }
        UChar32 c = 0;
        U8_NEXT(units, at, bytes.size(), c);
        has_characters = has_characters || c >= 0x80;
        if (c >= 0)
            text += bytes.substr(begin, at - begin);
        else if (at - begin > 1)
            text += replacement_bytes;
        else
            utf8::append(static_cast<std::uint32_t>(base::from_windows_1252(units[begin])),
                         std::back_inserter(text));
    }
    return finished(has_characters ? text : converted(bytes, latin_label).value_or(text));
}

}  // namespace

std::string decode_text(std::string_view bytes, std::string_view content_type) {
    std::string zeros;
    for (const char c : bytes.substr(0, 4)) zeros += c == '\0' ? '0' : 'x';
    for (const auto& [mark, pattern, charset] : signs) {
        if (!bytes.starts_with(mark) && zeros != pattern) continue;
        while (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
        auto text = charset == utf8_label ? std::nullopt : converted(bytes, charset);
        return text ? finished(*std::move(text)) : read_as_utf8(bytes);
    }
    // In other charsets, characters of UTF-8 are several strange ones each. ISO-2022-JP is ASCII with escapes.
    const auto is_utf8 = [&] {
        return bytes.find('\x1B') == bytes.npos && utf8::is_valid(bytes.begin(), bytes.end());
    };
    static const RE2 in_type("(?i)charset\\s*=[\\s\"']*([^\"';\\s?>]+)", RE2::Latin1),
        in_xml("(?i)<\\?xml[^?>]*encoding\\s*=[\\s\"']*([^\"';\\s?>]+)", RE2::Latin1);
    constexpr std::size_t looked_at = 1024;
    std::string of_type, of_xml;
    RE2::PartialMatch(content_type, in_type, &of_type);
    RE2::PartialMatch(bytes.substr(0, looked_at), in_xml, &of_xml);
    for (const auto& label : {of_type, of_xml}) {
        const auto charset = charset_of(label);
        if (charset.empty()) continue;
        if (charset == utf8_label || is_utf8()) break;
        if (auto text = converted(bytes, charset)) return finished(*std::move(text));
    }
    return read_as_utf8(bytes);
}

}  // namespace feed
