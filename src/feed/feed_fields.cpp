// SPDX-License-Identifier: MIT
#include "feed/feed_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <openssl/evp.h>
#include <re2/re2.h>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/charset.hpp"
#include "feed/date.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

using std::chrono::minutes;

// Returns plain text of what may be HTML, on one line.
std::string plain_of(std::string_view html) {
    constexpr std::size_t looked_at = 64 * 1024;  // most of a longer one is not in the result
    return plain_line(base::cut_at(html, looked_at));
}

// ---- Texts ----

// Returns the text between the marks of a CDATA section that some programs write as text.
std::string without_cdata_marks(std::string text) {
    static const RE2 marks("(?s)\\s*(?:<|&lt;)!\\[CDATA\\[(.*)\\]\\](?:>|&gt;)\\s*");
    const bool has_marks = text.find("[CDATA[") != std::string::npos;
    std::string content;
    return has_marks && RE2::FullMatch(text, marks, &content) ? content : text;
}

// Returns whether a media type means bytes, which Atom has in base64 (RFC 4287 section 4.1.3.3).
bool is_binary(std::string_view type) {
    return type.find('/') != std::string_view::npos && !type.starts_with("text/") &&
           !type.ends_with("/xml") && !type.ends_with("+xml");
}

// Returns whether a text has an end tag, a tag that needs none, or a character reference.
bool looks_like_html(std::string_view text) {
    static const RE2 markup("</|(?i:<br[ />]|<img)|&[^; ]{1,10};");
    return RE2::PartialMatch(text, markup);
}

// Only content can have any media type: that of another text is a mistake where it is no HTML.
enum class Use : unsigned char { content, other };

// Returns the text of an element as HTML, by its type and mode.
std::string as_html(const Element& element, Use use) {
    const auto type = element.type(), mode = element.keyword("mode");
    if (element.has_markup) return element.text;
    if (use == Use::content &&
        (type.starts_with("image/") || type.starts_with("audio/") || type.starts_with("video/")))
        return {};
    if (mode == "base64" || is_binary(type))
        if (const auto bytes = decoded_base64(element.text)) {
            if (mode == "base64" || base::is_legal_text(*bytes)) return decode_text(*bytes, "");
            if (use == Use::content) return {};
        }
    const bool is_html = type.empty() || type.ends_with("html") || type.ends_with("+xml") ||
                         type.ends_with("/xml") || (type == "text/plain" && mode == "escaped");
    return is_html ? element.text : base::escape_html(element.text);
}

// Returns the plain text of a title or name. In some feeds those without a type contain markup, in others they only mention
// it.
std::string words_of(const Element& element) {
    const bool is_untyped = element.type().empty() && element.keyword("mode").empty();
    return plain_of(is_untyped && !looks_like_html(element.text) ? base::escape_html(element.text)
                                                                 : as_html(element, Use::other));
}

// Makes the lines of a text without markup those of HTML.
void keep_line_breaks(std::string& text) {
    std::string lines;
    for (const auto line : base::split(base::trim(text), '\n'))
        lines.append(lines.empty() ? "" : "<br>").append(base::trim(line));
    text = std::move(lines);
}

// Returns whether HTML has an attribute with this value.
bool has_attribute(std::string_view html, const std::string& value) {
    return std::ranges::any_of(std::string_view("\"'"), [&](char quote) {
        return html.find(quote + value + quote) != std::string_view::npos;
    });
}

// ---- Fields ----

// Notes that a field has a value of some rank; returns false if the one that it has is as good.
bool is_better(int& known, int rank) {
    if (rank <= known) return false;
    known = rank;
    return true;
}

// What the format itself says is worth more than what a module says.
int rank_of(const Element& element) {
    const auto vocabulary = element.meaning->vocabulary;
    return vocabulary == Vocabulary::core || vocabulary == Vocabulary::content ? 2 : 1;
}

