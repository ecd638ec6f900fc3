// SPDX-License-Identifier: MIT
#include "feed/charset.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <iconv.h>
#include <iterator>
#include <libxml/HTMLparser.h>
#include <memory>
#include <optional>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <utf8.h>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace feed {
namespace {

using namespace std::string_view_literals;

constexpr auto replacement_bytes = "\xEF\xBF\xBD"sv;
constexpr auto utf8_label = "utf-8"sv, latin_label = "windows-1252"sv;

// Charsets, and labels whose documents are written in them: browsers read these labels otherwise than iconv.
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
    {"cp932", " shift_jis shift-jis sjis x-sjis windows-31j "},
    {"cp949", " euc-kr ks_c_5601-1987 "},
    {"big5-hkscs", " big5 "},
});
// Returns bytes of a charset as UTF-8, with U+FFFD for `unit` bytes that are no character; nullopt: iconv does not
// know the charset.
std::optional<std::string> converted(std::string_view bytes, std::string_view charset,
                                     std::size_t unit = 1) {
    const auto handle = ::iconv_open("UTF-8", std::string(charset).c_str());
    if (handle == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
    const std::unique_ptr<void, int (*)(iconv_t)> owner(handle, &::iconv_close);
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 2);
    auto* in = const_cast<char*>(bytes.data());
    auto left = bytes.size();
    std::array<char, 16 * 1024> room{};
    // Without input, iconv writes the letter that it held back because an accent might follow.
    const auto convert = [&](char** from) {
        auto* out = room.data();
        auto free = room.size();
        const auto result = ::iconv(handle, from, &left, &out, &free);
        const bool is_wrong = result == static_cast<std::size_t>(-1) && errno != E2BIG;
        text.append(room.data(), room.size() - free);
        return !is_wrong;
    };
    while (left > 0) {
        if (convert(&in)) continue;
        convert(nullptr);
        text += replacement_bytes;
        const auto skipped = std::min(unit, left);
        in += skipped;
        left -= skipped;
    }
    convert(nullptr);
    return text;
}

// Returns the charset to use for a label; empty: none. iconv knows hundreds, among them some in which harmless bytes are
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
    std::size_t unit;  // bytes
};
constexpr auto signs = std::to_array<Sign>({
    {"\xEF\xBB\xBF"sv, "none", utf8_label, 1},
    {"\xFF\xFE\0\0"sv, "x000", "utf-32le", 4},
    {"\0\0\xFE\xFF"sv, "000x", "utf-32be", 4},
    {"\xFF\xFE"sv, "x0x0", "utf-16le", 2},
    {"\xFE\xFF"sv, "0x0x", "utf-16be", 2},
});

// Returns the value that follows "name=" in a text; empty: there is none.
std::string_view value_after(std::string_view text, std::string_view name) {
    const auto found = base::fold_ascii(text).find(name);
    if (found == std::string::npos) return {};
    const auto rest = base::trim(text.substr(found + name.size()));
    const auto begin = rest.find_first_not_of(" \t\r\n\"'", 1);
    if (!rest.starts_with('=') || begin == std::string_view::npos) return {};
    return rest.substr(begin, rest.find_first_of("\"'; \t\r\n?>", begin) - begin);
}

// Returns the encoding that the XML declaration names.
std::string_view declared_in_xml(std::string_view bytes) {
    constexpr std::size_t looked_at = 1024;
    const auto head = bytes.substr(0, looked_at);
    const auto declaration = head.substr(std::min(head.find("<?xml"), head.size()));
    return value_after(declaration.substr(0, declaration.find("?>")), "encoding");
}

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
    for (const auto& [mark, pattern, charset, unit] : signs) {
        if (!bytes.starts_with(mark) && zeros != pattern) continue;
        while (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
        auto text = unit > 1 ? converted(bytes, charset, unit) : std::nullopt;
        return text ? finished(*std::move(text)) : read_as_utf8(bytes);
    }
    // In other charsets, characters of UTF-8 are several strange ones each. ISO-2022-JP is ASCII with escapes.
    const auto is_utf8 = [&] {
        return bytes.find('\x1B') == bytes.npos && utf8::is_valid(bytes.begin(), bytes.end());
    };
    for (const auto label : {value_after(content_type, "charset"), declared_in_xml(bytes)}) {
        const auto charset = charset_of(label);
        if (charset.empty()) continue;
        if (charset == utf8_label || is_utf8()) break;
        if (auto text = converted(bytes, charset)) return finished(*std::move(text));
    }
    return read_as_utf8(bytes);
}

// ---- XML ----

