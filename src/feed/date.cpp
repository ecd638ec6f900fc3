// SPDX-License-Identifier: MIT
#include "feed/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <re2/re2.h>
#include <string>
#include <unicode/dtfmtsym.h>
#include <unicode/timezone.h>
#include <utf8.h>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"

namespace feed {
namespace {

using std::chrono::minutes, std::chrono::seconds;

int number_or(std::string_view digits, int otherwise) {
    const auto number = base::parse_count(digits);
    return number ? static_cast<int>(*number) : otherwise;
}

// ---- Months ----

constexpr auto english_days = std::to_array<std::string_view>(
    {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"});
// Languages whose names of months are known. Where two of them mean different months by one name, the first one counts.
constexpr auto languages = std::to_array<const char*>(
    {"en",      "de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "cs",
     "sk",      "el", "hu", "fi", "sv", "da", "nb", "tr", "ro", "bg", "sr",
     "sr_Latn", "hr", "sl", "mk", "be", "et", "lv", "lt", "ca", "eu", "gl",
     "cy",      "ga", "is", "sq", "id", "ms", "ar", "he", "fa", "th", "hi"});

// The months of all languages by their names.
std::map<std::string, unsigned> make_month_names() {
    using Symbols = icu::DateFormatSymbols;
    std::map<std::string, unsigned> names{{"mrz", 3}};
    for (const auto* language : languages) {
        UErrorCode status = U_ZERO_ERROR;
        const Symbols symbols(icu::Locale(language), status);
        if (U_FAILURE(status)) continue;
        for (const auto context : {Symbols::FORMAT, Symbols::STANDALONE})
            for (const auto width : {Symbols::ABBREVIATED, Symbols::WIDE}) {
                int32_t count = 0;
                const auto* months = symbols.getMonths(count, context, width);
                for (unsigned i = 0; i < 12 && i < static_cast<unsigned>(count); ++i) {
                    std::string name;
                    names.try_emplace(base::search_key(months[i].toUTF8String(name)), i + 1);
                }
            }
    }
    return names;
}

// Returns the month whose name a word is, or begins with three letters or more; nullopt: none.
std::optional<unsigned> month_named(std::string_view word) {
    const auto is_day = [ascii = base::fold_ascii(word)](std::string_view day) {
        return ascii.size() >= 3 && day.starts_with(ascii);
    };
    if (std::ranges::any_of(english_days, is_day)) return std::nullopt;
    static const auto names = make_month_names();
    const auto folded = base::search_key(word);
    if (utf8::unchecked::distance(folded.begin(), folded.end()) < 3) return std::nullopt;
    const auto found = names.lower_bound(folded);
    if (found == names.end() || !found->first.starts_with(folded)) return std::nullopt;
    return found->second;
}

// ---- Zones ----

struct NamedZone {
    std::string_view name;
    int minutes;
};
// RFC 822 section 5.1, and names that feeds use without asking whether they are unique.
constexpr auto zones = std::to_array<NamedZone>(
    {{"ut", 0},      {"utc", 0},    {"gmt", 0},     {"z", 0},       {"est", -300},
     {"edt", -240},  {"cst", -360}, {"cdt", -300},  {"mst", -420},  {"mdt", -360},
     {"pst", -480},  {"pdt", -420}, {"akst", -540}, {"akdt", -480}, {"hst", -600},
     {"ast", -240},  {"adt", -180}, {"nst", -210},  {"ndt", -150},  {"brt", -180},
     {"brst", -120}, {"art", -180}, {"clt", -240},  {"clst", -180}, {"cot", -300},
     {"pet", -300},  {"wet", 0},    {"west", 60},   {"bst", 60},    {"cet", 60},
     {"cest", 120},  {"met", 60},   {"mest", 120},  {"mez", 60},    {"mesz", 120},
     {"eet", 120},   {"eest", 180}, {"wat", 60},    {"cat", 120},   {"sast", 120},
     {"eat", 180},   {"msk", 180},  {"msd", 240},   {"trt", 180},   {"pkt", 300},
     {"ist", 330},   {"ict", 420},  {"wib", 420},   {"sgt", 480},   {"hkt", 480},
     {"pht", 480},   {"awst", 480}, {"jst", 540},   {"kst", 540},   {"acst", 570},
     {"acdt", 630},  {"aest", 600}, {"aedt", 660},  {"nzst", 720},  {"nzdt", 780}});
// Zones with summer time that are named without saying which time is meant.
constexpr auto places =
    std::to_array<std::pair<std::string_view, const char*>>({{"et", "America/New_York"},
                                                             {"ct", "America/Chicago"},
                                                             {"mt", "America/Denver"},
                                                             {"pt", "America/Los_Angeles"},
                                                             {"at", "America/Halifax"}});

// Returns the offset of a zone from UTC at a local time: "+0100", "+01:00", "+1", "GMT+1", "EST", "Europe/Berlin"; a
// military letter, which RFC 2822 section 4.3 reads as UTC, because most programs got their signs wrong.
std::optional<seconds> offset_of(std::string_view zone, base::Seconds local) {
    static const RE2 numeric("(?i)(?:gmt|utc?|z)?([+-])(\\d{1,2}?):?(\\d{2})?");
    std::string sign;
    int hours = 0;
    std::string written_minutes;
    if (RE2::FullMatch(zone, numeric, &sign, &hours, &written_minutes)) {
        const int past_hour = number_or(written_minutes, 0);
        if (hours > 15 || past_hour > 59) return std::nullopt;
        const auto offset = std::chrono::hours(hours) + minutes(past_hour);
        return sign == "-" ? -offset : offset;
    }
    const auto name = base::fold_ascii(zone);
    const auto* found = std::ranges::find(zones, name, &NamedZone::name);
    if (found != zones.end()) return minutes(found->minutes);
    if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z' && name[0] != 'j') return minutes(0);
    const auto* place =
        std::ranges::find(places, name, [](const auto& one) { return one.first; });
    const auto id = place == places.end() ? std::string(zone) : place->second;
    const std::unique_ptr<icu::TimeZone> known(
        icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(id)));
    if (*known == icu::TimeZone::getUnknown()) return std::nullopt;
    int32_t raw = 0, summer = 0;
    UErrorCode status = U_ZERO_ERROR;
    const auto milliseconds = 1000.0 * static_cast<double>(local.time_since_epoch().count());
    known->getOffset(milliseconds, 1, raw, summer, status);
    if (U_FAILURE(status)) return std::nullopt;
    return seconds((raw + summer) / 1000);
}

// ---- A time ----

// Reads a time word by word, whatever their order is.
class TimeReader {
   public:
    // Takes the next word. Returns false where it cannot belong to a time.
    bool take(std::string_view word) {
        static const RE2 year_first("(\\d{4})[-/.](\\d{1,2})(?:[-/.](\\d{1,2}))?[-/.]?");
        static const RE2 digits_alone("(\\d{4})(\\d\\d)(\\d\\d)"),
            clock_alone("(\\d\\d)(\\d\\d)(\\d\\d)");
        static const RE2 year_last("(\\d{1,2})([-/.])(\\d{1,2})[-/.](\\d{4}|\\d{2})");
        static const RE2 clock("(\\d{1,2})[:h](\\d{1,2})(?::(\\d{1,2})(?:[.,]\\d+)?)?");
        static const RE2 dotted_clock("(\\d{1,2})\\.(\\d\\d)(?:\\.(\\d\\d))?");
        static const RE2 number("(\\d{1,4})(?:st|nd|rd|th|\\.)?");
        if (!base::is_digit(word.front())) return take_word(word);
        int first = 0, second = 0, third = 0;
        std::string separator, last;
        if (!has_clock_ &&
            (RE2::FullMatch(word, clock, &first, &second, &last) ||
             (year_ > 0 && RE2::FullMatch(word, dotted_clock, &first, &second, &last)) ||
             (year_ > 0 && RE2::FullMatch(word, clock_alone, &first, &second, &third)))) {
            has_clock_ = true;
            hour_ = first, minute_ = second, second_ = number_or(last, third);
            return true;
        }
        if (RE2::FullMatch(word, year_first, &first, &second, &last))
            return set_date(first, second, number_or(last, 1));
        if (RE2::FullMatch(word, digits_alone, &first, &second, &third))
            return set_date(first, second, third);
        if (RE2::FullMatch(word, year_last, &first, &separator, &second, &third)) {
            // Americans write the month first, with a '/'.
            const bool is_month_first = second > 12 || (separator == "/" && first <= 12);
            return is_month_first ? set_date(full_year(third), first, second)
                                  : set_date(full_year(third), second, first);
        }
        if (RE2::FullMatch(word, number, &first)) return take_number(word, first);
        return take_word(word);
    }

    [[nodiscard]] std::optional<base::Seconds> time() const {
        using namespace std::chrono;
        // A year alone is one of W3CDTF.
        const bool is_year_alone = month_ == 0 && day_ == 0 && !has_clock_ && words_ == 1;
        const auto some_year = year_ > 0 ? year_ : short_year_;
        const auto date =
            year(some_year) / month(is_year_alone ? 1 : month_) / day(is_year_alone ? 1 : day_);
        if (some_year == 0 || !date.ok() || hour_ > 24 || minute_ > 59 || second_ > 60 ||
            (hour_ == 24 && minute_ + second_ > 0) || (half_ != 0 && (hour_ < 1 || hour_ > 12)))
            return std::nullopt;
        const int hour = half_ == 0 ? hour_ : hour_ % 12 + (half_ == 'p' ? 12 : 0);
        // A leap second is read as the last second of its minute.
        base::Seconds local =
            sys_days(date) + hours(hour) + minutes(minute_) + seconds(std::min(second_, 59));
        if (!zone_.empty()) {
            const auto offset = offset_of(zone_, local);
            const bool is_name = zone_.find_first_of("+-0123456789") == std::string::npos;
            if (!offset && !is_name) return std::nullopt;
            // Where nobody knows the zone, only the day is known.
            local = offset ? local - *offset : base::Seconds(sys_days(date));
        }
        if (local < sys_days(year(1990) / 1 / 1) || local >= sys_days(year(2101) / 1 / 1))
            return std::nullopt;
        return local;
    }

   private:
    // RFC 2822 section 4.3.
    static int full_year(int year) {
        return year >= 100 ? year : year < 50 ? 2000 + year : 1900 + year;
    }

    bool set_date(int year, int month, int day) {
        ++words_;
        if (std::exchange(year_, year) > 0) return false;
        month_ = static_cast<unsigned>(month);
        day_ = static_cast<unsigned>(day);
        return true;
    }

    bool take_number(std::string_view word, int number) {
        ++words_;
        const auto digits = std::min(word.find_first_not_of("0123456789"), word.size());
        if (digits == 4) return std::exchange(year_, number) == 0;
        if (digits == 3) {  // RFC 2822 section 4.3: 1900 + number
            short_year_ = 1900 + number;
            return true;
        }
        if (day_ == 0 && number > 0) {
            day_ = static_cast<unsigned>(number);
            return true;
        }
        return std::exchange(year_, full_year(number)) == 0;
    }

    bool take_word(std::string_view word) {
        static const RE2 half_of_day("(?i)(a|p|오전|오후|上午|下午|午前|午後)\\.?m?\\.?");
        static const RE2 offset("(?i)(?:gmt|utc?|z)?[+-]\\d{1,2}:?(?:\\d\\d)?");
        static const RE2 name_of_zone(
            "[A-Z]{1,5}|[a-z]{3,4}|[A-Z]{3}\\d[A-Z]{3}|[A-Za-z_]+/[A-Za-z_/+-]+\\d*");
        std::string half;
        const bool is_after = has_clock_ && zone_.empty();
        if (half_ == 0 && RE2::FullMatch(word, half_of_day, &half) && (word.size() > 1)) {
            constexpr std::string_view afternoon = "pP오후下午午後";
            half_ = afternoon.find(half) == std::string_view::npos ? 'a' : 'p';
            return true;
        }
        if (is_after && RE2::FullMatch(word, offset)) {
            zone_ = word;
            return true;
        }
        if (const auto month = month_named(word)) {
            // A day of the week may begin like a month ("Mar, 01 Dec": Tuesday in French): a later one replaces it.
            if (month_ == 0 || is_month_first_) {
                is_month_first_ = day_ == 0;
                month_ = *month;
            }
            return true;
        }
        if (is_after && RE2::FullMatch(word, name_of_zone)) zone_ = word;
        // "9999" is no offset, and "15-Feb-2008" three words.
        if (has_clock_ && word.find_first_of("+-") == 0 && word.size() > 1) return !is_after;
        if (const auto joint = word.find('-'); joint != std::string_view::npos && zone_ != word &&
                                               joint > 0 && joint + 1 < word.size())
            return take(word.substr(0, joint)) && take(word.substr(joint + 1));
        return true;
    }

    int year_ = 0, short_year_ = 0;
    unsigned month_ = 0, day_ = 0;
    int hour_ = 0, minute_ = 0, second_ = 0;
    int words_ = 0;  // with numbers of a date
    char half_ = 0;  // of the day: 'a', 'p', or 0 for a clock of 24 hours
    std::string zone_;
    bool has_clock_ = false;
    bool is_month_first_ = false;  // it was before the day
};

}  // namespace

std::optional<base::Seconds> parse_time(std::string_view text) {
    constexpr std::size_t longest = 100;
    text = base::trim(text);
    if (text.empty() || text.size() > longest) return std::nullopt;
    struct Rewriting {
        RE2 written;
        const char* words;
    };
    static const std::array<Rewriting, 6> rewritings{{
        {RE2("\\([^()]*\\)|\\[[^\\]]*\\]"), " "},  // comments
        {RE2("(\\d)[Tt](\\d)"), "\\1 \\2"},        // "2004-02-03T04:05"
        {RE2("(\\d)\\s*[년월年月]\\s*"), "\\1-"},  // "2004년 05월 28일"
        {RE2("(\\d)\\s*[일日]"), "\\1 "},
        {RE2("(:\\d\\d(?:[.,]\\d+)?)\\s*([Zz+-])"), "\\1 \\2"},  // "04:05:06+01:00"
        {RE2("(\\d)\\s*([AaPp]\\.?[Mm]\\b\\.?|[Zz]\\b)"), "\\1 \\2"},
    }};
    std::string words(text);
    for (const auto& [written, instead] : rewritings)
        RE2::GlobalReplace(&words, written, instead);
    TimeReader reader;
    std::ranges::replace_if(
        words, [](char c) { return c == ',' || c == '\t' || c == '\n' || c == '\r'; }, ' ');
    for (const auto word : base::split(words, ' '))
        if (!word.empty() && !reader.take(word)) return std::nullopt;
    return reader.time();
}

}  // namespace feed
