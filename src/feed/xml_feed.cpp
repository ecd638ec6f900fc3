// RSS, RDF and Atom by one reader: the walk over the elements of a document. An element means the same wherever a feed has
// it (feed_fields.cpp), so that feeds which mix the formats are read too. Each end tag ends the element that it names, so
// that a mistake stays within its entry.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/feed_fields.hpp"
#include "feed/formats.hpp"
#include "feed/markup.hpp"
#include "feed/reference.hpp"

namespace feed {
namespace {

using base::ErrorKind;

struct NamedVocabulary {
    Vocabulary vocabulary;
    // Parts of URIs, because feeds spell them with http and https, with and without a slash at the end.
    std::string_view uris;
    std::string_view prefixes;  // that need not be declared
};
// The first one counts whose URI fits.
constexpr auto vocabularies = std::to_array<NamedVocabulary>({
    {Vocabulary::content, "purl.org/rss/1.0/modules/content", "content"},
    {Vocabulary::syndication, "purl.org/rss/1.0/modules/syndication", "sy"},
    {Vocabulary::other, "purl.org/rss/1.0/modules/", ""},
    {Vocabulary::dublin_core, "purl.org/dc/", "dc dcterms"},
    {Vocabulary::itunes, "www.itunes.com/dtds/podcast", "itunes"},
    {Vocabulary::media, "search.yahoo.com/mrss", "media"},
    {Vocabulary::xhtml, "www.w3.org/1999/xhtml www.w3.org/1998/math/mathml www.w3.org/2000/svg",
     "xhtml math mml svg"},
    {Vocabulary::core,
     "www.w3.org/2005/atom purl.org/atom/ns# purl.org/rss/1.0 "
     "purl.org/net/rss1.1"
     " my.netscape.com/rdf/simple/0.9 channel.netscape.com/rdf/simple/0.9"
     " backend.userland.com/rss www.w3.org/1999/02/22-rdf-syntax-ns",
     "atom atom10 rdf rss"},
});

Vocabulary vocabulary_of(std::string_view uri, std::string_view prefix) {
    if (uri.empty() && prefix.empty()) return Vocabulary::core;
    const auto name = base::fold_ascii(uri.empty() ? prefix : uri);
    for (const auto& [vocabulary, uris, prefixes] : vocabularies)
        for (const auto part : base::split(uri.empty() ? prefixes : uris, ' '))
            if (uri.empty() ? name == part : name.find(part) != std::string::npos)
                return vocabulary;
    return Vocabulary::other;
}

// Returns the name of an element or attribute without its prefix.
std::string_view local_name(std::string_view name) {
    return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

// Elements of HTML that have no end tag, and no other meaning in a feed.
bool is_void_element(std::string_view local) {
    constexpr auto names =
        std::to_array<std::string_view>({"area", "br", "col", "hr", "img", "input", "wbr"});
    return std::ranges::any_of(names,
                               [&](auto each) { return base::equal_ignoring_case(each, local); });
}

// Walks over the tags and texts of a document.
class Walk {
   public:
    Walk(std::string url, const ReadLimits& limits) : limits_(limits) {
        open_.push_back({.element = {.base = std::move(url)}});
    }

    base::Result<Feed> read(std::string_view text) {
        XmlTokens tokens(text);
        while (auto token = tokens.next()) {
            switch (token->kind) {
                case XmlToken::Kind::text: take_text(token->text); break;
                case XmlToken::Kind::start: start(std::move(token->tag)); break;
                case XmlToken::Kind::end: end(token->tag.name); break;
                case XmlToken::Kind::declaration:
                    if (open_.size() > 1) break;
                    fields_ = {};
                    is_root_seen_ = has_format_ = is_html_ = false;
            }
        }
        return finish();
    }

   private:
    struct Frame {
        Element element = {};
        std::size_t namespaces = 0;  // that it declares
        bool is_ignored = false, is_markup = false;
        [[nodiscard]] Kind kind() const { return element.meaning->kind; }
    };

    void start(Tag tag) {
        const auto local = local_name(tag.name);
        const bool is_empty = tag.is_empty || is_void_element(local);
        if (open_.size() > limits_.most_depth) {
            if (!is_empty) ++too_deep_;
            return;
        }
        const auto& parent = open_.back();
        const bool is_around = parent.kind() == Kind::author || parent.kind() == Kind::group;
        Frame frame{.element = {.within = is_around ? parent.kind() : parent.element.within,
                                .base = parent.element.base},
                    .namespaces = declare_namespaces(tag),
                    .is_ignored = parent.is_ignored};
        auto& element = frame.element;
        set_base(element.base, tag);
        const auto vocabulary = vocabulary_of(tag);
        const auto& meaning = meaning_of(vocabulary, local);
        if (!is_root_seen_) take_root(tag, meaning.kind);
        if (markup_depth_ > 0 || is_markup(vocabulary, meaning)) {
            begin_markup(tag, element.base);
            frame.is_markup = true;
        } else if (!frame.is_ignored) {
            element.meaning = &meaning;
            frame.is_ignored = meaning.kind == Kind::ignored;
        }
        element.tag = std::move(tag);
        if (frame.kind() == Kind::entry) {
            fields_.begin_entry(element, limits_.most_entries);
            frame.is_ignored = !fields_.is_in_entry;
        }
        open_.push_back(std::move(frame));
        if (is_empty) end_one();
    }

    void take_text(std::string_view text) {
        if (open_.size() == 1) return;
        auto& [element, namespaces, is_ignored, is_marked] = open_.back();
        if (markup_depth_ > 0) return add_markup(base::escape_html(text));
        if (is_ignored || element.text.size() >= limits_.most_text) return;
        if (element.has_markup) return add_markup(base::escape_html(text));
        element.text += base::cut_at(text, limits_.most_text - element.text.size());
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
                return base::equal_ignoring_case(frame.element.tag.name, name);
            });
        if (found == open_.rend() - 1) return;
        for (auto left = found - open_.rbegin() + 1; left > 0; --left) end_one();
    }

