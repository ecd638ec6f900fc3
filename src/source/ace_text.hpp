// source/ace_text.hpp -- the words of the .ace format: quoting, headers, and what is wrong.
// Pure. Source: the AceDB dumper: inside quotes a backslash before each of \ " / % ; TAB LF,
// a newline being written as the four bytes `\` `n` `\` LF.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "source/position.hpp"
#include "tree/object.hpp"

namespace source {

// The bytes between two quotes, or a bare word.
struct RawText {
    std::string_view bytes;
    bool escaped = false;  // they contain a backslash
};
// Returns the text that the bytes stand for, made legal (base/utf8).
[[nodiscard]] std::string text_of(const RawText& text);

// The first line of an object: `Class : "name" -O "stamp"`. Views into its bytes.
struct RawHeader {
    std::string_view class_name;
    RawText name, stamp;
    std::size_t size = 0;  // bytes of the header, its LF included
};
struct Header {
    tree::ObjectName id;  // legal text, of any length
    std::string stamp;
    std::size_t size = 0;
};

// Return the header at the start of `bytes`. A name may continue over several physical lines.
//   error  malformed
[[nodiscard]] tl::expected<RawHeader, ParseError> read_header(std::string_view bytes);
[[nodiscard]] tl::expected<Header, ParseError> parse_header(std::string_view bytes);

// Returns the text that the bytes between two quotes stand for, made legal (base/utf8).
//   `\n` is a newline, `\x` is x. `\` LF is nothing, and neither are the blanks after it, except
//   after the dumper's own `\n\` LF: the dumper indents nothing, so those blanks are text.
[[nodiscard]] std::string unescape(std::string_view raw);

// True for `-O`, `-C` and the like: words of two characters. A float may be written `-inf`.
[[nodiscard]] constexpr bool is_option(std::string_view word) {
    return word.size() == 2 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

// Ends an error about a file that AceDB's dumper did not write.
inline constexpr std::string_view load_and_dump =
    "; load it into AceDB, and give Varve what AceDB's `dump -T` writes";

inline constexpr std::string_view long_text_end = "***LongTextEnd***";

// Finds where an object ends whose bytes come piece by piece: before an empty line, or after the
// terminator of a LongText, which may contain empty lines. A quoted value of several lines leaves no
// empty line, since the dumper writes each of its newlines as `\n\` LF.
class ObjectEnd {
   public:
    ObjectEnd() = default;
    // `start` has the first 16 bytes of the object, or all there are.
    explicit ObjectEnd(std::string_view start);

    [[nodiscard]] bool is_long_text() const { return is_long_text_; }
    // Returns the size of the object, up to the LF of its last line; nullopt: it does not end in them.
    //   bytes   from its start on, at least those of the call before
    //   is_all  nothing comes after them
    [[nodiscard]] std::optional<std::size_t> find(std::string_view bytes, bool is_all);
    // Returns how many bytes the caller may drop: the next call gets those behind them.
    [[nodiscard]] std::size_t searched() { return std::exchange(searched_, 0); }

   private:
    bool is_long_text_ = false;
    std::size_t searched_ = 0;  // it does not end before this byte
};

// Returns eight bytes as a number, the first byte lowest.
[[nodiscard]] inline std::uint64_t load_word(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

// Returns the high bit of each byte of `word` that equals `byte`. Bits above the lowest one set
// may be wrong, since a borrow carries upwards, so only the lowest one counts.
[[nodiscard]] constexpr std::uint64_t matches(std::uint64_t word, unsigned char byte) {
    constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    const std::uint64_t x = word ^ (ones * byte);
    return (x - ones) & ~x & high;
}

// Returns the first `"`, `\` or LF in [at, end), or end. Inline and a register at a time: strings
// are short (median 27 bytes), so that two calls of memchr would take longer than the search.
[[nodiscard]] inline const char* find_special(const char* at, const char* end) {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        const auto found = static_cast<unsigned>(
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(is('"'), is('\\')), is('\n'))));
        if (found != 0) return at + std::countr_zero(found);
    }
#endif
    for (; end - at >= 8; at += 8) {
        const auto word = load_word(at);
        const auto found = matches(word, '"') | matches(word, '\\') | matches(word, '\n');
        if (found != 0) return at + std::countr_zero(found) / 8;
    }
    while (at != end && *at != '"' && *at != '\\' && *at != '\n') ++at;
    return at;
}

// Returns the quote that closes the string whose content begins at `at`, or nullptr when the line
// or the bytes end first. `escaped`: the string contains a backslash.
struct Closing {
    const char* quote;
    bool escaped;
};
[[nodiscard]] inline Closing find_closing(const char* at, const char* end) {
    bool escaped = false;
    for (;;) {
        at = find_special(at, end);
        if (at == end || *at == '\n') return {nullptr, escaped};
        if (*at == '"') return {at, escaped};
        escaped = true;
        if (end - at < 2) return {nullptr, escaped};
        at += 2;
    }
}

}  // namespace source