void take_title(FeedFields& fields, const Element& element) {
    auto& part = fields.part();
    if (rank_of(element) <= part.title) return;
    auto title = words_of(element);
    if (title.empty()) return;
    part.title = rank_of(element);
    part.entry.title = std::move(title);
}

void set_link(FeedFields::Part& part, std::string url, int rank) {
    if (!url.empty() && is_better(part.link, rank)) part.entry.link = std::move(url);
}

// Returns the URL that an attribute has; empty: none.
std::string url_in(const Element& element, std::string_view attribute) {
    const auto reference = element.tag.value(attribute);
    return base::trim(reference).empty() ? std::string()
                                         : resolve_reference(element.base, reference);
}

void add_medium(FeedFields& fields, const Element& element, std::string_view attribute) {
    if (auto url = url_in(element, attribute); !url.empty())
        fields.part().media.push_back({std::move(url), element.tag.value("title")});
}

// <link href= rel=> of Atom, and of RSS that has such links too; <link>URL</link> of RSS.
void take_link(FeedFields& fields, const Element& element) {
    constexpr std::string_view iana = "http://www.iana.org/assignments/relation/";
    auto& part = fields.part();
    if (element.tag.value("href").empty()) {
        // Nothing else says so well where a feed belongs; the page of an entry may be named better.
        const bool is_blank = base::trim(element.text).empty();
        return set_link(part, is_blank ? "" : resolve_reference(element.base, element.text),
                        fields.is_in_entry ? 1 : 3);
    }
    auto rel = element.keyword("rel");
    if (rel.starts_with(iana)) rel.erase(0, iana.size());
    if (rel == "enclosure") return add_medium(fields, element, "href");
    if (rel == "prev-archive" && !fields.is_in_entry && fields.feed.prev_archive_url.empty())
        fields.feed.prev_archive_url = url_in(element, "href");
    const auto type = element.type();
    const bool is_page = type.empty() || type.find("html") != std::string::npos;
    if (rel.empty() || rel == "alternate")
        set_link(part, url_in(element, "href"), fields.is_in_entry && is_page ? 2 : 1);
}

// Sets the guid if the text can be one and is not too long. Returns whether it is set.
bool set_guid(FeedFields::Part& part, std::string_view text, int rank) {
    constexpr std::size_t longest = 2048;
    const auto guid = base::trim(text);
    if (guid.empty() || guid.size() > longest || !is_better(part.guid, rank)) return false;
    part.entry.guid = guid;
    return true;
}

void take_identifier(FeedFields& fields, const Element& element) {
    set_guid(fields.part(), element.text, 1);
}

void take_guid(FeedFields& fields, const Element& element) {
    auto& part = fields.part();
    if (!set_guid(part, element.text, 2)) return;
    if (fields.feed.format != Format::atom && element.keyword("ispermalink") != "false")
        part.permalink = resolve_reference("", part.entry.guid);
}

void take_published(FeedFields& fields, const Element& element) {
    auto& part = fields.part();
    const auto time = parse_time(element.text);
    if (time && is_better(part.published, rank_of(element))) part.entry.published = time;
}

void take_updated(FeedFields& fields, const Element& element) {
    auto& part = fields.part();
    const bool is_of_module = rank_of(element) == 1;
    if (is_of_module && part.entry.updated) return;
    if (const auto time = parse_time(element.text)) part.entry.updated = time;
}

// The content of an entry is the longest of what it has. The description of an image or video is that of an entry without
// any other.
void take_html(FeedFields& fields, const Element& element, std::string html) {
    if (!fields.is_in_entry) {
        if (fields.feed.description.empty()) fields.feed.description = plain_of(html);
        return;
    }
    auto& part = fields.part();
    const int rank = element.meaning->vocabulary == Vocabulary::media ? 1 : 2;
    const bool is_longer = rank == part.content && html.size() > part.entry.content.size();
    if (html.empty() || !(is_longer || is_better(part.content, rank))) return;
    part.entry.content = std::move(html);
    part.entry.content_base = element.base;
}

void take_summary(FeedFields& fields, const Element& element) {
    take_html(fields, element, as_html(element, Use::other));
}

