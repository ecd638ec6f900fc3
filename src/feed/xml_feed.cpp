// RSS, RDF and Atom by one reader: an element means the same wherever a feed has it, so that feeds which mix the
// formats are read too. Each end tag ends the element that it names, so that a mistake stays within its entry.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/charset.hpp"
#include "feed/date.hpp"
#include "feed/formats.hpp"
#include "feed/markup.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

using base::ErrorKind;

// The vocabularies whose elements are read. `core` is RSS, RDF and Atom themselves, and elements without a namespace.
enum class Vocabulary : unsigned char {
    core,
    dublin_core,
    content,
    syndication,
    itunes,
    media,
    xhtml,
    other
};

struct NamedVocabulary {
    std::string_view name;
    Vocabulary vocabulary;
};
// By a part of the URI: feeds spell them with http and https, with and without a slash at the end.
constexpr auto by_uri = std::to_array<NamedVocabulary>({
    {"www.w3.org/2005/atom", Vocabulary::core},
    {"purl.org/atom/ns#", Vocabulary::core},
    {"purl.org/rss/1.0/modules/content", Vocabulary::content},
    {"purl.org/rss/1.0/modules/syndication", Vocabulary::syndication},
    {"purl.org/rss/1.0/modules/", Vocabulary::other},
    {"purl.org/rss/1.0", Vocabulary::core},
    {"purl.org/net/rss1.1", Vocabulary::core},
    {"my.netscape.com/rdf/simple/0.9", Vocabulary::core},
    {"channel.netscape.com/rdf/simple/0.9", Vocabulary::core},
    {"backend.userland.com/rss", Vocabulary::core},
    {"www.w3.org/1999/02/22-rdf-syntax-ns", Vocabulary::core},
    {"purl.org/dc/", Vocabulary::dublin_core},
    {"www.itunes.com/dtds/podcast", Vocabulary::itunes},
    {"search.yahoo.com/mrss", Vocabulary::media},
    {"www.w3.org/1999/xhtml", Vocabulary::xhtml},
    {"www.w3.org/1998/math/mathml", Vocabulary::xhtml},
    {"www.w3.org/2000/svg", Vocabulary::xhtml},
});
// Namespaces of prefixes that are not declared.
constexpr auto by_prefix = std::to_array<NamedVocabulary>({
    {"atom", Vocabulary::core},
    {"atom10", Vocabulary::core},
    {"rdf", Vocabulary::core},
    {"rss", Vocabulary::core},
    {"dc", Vocabulary::dublin_core},
    {"dcterms", Vocabulary::dublin_core},
    {"content", Vocabulary::content},
    {"sy", Vocabulary::syndication},
    {"itunes", Vocabulary::itunes},
    {"media", Vocabulary::media},
    {"xhtml", Vocabulary::xhtml},
    {"math", Vocabulary::xhtml},
    {"mml", Vocabulary::xhtml},
    {"svg", Vocabulary::xhtml},
});

Vocabulary vocabulary_of(std::string_view uri, std::string_view prefix) {
    if (uri.empty() && prefix.empty()) return Vocabulary::core;
    if (uri.empty()) {
        const auto found =
            std::ranges::find(by_prefix, base::fold_ascii(prefix), &NamedVocabulary::name);
        return found == by_prefix.end() ? Vocabulary::other : found->vocabulary;
    }
    const auto folded = base::fold_ascii(uri);
    for (const auto& [part, vocabulary] : by_uri)
        if (folded.find(part) != std::string::npos) return vocabulary;
    return Vocabulary::other;
}

// What an element means to the reader.
enum class Element : unsigned char {
    unknown,
    root_rss,
    root_rdf,
    root_atom,
    channel,
    entry,
    title,
    link,
    guid,
    rdf_about,
    published,
    updated,
    description,
    content,
    subtitle,
    author,
    name,
    mail,
    uri,
    creator,
    category,
    language,
    ttl,
    skip_hours,
    hour,
    skip_days,
    day,
    update_period,
    update_frequency,
    enclosure,
    ignored,  // with all that it contains: image, textInput, source, cloud, …
    media_group,
};

