// SPDX-License-Identifier: MIT
#include "feed/pipermail.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <re2/re2.h>
#include <set>

#include "base/compress.hpp"
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

constexpr std::size_t most_months = 1200;
constexpr std::size_t longest_mail_field = 4096;

// ---- The index ----

// Returns the month whose text a URL names: "https://x.org/pipermail/worms/2008-February.txt.gz".
std::optional<base::Date> month_of_url(std::string_view url) {
    static const RE2 text("(?:[^?#]*/)?(\\d{4})-([A-Z][a-z]+)\\.txt(?:\\.gz)?(?:[?#].*)?");
    constexpr auto names = std::to_array<std::string_view>(
        {"January", "February", "March", "April", "May", "June", "July", "August", "September",
         "October", "November", "December"});
    int year = 0;
    std::string name;
    if (!RE2::FullMatch(url, text, &year, &name) || year < 1970) return std::nullopt;
    const auto* const month = std::ranges::find(names, name);
    if (month == names.end()) return std::nullopt;
    return base::Date(std::chrono::year(year) / (static_cast<int>(month - names.begin()) + 1) /
                      1);
}

std::string folder_of(const std::string& url) {
    const auto path = std::string_view(url).substr(0, url.find_first_of("?#"));
    return std::string(path.substr(0, path.rfind('/') + 1));
}

// Returns what references of an index are relative to. An address such as https://x.org/pipermail/worms names the folder of
// the list, although it lacks the slash.
std::string base_of_index(const std::string& url) {
    static const RE2 page(".*(?:[?#].*|\\.html?|\\.shtml|\\.php|\\.cgi|/)");
    return RE2::FullMatch(url, page) ? url : url + '/';
}

// ---- The text of a month ----

std::string_view view_of(re2::StringPiece text) { return {text.data(), text.size()}; }

struct RawMessage {
    std::string_view arrived;  // when, as it is written
    std::string_view rest;     // a line end, the fields, an empty line, and the text
};

// Returns the messages in their order, without any text before the first one. Each begins with a line after an empty one:
// "From jo at x.org  Fri Feb  1 09:15:20 2008". Lines of a message that begin with "From " do not end with a time.
//   most  of messages; one more is added if there are more
std::vector<RawMessage> split_mbox(std::string_view text, std::size_t most) {
    static const RE2 separator(
        "(?m)(?:\\A|\\n[ \\t\\r]*\\n)(From [^\\n]*( [A-Z][a-z]{2} [A-Z][a-z]{2} [\\d ]{2}"
        " [\\d ]{2}:[\\d ]{2}:[\\d ]{2} [\\d ]{4}))[ \\t\\r]*$",
        RE2::Latin1);
    std::vector<RawMessage> messages;
    re2::StringPiece left(text), line, arrived;
    while (messages.size() <= most && RE2::FindAndConsume(&left, separator, &line, &arrived)) {
        if (!messages.empty()) {
            auto& rest = messages.back().rest;
            rest = rest.substr(0, static_cast<std::size_t>(line.data() - rest.data()));
        }
        messages.push_back({view_of(arrived), view_of(left)});
    }
    return messages;
}

// Returns the header fields of a message by their names in lower case; of several with one name, the first one. A field
// that continues on the next line is one line.
std::map<std::string, std::string> fields_of(std::string_view head) {
    static const RE2 field("(?m)^([A-Za-z-]{1,16}):([^\\n]*(?:\\n[ \\t][^\\n]*)*)", RE2::Latin1),
        fold("\\s*\\n\\s*", RE2::Latin1);
    std::map<std::string, std::string> fields;
    re2::StringPiece left(head);
    for (std::string name, value; RE2::FindAndConsume(&left, field, &name, &value);) {
        RE2::GlobalReplace(&value, fold, " ");
        fields.try_emplace(base::fold_ascii(name),
                           base::trim(std::string_view(value).substr(0, longest_mail_field)));
    }
    return fields;
}

// ---- Encoded words (RFC 2047) ----

