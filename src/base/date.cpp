// SPDX-License-Identifier: MIT
#include "base/date.hpp"

#include <stdexcept>

namespace base {
namespace {

using namespace std::chrono;

// Returns the value of two digits at `at`; more than all numbers of days and times if they are none.
// A feed has hundreds of times, hence no loops and no optional.
constexpr unsigned no_number = 100;
unsigned two_digits(std::string_view text, std::size_t at) {
    const auto tens = static_cast<unsigned>(text[at] - '0');
    const auto ones = static_cast<unsigned>(text[at + 1] - '0');
    return tens > 9 || ones > 9 ? no_number : tens * 10 + ones;
}

constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";

// Returns a time of texts: "Nov", "06" or " 6", "08:49:37"; nullopt: no calendar has it.
std::optional<Seconds> time_of(unsigned year_number, std::string_view month_name,
                               std::string_view day_text, std::string_view clock) {
    const auto at = month_names.find(month_name);
    if (year_number == 0 || at == std::string_view::npos || at % 3 != 0 || clock[2] != ':' ||
        clock[5] != ':')
        return std::nullopt;
    std::string digits(day_text);
    if (digits[0] == ' ') digits[0] = '0';
    const year_month_day day{year{static_cast<int>(year_number)},
                             month{static_cast<unsigned>(at / 3 + 1)},
                             std::chrono::day{two_digits(digits, 0)}};
    const auto h = two_digits(clock, 0), m = two_digits(clock, 3), s = two_digits(clock, 6);
    if (!day.ok() || h > 23 || m > 59 || s > 59) return std::nullopt;
    return Date{day} + hours{h} + minutes{m} + seconds{s};
}

// Returns 0 if they are none.
unsigned four_digits(std::string_view text, std::size_t at) {
    const auto century = two_digits(text, at), y = two_digits(text, at + 2);
    return century == no_number || y == no_number ? 0 : century * 100 + y;
}

// "Sunday, 06-Nov-94 08:49:37 GMT"
std::optional<Seconds> parse_rfc850(std::string_view text) {
    constexpr std::size_t after_weekday = 24;
    const auto comma = text.find(", ");
    if (comma == std::string_view::npos || text.size() - comma != after_weekday)
        return std::nullopt;
    text.remove_prefix(comma + 2);
    const auto y = two_digits(text, 7);
    if (text[2] != '-' || text[6] != '-' || text[9] != ' ' || !text.ends_with(" GMT") ||
        y == no_number)
        return std::nullopt;
    constexpr unsigned first_of_last_century = 69;
    return time_of(y + (y < first_of_last_century ? 2000 : 1900), text.substr(3, 3),
                   text.substr(0, 2), text.substr(10, 8));
}

// "Sun Nov  6 08:49:37 1994"
std::optional<Seconds> parse_asctime(std::string_view text) {
    if (text.size() != 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' ||
        text[19] != ' ')
        return std::nullopt;
    return time_of(four_digits(text, 20), text.substr(4, 3), text.substr(8, 2),
                   text.substr(11, 8));
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<Seconds> parse_imf(std::string_view text) {
    if (text.size() != 29) return std::nullopt;
    const auto time =
        time_of(four_digits(text, 12), text.substr(8, 3), text.substr(5, 2), text.substr(17, 8));
    // All else, and the day of the week, is as we write it.
    return time && format_http_date(*time) == text ? time : std::nullopt;
}

// Two digits at `at`; as many times as there are stamps in a build, hence no formatter.
void put(char* at, unsigned value) {
    at[0] = static_cast<char>('0' + value / 10 % 10);
    at[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

Seconds system_clock_now() { return floor<seconds>(system_clock::now()); }

std::optional<Date> parse_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto century = two_digits(text, 0), y = two_digits(text, 2);
    const auto m = two_digits(text, 5), d = two_digits(text, 8);
    if (century == no_number || y == no_number) return std::nullopt;
    const year_month_day day{year{static_cast<int>(century * 100 + y)}, month{m},
                             std::chrono::day{d}};
    if (!day.ok()) return std::nullopt;
    return Date{day};
}

std::string format_date(Date day) {
    const year_month_day ymd{day};
    const int year = static_cast<int>(ymd.year());
    if (year < 0 || year > 9999) throw std::out_of_range("a date of no four-digit year");
    std::string text = "0000-00-00";
    put(text.data(), static_cast<unsigned>(year) / 100);
    put(text.data() + 2, static_cast<unsigned>(year));
    put(text.data() + 5, static_cast<unsigned>(ymd.month()));
    put(text.data() + 8, static_cast<unsigned>(ymd.day()));
    return text;
}

std::string format_rfc3339(Seconds time) {
    const auto day = floor<days>(time);
    const hh_mm_ss clock{time - day};
    auto text = format_date(day) + "T00:00:00Z";
    put(text.data() + 11, static_cast<unsigned>(clock.hours().count()));
    put(text.data() + 14, static_cast<unsigned>(clock.minutes().count()));
    put(text.data() + 17, static_cast<unsigned>(clock.seconds().count()));
    return text;
}

std::string rfc3339_or(const std::optional<Seconds>& time, std::string_view otherwise) {
    return time ? format_rfc3339(*time) : std::string(otherwise);
}

std::optional<Seconds> parse_rfc3339(std::string_view text) {
    if (text.size() == 20 && text[19] == 'Z') text.remove_suffix(1);
    if (text.size() != 19 || text[10] != 'T' || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const auto day = parse_date(text.substr(0, 10));
    const auto h = two_digits(text, 11), m = two_digits(text, 14), s = two_digits(text, 17);
    if (!day || h > 23 || m > 59 || s > 59) return std::nullopt;
    return *day + hours{h} + minutes{m} + seconds{s};
}

std::string format_http_date(Seconds time) {
    static constexpr std::string_view weekdays = "SunMonTueWedThuFriSat";
    const auto day = floor<days>(time);
    const auto month = static_cast<unsigned>(year_month_day{day}.month()) - 1;
    const auto iso = format_rfc3339(time);
    std::string text = "Sun, 00 Jan 0000 00:00:00 GMT";
    text.replace(0, 3, weekdays, 3 * weekday{day}.c_encoding(), 3);
    text.replace(5, 2, iso, 8, 2);
    text.replace(8, 3, month_names, 3 * std::size_t{month}, 3);
    text.replace(12, 4, iso, 0, 4);
    text.replace(17, 8, iso, 11, 8);
    return text;
}

std::optional<Seconds> parse_http_date(std::string_view text) {
    if (const auto time = parse_imf(text)) return time;
    if (const auto time = parse_rfc850(text)) return time;
    return parse_asctime(text);
}

}  // namespace base