struct NamedElement {
    Vocabulary vocabulary;
    Element element;
    std::array<std::string_view, 5> names;  // in lower case
};
constexpr auto elements = std::to_array<NamedElement>({
    {Vocabulary::core, Element::root_rss, {"rss"}},
    {Vocabulary::core, Element::root_rdf, {"rdf"}},
    {Vocabulary::core, Element::root_atom, {"feed"}},
    {Vocabulary::core, Element::channel, {"channel"}},
    {Vocabulary::core, Element::entry, {"item", "entry"}},
    {Vocabulary::core, Element::title, {"title"}},
    {Vocabulary::core, Element::link, {"link"}},
    {Vocabulary::core, Element::guid, {"guid", "id"}},
    {Vocabulary::core, Element::published, {"pubdate", "published", "issued", "created"}},
    {Vocabulary::core, Element::updated, {"updated", "modified", "lastbuilddate"}},
    {Vocabulary::core, Element::description, {"description", "summary"}},
    {Vocabulary::core, Element::content, {"content"}},
    {Vocabulary::core, Element::subtitle, {"subtitle", "tagline"}},
    {Vocabulary::core, Element::author, {"author", "managingeditor"}},
    {Vocabulary::core, Element::name, {"name"}},
    {Vocabulary::core, Element::mail, {"email"}},
    {Vocabulary::core, Element::uri, {"uri", "url"}},
    {Vocabulary::core, Element::category, {"category"}},
    {Vocabulary::core, Element::enclosure, {"enclosure"}},
    {Vocabulary::core, Element::language, {"language"}},
    {Vocabulary::core, Element::ttl, {"ttl"}},
    {Vocabulary::core, Element::skip_hours, {"skiphours"}},
    {Vocabulary::core, Element::hour, {"hour"}},
    {Vocabulary::core, Element::skip_days, {"skipdays"}},
    {Vocabulary::core, Element::day, {"day"}},
    {Vocabulary::core,
     Element::ignored,
     {"image", "textinput", "source", "cloud", "contributor"}},
    {Vocabulary::dublin_core, Element::title, {"title"}},
    {Vocabulary::dublin_core, Element::description, {"description"}},
    {Vocabulary::dublin_core, Element::creator, {"creator", "author"}},
    {Vocabulary::dublin_core, Element::published, {"date", "issued", "created"}},
    {Vocabulary::dublin_core, Element::updated, {"modified"}},
    {Vocabulary::dublin_core, Element::category, {"subject"}},
    {Vocabulary::dublin_core, Element::language, {"language"}},
    {Vocabulary::dublin_core, Element::rdf_about, {"identifier"}},
    {Vocabulary::content, Element::content, {"encoded"}},
    {Vocabulary::syndication, Element::update_period, {"updateperiod"}},
    {Vocabulary::syndication, Element::update_frequency, {"updatefrequency"}},
    {Vocabulary::itunes, Element::creator, {"author"}},
    {Vocabulary::itunes, Element::description, {"summary"}},
    {Vocabulary::itunes, Element::ignored, {"owner"}},
    {Vocabulary::media, Element::media_group, {"group"}},
    {Vocabulary::media, Element::enclosure, {"content"}},
    {Vocabulary::media, Element::description, {"description"}},
    {Vocabulary::xhtml, Element::content, {"body"}},
});

Element element_of(Vocabulary vocabulary, std::string_view local) {
    const auto name = base::fold_ascii(local);
    if (name.empty()) return Element::unknown;
    for (const auto& each : elements)
        if (each.vocabulary == vocabulary &&
            std::ranges::find(each.names, name) != each.names.end())
            return each.element;
    return Element::unknown;
}

bool is_outer(Element element) {
    return element >= Element::root_rss && element <= Element::entry;
}

// The attributes of an element that are read.
struct Attributes {
    std::string type, mode, rel, href, url, src, title, term, label, about, base, lang;
    std::optional<bool> is_permalink;
};

Attributes read_attributes(const Tag& tag) {
    const auto keyword = [&](const char* name) {
        return base::fold_ascii(base::trim(tag.value(name)));
    };
    if (tag.attributes.empty()) return {};
    Attributes read;
    read.type = base::trim(base::split(keyword("type"), ';').front());
    read.mode = keyword("mode");
    read.rel = keyword("rel");
    read.href = tag.value("href");
    read.url = tag.value("url");
    read.src = tag.value("src");
    read.title = tag.value("title");
    read.term = tag.value("term");
    read.label = tag.value("label");
    read.about = tag.value("about");
    read.base = tag.value("xml:base");
    read.lang = tag.value("xml:lang");
    if (const auto word = keyword("ispermalink"); !word.empty())
        read.is_permalink = word != "false";
    return read;
}

std::string_view without_relation_prefix(std::string_view rel) {
    constexpr std::string_view iana = "http://www.iana.org/assignments/relation/";
    return rel.starts_with(iana) ? rel.substr(iana.size()) : rel;
}