void take_content(FeedFields& fields, const Element& element) {
    add_medium(fields, element, "src");
    take_html(fields, element, as_html(element, Use::content));
}

void take_enclosure(FeedFields& fields, const Element& element) {
    const bool is_of_group = element.within == Kind::group;
    if (is_of_group && std::exchange(fields.part().has_medium_of_group, true)) return;
    add_medium(fields, element, "url");
}

void end_group(FeedFields& fields, const Element& /*element*/) {
    fields.part().has_medium_of_group = false;
}

void take_category(FeedFields& fields, const Element& element) {
    // What people see of it, or else what it is to programs (RFC 4287 section 4.2.2).
    for (const auto& name : {element.tag.value("label"), element.tag.value("term"), element.text})
        if (!base::trim(name).empty())
            return add_category(fields.part().entry.categories, plain_of(base::trim(name)));
}

// Adds the authors that a text names: several ones with mail addresses are divided by a comma or semicolon in no
// parentheses or quotes.
void take_creator(FeedFields& fields, const Element& element) {
    static const RE2 several("([^@]*@(?:[^@,;(\"]|\\([^()]*\\)|\"[^\"]*\")*)[,;](.*@.*)");
    auto& authors = fields.part().entry.authors;
    auto all = words_of(element);
    std::string first;
    for (std::string rest; RE2::FullMatch(all, several, &first, &rest); all = rest)
        add_author(authors, author_in(first));
    add_author(authors, author_in(all));
}

void take_author(FeedFields& fields, const Element& element) {
    if (fields.author == Author{}) return take_creator(fields, element);
    add_author(fields.part().entry.authors, std::exchange(fields.author, {}));
}

void take_name(FeedFields& fields, const Element& element) {
    if (element.within == Kind::author) fields.author.name = plain_of(element.text);
}
void take_mail(FeedFields& fields, const Element& element) {
    if (element.within == Kind::author) fields.author.mail = plain_of(element.text);
}
void take_url(FeedFields& fields, const Element& element) {
    if (element.within == Kind::author)
        fields.author.url = resolve_reference(element.base, element.text);
}

// ---- When the feed asks to be fetched ----

