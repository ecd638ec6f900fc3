// SPDX-License-Identifier: MIT
#include "feed/pipermail.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/gzip.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/charset.hpp"
#include "feed/date.hpp"
#include "feed/feed_fields.hpp"
#include "feed/markup.hpp"
#include "feed/read_feed.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

using base::ErrorKind;
using base::fail;
using namespace std::string_view_literals;

constexpr std::size_t most_months = 1200;
constexpr std::size_t longest_mail_field = 4096;

constexpr std::array month_names{"January"sv,   "February"sv, "March"sv,    "April"sv,
                                 "May"sv,       "June"sv,     "July"sv,     "August"sv,
                                 "September"sv, "October"sv,  "November"sv, "December"sv};
constexpr std::array month_endings{".txt.gz"sv, ".txt"sv};

// ---- The index ----

// Returns the name without the ending of a month's text; nullopt: it has another ending.
std::optional<std::string_view> without_month_ending(std::string_view name) {
    for (const auto ending : month_endings)
        if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
    return std::nullopt;
}

// "2008-February.txt.gz"
std::optional<base::Date> month_of_file(std::string_view name) {
    const auto stem = without_month_ending(name);
    if (!stem || stem->size() < 8 || (*stem)[4] != '-') return std::nullopt;
    const auto year = base::parse_count(stem->substr(0, 4));
    const auto month = std::ranges::find(month_names, stem->substr(5));
    if (!year || *year < 1970 || month == month_names.end()) return std::nullopt;
    return base::Date(std::chrono::year(static_cast<int>(*year)) /
                      std::chrono::month(static_cast<unsigned>(month - month_names.begin()) + 1) /
                      1);
}

std::string_view last_part_of(std::string_view url) {
    return url.substr(std::min(url.size(), url.rfind('/') + 1));
}

std::optional<base::Date> month_of_url(std::string_view url) {
    return month_of_file(last_part_of(url.substr(0, url.find_first_of("?#"))));
}

std::string folder_of(const std::string& url) {
    const auto path = std::string_view(url).substr(0, url.find_first_of("?#"));
    return std::string(path.substr(0, path.rfind('/') + 1));
}

// Returns what references of an index are relative to. An address such as https://x.org/pipermail/worms names the
// folder of the list, although it lacks the slash.
std::string base_of_index(const std::string& url) {
    constexpr std::array page_endings{".html"sv, ".htm"sv, ".shtml"sv, ".php"sv, ".cgi"sv};
    const bool has_query = url.find_first_of("?#") != std::string::npos;
    const bool is_page = std::ranges::any_of(
        page_endings, [&](std::string_view ending) { return url.ends_with(ending); });
    return has_query || is_page || url.ends_with('/') ? url : url + '/';
}

// Calls use(tag, what follows it) for each tag of a page.
void for_tags(std::string_view html, const auto& use) {
    for (auto at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
        const auto tag = tag_at(html.substr(at, html.find('<', at + 1) - at), 1);
        at += tag ? tag->size : 1;
        if (tag) use(*tag, html.substr(at));
    }
}

// ---- The text of a month ----

// Returns whether a line separates messages: "From jo at x.org  Fri Feb  1 09:15:20 2008". Lines of a message that
// begin with "From " do not end with a time.
bool is_separator(std::string_view line) {
    constexpr auto form = " Aaa Aaa 99 99:99:99 9999"sv;
    while (!line.empty() && (base::is_blank(line.back()) || line.back() == '\r'))
        line.remove_suffix(1);
    if (!line.starts_with("From ") || line.size() < form.size() + 5) return false;
    const auto end = line.substr(line.size() - form.size());
    return std::ranges::equal(end, form, [](char c, char wanted) {
        if (wanted == '9') return base::is_digit(c) || c == ' ';
        if (wanted == 'A') return c >= 'A' && c <= 'Z';
        if (wanted == 'a') return c >= 'a' && c <= 'z';
        return c == wanted;
    });
}

std::string_view time_of_separator(std::string_view line) {
    constexpr std::size_t length = 24;
    line = base::trim(line);
    return line.substr(line.size() - std::min(length, line.size()));
}

// Removes the first line from a text and returns it without its line end.
std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

struct RawMessage {
    std::string_view separator, rest;  // rest: fields, an empty line, and the text
};