// Returns where the first of several authors with mail addresses ends: at a comma or semicolon in no parentheses or quotes.
std::size_t end_of_author(std::string_view text) {
    const auto first = text.find('@'), second = text.find('@', first + 1);
    int depth = 0;
    for (auto at = first; second != std::string_view::npos && at < second; ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (text[at] == '"') depth = 1 - depth;
        if (depth == 0 && (text[at] == ',' || text[at] == ';')) return at;
    }
    return text.size();
}

// Returns the text between the marks of a CDATA section that some programs write as text.
std::string without_cdata_marks(std::string text) {
    const auto trimmed = base::trim(text);
    for (const auto& [begin, end] :
         {std::pair<std::string_view, std::string_view>{"<![CDATA[", "]]>"},
          {"&lt;![CDATA[", "]]&gt;"}})
        if (trimmed.starts_with(begin) && trimmed.ends_with(end))
            return std::string(
                trimmed.substr(begin.size(), trimmed.size() - begin.size() - end.size()));
    return text;
}

// "hourly" and the like; nullopt: the module defines no such word.
std::optional<std::chrono::minutes> period_named(std::string_view text) {
    struct Named {
        std::string_view name;
        int minutes;
    };
    constexpr auto periods = std::to_array<Named>({{"hourly", 60},
                                                   {"daily", 24 * 60},
                                                   {"weekly", 7 * 24 * 60},
                                                   {"monthly", 30 * 24 * 60},
                                                   {"yearly", 365 * 24 * 60}});
    const auto found =
        std::ranges::find(periods, base::fold_ascii(base::trim(text)), &Named::name);
    if (found == periods.end()) return std::nullopt;
    return std::chrono::minutes(found->minutes);
}

std::optional<std::size_t> day_named(std::string_view text) {
    constexpr auto days =
        std::to_array<std::string_view>({"sun", "mon", "tue", "wed", "thu", "fri", "sat"});
    const auto name = base::fold_ascii(base::trim(text)).substr(0, 3);
    const auto found = std::ranges::find(days, name);
    if (found == days.end()) return std::nullopt;
    return static_cast<std::size_t>(found - days.begin());
}

// Returns whether a media type means bytes, which Atom has in base64 (RFC 4287 section 4.1.3.3).
bool is_binary(std::string_view type) {
    return type.find('/') != std::string_view::npos && !type.starts_with("text/") &&
           !type.ends_with("/xml") && !type.ends_with("+xml");
}

// Returns whether a text has an end tag, a tag that needs none, or a character reference.
bool looks_like_html(std::string_view text) {
    constexpr auto find_markup = base::find_any<'<', '&'>;
    for (auto at = find_markup(text, 0); at != std::string_view::npos;
         at = find_markup(text, at + 1)) {
        constexpr std::size_t longest_reference = 12;
        const auto rest = text.substr(at);
        if (rest.starts_with("</")) return true;
        if (rest.front() == '<') {
            const auto tag = base::fold_ascii(rest.substr(0, 4));
            if (tag == "<br>" || tag == "<br/" || tag == "<br " || tag == "<img") return true;
            continue;
        }
        const auto end = rest.substr(0, longest_reference).find_first_of("; ");
        if (end != std::string_view::npos && end > 1 && rest[end] == ';') return true;
    }
    return false;
}

// Elements of HTML that have no end tag, and no other meaning in a feed.
bool is_void_element(std::string_view local) {
    constexpr auto names =
        std::to_array<std::string_view>({"area", "br", "col", "hr", "img", "input", "wbr"});
    return std::ranges::any_of(names,
                               [&](auto each) { return base::equal_ignoring_case(each, local); });
}

// Builds a feed of the tags and texts of a document.
class Builder {
   public:
    Builder(std::string url, const ReadLimits& limits) : limits_(limits) {
        open_.push_back({.base = std::move(url)});
    }

    base::Result<Feed> read(std::string_view text) {
        XmlTokens tokens(text);
        for (auto token = tokens.next(); token; token = tokens.next()) {
            switch (token->kind) {
                case XmlToken::Kind::text: take_text(token->text); break;
                case XmlToken::Kind::start: start(token->tag); break;
                case XmlToken::Kind::end: end(token->tag.name); break;
                case XmlToken::Kind::declaration:
                    if (open_.size() > 1) break;
                    feed_ = {};
                    is_root_seen_ = has_format_ = is_html_ = false;
            }
        }
        return finish();
    }

   private:
    // Of xml:base in bytes: each relative URL below it costs as much.
    static constexpr std::size_t longest_base = 512;

