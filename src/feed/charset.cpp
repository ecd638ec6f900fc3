// SPDX-License-Identifier: MIT
#include "feed/charset.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iconv.h>
#include <iterator>
#include <libxml/HTMLparser.h>
#include <optional>
#include <utf8.h>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace feed {
namespace {

using namespace std::string_view_literals;

constexpr auto replacement_bytes = "\xEF\xBF\xBD"sv;
constexpr auto utf8_label = "utf-8"sv, latin_label = "windows-1252"sv;

void append_character(std::string& text, char32_t c) {
    utf8::append(static_cast<std::uint32_t>(c), std::back_inserter(text));
}

// Charsets, and labels whose documents are written in them, as browsers read these.
struct Labels {
    std::string_view used, written;  // with a blank around each
};
constexpr auto labels = std::to_array<Labels>({
    {utf8_label, " utf8 unicode-1-1-utf-8 "},
    {"koi8-r", " koi8 "},
    {"mac-cyrillic", " x-mac-cyrillic "},
    {latin_label,
     " ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1"
     " cp1252 x-cp1252 ansi "},
    {"windows-1254", " iso-8859-9 "},
    {"windows-874", " iso-8859-11 tis-620 "},
    {"gb18030", " gb2312 gbk x-gbk "},
    {"cp932", " shift_jis shift-jis sjis x-sjis windows-31j "},
    {"cp949", " euc-kr ks_c_5601-1987 "},
    {"big5-hkscs", " big5 "},
    {"utf-16le", " utf-16 unicode ucs-2 "},
    {"utf-32le", " utf-32 "},
});
// The beginnings of the names of the charsets that browsers read. iconv knows hundreds more, among them some in which
// harmless bytes are markup (UTF-7), or that depend on the machine (WCHAR_T).
constexpr auto families = std::to_array<std::string_view>(
    {"utf-8", "utf-16",      "utf-32",      "iso-8859-",  "iso8859-", "iso_8859-",
     "latin", "windows-125", "windows-874", "cp125",      "cp932",    "cp949",
     "cp866", "ibm866",      "koi8-r",      "koi8-u",     "mac",      "gb18030",
     "big5",  "euc-jp",      "euc-tw",      "iso-2022-jp"});

// Returns the charset to use for a label; empty: none.
std::string charset_of(std::string_view label) {
    auto name = base::fold_ascii(base::trim(label));
    if (name.size() > 40) return {};
    if (!std::ranges::all_of(name, [](char c) {
            return (c >= 'a' && c <= 'z') || base::is_digit(c) ||
                   "-_.:+"sv.find(c) != std::string_view::npos;
        }))
        return {};
    for (const auto& [used, written] : labels)
        if (written.find(' ' + name + ' ') != std::string_view::npos) return std::string(used);
    const auto begins_name = [&](std::string_view family) { return name.starts_with(family); };
    return std::ranges::any_of(families, begins_name) ? name : std::string();
}

bool is_wide(std::string_view charset) {
    return charset.starts_with("utf-16") || charset.starts_with("utf-32");
}

struct Mark {
    std::string_view bytes, charset;
};
constexpr auto marks = std::to_array<Mark>({
    {"\xEF\xBB\xBF"sv, utf8_label},
    {"\xFF\xFE\0\0"sv, "utf-32le"},
    {"\0\0\xFE\xFF"sv, "utf-32be"},
    {"\xFF\xFE"sv, "utf-16le"},
    {"\xFE\xFF"sv, "utf-16be"},
});

// Returns the charset that the zero bytes at the beginning indicate; empty: there are none.
std::string_view charset_by_zeros(std::string_view bytes) {
    if (bytes.size() < 4) return {};
    const auto is_zero = [&](std::size_t at) { return bytes[at] == '\0'; };
    if (is_zero(0) && is_zero(1) && is_zero(2) && !is_zero(3)) return "utf-32be";
    if (!is_zero(0) && is_zero(1) && is_zero(2) && is_zero(3)) return "utf-32le";
    if (is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3)) return "utf-16be";
    if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3)) return "utf-16le";
    return {};
}

