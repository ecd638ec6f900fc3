// SPDX-License-Identifier: MIT
#include "feed/date.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace feed {
namespace {

using re2::RE2;
using std::chrono::minutes;

// The parts of a date that a text gives. curl_getdate(3) does not read most of these forms, and reads
// "01 Jan 70" as 2070, "30 Feb" as 1 March and military letters with the signs of RFC 822.
struct Parts {
    int year = 0;
    unsigned month = 0, day = 0;
    int hour = 0, minute = 0, second = 0;
    std::optional<minutes> offset;  // from UTC
};

std::optional<base::Seconds> time_of(const Parts& parts) {
    using namespace std::chrono;
    const auto day = year(parts.year) / month(parts.month) / std::chrono::day(parts.day);
    if (!day.ok() || parts.hour > 24 || parts.minute > 59 || parts.second > 60 ||
        (parts.hour == 24 && parts.minute + parts.second > 0))
        return std::nullopt;
    // A leap second is read as the last second of its minute.
    const auto time = sys_days(day) + hours(parts.hour) + minutes(parts.minute) +
                      seconds(std::min(parts.second, 59)) - parts.offset.value_or(minutes(0));
    if (time < sys_days(year(1990) / 1 / 1) || time >= sys_days(year(2101) / 1 / 1))
        return std::nullopt;
    return time;
}

// Offsets and the names of their zones: RFC 822 section 5.1, and names that feeds use without asking whether they are
// unique. RFC 2822 section 4.3 reads military letters as UTC, because most programs got their signs wrong.
constexpr std::string_view zones =
    "+0 ut utc gmt z wet a b c d e f g h i k l m n o p q r s t u v w x y;-10 hst;-9 akst;"
    "-8 pst akdt;-7 mst pdt;-6 cst mdt;-5 est cdt;-4 ast edt;-0330 nst;-3 adt;-0230 ndt;"
    "+1 west bst cet met mez;+2 cest mest mesz eet;+3 eest msk;+4 msd;+0530 ist;+8 sgt hkt;"
    "+9 jst kst;+10 aest;+11 aedt;+12 nzst;+13 nzdt";

// "+0100", "+01:00", "+1", "-0530", "gmt+1", "est"
std::optional<minutes> parse_zone(std::string zone) {
    static const RE2 numeric("(?:gmt|utc?|z)?([+-])(0?[0-9]|1[0-5]):?([0-5][0-9])?");
    for (const auto known : base::split(zones, ';')) {
        const auto words = base::split(known, ' ');
        if (std::ranges::find(words, zone) != words.end()) zone = words.front();
    }
    std::string sign, minute;
    int hour = 0;
    if (!RE2::FullMatch(zone, numeric, &sign, &hour, &minute)) return std::nullopt;
    return minutes((sign == "-" ? -1 : 1) * (hour * 60 + std::stoi('0' + minute)));
}

// The beginnings of the names of months, in lower case: English ones, and those of other languages that differ.
constexpr auto months = std::to_array<std::string_view>(
    {"jan ene gen", "feb fév fev", "mar mär mrz mrt", "apr avr abr", "may mai mag maj mei",
     "jun juin giu", "jul juil lug", "aug aoû aou ago", "sep set", "oct okt out ott", "nov",
     "dec dez déc dic"});

std::optional<unsigned> month_named(std::string_view name) {
    for (unsigned month = 0; month < months.size(); ++month)
        for (const auto beginning : base::split(months[month], ' '))
            if (name.starts_with(beginning)) return month + 1;
    return std::nullopt;
}

// Writes forms that mean the same in one way: W3CDTF with all its separators, a blank around every other part.
std::string normalise(std::string_view time) {
    static const std::pair<RE2, const char*> rewrites[] = {
        {R"((:.*(?:Z|[-+][\d:]+))\[.*)", R"(\1)"},  // Java writes the zone twice: "Z[UTC]"
        {R"(^(\d{4})([Tt]|$))", R"(\1-1\2)"},
        {R"(^(\d{4})[-/](\d\d?)([Tt ]|$))", R"(\1-\2-1\3)"},
        {R"(^(\d{4})(\d\d)(\d\d)([Tt ]|$))", R"(\1-\2-\3\4)"},
        {R"(^(\d{4}[-/]\d\d?[-/]\d\d?[Tt ]\s*\d\d)\.?(\d\d)\.?(\d\d))", R"(\1:\2:\3)"},
        {R"(^(\d{4}[-/]\d\d?[-/]\d\d?[Tt ]\s*\d\d?)\.(\d\d)([^.\d]|$))", R"(\1:\2\3)"},
        {R"(\((?:[^()]|\([^()]*\))*(?:\)|$))", ""},  // a comment
        {R"(^([^:]*\d)-([^-:\d]))", R"(\1 \2)"},     // "15-Feb-2008"
        {R"(^([^:]*[^-:\d])-(\d))", R"(\1 \2)"},
        {R"((:\d\d?)(?:[.,]\d*)?([-+Zz\s]|$))", R"(\1 \2)"},
        {R"((\d)(?:st|nd|rd|th)([\s,]|$))", R"(\1\2)"},
    };
    std::string text(time);
    for (const auto& [form, by] : rewrites) RE2::GlobalReplace(&text, form, by);
    return text;
}

}  // namespace