    struct Frame {
        std::string_view name = {};  // as it is written
        Element element = Element::unknown;
        std::size_t namespaces = 0;  // that it declares
        bool is_ignored = false, is_markup = false;
        bool has_markup = false;  // in its text, which is HTML
        bool is_caption = false;  // of media
        bool is_weak = false;     // of a module: what the format itself says is worth more
        std::string base = {}, text = {};
        Attributes attributes = {};
    };

    void start(const Tag& tag) {
        const auto colon = tag.name.find(':');
        const auto local = tag.name.substr(colon + 1);  // npos + 1 is 0
        const bool is_empty = tag.is_empty || is_void_element(local);
        if (open_.size() > limits_.most_depth) {
            if (!is_empty) ++too_deep_;
            return;
        }
        Frame frame{.name = tag.name, .base = open_.back().base};
        frame.attributes = read_attributes(tag);
        frame.namespaces = declare_namespaces(tag);
        if (frame.attributes.base.size() <= longest_base)
            set_url(frame.base, frame, frame.attributes.base);
        const auto vocabulary =
            vocabulary_of(tag.name.substr(0, tag.name.size() - local.size()), local);
        if (!is_root_seen_) {
            take_root(element_of(vocabulary, local), local);
            feed_.language = base::cut_at(base::trim(frame.attributes.lang), 32);
        }
        if (markup_depth_ > 0 || is_markup(vocabulary, local)) {
            begin_markup(tag, local, frame.base);
            frame.is_markup = true;
        } else {
            frame.element =
                open_.back().is_ignored ? Element::unknown : element_of(vocabulary, local);
            frame.is_ignored = open_.back().is_ignored || frame.element == Element::ignored;
            frame.is_caption = vocabulary == Vocabulary::media;
            frame.is_weak = vocabulary != Vocabulary::core && vocabulary != Vocabulary::content;
            enter(frame);
        }
        open_.push_back(std::move(frame));
        if (is_empty) end_one();
    }

    void take_text(std::string_view text) {
        if (open_.size() == 1) return;
        auto& frame = open_.back();
        if (markup_depth_ > 0) return add_markup(base::escape_html(text));
        if (frame.is_ignored || frame.text.size() >= limits_.most_text) return;
        if (frame.has_markup) return add_markup(base::escape_html(text));
        frame.text += base::cut_at(text, limits_.most_text - frame.text.size());
    }

    // Ends the innermost element of a name, and what is open inside of it.
    void end(std::string_view name) {
        if (too_deep_ > 0) {
            --too_deep_;
            return;
        }
        // The first frame is that of the document, which no tag ends: not even "</>".
        const auto found =
            std::find_if(open_.rbegin(), open_.rend() - 1, [&](const Frame& frame) {
                return base::equal_ignoring_case(frame.name, name);
            });
        if (found == open_.rend() - 1) return;
        for (auto left = found - open_.rbegin() + 1; left > 0; --left) end_one();
    }

    void end_one() {
        auto frame = std::move(open_.back());
        open_.pop_back();
        namespaces_.resize(namespaces_.size() - frame.namespaces);
        if (frame.is_markup) return end_markup(frame.name.substr(frame.name.find(':') + 1));
        if (!frame.is_ignored) leave(frame);
    }

    // Ends what the document left open, and returns the feed.
    base::Result<Feed> finish() {
        // Of an entry that is cut off, the guid may be cut off too.
        if (is_in_entry_ && is_inside(Element::entry)) {
            feed_.entries.pop_back();
            is_in_entry_ = false;
        }
        while (open_.size() > 1) end_one();
        if (is_html_) return base::fail(ErrorKind::malformed, "html?");
        if (!has_format_) return base::fail(ErrorKind::malformed, "no version");
        for (auto& entry : feed_.entries)
            if (entry.authors.empty()) entry.authors = authors_;
        return std::move(feed_);
    }

    void take_root(Element root, std::string_view local) {
        is_root_seen_ = true;
        has_format_ = true;
        switch (root) {
            case Element::root_rss:
            case Element::channel: feed_.format = Format::rss; return;
            case Element::root_rdf: feed_.format = Format::rdf; return;
            case Element::root_atom: feed_.format = Format::atom; return;
            case Element::entry: feed_.format = Format::atom; return;  // an entry document
            default: break;
        }
        has_format_ = false;
        is_html_ = base::fold_ascii(local) == "html";
    }

    // ---- Markup of XHTML inside of a text ----