// Returns the bytes of an encoded word, or nullopt: they are not encoded as it says.
std::optional<std::string> bytes_of_word(std::string_view encoding, std::string_view coded) {
    if (encoding == "B" || encoding == "b") return decoded_base64(coded);
    std::string escaped;  // '_' is a blank, "=41" a byte
    for (const char c : coded)
        escaped += c == '_' ? " " : c == '=' ? "%" : c == '%' ? "%25" : std::string(1, c);
    return base::percent_decode(escaped, base::Plus::literal);
}

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
    static const RE2 file("([^?#]*)\\.txt(?:\\.gz)?(?:[?#].*)?");
    std::string stem;
    return RE2::FullMatch(month_url, file, &stem) ? stem + "/thread.html" : folder_of(month_url);
}

std::string html_of_message(std::string_view text, std::size_t most) {
    const auto decoded = decode_text(base::cut_at(text, most), "");
    const auto trimmed = base::trim(decoded);
    return trimmed.empty() ? std::string() : "<pre>" + base::escape_html(trimmed) + "</pre>";
}

Entry entry_of(const RawMessage& message, const std::string& link, std::size_t most_text) {
    static const RE2 end_of_fields("\\n(\\r?\\n)");
    re2::StringPiece end(message.rest.substr(message.rest.size()));
    RE2::PartialMatch(message.rest, end_of_fields, &end);
    const auto size = static_cast<std::size_t>(end.data() + end.size() - message.rest.data());
    auto fields = fields_of(message.rest.substr(0, size));
    Entry entry;
    entry.guid = decode_text(base::cut_at(fields["message-id"], 1024), "");
    entry.link = link;
    entry.title = decode_mail_field(fields["subject"]);
    if (auto author = author_of_mail(fields["from"]); !author.empty())
        entry.authors.push_back({.name = std::move(author), .mail = {}, .url = {}});
    entry.published = parse_time(fields["date"]);
    if (!entry.published) entry.published = parse_time(message.arrived);
    entry.content = html_of_message(message.rest.substr(size), most_text);
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
    bool is_title = false;
    for (XmlTokens tokens(html); const auto token = tokens.next();) {
        if (!token->tag.name.empty())
            is_title = index.title.empty() && base::equal_ignoring_case(token->tag.name, "title");
        if (is_title) index.title += one_line(token->text, 512);
        const auto reference = token->tag.value("href");
        const auto month = month_of_url(reference);
        if (!month || seen.size() >= most_months || seen.contains(*month)) continue;
        auto text_url = resolve_reference(base, reference);
        if (folder_of(text_url) != folder) continue;
        seen.insert(*month);
        index.months.push_back({*month, std::move(text_url)});
    }
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
    auto raw = split_mbox(bytes.substr(0, limits.most_bytes), limits.most_messages);
    const bool is_cut = raw.size() > limits.most_messages;
    // The last message is one too many, or may be cut off.
    if (is_cut || (is_too_long && raw.size() > 1)) raw.pop_back();
    if (raw.empty()) return fail(ErrorKind::malformed, "no messages");
    ListMessages month{.entries = {}, .is_cut = is_cut || is_too_long};
    const auto link = thread_page_of(month_url);
    for (const auto& message : raw)
        month.entries.push_back(entry_of(message, link, limits.most_text));
    identify(month.entries);
    return month;
}

std::string decode_mail_field(std::string_view field) {
    // "=?utf-8?Q?Caf=C3=A9?="; a language may follow the charset (RFC 2231). Blanks between two encoded words are not part
    // of the text.
    static const RE2 word("(?s)(.*?)(=\\?([^?*]*)(?:\\*[^?]*)?\\?([QqBb])\\?([^?]*)\\?=)",
                          RE2::Latin1);
    re2::StringPiece rest(field.substr(0, 2 * longest_mail_field)), before, whole;
    std::string text, bytes, charset, name, encoding, coded;
    // Neighbours with one charset are decoded together, because some programs divide characters between them.
    const auto finish_words = [&] {
        if (!bytes.empty()) text += decode_text(bytes, "text/plain; charset=" + charset);
        bytes.clear();
    };
    while (RE2::Consume(&rest, word, &before, &whole, &name, &encoding, &coded)) {
        const auto decoded = bytes_of_word(encoding, coded);
        const bool is_next = decoded && !bytes.empty() && base::trim(view_of(before)).empty();
        if (!is_next || !base::equal_ignoring_case(name, charset)) finish_words();
        if (!is_next) text += decode_text(view_of(before), "");
        charset = name;
        if (decoded)
            bytes += *decoded;
        else
            text += decode_text(view_of(whole), "");
    }
    finish_words();
    return one_line(text + decode_text(view_of(rest), ""));
}

}  // namespace feed