    void end_one() {
        auto frame = std::move(open_.back());
        open_.pop_back();
        namespaces_.resize(namespaces_.size() - frame.namespaces);
        if (frame.is_markup) return end_markup(local_name(frame.element.tag.name));
        if (!frame.is_ignored) fields_.take(frame.element);
    }

    // Ends what the document left open, and returns the feed.
    base::Result<Feed> finish() {
        // Of an entry that is cut off, the guid may be cut off too.
        const auto is_entry = [](const Frame& frame) { return frame.kind() == Kind::entry; };
        if (std::ranges::any_of(open_, is_entry)) fields_.is_in_entry = false;
        while (open_.size() > 1) end_one();
        if (is_html_) return base::fail(ErrorKind::malformed, "html?");
        if (!has_format_) return base::fail(ErrorKind::malformed, "no version");
        return fields_.finish();
    }

    void take_root(const Tag& tag, Kind kind) {
        is_root_seen_ = true;
        has_format_ = kind == Kind::root || kind == Kind::entry;
        const auto name = base::fold_ascii(local_name(tag.name));
        is_html_ = name == "html";
        auto& feed = fields_.feed;
        feed.language = base::cut_at(base::trim(tag.value("xml:lang")), 32);
        if (name == "rdf") feed.format = Format::rdf;
        // An entry can be a document of its own.
        if (name == "feed" || kind == Kind::entry) feed.format = Format::atom;
    }

    // Sets the URL that relative ones are meant against; a long one would cost as much for each of them.
    static void set_base(std::string& base, const Tag& tag) {
        constexpr std::size_t longest = 512;
        const auto written = tag.value("xml:base");
        if (written.size() > longest || base::trim(written).empty()) return;
        if (auto url = resolve_reference(base, written); !url.empty()) base = std::move(url);
    }

    // ---- Markup of XHTML inside of a text ----

    // An element inside of a text is its markup where the text says so, or the element belongs to no feed: <p>.
    [[nodiscard]] bool is_markup(Vocabulary vocabulary, const Meaning& meaning) const {
        const auto& text = open_.back();
        if (text.kind() != Kind::text || text.is_ignored) return false;
        if (vocabulary == Vocabulary::xhtml) return true;
        if (vocabulary == Vocabulary::core && meaning.kind == Kind::unknown) return true;
        const auto type = text.element.type();
        return type == "xhtml" || type == "application/xhtml+xml" ||
               text.element.keyword("mode") == "xml";
    }

    void add_markup(std::string_view markup) {
        auto& text = open_[open_.size() - 1 - markup_depth_].element.text;
        if (text.size() + markup.size() <= limits_.most_text) text += markup;
    }
    void begin_markup(const Tag& tag, const std::string& base) {
        auto& text = open_[open_.size() - 1 - markup_depth_].element;
        if (!std::exchange(text.has_markup, true)) text.text = base::escape_html(text.text);
        std::string markup = "<" + std::string(local_name(tag.name));
        for (const auto& attribute : tag.attributes) {
            if (attribute.name.starts_with("xmlns")) continue;
            const auto name = local_name(attribute.name);
            auto value = tag.value(attribute.name, limits_.most_text);
            // An xml:base inside of the text: the text itself has another one.
            if (base != text.base && (name == "href" || name == "src"))
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

    // ---- Namespaces ----

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

    Vocabulary vocabulary_of(const Tag& tag) {
        const auto local = local_name(tag.name);
        auto prefix = tag.name.substr(0, tag.name.size() - local.size());
        if (prefix.ends_with(':')) prefix.remove_suffix(1);
        const auto known = std::find_if(namespaces_.rbegin(), namespaces_.rend(),
                                        [&](const auto& each) { return each.first == prefix; });
        if (known == namespaces_.rend()) return feed::vocabulary_of({}, prefix);
        // A namespace that nobody knows is that of the format if the outer elements are in it.
        if (known->second == Vocabulary::other && (open_.size() == 1 || prefix.empty()) &&
            open_.size() <= 3) {
            const auto kind = meaning_of(Vocabulary::core, local).kind;
            if (kind == Kind::root || kind == Kind::entry) known->second = Vocabulary::core;
        }
        return known->second;
    }

    const ReadLimits& limits_;
    FeedFields fields_;
    std::vector<Frame> open_;
    // By prefix, the innermost last.
    std::vector<std::pair<std::string_view, Vocabulary>> namespaces_;
    std::size_t too_deep_ = 0, markup_depth_ = 0;
    bool is_root_seen_ = false, has_format_ = false, is_html_ = false;
};

}  // namespace

base::Result<Feed> read_xml_feed(std::string_view text, const std::string& url,
                                 const ReadLimits& limits) {
    return Walk(url, limits).read(text);
}

}  // namespace feed