namespace {

// Returns the number or character that a reference names: "nbsp", "#8217", "#x2019"; nullopt: it is none. Numbers of control
// characters mean those of windows-1252, as in browsers.
std::optional<std::uint32_t> referenced_number(const std::string& name) {
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

}  // namespace

std::optional<CharacterReference> reference_at(std::string_view text) {
    constexpr std::size_t longest = 12;
    const auto number_at =
        [&](std::size_t at) -> std::optional<std::pair<std::uint32_t, std::size_t>> {
        if (at >= text.size() || text[at] != '&') return std::nullopt;
        const auto end = text.substr(at, longest).find(';');
        if (end == std::string_view::npos) return std::nullopt;
        const auto number = referenced_number(std::string(text.substr(at + 1, end - 1)));
        return number ? std::optional(std::pair(*number, at + end + 1)) : std::nullopt;
    };
    const auto first = number_at(0);
    if (!first) return std::nullopt;
    if (U_IS_LEAD(first->first))
        if (const auto second = number_at(first->second); second && U_IS_TRAIL(second->first))
            return CharacterReference{
                static_cast<char32_t>(U16_GET_SUPPLEMENTARY(first->first, second->first)),
                second->second};
    const bool is_character = first->first < 0x110000 && !U_IS_SURROGATE(first->first);
    return CharacterReference{is_character ? char32_t{first->first} : U'\uFFFD', first->second};
}

namespace {

// Of a tag. libxml2 compares each attribute with all before it.
constexpr std::size_t most_attributes = 100, longest_tag = 256 * 1024;
// libxml2 stops at 256 open elements.
constexpr std::size_t deepest_element = 200;

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Elements of HTML that have no end tag, and no other meaning in a feed.
bool is_void_element(std::string_view name) {
    constexpr auto names = std::to_array<std::string_view>({"br", "hr", "img", "wbr"});
    return std::ranges::any_of(names,
                               [&](auto each) { return base::equal_ignoring_case(each, name); });
}

// Returns the name of a tag that begins at `begin` of a text.
std::string_view name_at(std::string_view text, std::size_t begin) {
    return text.substr(
        begin, base::find_any<' ', '\t', '\n', '\r', '/', '>', '<', '='>(text, begin) - begin);
}

// Returns where a tag or declaration ends: at the '>' that is in no quotes; at the next '<' if there is none before; else at
// the end. The value of an entity may have a '<'.
std::size_t end_of_tag(std::string_view text) {
    const bool is_entity = text.starts_with("<!ENTITY");
    char quote = '\0';  // that ends the value
    for (std::size_t at = 1; at < text.size(); ++at) {
        const char c = text[at];
        if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = '\0';
        else if ((c == '>' && quote == '\0') || (c == '<' && !(is_entity && quote != '\0')))
            return at;
    }
    return text.size();
}

// Repairs XML, to come closer to what its author meant.
class XmlMender {
   public:
    explicit XmlMender(std::string_view text) : rest_(text) { out_.reserve(text.size() + 64); }

    MendedXml mend() {
        while (!rest_.empty()) step();
        return {std::move(out_), is_too_deep_};
    }

   private:
    void copy(std::size_t bytes) {
        out_ += rest_.substr(0, bytes);
        drop(bytes);
    }
    void drop(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }
    void write(std::string_view instead, std::size_t bytes) {
        out_ += instead;
        drop(bytes);
    }

    // Takes the text up to the next '<', and what begins there. Text that is in no element is dropped.
    void step() {
        const auto text = std::min(rest_.find('<'), rest_.size());
        open_.empty() ? drop(text) : copy_text(text);
        if (rest_.empty()) return;
        for (auto& section : sections_)
            if (rest_.starts_with(section.begin)) return take_section(section);
        if (!rest_.starts_with("<!")) return mend_tag();
        // A DOCTYPE ends where its first declaration begins, so that each is dropped by itself: no entity is expanded.
        const auto end = end_of_tag(rest_);
        drop(end < rest_.size() && rest_[end] == '>' ? end + 1 : end);
    }

    // Copies text without '<', and mends its references.
    void copy_text(std::size_t bytes) {
        for (const auto behind = rest_.size() - bytes; rest_.size() > behind;) {
            const auto text = rest_.substr(0, rest_.size() - behind);
            copy(std::min(text.find('&'), text.size()));
            if (rest_.size() > behind) mend_reference();
        }
    }