// Returns the value that follows "name=" in a text; empty: there is none.
std::string_view value_after(std::string_view text, std::string_view name) {
    const auto folded = base::fold_ascii(text);
    const auto found = folded.find(name);
    if (found == std::string::npos) return {};
    auto rest = base::trim(text.substr(found + name.size()));
    if (!rest.starts_with('=')) return {};
    rest = base::trim(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) {
        const auto quote = rest.front();
        rest.remove_prefix(1);
        return rest.substr(0, rest.find(quote));
    }
    return rest.substr(0, rest.find_first_of("; \t\r\n?>"));
}

// Returns the encoding that the XML declaration names.
std::string_view declared_in_xml(std::string_view bytes) {
    constexpr std::size_t looked_at = 1024;
    const auto head = bytes.substr(0, looked_at);
    const auto begin = head.find("<?xml");
    if (begin == std::string_view::npos) return {};
    const auto declaration = head.substr(begin, head.find("?>", begin) - begin);
    return value_after(declaration, "encoding");
}

// Returns how many bytes are the beginning of a character of UTF-8 that is cut off, as by programs that shorten texts
// byte by byte; 0: none. One byte alone may be a letter of another charset.
std::size_t size_of_cut_character(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes.front());
    const std::size_t whole = lead >= 0xF0 && lead < 0xF5   ? 4
                              : lead >= 0xE0 && lead < 0xF0 ? 3
                                                            : 0;
    std::size_t size = 1;
    while (size < bytes.size() && size < whole && base::is_continuation(bytes[size])) ++size;
    return size > 1 && size < whole ? size : 0;
}

