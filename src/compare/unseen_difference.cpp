// SPDX-License-Identifier: MIT
#include "compare/unseen_difference.hpp"

#include <algorithm>
#include <string>
#include <unicode/uchar.h>
#include <utf8.h>

#include "base/utf8.hpp"
#include "base/words.hpp"

namespace compare {
namespace {

constexpr bool is_graphic(char c) { return c > ' ' && c < 0x7F; }

// Returns whether they look different where they begin to differ, as most texts do.
bool differ_in_sight(std::string_view before, std::string_view after) {
    const auto [a, b] = std::ranges::mismatch(before, after);
    return (a == before.end() || is_graphic(*a)) && (b == after.end() || is_graphic(*b));
}

// Returns the text with one blank for any number of them, and none at the ends.
std::string with_single_blanks(std::string_view text) {
    std::string result;
    bool is_behind_blank = false;
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = at;
        if (u_isUWhiteSpace(static_cast<UChar32>(utf8::unchecked::next(at)))) {
            is_behind_blank = !result.empty();
            continue;
        }
        if (is_behind_blank) result += ' ';
        is_behind_blank = false;
        result.append(begin, at);
    }
    return result;
}

std::string without_invisible_characters(std::string_view text) {
    std::string result;
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = at;
        const auto c = static_cast<UChar32>(utf8::unchecked::next(at));
        if (!u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) result.append(begin, at);
    }
    return result;
}

std::string form_of(const std::string& text) {
    return text == base::composed(text)     ? "NFC"
           : text == base::decomposed(text) ? "NFD"
                                            : "mixed";
}

}  // namespace

std::string unseen_difference(std::string_view before, std::string_view after) {
    if (before == after || differ_in_sight(before, after)) return {};
    const auto old_text = base::legal_text(before), new_text = base::legal_text(after);
    const auto old_line = with_single_blanks(old_text), new_line = with_single_blanks(new_text);
    if (old_line == new_line) return "only white space differs";
    const auto old_form = base::composed(old_line), new_form = base::composed(new_line);
    if (old_form == new_form) {
        const bool same_blanks = base::composed(old_text) == base::composed(new_text);
        if (!same_blanks) return "only white space and the Unicode form differ";
        return "only the Unicode form differs (" + form_of(old_line) + " \xE2\x86\x92 " +
               form_of(new_line) + ")";
    }
    const auto of = [](const std::string& text) {
        return base::composed(with_single_blanks(without_invisible_characters(text)));
    };
    return of(old_text) == of(new_text) ? "only invisible characters differ" : "";
}

}  // namespace compare