    // An element inside of a text is its markup where the text says so, or the element belongs to no feed: <p>.
    [[nodiscard]] bool is_markup(Vocabulary vocabulary, std::string_view local) const {
        const auto& frame = open_.back();
        const bool is_text =
            frame.element == Element::title || frame.element == Element::description ||
            frame.element == Element::content || frame.element == Element::subtitle;
        if (!is_text || frame.is_ignored) return false;
        return vocabulary == Vocabulary::xhtml || frame.attributes.type == "xhtml" ||
               frame.attributes.type == "application/xhtml+xml" ||
               frame.attributes.mode == "xml" ||
               (vocabulary == Vocabulary::core &&
                element_of(vocabulary, local) == Element::unknown);
    }

    void add_markup(std::string_view text) {
        auto& frame = open_[open_.size() - 1 - markup_depth_];
        if (frame.text.size() + text.size() <= limits_.most_text) frame.text += text;
    }
    void begin_markup(const Tag& tag, std::string_view local, const std::string& base) {
        if (auto& frame = open_.back(); markup_depth_ == 0 && !frame.has_markup) {
            if (!frame.attributes.mode.empty()) frame.attributes.mode = "xml";
            frame.attributes.type = "xhtml";
            frame.text = base::escape_html(frame.text);
            frame.has_markup = true;
        }
        std::string markup = "<" + std::string(local);
        for (const auto& attribute : tag.attributes) {
            const auto name = attribute.name.substr(attribute.name.find(':') + 1);
            if (attribute.name.starts_with("xmlns")) continue;
            auto value = tag.value(attribute.name, limits_.most_text);
            // An xml:base inside of the text: the text itself has another one.
            if (base != open_[open_.size() - 1 - markup_depth_].base &&
                (name == "href" || name == "src"))
                value = resolve_reference(base, value);
            markup.append(" ").append(name).append("=\"");
            markup += base::escape_html(value) + '"';
        }
        add_markup(markup + '>');
        ++markup_depth_;
    }
    void end_markup(std::string_view local) {
        --markup_depth_;
        if (!is_void_element(local)) add_markup("</" + std::string(local) + '>');
    }

    // ---- Elements ----

    // Returns how many namespaces a tag declares: at most 100 are known at once.
    std::size_t declare_namespaces(const Tag& tag) {
        constexpr std::string_view name = "xmlns";
        constexpr std::size_t most = 100;
        const auto before = namespaces_.size();
        for (const auto& attribute : tag.attributes) {
            if (!attribute.name.starts_with(name) || namespaces_.size() >= most) continue;
            const auto prefix = attribute.name.substr(name.size());
            if (prefix.empty() || prefix.starts_with(':'))
                namespaces_.push_back({prefix.substr(prefix.empty() ? 0 : 1),
                                       feed::vocabulary_of(tag.value(attribute.name), {})});
        }
        return namespaces_.size() - before;
    }

    // Returns the vocabulary of a tag.
    //   prefix  with its colon
    Vocabulary vocabulary_of(std::string_view prefix, std::string_view local) {
        if (prefix.ends_with(':')) prefix.remove_suffix(1);
        const auto known = std::find_if(namespaces_.rbegin(), namespaces_.rend(),
                                        [&](const auto& each) { return each.first == prefix; });
        if (known == namespaces_.rend()) return feed::vocabulary_of({}, prefix);
        // A namespace that nobody knows is that of the format if the outer elements are in it.
        if (known->second == Vocabulary::other && (open_.size() == 1 || prefix.empty()) &&
            open_.size() <= 3 && is_outer(element_of(Vocabulary::core, local)))
            known->second = Vocabulary::core;
        return known->second;
    }

    [[nodiscard]] Entry* entry() { return is_in_entry_ ? &feed_.entries.back() : nullptr; }
    [[nodiscard]] bool is_inside(Element element) const {
        return std::ranges::any_of(open_,
                                   [&](const Frame& frame) { return frame.element == element; });
    }

    void enter(Frame& frame) {
        switch (frame.element) {
            case Element::entry: return begin_entry(frame);
            case Element::link: return take_atom_link(frame);
            case Element::author: author_ = Author{}; return;
            case Element::category:
                if (const auto name = name_of_category(frame); !name.empty())
                    add_category_of(name);
                return;
            case Element::enclosure:
                // A group has one medium in several forms.
                if (entry() && !(is_inside(Element::media_group) &&
                                 std::exchange(seen_.has_medium_of_group, true)))
                    add_medium(frame, frame.attributes.url);
                return;
            case Element::media_group: seen_.has_medium_of_group = false; return;
            case Element::content:
                if (entry()) add_medium(frame, frame.attributes.src);
                return;
            default: return;
        }
    }