// Counts of multi-byte characters that are valid or cut off, and of bytes that belong to no character.
struct Utf8Counts {
    std::size_t characters = 0, cut_characters = 0, wrong_bytes = 0;
};
Utf8Counts count_utf8(std::string_view bytes) {
    Utf8Counts counts;
    while (!bytes.empty()) {
        const auto wrong = utf8::find_invalid(bytes.begin(), bytes.end());
        counts.characters += static_cast<std::size_t>(std::count_if(
            bytes.begin(), wrong, [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
        bytes.remove_prefix(static_cast<std::size_t>(wrong - bytes.begin()));
        if (bytes.empty()) break;
        const auto cut = size_of_cut_character(bytes);
        ++(cut > 0 ? counts.cut_characters : counts.wrong_bytes);
        bytes.remove_prefix(std::max<std::size_t>(1, cut));
    }
    return counts;
}

// Returns the bytes as text: valid characters of UTF-8 as they are, U+FFFD for those that are cut off, all other bytes
// as windows-1252.
std::string mixed_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    while (!bytes.empty()) {
        const auto wrong = utf8::find_invalid(bytes.begin(), bytes.end());
        text.append(bytes.begin(), wrong);
        bytes.remove_prefix(static_cast<std::size_t>(wrong - bytes.begin()));
        if (bytes.empty()) break;
        if (const auto cut = size_of_cut_character(bytes); cut > 0) {
            text += replacement_bytes;
            bytes.remove_prefix(cut);
            continue;
        }
        append_character(text,
                         base::from_windows_1252(static_cast<unsigned char>(bytes.front())));
        bytes.remove_prefix(1);
    }
    return text;
}

std::string latin_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (const char c : bytes)
        append_character(text, base::from_windows_1252(static_cast<unsigned char>(c)));
    return text;
}

// A descriptor of iconv.
class Converter {
   public:
    explicit Converter(const std::string& charset)
        : handle_(::iconv_open("UTF-8", charset.c_str())) {}
    ~Converter() {
        if (is_open()) ::iconv_close(handle_);
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;

    [[nodiscard]] bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

    // Returns the text; U+FFFD stands for `unit` bytes that are no character.
    [[nodiscard]] std::string convert(std::string_view bytes, std::size_t unit) {
        std::string text;
        text.reserve(bytes.size() + bytes.size() / 2);
        auto* in = const_cast<char*>(bytes.data());
        auto left = bytes.size();
        std::array<char, 16 * 1024> room{};
        while (left > 0) {
            auto* out = room.data();
            auto free = room.size();
            const auto result = ::iconv(handle_, &in, &left, &out, &free);
            const auto error = errno;
            text.append(room.data(), room.size() - free);
            if (result != static_cast<std::size_t>(-1)) break;
            if (error == E2BIG) continue;
            text += replacement_bytes;
            const auto skipped = std::min(unit, left);
            in += skipped;
            left -= skipped;
            ::iconv(handle_, nullptr, nullptr, nullptr, nullptr);
        }
        return text;
    }

   private:
    iconv_t handle_;
};

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
    if (text.find("\xC3\x82") == std::string_view::npos &&
        text.find("\xC3\x83") == std::string_view::npos &&
        text.find("\xC3\xA2") == std::string_view::npos)
        return std::nullopt;
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

// Removes control characters that XML forbids.
void remove_controls(std::string& text) {
    std::erase_if(text, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
}

// Makes decoded text legal.
std::string finished(std::string text) {
    if (auto once = decoded_twice(text)) text = *std::move(once);
    if (base::is_legal_text(text)) return text;
    remove_controls(text);
    return base::legal_text(text);
}

// Reads bytes that are labelled UTF-8 or not at all.
std::string read_as_utf8(std::string_view bytes) {
    if (base::is_legal_text(bytes)) return finished(std::string(bytes));
    const auto [characters, cut_characters, wrong_bytes] = count_utf8(bytes);
    const bool has_only_cut_ones = characters == 0 && cut_characters > 0;
    if (wrong_bytes > characters || has_only_cut_ones) return finished(latin_text(bytes));
    return finished(mixed_text(bytes));
}

std::string read_as(std::string_view bytes, const std::string& charset) {
    if (charset.empty() || charset == utf8_label) return read_as_utf8(bytes);
    if (!is_wide(charset)) {
        const auto [characters, cut_characters, wrong_bytes] = count_utf8(bytes);
        if (wrong_bytes == 0 && cut_characters == 0 && characters > 0) return read_as_utf8(bytes);
    }
    if (charset == latin_label) return finished(latin_text(bytes));
    Converter converter(charset);
    if (!converter.is_open()) return read_as_utf8(bytes);
    const std::size_t unit = charset.starts_with("utf-32") ? 4 : is_wide(charset) ? 2 : 1;
    return finished(converter.convert(bytes, unit));
}

}  // namespace

std::string decode_text(std::string_view bytes, std::string_view content_type) {
    for (const auto& [mark, charset] : marks) {
        if (!bytes.starts_with(mark)) continue;
        while (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
        return read_as(bytes, std::string(charset));
    }
    if (const auto charset = charset_by_zeros(bytes); !charset.empty())
        return read_as(bytes, std::string(charset));
    auto charset = charset_of(value_after(content_type, "charset"));
    const bool is_usable =
        !charset.empty() && !is_wide(charset) &&
        (charset == utf8_label || charset == latin_label || Converter(charset).is_open());
    if (!is_usable) charset = charset_of(declared_in_xml(bytes));
    // Text without zero bytes is none of these, whatever its label says.
    if (is_wide(charset)) charset.clear();
    return read_as(bytes, charset);
}

// ---- XML ----

namespace {

// Of a tag. libxml2 compares each attribute with all before it.
constexpr std::size_t most_attributes = 100, longest_tag = 256 * 1024;
// libxml2 stops at 256 open elements.
constexpr std::size_t deepest_element = 200;

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Counts the '=' that are outside of values.
bool has_too_many_attributes(std::string_view tag) {
    if (std::count(tag.begin(), tag.end(), '=') <= std::ptrdiff_t{most_attributes}) return false;
    std::size_t count = 0;
    char quote = '\0';  // that ends the value
    for (const char c : tag) {
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '=')
            ++count;
    }
    return count > most_attributes;
}

bool ends_name(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/' || c == '>' || c == '<' ||
           c == '=';
}

// Returns the name of a tag that begins at `begin` of a text.
std::string_view name_at(std::string_view text, std::size_t begin) {
    auto end = begin;
    while (end < text.size() && !ends_name(text[end])) ++end;
    return text.substr(begin, end - begin);
}

// Returns where a tag ends: at the '>' that is in no quotes; at the next '<' if there is none before; else at the end.
std::size_t end_of_tag(std::string_view text) {
    constexpr auto find_end_or_quote = base::find_any<'<', '>', '"', '\''>;
    auto at = find_end_or_quote(text, 1);
    while (at != std::string_view::npos && text[at] != '<' && text[at] != '>') {
        const char quote = text[at];
        const auto is_end = [quote](char c) { return c == quote || c == '<'; };
        const auto found =
            std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(), is_end);
        at = static_cast<std::size_t>(found - text.begin());
        if (at == text.size() || text[at] == '<') break;
        at = find_end_or_quote(text, at + 1);
    }
    return std::min(at, text.size());
}

// Elements of HTML that have no end tag, and no other meaning in a feed.
bool is_void_element(std::string_view name) {
    constexpr auto names = std::to_array<std::string_view>({"br", "hr", "img", "wbr"});
    return name.size() <= 3 && std::ranges::any_of(names, [&](auto each) {
               return base::equal_ignoring_case(each, name);
           });
}

// Repairs XML, to come closer to what its author meant.
class XmlMender {
   public:
    explicit XmlMender(std::string_view text) : rest_(text) { out_.reserve(text.size() + 64); }

    MendedXml mend() {
        drop_junk();
        while (!rest_.empty()) step();
        return {std::move(out_), is_too_deep_};
    }

   private:
    // Drops what is before the first markup, and what a server wrote before a declaration: "<b>Warning</b>: …".
    void drop_junk() {
        constexpr std::size_t longest_junk = 16 * 1024;
        const auto markup = first_markup();
        if (markup == std::string_view::npos) return;
        auto begin = markup;
        const auto element = name_at(rest_, markup + 1);
        if (begins_name(rest_[markup + 1]) && !base::equal_ignoring_case(element, "html"))
            if (const auto declaration = rest_.substr(0, longest_junk).find("<?xml ");
                declaration < rest_.find("<![CDATA["))
                begin = declaration;
        rest_.remove_prefix(begin);
    }
    [[nodiscard]] std::size_t first_markup() const {
        for (std::size_t at = rest_.find('<'); at != std::string_view::npos;
             at = rest_.find('<', at + 1)) {
            const auto next = at + 1 < rest_.size() ? rest_[at + 1] : ' ';
            if (next == '?' || next == '!' || begins_name(next)) return at;
        }
        return std::string_view::npos;
    }

    void copy(std::size_t bytes) {
        out_.append(rest_.substr(0, bytes));
        rest_.remove_prefix(std::min(bytes, rest_.size()));
    }
    void drop(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }
    void write(std::string_view instead, std::size_t bytes) {
        out_ += instead;
        drop(bytes);
    }

    void step() {
        copy_text(rest_.size());
        if (rest_.empty()) return;
        if (rest_.starts_with("<![CDATA[")) return copy_section();
        if (rest_.starts_with("<!--")) return drop_until(comment_end_, 4);
        if (rest_.starts_with("<?")) return drop_until(instruction_end_, 2);
        if (rest_.starts_with("<!")) return drop_declaration();
        mend_tag();
    }

    // Copies at most so many bytes, up to the next '<', and mends references.
    void copy_text(std::size_t bytes) {
        const auto behind = rest_.size() - bytes;
        while (rest_.size() > behind && rest_.front() != '<') {
            const auto text = rest_.substr(0, rest_.size() - behind);
            copy(std::min(base::find_any<'<', '&'>(text), text.size()));
            if (rest_.size() > behind && rest_.front() == '&') mend_reference();
        }
    }

    // What ends a section, and whether the rest has one: it is not looked for again where there is none.
    struct End {
        std::string_view mark;
        bool is_missing = false;
    };
    std::size_t find(End& end, std::size_t from) {
        if (end.is_missing) return std::string_view::npos;
        const auto found = rest_.find(end.mark, from);
        end.is_missing = found == std::string_view::npos;
        return found;
    }

    // Copies a section; where it has no end, its mark is dropped and what follows is read as markup.
    void copy_section() {
        constexpr std::string_view mark = "<![CDATA[";
        const auto found = find(section_end_, mark.size());
        if (found == std::string_view::npos) return write("", mark.size());
        copy(found + section_end_.mark.size());
    }
    // Drops a comment or an instruction; where it has no end, it is text.
    void drop_until(End& end, std::size_t mark) {
        const auto found = find(end, mark);
        if (found == std::string_view::npos) return write("&lt;", 1);
        drop(found + end.mark.size());
    }

    // Drops a DOCTYPE with its declarations: none of its entities is ever expanded.
    void drop_declaration() {
        std::size_t at = 2;
        bool is_inside = false;
        const auto skip_to = [&](std::string_view end) {
            at = std::min(rest_.find(end, at + 1), rest_.size() - end.size()) + end.size() - 1;
        };
        for (; at < rest_.size(); ++at) {
            const auto rest = rest_.substr(at);
            const char c = rest.front();
            if (c == '>' && !is_inside) break;
            if (c == '[') is_inside = !is_doctype_endless_;
            if (c == ']') is_inside = false;
            if (!is_inside) continue;
            if (rest.starts_with("<!--"))
                skip_to("-->");
            else if (rest.starts_with("<?"))
                skip_to("?>");
            else if (c == '"' || c == '\'')
                skip_to({&c, 1});
        }
        if (at >= rest_.size()) {
            is_doctype_endless_ = true;
            at = std::min(rest_.find('>'), rest_.size());
        }
        drop(at + 1);
    }

    // ---- Tags: each end tag ends the element that it names, so that a mistake stays within its entry ----

    void mend_tag() {
        const char next = rest_.size() > 1 ? rest_[1] : ' ';
        if (!begins_name(next) && next != '/') return write("&lt;", 1);
        const auto end = end_of_tag(rest_);
        const bool is_whole = end < rest_.size() && rest_[end] == '>';
        if (next == '/') return mend_end_tag(end + (is_whole ? 1 : 0));
        const auto tag = rest_.substr(0, end);
        if (end > longest_tag || has_too_many_attributes(tag))
            return write("", end + (is_whole ? 1 : 0));
        if (!is_whole) return end < rest_.size() ? write("&lt;", 1) : write("", end);
        mend_start_tag(name_at(rest_, 1), end);
    }

    //   end  where the '>' is
    void mend_start_tag(std::string_view name, std::size_t end) {
        const bool is_empty = rest_[end - 1] == '/';
        if (!is_empty && open_.size() + too_deep_ >= deepest_element) ++too_deep_;
        is_too_deep_ = is_too_deep_ || too_deep_ > 0;
        if (too_deep_ > 0) return write("", end + 1);
        copy(1 + name.size());
        copy_attributes(end - 1 - name.size() - (is_empty ? 1 : 0));
        if (is_empty) {
            out_ += '/';
            drop(1);
            return copy(1);
        }
        if (is_void_element(name)) return write("/>", 1);
        open_.emplace_back(name);
        copy(1);
    }

    // Copies the attributes of a tag, which are so many bytes, and sets values in quotes that have none.
    void copy_attributes(std::size_t bytes) {
        const auto behind = rest_.size() - bytes;
        const auto left = [&] { return rest_.size() - behind; };
        while (left() > 0) {
            const auto attributes = rest_.substr(0, left());
            const auto equals = attributes.find('=');
            if (equals == std::string_view::npos) return copy_text(left());
            const auto value = attributes.find_first_not_of(" \t\r\n", equals + 1);
            if (value == std::string_view::npos) return copy_text(left());
            copy_text(value);
            const char first = attributes[value];
            if (first == '"' || first == '\'') {
                const auto end = attributes.find(first, value + 1);
                copy_text(end == std::string_view::npos ? left() : end + 1 - value);
                continue;
            }
            const auto end =
                std::min(attributes.find_first_of(" \t\r\n", value), attributes.size());
            const auto quotes = attributes.substr(value, end - value).find('"');
            const char quote = quotes == std::string_view::npos ? '"' : '\'';
            out_ += quote;
            copy_text(end - value);
            out_ += quote;
        }
    }

    void mend_end_tag(std::size_t bytes) {
        const auto name = name_at(rest_, 2);
        if (too_deep_ > 0) {
            --too_deep_;
            return write("", bytes);
        }
        if (!open_.empty() && open_.back().name == name && rest_[bytes - 1] == '>') {
            open_.pop_back();
            return copy(bytes);
        }
        const OpenElement ended(name);
        const auto opened = std::find(open_.rbegin(), open_.rend(), ended);
        if (opened == open_.rend()) return write("", bytes);
        for (auto left = opened - open_.rbegin() + 1; left > 0; --left) {
            out_.append("</").append(open_.back().name).append(">");
            open_.pop_back();
        }
        write("", bytes);
    }

    // "&amp;", "&#8217;", "&#x2019;", "&nbsp;", or a bare &.
    void mend_reference() {
        constexpr std::size_t longest = 12;
        const auto end = rest_.substr(0, longest).find(';');
        if (end == std::string_view::npos || end < 2) return write("&amp;", 1);
        const auto name = rest_.substr(1, end - 1);
        if (name.front() == '#') return mend_number(name.substr(1), end + 1);
        constexpr auto of_xml =
            std::to_array<std::string_view>({"amp", "lt", "gt", "quot", "apos"});
        if (std::ranges::find(of_xml, name) != of_xml.end()) return copy(end + 1);
        const auto* entity =
            htmlEntityLookup(reinterpret_cast<const xmlChar*>(std::string(name).c_str()));
        if (entity == nullptr) return write("&amp;", 1);
        std::string character;
        append_character(character, entity->value);
        write(character, end + 1);
    }

    // References to control characters mean those of windows-1252, as in browsers.
    void mend_number(std::string_view number, std::size_t bytes) {
        const bool is_hex = number.starts_with('x') || number.starts_with('X');
        if (is_hex) number.remove_prefix(1);
        char32_t c = 0;
        for (const char digit : number) {
            const auto found = "0123456789abcdef"sv.find(base::fold_ascii({&digit, 1}));
            if (found == std::string_view::npos || (!is_hex && found > 9) || c > 0x10FFFF)
                return write("&amp;", 1);
            c = c * (is_hex ? 16 : 10) + static_cast<char32_t>(found);
        }
        if (number.empty()) return write("&amp;", 1);
        if (c >= 0x80 && c < 0xA0) c = base::from_windows_1252(static_cast<unsigned char>(c));
        const bool is_legal = (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') &&
                              c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF) && c != 0xFFFE &&
                              c != 0xFFFF;
        if (!is_legal) return write("", bytes);
        if (c == '<' || c == '&' || c == '"' || c == '>' || c == '\'' || c < 0x20)
            return copy(bytes);
        std::string character;
        append_character(character, c);
        write(character, bytes);
    }

    std::string_view rest_;
    std::string out_;
    bool is_too_deep_ = false;
    // An element that is open. Length and two letters distinguish it from most others: a document may end
    // elements a million times that are not among two hundred open ones.
    struct OpenElement {
        std::string_view name;
        std::uint32_t key;
        explicit OpenElement(std::string_view named) : name(named), key(0) {
            if (name.empty()) return;
            const auto folded = [](char c) { return static_cast<unsigned char>(c) | 0x20U; };
            key = static_cast<std::uint32_t>(name.size()) << 16U | folded(name.front()) << 8U |
                  folded(name.back());
        }
        bool operator==(const OpenElement& other) const {
            return key == other.key && base::equal_ignoring_case(name, other.name);
        }
    };

    std::vector<OpenElement> open_;
    std::size_t too_deep_ = 0;         // elements that are open and were left out
    bool is_doctype_endless_ = false;  // one had no end, so none in the rest has
    End section_end_{"]]>"}, comment_end_{"-->"}, instruction_end_{"?>"};
};

}  // namespace

MendedXml mend_xml(std::string_view text) { return XmlMender(text).mend(); }

}  // namespace feed