    struct Section {
        std::string_view begin, end;
        bool is_kept = false;
        bool is_endless = false;  // the rest has no end of one: it is not looked for again
    };
    // Copies or drops a section; where it has no end, its mark is dropped and what follows is read as markup.
    void take_section(Section& section) {
        // Drops what a server wrote before the declaration: "<b>Warning</b>: …".
        constexpr std::size_t longest_junk = 16 * 1024;
        if (rest_.starts_with("<?xml ") && open_.empty() && out_.size() < longest_junk &&
            !std::exchange(has_declaration_, true))
            out_.clear();
        const auto end = section.is_endless ? std::string_view::npos
                                            : rest_.find(section.end, section.begin.size());
        section.is_endless = end == std::string_view::npos;
        if (section.is_endless) return drop(section.begin.size());
        const auto size = end + section.end.size();
        section.is_kept && !open_.empty() ? copy(size) : drop(size);
    }

    // ---- Tags: each end tag ends the element that it names, so that a mistake stays within its entry ----

    void mend_tag() {
        const char next = rest_.size() > 1 ? rest_[1] : ' ';
        const auto end = end_of_tag(rest_);
        const bool is_whole = end < rest_.size() && rest_[end] == '>';
        const auto bytes = is_whole ? end + 1 : end;
        if (next == '/') return mend_end_tag(bytes);
        if (!begins_name(next) || (!is_whole && end < rest_.size()))
            return write(open_.empty() ? "" : "&lt;", 1);
        if (!is_whole || end > longest_tag) return drop(bytes);
        mend_start_tag(name_at(rest_, 1), end);
    }

    //   end  where the '>' is
    void mend_start_tag(std::string_view name, std::size_t end) {
        const bool has_slash = rest_[end - 1] == '/';
        const bool is_empty = has_slash || is_void_element(name);
        if (open_.size() >= deepest_element && !is_empty) ++too_deep_;
        is_too_deep_ = is_too_deep_ || too_deep_ > 0;
        if (too_deep_ > 0) return drop(end + 1);
        copy(1 + name.size());
        copy_attributes(end - 1 - name.size() - (has_slash ? 1 : 0));
        if (!is_empty) open_.push_back(name);
        write(is_empty ? "/>" : ">", has_slash ? 2 : 1);
    }

    // Copies the attributes of a tag, which are so many bytes, and sets values in quotes that have none.
    void copy_attributes(std::size_t bytes) {
        constexpr auto blanks = " \t\r\n"sv;
        constexpr auto npos = std::string_view::npos;
        const auto behind = rest_.size() - bytes;
        for (std::size_t count = 0; rest_.size() > behind; ++count) {
            const auto left = rest_.substr(0, rest_.size() - behind);
            if (count == most_attributes) return drop(left.size());
            const auto equals = left.find('=');
            const auto value = equals == npos ? npos : left.find_first_not_of(blanks, equals + 1);
            if (value == npos) return copy_text(left.size());
            copy_text(value);
            const bool is_quoted = left[value] == '"' || left[value] == '\'';
            const auto end =
                is_quoted ? std::min(left.find(left[value], value + 1), left.size() - 1) + 1
                          : std::min(left.find_first_of(blanks, value), left.size());
            const auto written = left.substr(value, end - value);
            const auto* quote = is_quoted ? "" : written.find('"') == npos ? "\"" : "'";
            out_ += quote;
            copy_text(written.size());
            out_ += quote;
        }
    }

    void mend_end_tag(std::size_t bytes) {
        const auto name = name_at(rest_, 2);
        drop(bytes);
        if (too_deep_ > 0) {
            --too_deep_;
            return;
        }
        const auto opened = std::find_if(open_.rbegin(), open_.rend(), [&](auto open) {
            return base::equal_ignoring_case(open, name);
        });
        if (opened == open_.rend()) return;
        for (auto left = opened - open_.rbegin() + 1; left > 0; --left) {
            out_.append("</").append(open_.back()).append(">");
            open_.pop_back();
        }
    }

    // "&amp;", "&#8217;", "&#x2019;", "&nbsp;", or a bare &.
    void mend_reference() {
        const auto reference = reference_at(rest_);
        if (!reference) return write("&amp;", 1);
        std::string character;
        utf8::append(static_cast<std::uint32_t>(reference->character),
                     std::back_inserter(character));
        write(base::is_legal_text(character) ? base::escape_html(character) : "",
              reference->size);
    }

    std::string_view rest_;
    std::string out_;
    std::vector<std::string_view> open_;  // elements
    std::size_t too_deep_ = 0;            // elements that are open and were left out
    bool is_too_deep_ = false, has_declaration_ = false;
    std::array<Section, 3> sections_{{{"<![CDATA[", "]]>", true}, {"<!--", "-->"}, {"<?", "?>"}}};
};

}  // namespace

MendedXml mend_xml(std::string_view text) { return XmlMender(text).mend(); }

}  // namespace feed
