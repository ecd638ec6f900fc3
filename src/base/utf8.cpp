// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <utf8.h>

#include "base/text.hpp"

namespace base {
namespace {

constexpr char32_t replacement = 0xFFFD;

// windows-1252, bytes 0x80-0x9F; 0 where the code page assigns nothing. iconv(3) would need a
// descriptor for each thread and a special case for the unassigned bytes: more code than this.
constexpr std::array<char32_t, 32> windows_1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

constexpr bool is_forbidden(char32_t c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xFFFE || c == 0xFFFF;
}

// Returns whether the next eight bytes are all 0x20 ... 0x7F.
bool is_plain_word(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    constexpr std::uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
    return (word & high) == 0 && ((word - ones * 0x20) & ~word & high) == 0;
}

// Returns the bytes of the legal character that begins at `at`; 0: none does. It is written out because
// every byte of every page passes here: utf8::find_invalid and a second walk took a sixth of a feed.
std::size_t legal_character(const char* at, const char* end) {
    const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    const auto lead = byte(0);
    if (lead < 0x80) return is_forbidden(lead) ? 0 : 1;
    const std::size_t size = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
    if (size == 0 || static_cast<std::size_t>(end - at) < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!is_continuation(at[i])) return 0;
    const auto second = byte(1);
    const bool is_overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool is_no_character = (lead == 0xED && second >= 0xA0) ||  // a surrogate
                                 (lead == 0xF4 && second >= 0x90) ||
                                 (lead == 0xEF && second == 0xBF && byte(2) >= 0xBE);
    return is_overlong || is_no_character ? 0 : size;
}

void append(std::string& text, char32_t c) {
    const char32_t legal = is_forbidden(c) ? replacement : c;
    utf8::append(static_cast<std::uint32_t>(legal), std::back_inserter(text));
}

constexpr char32_t first_strong_isolate = 0x2068, pop_isolate = 0x2069, pop_embedding = 0x202C;

// Returns whether a character makes what is beside it run from right to left, as Hebrew and Arabic letters do.
bool runs_from_right(UChar32 c) {
    constexpr UChar32 first = 0x590;
    if (c < first) return false;
    const auto direction = u_charDirection(c);
    return direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC;
}

// What turns direction, and how many bytes it has; none: no such character.
struct Turn {
    char32_t c = 0;
    std::size_t bytes = 0;
};
// Returns what the text begins with. All of them begin with U+061C's byte or that of U+2000 to U+2FFF.
Turn turn_of(std::string_view text) {
    const std::size_t bytes = text[0] == '\xE2' ? 3 : text[0] == '\xD8' ? 2 : 0;
    if (bytes == 0 || text.size() < bytes || !utf8::is_valid(text.begin(), text.begin() + bytes))
        return {};
    const auto c = static_cast<char32_t>(utf8::unchecked::peek_next(text.begin()));
    return turns_direction(c) ? Turn{c, bytes} : Turn{};
}

// Calls on_turn(c) for each character that turns direction, and on_byte(byte) for all other bytes.
template <class OnTurn, class OnByte>
void for_each_turn(std::string_view text, OnTurn&& on_turn, OnByte&& on_byte) {
    while (!text.empty()) {
        const auto [c, bytes] = turn_of(text);
        if (bytes > 0)
            on_turn(c);
        else
            on_byte(text.front());
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
}

}  // namespace

char32_t from_windows_1252(unsigned char byte) {
    if (byte < 0x80 || byte >= 0xA0) return byte;
    const char32_t c = windows_1252[byte - 0x80u];
    return c == 0 ? replacement : c;
}

bool is_legal_text(std::string_view bytes) {
    const auto* at = bytes.data();
    const auto* end = at + bytes.size();
    while (at != end) {
        const auto* word_end = at + std::min<std::ptrdiff_t>(end - at, 8);
        if (word_end - at == 8 && is_plain_word(at)) {
            at = word_end;
            continue;
        }
        while (at < word_end) {
            if (is_printable(*at)) {
                ++at;
                continue;
            }
            const auto size = legal_character(at, end);
            if (size == 0) return false;
            at += size;
        }
    }
    return true;
}

std::string legal_text(std::string_view bytes) {
    if (is_legal_text(bytes)) return std::string(bytes);
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 2);
    if (!utf8::is_valid(bytes.begin(), bytes.end())) {
        for (const char c : bytes) append(text, from_windows_1252(static_cast<unsigned char>(c)));
        return text;
    }
    for (auto at = bytes.begin(); at != bytes.end();) append(text, utf8::unchecked::next(at));
    return text;
}

std::size_t count_characters(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::string_view cut_at(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    auto end = most;
    for (int back = 0; back < 3 && end > 0 && is_continuation(text[end]); ++back) --end;
    return text.substr(0, is_continuation(text[end]) ? most : end);
}

bool turns_direction(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(1))
        if (turn_of(text).bytes > 0) return true;
    return false;
}

std::string without_directions(std::string text) {
    if (!turns_direction(text)) return text;
    std::string straight;
    for_each_turn(text, [](char32_t) {}, [&](char byte) { straight += byte; });
    return straight;
}

bool is_isolated(std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        UChar32 next = 0;
        U8_NEXT(bytes, at, text.size(), next);  // below 0 for bytes that are no UTF-8
        const auto c = static_cast<char32_t>(next);
        if (c == pop_isolate) {
            if (depth-- == 0) return false;
        } else if (c == first_strong_isolate || (depth > 0 && (c == 0x2066 || c == 0x2067))) {
            ++depth;
        } else if (depth == 0 && (turns_direction(c) || runs_from_right(next))) {
            return false;
        }
    }
    return depth == 0;
}

std::string isolated(std::string_view text) {
    if (is_isolated(text)) return std::string(text);
    std::string result;
    std::u32string open;  // what ends each of those that are open, the innermost one last
    std::size_t open_isolates = 0;
    const auto append_turn = [&](char32_t c) {
        utf8::append(static_cast<std::uint32_t>(c), std::back_inserter(result));
    };
    const auto end = [&](char32_t c) {
        // The end of an isolate ends the embeddings in it too; that of an embedding no isolate.
        if (c == pop_isolate ? open_isolates == 0 : open.empty() || open.back() != c) return;
        if (c == pop_isolate) --open_isolates;
        open.resize(open.rfind(c));
        append_turn(c);
    };
    append_turn(first_strong_isolate);
    for_each_turn(
        text,
        [&](char32_t c) {
            if (c == pop_isolate || c == pop_embedding) return end(c);
            if (c >= 0x2066) {
                open += pop_isolate;
                ++open_isolates;
            } else if (c >= 0x202A) {
                open += pop_embedding;
            }
            append_turn(c);
        },
        [&](char byte) { result += byte; });
    while (!open.empty()) end(open.back());
    append_turn(pop_isolate);
    return result;
}

}  // namespace base