    void begin_entry(Frame& frame) {
        end_entry();
        if (feed_.entries.size() >= limits_.most_entries) {
            frame.is_ignored = true;
            return;
        }
        feed_.entries.emplace_back();
        feed_.entries.back().content_base = frame.base;
        is_in_entry_ = true;
        seen_ = {};
        set_guid(feed_.entries.back(), frame.attributes.about);
        seen_.is_guid_weak = true;
    }

    void end_entry() {
        if (auto* one = entry()) {
            if (one->link.empty()) one->link = seen_.permalink;
            add_media(*one, seen_.media);
        }
        is_in_entry_ = false;
    }

    void leave(Frame& frame) {
        if (frame.element != Element::guid)
            frame.text = without_cdata_marks(std::move(frame.text));
        switch (frame.element) {
            case Element::entry: return end_entry();
            case Element::title: return take_title(frame);
            case Element::link: return take_text_link(frame);
            case Element::guid: return take_guid(frame);
            case Element::rdf_about:
                if (auto* one = entry(); one && one->guid.empty()) set_guid(*one, frame.text);
                return;
            case Element::published: return take_published(frame);
            case Element::updated: return take_updated(frame);
            case Element::description:
            case Element::content:
            case Element::subtitle: return take_content(frame);
            case Element::author: return take_author(frame);
            case Element::creator: return add_authors_in(plain_of(title_as_html(frame)));
            case Element::name:
                if (is_inside(Element::author)) author_.name = plain_of(frame.text);
                return;
            case Element::mail:
                if (is_inside(Element::author)) author_.mail = plain_of(frame.text);
                return;
            case Element::uri:
                if (is_inside(Element::author))
                    author_.url = resolve_reference(frame.base, frame.text);
                return;
            case Element::category:
                if (name_of_category(frame).empty()) add_category_of(frame.text);
                return;
            default: return take_hint(frame);
        }
    }

    // What people see of it, or else what it is to programs (RFC 4287 section 4.2.2).
    static std::string_view name_of_category(const Frame& frame) {
        const auto label = base::trim(frame.attributes.label);
        return label.empty() ? base::trim(frame.attributes.term) : label;
    }

    void take_title(Frame& frame) {
        auto* one = entry();
        auto& has_title = one ? seen_.has_title : has_title_;
        auto& place = one ? one->title : feed_.title;
        if (has_title || (frame.is_weak && !place.empty())) return;
        auto title = plain_of(title_as_html(frame));
        if (title.empty()) return;
        place = std::move(title);
        has_title = !frame.is_weak;
    }

    // <link href= rel=>, of Atom, and of RSS that has such links too.
    void take_atom_link(Frame& frame) {
        const auto& attributes = frame.attributes;
        const auto rel = without_relation_prefix(attributes.rel);
        const bool is_alternate = rel.empty() || rel == "alternate";
        if (auto* one = entry()) {
            if (rel == "enclosure") return add_medium(frame, attributes.href);
            const bool is_page =
                attributes.type.empty() || attributes.type.find("html") != std::string::npos;
            const bool is_better = one->link.empty() || (is_page && !seen_.has_page_link);
            if (is_alternate && is_better && set_url(one->link, frame, attributes.href))
                seen_.has_page_link = is_page;
            return;
        }
        auto* place = rel == "prev-archive" ? &feed_.prev_archive_url
                      : is_alternate        ? &feed_.home_url
                                            : nullptr;
        if (place != nullptr && place->empty()) set_url(*place, frame, attributes.href);
    }

    void take_text_link(Frame& frame) {
        if (!frame.attributes.href.empty()) return;
        if (auto* one = entry()) {
            if (one->link.empty()) set_url(one->link, frame, frame.text);
        } else if (!has_text_link_) {
            has_text_link_ = set_url(feed_.home_url, frame, frame.text);
        }
    }

    void add_medium(const Frame& frame, std::string_view reference) {
        if (std::string url; set_url(url, frame, reference))
            seen_.media.push_back({std::move(url), frame.attributes.title});
    }

    // Sets a URL if the reference is valid. Returns whether it is.
    static bool set_url(std::string& place, const Frame& frame, std::string_view reference) {
        if (base::trim(reference).empty()) return false;
        auto url = resolve_reference(frame.base, reference);
        if (url.empty()) return false;
        place = std::move(url);
        return true;
    }