// After a date of W3CDTF come a clock and a zone. Else there are a name of a month and numbers, of which the clock has
// a colon: "Fri, 15 Feb 2008 09:15:20 GMT", "Feb 15 2008", "Fri Feb 15 09:15:20 2008", "15 Feb 08 09:15".
std::optional<base::Seconds> parse_time(std::string_view time) {
    constexpr std::size_t longest = 100;
    if (base::trim(time).size() > longest) return std::nullopt;
    static const RE2 w3c(R"((?s)(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[Tt ]\s*(\d\d?:.*))?\s*)");
    static const RE2 clock(R"((\d\d?):(\d\d?)(?::(\d\d?))?)");
    static const RE2 digits(R"((\d{1,4}))");
    static const RE2 next_word(R"(([^\s,]+))");
    const auto text = normalise(base::trim(time));
    Parts parts;
    std::string word, second;
    re2::StringPiece rest(text);
    const bool is_w3c = RE2::FullMatch(text, w3c, &parts.year, &parts.month, &parts.day, &rest);
    int number = 0;
    bool has_clock = false, has_month = is_w3c;
    while (RE2::FindAndConsume(&rest, next_word, &word)) {
        word = base::fold_ascii(word);
        if (word.size() > 1 && word.ends_with('.')) word.pop_back();
        if (!has_clock && base::is_digit(word[0]) && word.find(':') != std::string::npos) {
            if (!RE2::FullMatch(word, clock, &parts.hour, &parts.minute, &second))
                return std::nullopt;
            parts.second = std::stoi('0' + second);
            has_clock = true;
        } else if (has_clock && (word == "am" || word == "pm")) {
            if (parts.hour < 1 || parts.hour > 12) return std::nullopt;
            parts.hour = parts.hour % 12 + (word == "pm" ? 12 : 0);
        } else if (RE2::FullMatch(word, digits, &number)) {
            const int century = word.size() == 2 && number < 50 ? 2000 : 1900;
            if (parts.day == 0 && word.size() <= 2 && number > 0)
                parts.day = static_cast<unsigned>(number);
            else if (parts.year == 0)  // RFC 2822 section 4.3
                parts.year = number + (word.size() < 4 ? century : 0);
            else
                return std::nullopt;
        } else if (const auto month = month_named(word); month && !has_month) {
            // A day of the week may begin like a month ("Mar, 01 Dec": Tuesday in French): a later month replaces it.
            has_month = parts.day != 0;
            parts.month = *month;
        } else if (parts.month != 0 && (has_clock || parts.year != 0) && !parts.offset) {
            // An unknown name must not lose the day: RFC 2822 section 4.3.
            const bool is_name = !is_w3c && word.find_first_of("0123456789") == std::string::npos;
            parts.offset = parse_zone(word);
            if (!parts.offset && !is_name) return std::nullopt;
            if (!parts.offset) parts.offset = minutes(0);
        }
    }
    return time_of(parts);
}

}  // namespace feed