// Returns the messages in their order, without any text before the first one.
struct RawMessages {
    std::vector<RawMessage> messages;
    bool is_cut = false;
};
RawMessages split_mbox(std::string_view text, std::size_t most) {
    RawMessages found;
    bool is_after_blank = true;
    std::optional<std::size_t> begin;
    auto left = text;
    const auto end_message = [&](std::size_t end) {
        if (begin) found.messages.back().rest = text.substr(*begin, end - *begin);
    };
    while (!left.empty()) {
        const auto at = text.size() - left.size();
        const auto line = take_line(left);
        if (is_after_blank && is_separator(line)) {
            end_message(at);
            if (found.messages.size() == most) {
                found.is_cut = true;
                return found;
            }
            found.messages.push_back({line, {}});
            begin = text.size() - left.size();
        }
        is_after_blank = base::trim(line).empty();
    }
    end_message(text.size());
    return found;
}

struct MailFields {
    std::string from, date, subject, message_id;

    // Returns the field to fill; nullptr: it is not used, or has a value already.
    std::string* find(std::string_view name) {
        const auto folded = base::fold_ascii(name.substr(0, 16));
        std::string* field = folded == "from"         ? &from
                             : folded == "date"       ? &date
                             : folded == "subject"    ? &subject
                             : folded == "message-id" ? &message_id
                                                      : nullptr;
        return field != nullptr && field->empty() ? field : nullptr;
    }
};

// Removes the header fields from a message, and the empty line behind them. Fields that continue on the next line are joined; of
// several with one name, the first one counts.
MailFields take_fields(std::string_view& message) {
    MailFields fields;
    std::string* current = nullptr;
    while (!message.empty()) {
        const auto line = take_line(message);
        if (line.empty()) break;
        const auto some = base::trim(line.substr(0, longest_mail_field));
        if (base::is_blank(line.front())) {
            if (current != nullptr && current->size() < longest_mail_field)
                current->append(" ").append(some);
            continue;
        }
        const auto colon = some.find(':');
        current = colon == std::string_view::npos ? nullptr : fields.find(some.substr(0, colon));
        if (current != nullptr) *current = base::trim(some.substr(colon + 1));
    }
    return fields;
}

// ---- Encoded words (RFC 2047) ----

// '_' is a blank, "=41" a byte.
std::optional<std::string> decode_q(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '_')
            escaped += ' ';
        else if (c == '%')
            escaped += "%25";
        else
            escaped += c == '=' ? '%' : c;
    }
    return base::percent_decode(escaped, base::Plus::literal);
}

struct EncodedWord {
    std::string charset, bytes;
    std::size_t length = 0;  // as it is written
};

// Returns the encoded word that a text begins with: "=?utf-8?Q?Caf=C3=A9?=".
std::optional<EncodedWord> encoded_word_at(std::string_view text) {
    constexpr std::size_t longest = 512;
    text = text.substr(0, longest);
    if (!text.starts_with("=?")) return std::nullopt;
    const auto charset_end = text.find('?', 2);
    if (charset_end == std::string_view::npos || charset_end + 2 >= text.size() ||
        text[charset_end + 2] != '?')
        return std::nullopt;
    const auto begin = charset_end + 3;
    const auto end = text.find("?=", begin);
    if (end == std::string_view::npos) return std::nullopt;
    const char encoding = text[charset_end + 1];
    const auto coded = text.substr(begin, end - begin);
    auto bytes = encoding == 'Q' || encoding == 'q'   ? decode_q(coded)
                 : encoding == 'B' || encoding == 'b' ? decoded_base64(coded)
                                                      : std::nullopt;
    if (!bytes) return std::nullopt;
    auto charset = base::fold_ascii(text.substr(2, charset_end - 2));
    charset.resize(std::min(charset.find('*'), charset.size()));  // a language (RFC 2231)
    return EncodedWord{std::move(charset), *std::move(bytes), end + 2};
}

// Collects the parts of a field. Neighbours with one charset are decoded together, because some programs divide
// characters between them.
class FieldDecoder {
   public:
    void add_plain(char c) {
        finish_words();
        plain_ += c;
    }
    void add_word(EncodedWord word) {
        if (word.charset != charset_) finish_words();
        finish_plain();
        charset_ = std::move(word.charset);
        words_ += word.bytes;
    }
    std::string finish() {
        finish_words();
        finish_plain();
        return std::move(text_);
    }

   private:
    void finish_words() {
        if (!words_.empty()) text_ += decode_text(words_, "text/plain; charset=" + charset_);
        words_.clear();
        charset_.clear();
    }
    void finish_plain() {
        if (!plain_.empty()) text_ += decode_text(plain_, "");
        plain_.clear();
    }
    std::string text_, plain_, words_, charset_;
};

// ---- Entries ----