    // Sets the guid if the text can be one and is not too long. Returns whether it can.
    static bool set_guid(Entry& entry, std::string_view text) {
        constexpr std::size_t longest = 2048;
        const auto guid = base::trim(text);
        if (guid.empty() || guid.size() > longest) return false;
        entry.guid = guid;
        return true;
    }

    void take_guid(Frame& frame) {
        auto* one = entry();
        if (one == nullptr || !(one->guid.empty() || seen_.is_guid_weak)) return;
        if (!set_guid(*one, frame.text)) return;
        seen_.is_guid_weak = false;
        const bool is_rss_guid = feed_.format != Format::atom;
        if (is_rss_guid && frame.attributes.is_permalink.value_or(true))
            seen_.permalink = resolve_reference("", one->guid);
    }

    void take_published(Frame& frame) {
        const auto time = parse_time(frame.text);
        if (!time) return;
        if (auto* one = entry()) {
            if (!one->published || (!frame.is_weak && seen_.is_published_weak)) {
                one->published = time;
                seen_.is_published_weak = frame.is_weak;
            }
        } else if (!feed_.updated) {
            feed_.updated = time;
        }
    }
    void take_updated(Frame& frame) {
        const auto time = parse_time(frame.text);
        if (!time) return;
        if (auto* one = entry()) {
            if (!one->updated || !frame.is_weak) one->updated = time;
        } else {
            feed_.updated = time;
        }
    }

    // Returns the text of a frame as HTML, by its type and mode. Only content can have any media type: that of another
    // text is a mistake where it is no HTML.
    [[nodiscard]] static std::string as_html(const Frame& frame) {
        const auto& type = frame.attributes.type;
        const auto& mode = frame.attributes.mode;
        const bool is_content = frame.element == Element::content;
        if (is_content && (type.starts_with("image/") || type.starts_with("audio/") ||
                           type.starts_with("video/")))
            return {};
        if (mode == "base64" || is_binary(type))
            if (const auto bytes = decoded_base64(frame.text)) {
                if (mode == "base64" || base::is_legal_text(*bytes))
                    return decode_text(*bytes, "");
                if (is_content) return {};
            }
        const bool is_html = type.empty() || type.ends_with("html") || type.ends_with("+xml") ||
                             type.ends_with("/xml") ||
                             (type == "text/plain" && mode == "escaped");
        return is_html ? frame.text : base::escape_html(frame.text);
    }

    // In some feeds titles without a type contain markup, in others they only mention it.
    [[nodiscard]] static std::string title_as_html(const Frame& frame) {
        if (frame.attributes.type.empty() && frame.attributes.mode.empty() &&
            !looks_like_html(frame.text))
            return base::escape_html(frame.text);
        return as_html(frame);
    }

    void take_content(Frame& frame) {
        auto html = as_html(frame);
        if (auto* one = entry()) {
            // The description of an image or video is the content of an entry without other content.
            if (frame.is_caption && !seen_.is_content_caption) return;
            if (html.size() > one->content.size() ||
                (seen_.is_content_caption && !frame.is_caption && !html.empty())) {
                seen_.is_content_caption = frame.is_caption;
                one->content = std::move(html);
                one->content_base = frame.base;
            }
        } else if (feed_.description.empty()) {
            feed_.description = plain_of(html);
        }
    }

