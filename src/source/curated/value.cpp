// SPDX-License-Identifier: MIT
#include "source/curated/value.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/text.hpp"

namespace source::curated {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads what scanf's %d reads; values beyond 64 bits become the nearest limit.
class Scanner {
   public:
    explicit Scanner(std::string_view word) : word_(word) {}

    std::optional<std::int64_t> number() {
        auto at = at_;
        while (at < word_.size() && is_space(word_[at])) ++at;
        const bool is_negative = at < word_.size() && word_[at] == '-';
        if (at < word_.size() && (word_[at] == '-' || word_[at] == '+')) ++at;
        if (at == word_.size() || !base::is_digit(word_[at])) return std::nullopt;
        std::int64_t value = 0;
        for (; at < word_.size() && base::is_digit(word_[at]); ++at)
            value = with_digit(value, is_negative ? '0' - word_[at] : word_[at] - '0');
        at_ = at;
        return value;
    }

    // Reads the character and a number after it.
    std::optional<std::int64_t> number_after(char mark) {
        if (at_ == word_.size() || word_[at_] != mark) return std::nullopt;
        const auto before = at_++;
        const auto value = number();
        if (!value) at_ = before;
        return value;
    }

    bool step(char c) {
        if (at_ == word_.size() || word_[at_] != c) return false;
        ++at_;
        return true;
    }

    [[nodiscard]] bool is_at_end() const { return at_ == word_.size(); }

   private:
    static std::int64_t with_digit(std::int64_t value, int digit) {
        using Limits = std::numeric_limits<std::int64_t>;
        std::int64_t next = 0;
        if (!__builtin_mul_overflow(value, 10, &next) &&
            !__builtin_add_overflow(next, digit, &next))
            return next;
        return digit < 0 || value < 0 ? Limits::min() : Limits::max();
    }

    std::string_view word_;
    std::size_t at_ = 0;
};

// A date as it is written; a missing part is 0.
struct DateParts {
    int year = 0, month = 0, day = 0;
    std::array<int, 3> time{};  // hour, minute, second
    std::size_t times = 0;      // how many of them are there
};

// Reads the time of day. Returns false when it is not one.
bool read_time(Scanner& scanner, DateParts& parts) {
    if (!scanner.step('_') && !scanner.step(' ')) return false;
    constexpr std::array<int, 3> most = {23, 59, 59};
    for (std::size_t i = 0; i < most.size(); ++i) {
        const auto part = i == 0 ? scanner.number() : scanner.number_after(':');
        if (!part) break;
        if (*part < 0 || *part > most[i]) return false;
        parts.time[i] = static_cast<int>(*part);
        ++parts.times;
    }
    return true;
}

std::optional<DateParts> read_parts(std::string_view word) {
    Scanner scanner(word);
    DateParts parts;
    const auto year = scanner.number();
    if (!year || *year > 2053 || *year < -2000) return std::nullopt;
    parts.year = static_cast<int>(*year);
    if (const auto month = scanner.number_after('-')) {
        if (*month < 1 || *month > 12) return std::nullopt;
        parts.month = static_cast<int>(*month);
        if (const auto day = scanner.number_after('-')) {
            if (*day < 0 || *day > 31) return std::nullopt;
            parts.day = static_cast<int>(*day);
            if (!scanner.is_at_end() && !read_time(scanner, parts)) return std::nullopt;
        }
    }
    if (!scanner.is_at_end()) return std::nullopt;
    return parts;
}

// Returns the year that AceDB makes of its 6 bits for 1991 ... 2053, or 7 bits up to 1990; 0: a
// year that can't be stored.
int stored_year(int year) {
    if (year < 1900) year += year > 50 ? 1900 : 2000;
    if (year < 1900) return 0;
    if (year <= 1990) return year;
    const auto bits = static_cast<unsigned>(year - 1990) % 64;
    return bits == 0 ? 0 : static_cast<int>(1990 + bits);
}

std::string two_digits(int number) {
    return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

// Formats a date. A day that the month lacks becomes one of the next month.
std::string format_day(const DateParts& parts) {
    using namespace std::chrono;
    const sys_days first(year(parts.year) / month(static_cast<unsigned>(parts.month)) / 1);
    return base::format_date(first + days(parts.day - 1));
}

}  // namespace

std::optional<std::string> stored_integer(std::string_view word) {
    Scanner scanner(word);
    const auto value = scanner.number();
    if (!value || !scanner.is_at_end()) return std::nullopt;
    return std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(*value)));
}

std::optional<std::string> stored_real(std::string_view word) {
    const std::string text(word);
    char* end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || end == text.c_str() || end != text.c_str() + text.size())
        return std::nullopt;
    if (!(value < 1e40 && value > -1e40)) return std::nullopt;
    if (value <= 1e-40 && value >= -1e-40) value = 0;
    std::array<char, 64> rounded{}, out{};
    std::snprintf(rounded.data(), rounded.size(), "%1.7g", value);
    const float stored = std::strtof(rounded.data(), nullptr);
    std::snprintf(out.data(), out.size(), "%f", static_cast<double>(stored));
    return std::string(out.data());
}

std::optional<std::string> stored_date(std::string_view word, base::Date today) {
    if (word == "now" || word == "today") return base::format_date(today);
    auto parts = read_parts(word);
    if (!parts) return std::nullopt;
    parts->year = stored_year(parts->year);
    if (parts->year == 0 || (parts->year == 1900 && parts->month == 0)) return std::nullopt;
    if (parts->month == 0) return std::to_string(parts->year);
    if (parts->day == 0) return std::to_string(parts->year) + '-' + two_digits(parts->month);
    auto text = format_day(*parts);
    constexpr std::array<char, 3> marks = {'_', ':', ':'};
    for (std::size_t i = 0; i < parts->times && parts->year > 1990; ++i)
        text += marks[i] + two_digits(parts->time[i]);
    return text;
}

}  // namespace source::curated