// "jo at x.org (Jo Doe)", "Jo Doe <jo at x.org>", "jo at x.org": the name, or what is before the "at".
std::string author_of_mail(const std::string& from) {
    auto text = decode_mail_field(from);
    if (const auto at = text.find(" at "); at != std::string::npos) text.replace(at, 4, "@");
    const auto author = author_in(text);
    const auto& name = author.name.empty() ? author.mail : author.name;
    return std::string(base::cut_at(name.substr(0, name.find('@')), 255));
}

std::string thread_page_of(const std::string& month_url) {
    const auto url = std::string_view(month_url).substr(0, month_url.find_first_of("?#"));
    const auto stem = without_month_ending(url);
    return stem ? std::string(*stem) + "/thread.html" : folder_of(month_url);
}

std::string html_of_message(std::string_view text, std::size_t most) {
    const auto decoded = decode_text(base::cut_at(text, most), "");
    const auto trimmed = base::trim(decoded);
    return trimmed.empty() ? std::string() : "<pre>" + base::escape_html(trimmed) + "</pre>";
}

Entry entry_of(const RawMessage& message, const std::string& link, std::size_t most_text) {
    auto rest = message.rest;
    const auto fields = take_fields(rest);
    Entry entry;
    entry.guid = decode_text(base::cut_at(base::trim(fields.message_id), 1024), "");
    entry.link = link;
    entry.title = decode_mail_field(fields.subject);
    if (auto author = author_of_mail(fields.from); !author.empty())
        entry.authors.push_back({.name = std::move(author), .mail = {}, .url = {}});
    entry.published = parse_time(fields.date);
    if (!entry.published) entry.published = parse_time(time_of_separator(message.separator));
    entry.content = html_of_message(rest, most_text);
    return entry;
}

}  // namespace

base::Result<ListIndex> read_list_index(std::string_view bytes, std::string_view content_type,
                                        const std::string& url) {
    const auto html = decode_text(bytes, content_type);
    const auto base = base_of_index(url);
    const auto folder = folder_of(resolve_reference(base, "index.html"));
    ListIndex index;
    std::set<base::Date> seen;
    for_tags(html, [&](const Tag& tag, std::string_view after) {
        if (index.title.empty() && base::equal_ignoring_case(tag.name, "title"))
            index.title = plain_line(after.substr(0, after.find("</")), 512);
        const auto reference = tag.value("href");
        const auto month = month_of_url(reference);
        if (!month || seen.size() >= most_months || seen.contains(*month)) return;
        auto text_url = resolve_reference(base, reference);
        if (folder_of(text_url) != folder) return;
        seen.insert(*month);
        index.months.push_back({*month, std::move(text_url)});
    });
    if (index.months.empty())
        return fail(ErrorKind::malformed,
                    "not the archive of a mailing list: it lists no months");
    std::ranges::sort(index.months, std::greater<>(), &ListMonth::first_day);
    return index;
}

bool is_month_url(std::string_view url) { return month_of_url(url).has_value(); }

std::string index_of_month(const std::string& month_url) { return folder_of(month_url); }

base::Result<ListMessages> read_month(std::string_view bytes, const std::string& month_url,
                                      const MonthLimits& limits) {
    std::string unpacked;
    if (base::is_gzip(bytes)) {
        auto text = base::gunzip(bytes, limits.most_bytes);
        if (!text) return tl::unexpected(text.error());
        unpacked = *std::move(text);
        bytes = unpacked;
    }
    const bool is_too_long = bytes.size() >= limits.most_bytes;
    auto [raw, is_cut] = split_mbox(bytes.substr(0, limits.most_bytes), limits.most_messages);
    // The last message may be cut off.
    if (is_too_long && !is_cut && raw.size() > 1) raw.pop_back();
    if (raw.empty()) return fail(ErrorKind::malformed, "no messages");
    ListMessages month{.entries = {}, .is_cut = is_cut || is_too_long};
    const auto link = thread_page_of(month_url);
    for (const auto& message : raw)
        month.entries.push_back(entry_of(message, link, limits.most_text));
    identify(month.entries);
    return month;
}

std::string decode_mail_field(std::string_view field) {
    field = field.substr(0, 2 * longest_mail_field);
    FieldDecoder decoder;
    while (!field.empty()) {
        if (auto word = encoded_word_at(field)) {
            field.remove_prefix(word->length);
            decoder.add_word(*std::move(word));
            // Blanks between two encoded words are not part of the text.
            const auto blanks = field.find_first_not_of(" \t\r\n");
            if (blanks != std::string_view::npos && encoded_word_at(field.substr(blanks)))
                field.remove_prefix(blanks);
            continue;
        }
        decoder.add_plain(field.front());
        field.remove_prefix(1);
    }
    return one_line(decoder.finish());
}

}  // namespace feed