    void take_author(Frame& frame) {
        if (author_.name.empty() && author_.mail.empty() && author_.url.empty())
            return add_authors_in(plain_of(title_as_html(frame)));
        add_author(std::move(author_));
    }
    void add_authors_in(std::string_view text) {
        while (!text.empty()) {
            const auto end = end_of_author(text);
            add_author(author_in(text.substr(0, end)));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    void add_author(Author author) {
        if (author.name.empty() && author.mail.empty() && author.url.empty()) return;
        constexpr std::size_t most_authors = 20;
        auto& authors = entry() ? entry()->authors : authors_;
        if (authors.size() < most_authors && std::ranges::find(authors, author) == authors.end())
            authors.push_back(std::move(author));
    }
    void add_category_of(std::string_view text) {
        if (auto* one = entry()) add_category(one->categories, plain_of(text));
    }

    void take_hint(Frame& frame) {
        if (is_in_entry_) return;
        const auto text = base::trim(frame.text);
        const auto number = base::parse_count(text);
        switch (frame.element) {
            case Element::language: feed_.language = base::cut_at(text, 32); return;
            case Element::ttl:
                if (number && *number > 0 && *number < 1'000'000)
                    feed_.hints.ttl = std::chrono::minutes(*number);
                return;
            case Element::hour:
                if (number && *number <= 24) feed_.hints.skip_hours.set(*number % 24);
                return;
            case Element::day:
                if (const auto day = day_named(text)) feed_.hints.skip_days.set(*day);
                return;
            case Element::update_period: period_ = period_named(text); break;
            case Element::update_frequency:
                if (number && *number > 0 && *number <= 1000)
                    frequency_ = static_cast<int>(*number);
                break;
            default: return;
        }
        if (period_)
            feed_.hints.period = std::max(*period_ / frequency_, std::chrono::minutes(1));
    }

    // The open entry.
    struct Seen {
        bool has_title = false, has_page_link = false;
        bool is_guid_weak = true, is_published_weak = true;
        bool is_content_caption = true;  // or there is none
        std::string permalink = {};
        std::vector<Medium> media = {};
        bool has_medium_of_group = false;
    };

    const ReadLimits& limits_;
    Feed feed_;
    std::vector<Frame> open_;
    std::vector<std::pair<std::string_view, Vocabulary>>
        namespaces_;  // by prefix, the innermost last
    std::size_t too_deep_ = 0, markup_depth_ = 0;
    bool is_root_seen_ = false, has_format_ = false, is_html_ = false, is_in_entry_ = false;
    bool has_title_ = false;  // the feed, of its own vocabulary
    bool has_text_link_ = false;
    Seen seen_;
    Author author_;
    std::vector<Author> authors_;  // of the feed
    std::optional<std::chrono::minutes> period_;
    int frequency_ = 1;
};

}  // namespace

std::optional<std::string> decoded_base64(std::string_view text) {
    std::string bytes;
    unsigned bits = 0, value = 0;
    for (const char c : text) {
        constexpr std::string_view digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        if (c == '=') break;
        if (base::trim({&c, 1}).empty()) continue;
        const auto digit = digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        value = (value << 6U) | static_cast<unsigned>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>((value >> bits) & 0xFFU);
    }
    return bytes;
}

void add_media(Entry& entry, const std::vector<Medium>& media) {
    constexpr std::size_t most = 10;
    for (const auto& [url, title] : std::span(media).first(std::min(media.size(), most))) {
        if (entry.link.empty()) entry.link = url;
        const auto reference = base::escape_html(url);
        if (entry.content.find(reference) != std::string::npos ||
            entry.content.find(url) != std::string::npos)
            continue;
        const auto name = plain_of(base::escape_html(title));
        entry.content += "<p><a href=\"" + reference + "\">" +
                         base::escape_html(name.empty() ? name_of_target(url) : name) +
                         "</a></p>";
    }
}

Author author_in(std::string_view text) {
    const auto at = text.find('@');
    const bool is_mail = at != std::string_view::npos && at > 0 && text[at - 1] != ' ' &&
                         at + 1 < text.size() && text[at + 1] != ' ';
    const auto end = is_mail ? std::min(text.find_first_of(" >)],;\"", at), text.size()) : 0;
    const auto begin = is_mail ? text.find_last_of(" <([:,;\"", at) + 1 : 0;  // npos + 1 is 0
    Author author{.name = {}, .mail = std::string(text.substr(begin, end - begin)), .url = {}};
    auto before = text.substr(0, begin);
    if (constexpr std::string_view scheme = "mailto:"; before.ends_with(scheme))
        before.remove_suffix(scheme.size());
    author.name = std::string(before) + ' ' + std::string(text.substr(end));
    if (is_mail)
        std::erase_if(author.name, [](char c) {
            return std::string_view("()<>[]\"").find(c) != std::string_view::npos;
        });
    constexpr auto around = " \t,;:-\"";
    const auto first = std::min(author.name.find_first_not_of(around), author.name.size());
    author.name =
        one_line(author.name.substr(first, author.name.find_last_not_of(around) + 1 - first));
    return author;
}

std::string plain_of(std::string_view html) {
    constexpr std::size_t looked_at = 64 * 1024;  // most of a longer one is not in the result
    return plain_line(base::cut_at(html, looked_at), 2'000);
}

void add_category(std::vector<std::string>& categories, std::string category) {
    constexpr std::size_t most = 50;
    if (category.empty() || categories.size() >= most) return;
    if (std::ranges::find(categories, category) == categories.end())
        categories.push_back(std::move(category));
}

base::Result<Feed> read_xml_feed(std::string_view text, const std::string& url,
                                 const ReadLimits& limits) {
    return Builder(url, limits).read(text);
}

}  // namespace feed