std::optional<int> number_in(const Element& element, int least, int most) {
    const auto number = base::parse_integer(base::trim(element.text));
    const bool is_right = number && *number >= least && *number <= most;
    return is_right ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

// Returns the place in a list of the word that the text of an element begins with; nullopt: none.
std::optional<std::size_t> word_in(const Element& element, std::string_view words) {
    const auto list = base::split(words, ' ');
    const auto text = base::fold_ascii(base::trim(element.text));
    const auto found =
        std::ranges::find_if(list, [&](auto word) { return text.starts_with(word); });
    return found == list.end() ? std::nullopt : std::optional(found - list.begin());
}

void take_language(FeedFields& fields, const Element& element) {
    fields.feed.language = base::cut_at(base::trim(element.text), 32);
}
void take_ttl(FeedFields& fields, const Element& element) {
    if (const auto number = number_in(element, 1, 999'999))
        fields.feed.hints.ttl = minutes(*number);
}
void take_hour(FeedFields& fields, const Element& element) {
    if (const auto number = number_in(element, 0, 24))
        fields.feed.hints.skip_hours.set(static_cast<std::size_t>(*number % 24));
}
void take_day(FeedFields& fields, const Element& element) {
    if (const auto day = word_in(element, "sun mon tue wed thu fri sat"))
        fields.feed.hints.skip_days.set(*day);
}
void set_period(FeedFields& fields) {
    if (fields.period)
        fields.feed.hints.period = std::max(*fields.period / fields.frequency, minutes(1));
}
void take_period(FeedFields& fields, const Element& element) {
    constexpr std::array days{0, 1, 7, 30, 365};
    fields.period.reset();
    if (const auto word = word_in(element, "hourly daily weekly monthly yearly"))
        fields.period = *word == 0 ? minutes(60) : std::chrono::days(days.at(*word));
    set_period(fields);
}
void take_frequency(FeedFields& fields, const Element& element) {
    fields.frequency = number_in(element, 1, 1000).value_or(fields.frequency);
    set_period(fields);
}

void end_entry(FeedFields& fields, const Element& /*element*/) { fields.end_entry(); }

constexpr auto meanings = std::to_array<Meaning>({
    {Vocabulary::core, "rss rdf feed channel", Kind::root, nullptr},
    {Vocabulary::core, "item entry", Kind::entry, end_entry},
    {Vocabulary::core, "title", Kind::text, take_title},
    {Vocabulary::core, "link", Kind::field, take_link},
    {Vocabulary::core, "guid id", Kind::field, take_guid},
    {Vocabulary::core, "pubdate published issued created", Kind::field, take_published},
    {Vocabulary::core, "updated modified lastbuilddate", Kind::field, take_updated},
    {Vocabulary::core, "description summary subtitle tagline", Kind::text, take_summary},
    {Vocabulary::core, "content", Kind::text, take_content},
    {Vocabulary::core, "author managingeditor", Kind::author, take_author},
    {Vocabulary::core, "name", Kind::field, take_name},
    {Vocabulary::core, "email", Kind::field, take_mail},
    {Vocabulary::core, "uri url", Kind::field, take_url},
    {Vocabulary::core, "category", Kind::field, take_category},
    {Vocabulary::core, "enclosure", Kind::field, take_enclosure},
    {Vocabulary::core, "language", Kind::hint, take_language},
    {Vocabulary::core, "ttl", Kind::hint, take_ttl},
    {Vocabulary::core, "hour", Kind::hint, take_hour},
    {Vocabulary::core, "day", Kind::hint, take_day},
    {Vocabulary::core, "image textinput source cloud contributor", Kind::ignored, nullptr},
    {Vocabulary::dublin_core, "title", Kind::text, take_title},
    {Vocabulary::dublin_core, "description", Kind::text, take_summary},
    {Vocabulary::dublin_core, "creator author", Kind::field, take_creator},
    {Vocabulary::dublin_core, "date issued created", Kind::field, take_published},
    {Vocabulary::dublin_core, "modified", Kind::field, take_updated},
    {Vocabulary::dublin_core, "subject", Kind::field, take_category},
    {Vocabulary::dublin_core, "language", Kind::hint, take_language},
    {Vocabulary::dublin_core, "identifier", Kind::field, take_identifier},
    {Vocabulary::content, "encoded", Kind::text, take_content},
    {Vocabulary::syndication, "updateperiod", Kind::hint, take_period},
    {Vocabulary::syndication, "updatefrequency", Kind::hint, take_frequency},
    {Vocabulary::itunes, "author", Kind::field, take_creator},
    {Vocabulary::itunes, "summary", Kind::text, take_summary},
    {Vocabulary::itunes, "owner", Kind::ignored, nullptr},
    {Vocabulary::media, "group", Kind::group, end_group},
    {Vocabulary::media, "content", Kind::field, take_enclosure},
    {Vocabulary::media, "description", Kind::text, take_summary},
    {Vocabulary::xhtml, "body", Kind::text, take_content},
});

using Name = std::pair<Vocabulary, std::string_view>;
std::map<Name, const Meaning*> make_meanings() {
    std::map<Name, const Meaning*> by_name;
    for (const auto& meaning : meanings)
        for (const auto name : base::split(meaning.names, ' '))
            by_name.emplace(Name(meaning.vocabulary, name), &meaning);
    return by_name;
}

}  // namespace

const Meaning& meaning_of(Vocabulary vocabulary, std::string_view name) {
    static const auto by_name = make_meanings();
    const auto folded = base::fold_ascii(name);
    const auto found = by_name.find({vocabulary, folded});
    return found == by_name.end() ? no_meaning : *found->second;
}

std::string Element::keyword(std::string_view attribute) const {
    return base::fold_ascii(base::trim(tag.value(attribute)));
}

std::string Element::type() const {
    if (has_markup) return "xhtml";
    const auto written = keyword("type");
    return std::string(base::trim(written.substr(0, written.find(';'))));
}

void FeedFields::begin_entry(const Element& element, std::size_t most_entries) {
    end_entry();
    if (feed.entries.size() >= most_entries) return;
    entry = {};
    entry.entry.content_base = element.base;
    set_guid(entry, element.tag.value("about"), 1);
    is_in_entry = true;
}

void FeedFields::end_entry() {
    if (!std::exchange(is_in_entry, false)) return;
    auto& one = entry.entry;
    if (one.link.empty()) one.link = entry.permalink;
    finish_content(one, entry.media);
    feed.entries.push_back(std::move(one));
}

void FeedFields::take(Element& element) {
    const auto& [vocabulary, names, kind, take_it] = *element.meaning;
    if (take_it == nullptr || (kind == Kind::hint && is_in_entry)) return;
    if (take_it != take_guid) element.text = without_cdata_marks(std::move(element.text));
    take_it(*this, element);
}

Feed FeedFields::finish() {
    end_entry();
    feed.title = std::move(channel.entry.title);
    feed.home_url = std::move(channel.entry.link);
    for (auto& one : feed.entries)
        if (one.authors.empty()) one.authors = channel.entry.authors;
    return std::move(feed);
}

std::optional<std::string> decoded_base64(std::string_view text) {
    std::string digits;
    for (const char c : text.substr(0, text.find('=')))
        if (!base::trim({&c, 1}).empty()) digits += c;
    const auto size = digits.size() * 3 / 4;
    digits.resize((digits.size() + 3) / 4 * 4, '=');
    std::string bytes(digits.size(), '\0');
    const auto decoded = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                         reinterpret_cast<const unsigned char*>(digits.data()),
                                         static_cast<int>(digits.size()));
    if (decoded < 0) return std::nullopt;
    bytes.resize(size);
    return bytes;
}

void finish_content(Entry& entry, const std::vector<Medium>& media) {
    constexpr std::size_t most = 10;
    if (entry.content.find('<') == std::string::npos) keep_line_breaks(entry.content);
    for (const auto& [url, title] : std::span(media).first(std::min(media.size(), most))) {
        if (entry.link.empty()) entry.link = url;
        const auto reference = base::escape_html(url);
        if (has_attribute(entry.content, reference) || has_attribute(entry.content, url))
            continue;
        const auto name = plain_of(base::escape_html(title));
        entry.content += "<p><a href=\"" + reference + "\">" +
                         base::escape_html(name.empty() ? name_of_target(url) : name) +
                         "</a></p>";
    }
}

Author author_in(std::string_view text) {
    static const RE2 address("(?:mailto:)?([^ <(\\[:,;\"@]+@[^ >)\\],;\"]+)"),
        marks("[()<>\\[\\]\"]");
    Author author{.name = std::string(text), .mail = {}, .url = {}};
    if (RE2::PartialMatch(author.name, address, &author.mail)) {
        RE2::Replace(&author.name, address, " ");
        RE2::GlobalReplace(&author.name, marks, "");
    }
    constexpr auto around = " \t,;:-\"";
    const auto first = std::min(author.name.find_first_not_of(around), author.name.size());
    author.name =
        one_line(author.name.substr(first, author.name.find_last_not_of(around) + 1 - first));
    return author;
}

void add_category(std::vector<std::string>& categories, std::string category) {
    constexpr std::size_t most = 50;
    if (category.empty() || categories.size() >= most) return;
    if (std::ranges::find(categories, category) == categories.end())
        categories.push_back(std::move(category));
}

void add_author(std::vector<Author>& authors, Author author) {
    constexpr std::size_t most = 20;
    if (author == Author{} || authors.size() >= most) return;
    if (std::ranges::find(authors, author) == authors.end()) authors.push_back(std::move(author));
}

}  // namespace feed
