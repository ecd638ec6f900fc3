// SPDX-License-Identifier: MIT
#include "feed/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace feed {
namespace {

using std::chrono::minutes;

// The parts of a date that a text gives.
struct Parts {
    int year = 0;
    unsigned month = 0, day = 0;
    int hour = 0, minute = 0, second = 0;
    minutes offset{0};  // from UTC
};

std::optional<int> number_in(std::string_view text, std::size_t least, std::size_t most) {
    if (text.size() < least || text.size() > most) return std::nullopt;
    int number = 0;
    for (const char c : text) {
        if (!base::is_digit(c)) return std::nullopt;
        number = number * 10 + (c - '0');
    }
    return number;
}

std::optional<base::Seconds> time_of(const Parts& parts) {
    using namespace std::chrono;
    const auto day = year(parts.year) / month(parts.month) / std::chrono::day(parts.day);
    if (!day.ok() || parts.hour > 24 || parts.minute > 59 || parts.second > 60)
        return std::nullopt;
    if (parts.hour == 24 && (parts.minute != 0 || parts.second != 0)) return std::nullopt;
    // A leap second is read as the last second of its minute.
    const auto time = sys_days(day) + hours(parts.hour) + minutes(parts.minute) +
                      seconds(std::min(parts.second, 59)) - parts.offset;
    if (time < sys_days(year(1990) / 1 / 1) || time >= sys_days(year(2101) / 1 / 1))
        return std::nullopt;
    return time_point_cast<seconds>(time);
}

struct NamedZone {
    std::string_view name;
    int minutes;
};
// RFC 822 section 5.1, and names that feeds use without asking whether they are unique.
constexpr auto zones = std::to_array<NamedZone>({
    {"ut", 0},      {"utc", 0},     {"gmt", 0},    {"z", 0},      {"est", -300}, {"edt", -240},
    {"cst", -360},  {"cdt", -300},  {"mst", -420}, {"mdt", -360}, {"pst", -480}, {"pdt", -420},
    {"akst", -540}, {"akdt", -480}, {"hst", -600}, {"ast", -240}, {"adt", -180}, {"nst", -210},
    {"ndt", -150},  {"wet", 0},     {"west", 60},  {"bst", 60},   {"cet", 60},   {"cest", 120},
    {"met", 60},    {"mest", 120},  {"mez", 60},   {"mesz", 120}, {"eet", 120},  {"eest", 180},
    {"msk", 180},   {"msd", 240},   {"ist", 330},  {"sgt", 480},  {"hkt", 480},  {"jst", 540},
    {"kst", 540},   {"aest", 600},  {"aedt", 660}, {"nzst", 720}, {"nzdt", 780},
});

// "+0100", "+01:00", "+1", "-0530", "GMT+1", "EST"; a military letter, which RFC 2822 section 4.3 reads
// as UTC, because most programs got their signs wrong.
std::optional<minutes> parse_zone(std::string_view text) {
    const auto sign = text.find_first_of("+-");
    if (sign == std::string_view::npos) {
        const auto name = base::fold_ascii(text);
        const auto found = std::ranges::find(zones, name, &NamedZone::name);
        if (found != zones.end()) return minutes(found->minutes);
        if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z' && name[0] != 'j')
            return minutes(0);
        return std::nullopt;
    }
    if (sign > 0) {
        const auto before = base::fold_ascii(text.substr(0, sign));
        if (before != "gmt" && before != "utc" && before != "ut" && before != "z")
            return std::nullopt;
    }
    std::string digits;
    for (const char c : text.substr(sign + 1))
        if (c != ':') digits += c;
    if (digits.size() == 1 || digits.size() == 2)
        digits = std::string(2 - digits.size(), '0') + digits + "00";
    if (digits.size() == 3) digits.insert(0, "0");
    const auto number = number_in(digits, 4, 4);
    if (!number || *number % 100 > 59 || *number / 100 > 15) return std::nullopt;
    const minutes offset(*number / 100 * 60 + *number % 100);
    return text[sign] == '-' ? -offset : offset;
}

// "09:15:20", "09:15", "9:15:20.123", "09.15", "09:15 PM" is not known.
bool parse_clock(std::string_view text, Parts& parts) {
    const auto fraction = text.find_first_of(".,");
    if (fraction != std::string_view::npos && text.find(':') != std::string_view::npos) {
        if (!number_in(text.substr(fraction + 1), 1, 12)) {
            if (!std::ranges::all_of(text.substr(fraction + 1), base::is_digit)) return false;
        }
        text = text.substr(0, fraction);
    }
    const auto fields = base::split(text, text.find(':') == std::string_view::npos ? '.' : ':');
    if (fields.size() < 2 || fields.size() > 3) return false;
    const auto hour = number_in(fields[0], 1, 2), minute = number_in(fields[1], 1, 2);
    const auto second = fields.size() == 3 ? number_in(fields[2], 1, 2) : std::optional(0);
    if (!hour || !minute || !second) return false;
    parts.hour = *hour;
    parts.minute = *minute;
    parts.second = *second;
    return true;
}

// Where the zone begins in "09:15:20+01:00" or "09:15:20Z".
std::size_t zone_in(std::string_view clock) {
    return std::min(clock.find_first_of("+-zZ"), clock.size());
}

// W3CDTF and RFC 3339: "2026", "2026-11", "2026-11-24", "2026-11-24T09:15Z", "20261124T091520Z".
std::optional<base::Seconds> parse_w3c(std::string_view text) {
    Parts parts{.month = 1, .day = 1};
    const auto end = std::min(text.find_first_of("Tt "), text.size());
    const auto date = text.substr(0, end);
    const char separator = date.find('/') == std::string_view::npos ? '-' : '/';
    auto fields = base::split(date, separator);
    if (fields.size() == 1 && date.size() == 8)
        fields = {date.substr(0, 4), date.substr(4, 2), date.substr(6, 2)};
    if (fields.empty() || fields.size() > 3) return std::nullopt;
    const auto year = number_in(fields[0], 4, 4);
    const auto month = fields.size() > 1 ? number_in(fields[1], 1, 2) : std::optional(1);
    const auto day = fields.size() > 2 ? number_in(fields[2], 1, 2) : std::optional(1);
    if (!year || !month || !day) return std::nullopt;
    parts.year = *year;
    parts.month = static_cast<unsigned>(*month);
    parts.day = static_cast<unsigned>(*day);
    if (end == text.size()) return time_of(parts);
    const auto rest = base::trim(text.substr(end + 1));
    const auto zone = zone_in(rest);
    auto clock = base::trim(rest.substr(0, zone));
    std::string spread;
    if (clock.size() == 6 && clock.find(':') == std::string_view::npos) {
        spread = std::string(clock.substr(0, 2)) + ':' + std::string(clock.substr(2, 2)) + ':' +
                 std::string(clock.substr(4));
        clock = spread;
    }
    auto name = zone == rest.size() ? std::string_view() : base::trim(rest.substr(zone));
    // "09:15:20 EST"
    if (const auto blank = clock.find(' '); blank != std::string_view::npos) {
        name = base::trim(clock.substr(blank));
        clock = clock.substr(0, blank);
    }
    // Go and Java write the zone twice: "+0000 UTC", "Z[UTC]".
    name = name.substr(0, name.find_first_of(" ["));
    if (!parse_clock(clock, parts)) return std::nullopt;
    const auto offset = name.empty() ? std::optional(minutes(0)) : parse_zone(name);
    if (!offset) return std::nullopt;
    parts.offset = *offset;
    return time_of(parts);
}

// The beginnings of the names of months, in lower case: English ones, and those of other languages that differ.
constexpr auto months = std::to_array<std::string_view>(
    {"jan ene gen", "feb fév fev", "mar mär mrz mrt", "apr avr abr", "may mai mag maj mei",
     "jun juin giu", "jul juil lug", "aug aoû aou ago", "sep set", "oct okt out ott", "nov",
     "dec dez déc dic"});

std::optional<unsigned> month_named(std::string_view text) {
    const auto name = base::fold_ascii(text);
    for (unsigned month = 0; month < months.size(); ++month)
        for (const auto beginning : base::split(months[month], ' '))
            if (name.starts_with(beginning)) return month + 1;
    return std::nullopt;
}

// RFC 2822 section 4.3.
int full_year(int year, std::size_t digits) {
    if (digits == 2) return year < 50 ? 2000 + year : 1900 + year;
    return digits == 3 ? 1900 + year : year;
}

std::vector<std::string_view> words_of_time(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const auto begin = text.find_first_not_of(" ,\t\r\n", at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(" ,\t\r\n", begin), text.size());
        words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

// "Fri, 15 Feb 2008 09:15:20 GMT", "Feb 15 2008", "Fri Feb 15 09:15:20 2008", "15-Feb-08 09:15": a name of a month
// and numbers, of which the clock has a colon.
std::optional<base::Seconds> parse_named(std::string_view text) {
    std::string spread;
    spread.reserve(text.size());
    int depth = 0;
    // "15-Feb-2008" has no blanks; comments in parentheses do not count.
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '(') ++depth;
        const bool joins = c == '-' && at > 0 && at + 1 < text.size() &&
                           (base::is_digit(text[at - 1]) != base::is_digit(text[at + 1])) &&
                           text.substr(0, at).find(':') == std::string_view::npos;
        if (depth == 0) spread += joins ? ' ' : c;
        if (c == ')' && depth > 0) --depth;
    }
    Parts parts;
    std::string_view zone;
    bool has_clock = false, has_year = false, is_afternoon = false, has_half = false;
    bool is_month_first = false;  // it was before the day
    for (auto word : words_of_time(spread)) {
        if (word.ends_with('.')) word.remove_suffix(1);
        if (word.find(':') != std::string_view::npos && base::is_digit(word.front()) &&
            !has_clock) {
            const auto end = zone_in(word);
            if (!parse_clock(word.substr(0, end), parts)) return std::nullopt;
            if (end < word.size()) zone = word.substr(end);
            has_clock = true;
            continue;
        }
        const auto folded = base::fold_ascii(word);
        if (has_clock && (folded == "am" || folded == "pm")) {
            is_afternoon = folded == "pm";
            has_half = true;
            continue;
        }
        auto digits = word;
        for (const auto* ending : {"st", "nd", "rd", "th"})
            if (digits.size() > 2 && digits.ends_with(ending) && base::is_digit(digits.front()))
                digits.remove_suffix(2);
        if (const auto number = number_in(digits, 1, 4)) {
            if (parts.day == 0 && digits.size() <= 2 && *number > 0) {
                parts.day = static_cast<unsigned>(*number);
            } else if (!has_year) {
                parts.year = full_year(*number, digits.size());
                has_year = true;
            } else {
                return std::nullopt;
            }
            continue;
        }
        // A day of the week may begin like a month ("Mar, 01 Dec": Tuesday in French): a later month replaces it.
        const auto month = month_named(word);
        if (month && (parts.month == 0 || is_month_first)) {
            is_month_first = parts.day == 0;
            parts.month = *month;
        } else if (parts.month != 0 && (has_clock || has_year) && zone.empty()) {
            zone = word;
        }
    }
    if (parts.month == 0 || parts.day == 0 || !has_year) return std::nullopt;
    if (has_half) {
        if (parts.hour < 1 || parts.hour > 12) return std::nullopt;
        parts.hour = parts.hour % 12 + (is_afternoon ? 12 : 0);
    }
    if (!zone.empty()) {
        // An unknown name must not lose the day: RFC 2822 section 4.3.
        const auto offset = parse_zone(zone);
        const bool is_name = zone.find_first_of("0123456789") == std::string_view::npos;
        if (!offset && !is_name) return std::nullopt;
        parts.offset = offset.value_or(minutes(0));
    }
    return time_of(parts);
}

}  // namespace

std::optional<base::Seconds> parse_time(std::string_view text) {
    constexpr std::size_t longest = 100;
    text = base::trim(text);
    if (text.empty() || text.size() > longest) return std::nullopt;
    const bool begins_with_year =
        text.size() >= 4 && std::ranges::all_of(text.substr(0, 4), base::is_digit);
    if (begins_with_year)
        if (const auto time = parse_w3c(text)) return time;
    return parse_named(text);
}

}  // namespace feed
