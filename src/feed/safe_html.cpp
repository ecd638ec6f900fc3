// Gumbo reads HTML as browsers do, and what is written here is read by them again. So nothing is written but
// elements of one small list in the namespace of HTML, with text whose markup is escaped: there is nothing that a second
// reading could take for something else. Gumbo itself trusts its input: its time and memory grow with the square of what
// is open, and it deletes its tree by recursion. So it gets only tags of that list, few of them open at once and
// each ended where it has to be.
// SPDX-License-Identifier: MIT
#include "feed/safe_html.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gumbo.h>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/reference.hpp"

namespace feed {
namespace {

// Gumbo needs some 200 bytes for each byte of markup.
constexpr std::size_t longest_html = 1 << 20;
constexpr std::size_t deepest = 200;

enum class Treatment : unsigned char {
    keep,    // with its content
    unwrap,  // its content alone
    drop,    // with its content
};

struct AllowedElement {
    GumboTag tag;
    bool is_block;  // begins a line of plain text
};
constexpr auto allowed = std::to_array<AllowedElement>({
    {GUMBO_TAG_A, false},         {GUMBO_TAG_ABBR, false},  {GUMBO_TAG_B, false},
    {GUMBO_TAG_BLOCKQUOTE, true}, {GUMBO_TAG_BR, true},     {GUMBO_TAG_CAPTION, true},
    {GUMBO_TAG_CITE, false},      {GUMBO_TAG_CODE, false},  {GUMBO_TAG_DD, true},
    {GUMBO_TAG_DEL, false},       {GUMBO_TAG_DFN, false},   {GUMBO_TAG_DIV, true},
    {GUMBO_TAG_DL, true},         {GUMBO_TAG_DT, true},     {GUMBO_TAG_EM, false},
    {GUMBO_TAG_FIGCAPTION, true}, {GUMBO_TAG_FIGURE, true}, {GUMBO_TAG_H1, true},
    {GUMBO_TAG_H2, true},         {GUMBO_TAG_H3, true},     {GUMBO_TAG_H4, true},
    {GUMBO_TAG_H5, true},         {GUMBO_TAG_H6, true},     {GUMBO_TAG_HR, true},
    {GUMBO_TAG_I, false},         {GUMBO_TAG_IMG, false},   {GUMBO_TAG_INS, false},
    {GUMBO_TAG_KBD, false},       {GUMBO_TAG_LI, true},     {GUMBO_TAG_MARK, false},
    {GUMBO_TAG_OL, true},         {GUMBO_TAG_P, true},      {GUMBO_TAG_PRE, true},
    {GUMBO_TAG_Q, false},         {GUMBO_TAG_S, false},     {GUMBO_TAG_SAMP, false},
    {GUMBO_TAG_SMALL, false},     {GUMBO_TAG_SPAN, false},  {GUMBO_TAG_STRONG, false},
    {GUMBO_TAG_SUB, false},       {GUMBO_TAG_SUP, false},   {GUMBO_TAG_TABLE, true},
    {GUMBO_TAG_TBODY, true},      {GUMBO_TAG_TD, true},     {GUMBO_TAG_TFOOT, true},
    {GUMBO_TAG_TH, true},         {GUMBO_TAG_THEAD, true},  {GUMBO_TAG_TR, true},
    {GUMBO_TAG_U, false},         {GUMBO_TAG_UL, true},     {GUMBO_TAG_VAR, false},
});
// The content of these elements is never shown.
constexpr auto dropped = std::to_array<GumboTag>(
    {GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE,    GUMBO_TAG_TEMPLATE,  GUMBO_TAG_NOSCRIPT,
     GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT,   GUMBO_TAG_EMBED,     GUMBO_TAG_APPLET,
     GUMBO_TAG_FRAME,  GUMBO_TAG_FRAMESET, GUMBO_TAG_NOEMBED,   GUMBO_TAG_NOFRAMES,
     GUMBO_TAG_TITLE,  GUMBO_TAG_META,     GUMBO_TAG_LINK,      GUMBO_TAG_BASE,
     GUMBO_TAG_SVG,    GUMBO_TAG_MATH,     GUMBO_TAG_TEXTAREA,  GUMBO_TAG_SELECT,
     GUMBO_TAG_BUTTON, GUMBO_TAG_INPUT,    GUMBO_TAG_PLAINTEXT, GUMBO_TAG_XMP,
     GUMBO_TAG_AUDIO,  GUMBO_TAG_VIDEO,    GUMBO_TAG_CANVAS});
// Other blocks: their content is on lines of its own.
constexpr auto read_as_div = std::to_array<GumboTag>(
    {GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE, GUMBO_TAG_CENTER, GUMBO_TAG_DETAILS,
     GUMBO_TAG_FIELDSET, GUMBO_TAG_FOOTER, GUMBO_TAG_FORM, GUMBO_TAG_HEADER, GUMBO_TAG_HGROUP,
     GUMBO_TAG_LEGEND, GUMBO_TAG_MAIN, GUMBO_TAG_NAV, GUMBO_TAG_SECTION, GUMBO_TAG_SUMMARY});
constexpr auto without_content =
    std::to_array<GumboTag>({GUMBO_TAG_BR, GUMBO_TAG_HR, GUMBO_TAG_IMG});
constexpr auto without_end_tag =
    std::to_array<GumboTag>({GUMBO_TAG_BASE, GUMBO_TAG_EMBED, GUMBO_TAG_FRAME, GUMBO_TAG_INPUT,
                             GUMBO_TAG_LINK, GUMBO_TAG_META});
constexpr auto parts_of_tables =
    std::to_array<GumboTag>({GUMBO_TAG_CAPTION, GUMBO_TAG_TBODY, GUMBO_TAG_TD, GUMBO_TAG_TFOOT,
                             GUMBO_TAG_TH, GUMBO_TAG_THEAD, GUMBO_TAG_TR});
constexpr auto headings = std::to_array<GumboTag>(
    {GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6});
// Attributes that are kept on some element. SafeWriter decides which element may have which.
constexpr auto kept_attributes = std::to_array<std::string_view>(
    {"alt", "colspan", "dir", "height", "href", "lang", "rowspan", "src", "title", "width"});

bool is_among(const auto& tags, GumboTag tag) {
    return std::ranges::find(tags, tag) != tags.end();
}

const AllowedElement* find_allowed(GumboTag tag) {
    const auto found = std::ranges::find(allowed, tag, &AllowedElement::tag);
    return found == allowed.end() ? nullptr : &*found;
}

Treatment treatment_of(const GumboElement& element) {
    if (element.tag_namespace != GUMBO_NAMESPACE_HTML || is_among(dropped, element.tag))
        return Treatment::drop;
    return find_allowed(element.tag) == nullptr ? Treatment::unwrap : Treatment::keep;
}

// Writes HTML again with the tags of the allow-list alone. Each element that is opened is ended before one that
// surrounds it, and where the start of another element ends it: <p>, <li>, a cell of a table. So Gumbo never has more
// elements open than the tags say, and opens none again by itself.
class TagFilter {
   public:
    explicit TagFilter(std::string_view html) : rest_(html) { out_.reserve(html.size()); }

    std::string filtered() {
        while (!rest_.empty()) {
            const auto text = rest_.substr(0, rest_.find('<'));
            out_ += text;
            rest_.remove_prefix(text.size());
            if (!rest_.empty()) take_markup();
        }
        end_elements(0);
        return std::move(out_);
    }

   private:
    static constexpr std::size_t most_open = 100;

    struct Attribute {
        std::string_view name, value;
    };
    struct Tag {
        GumboTag tag = GUMBO_TAG_UNKNOWN;
        std::string_view name = {};
        std::vector<Attribute> attributes = {};  // those that may be kept
        bool is_empty = false;                   // <a/>
    };

    struct OpenElement {
        GumboTag tag;
        bool is_in_cell = false;  // a table, of which a cell or the caption is open
    };

    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    static bool is_space(char c) {
        return base::is_blank(c) || c == '\n' || c == '\r' || c == '\f';
    }

    // The tokenizer of HTML, https://html.spec.whatwg.org/#tokenization.
    void take_markup() {
        const auto at = [&](std::size_t place) {
            return place < rest_.size() ? rest_[place] : ' ';
        };
        if (rest_.starts_with("<!--")) return drop_through("-->", 2);
        if (is_letter(at(1))) return take_start_tag();
        if (at(1) == '/' && is_letter(at(2))) return take_end_tag();
        if (at(1) == '!' || at(1) == '?' || (at(1) == '/' && rest_.size() > 2))
            return drop_through(">", 1);
        out_ += "&lt;";
        rest_.remove_prefix(1);
    }
    void drop_through(std::string_view end, std::size_t from) {
        const auto found = rest_.find(end, from);
        rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + end.size());
    }

    // Reads the tag whose name begins at a place, up to its '>'. Returns nullopt where the text ends first.
    std::optional<Tag> read_tag(std::size_t place) {
        const auto skip = [&](auto belongs) {
            const auto begin = place;
            while (place < rest_.size() && belongs(rest_[place])) ++place;
            return rest_.substr(begin, place - begin);
        };
        Tag tag;
        tag.name = skip([](char c) { return !is_space(c) && c != '/' && c != '>'; });
        tag.tag = gumbo_tagn_enum(tag.name.data(), static_cast<unsigned>(tag.name.size()));
        for (;;) {
            skip([](char c) { return is_space(c) || c == '/'; });
            if (place >= rest_.size()) return std::nullopt;
            if (rest_[place] == '>') break;
            const auto begin = place++;
            skip([](char c) { return !is_space(c) && c != '/' && c != '>' && c != '='; });
            Attribute attribute{rest_.substr(begin, place - begin), {}};
            skip(is_space);
            if (place < rest_.size() && rest_[place] == '=') {
                ++place;
                skip(is_space);
                if (place >= rest_.size()) return std::nullopt;
                if (const char quote = rest_[place]; quote == '"' || quote == '\'') {
                    ++place;
                    attribute.value = skip([quote](char c) { return c != quote; });
                    if (place++ >= rest_.size()) return std::nullopt;
                } else {
                    attribute.value = skip([](char c) { return !is_space(c) && c != '>'; });
                }
            }
            add_attribute(tag.attributes, attribute);
        }
        tag.is_empty = rest_[place - 1] == '/';
        rest_.remove_prefix(place + 1);
        return tag;
    }
    static void add_attribute(std::vector<Attribute>& attributes, const Attribute& attribute) {
        const auto is_equal = [&](std::string_view name) {
            return base::equal_ignoring_case(name, attribute.name);
        };
        const auto kept = std::ranges::find_if(kept_attributes, is_equal);
        if (kept == kept_attributes.end()) return;
        if (std::ranges::find(attributes, *kept, &Attribute::name) != attributes.end()) return;
        attributes.push_back({*kept, attribute.value});
    }

    // Returns the tag to write instead of another; GUMBO_TAG_UNKNOWN: none.
    static GumboTag written_for(GumboTag tag) {
        if (is_among(read_as_div, tag)) return GUMBO_TAG_DIV;
        return find_allowed(tag) == nullptr ? GUMBO_TAG_UNKNOWN : tag;
    }

    void take_start_tag() {
        auto tag = read_tag(1);
        if (!tag) {
            rest_ = {};
            return;
        }
        if (is_among(dropped, tag->tag)) return drop_content(*tag);
        tag->tag = written_for(tag->tag);
        if (tag->tag == GUMBO_TAG_UNKNOWN) return;
        if (is_among(parts_of_tables, tag->tag)) return take_part_of_table(*tag);
        // A browser moves what is in a table and in no cell of it before the table, where it may belong to something
        // else. Its text is moved, its tags are left out.
        if (const auto table = find_open(GUMBO_TAG_TABLE); table && !open_[*table].is_in_cell)
            return;
        end_what_ends_at(tag->tag);
        if (is_among(without_content, tag->tag)) return write(*tag);
        if (open_.size() >= most_open) return;
        write(*tag);
        open_.push_back({tag->tag});
    }
    void take_part_of_table(const Tag& part) {
        const auto table = find_open(GUMBO_TAG_TABLE);
        if (!table) return;
        end_elements(*table + 1);
        write(part);
        open_[*table].is_in_cell =
            part.tag == GUMBO_TAG_TD || part.tag == GUMBO_TAG_TH || part.tag == GUMBO_TAG_CAPTION;
    }

    // Drops everything up to the end tag, or all of the rest.
    void drop_content(const Tag& tag) {
        if (is_among(without_end_tag, tag.tag)) return;
        const bool is_foreign = tag.tag == GUMBO_TAG_SVG || tag.tag == GUMBO_TAG_MATH;
        if (is_foreign && tag.is_empty) return;
        for (auto end = rest_.find("</"); end != std::string_view::npos;
             end = rest_.find("</", end + 2)) {
            const auto rest = rest_.substr(end + 2);
            if (rest.size() <= tag.name.size() ||
                !base::equal_ignoring_case(rest.substr(0, tag.name.size()), tag.name))
                continue;
            if (const char next = rest[tag.name.size()];
                is_space(next) || next == '/' || next == '>')
                return rest_.remove_prefix(std::min(rest_.find('>', end), rest_.size() - 1) + 1);
        }
        rest_ = {};
    }

    // Ends the elements that the start of another one ends.
    void end_what_ends_at(GumboTag tag) {
        if (const auto* known = find_allowed(tag); known->is_block && tag != GUMBO_TAG_BR)
            end_through(find_open(GUMBO_TAG_P));
        if (tag == GUMBO_TAG_A) end_through(find_open(tag));
        if (tag == GUMBO_TAG_LI) end_through(find_item({GUMBO_TAG_LI}));
        if (tag == GUMBO_TAG_DT || tag == GUMBO_TAG_DD)
            end_through(find_item({GUMBO_TAG_DT, GUMBO_TAG_DD}));
        if (is_among(headings, tag) && !open_.empty() && is_among(headings, open_.back().tag))
            end_elements(open_.size() - 1);
    }

    void take_end_tag() {
        const auto read = read_tag(2);
        if (!read) {
            rest_ = {};
            return;
        }
        const auto tag = written_for(read->tag);
        if (tag == GUMBO_TAG_BR) return write({.tag = tag});  // as browsers read </br>
        if (!is_among(parts_of_tables, tag)) return end_through(find_open(tag));
        if (const auto table = find_open(GUMBO_TAG_TABLE)) {
            end_elements(*table + 1);
            write_end(tag);
            open_[*table].is_in_cell = false;
        }
    }

    // Returns the place of the innermost open element that has a tag, and is in no table inside of that element.
    [[nodiscard]] std::optional<std::size_t> find_open(GumboTag tag) const {
        for (auto place = open_.size(); place > 0; --place) {
            if (open_[place - 1].tag == tag) return place - 1;
            if (open_[place - 1].tag == GUMBO_TAG_TABLE) break;
        }
        return std::nullopt;
    }
    // Returns the place of the item that is open in the innermost list.
    [[nodiscard]] std::optional<std::size_t> find_item(
        std::initializer_list<GumboTag> tags) const {
        constexpr auto barriers =
            std::to_array<GumboTag>({GUMBO_TAG_UL, GUMBO_TAG_OL, GUMBO_TAG_DL, GUMBO_TAG_TABLE});
        for (auto place = open_.size(); place > 0; --place) {
            if (is_among(tags, open_[place - 1].tag)) return place - 1;
            if (is_among(barriers, open_[place - 1].tag)) break;
        }
        return std::nullopt;
    }

    void end_through(std::optional<std::size_t> place) {
        if (place) end_elements(*place);
    }
    // Ends elements until `left` are open.
    void end_elements(std::size_t left) {
        for (; open_.size() > left; open_.pop_back()) write_end(open_.back().tag);
    }

    void write(const Tag& tag) {
        out_.append("<").append(gumbo_normalized_tagname(tag.tag));
        for (const auto& [name, value] : tag.attributes) {
            out_.append(" ").append(name).append("=\"");
            for (const char c : value)
                if (c == '"')
                    out_ += "&quot;";
                else
                    out_ += c;
            out_ += '"';
        }
        out_ += '>';
    }
    void write_end(GumboTag tag) {
        out_.append("</").append(gumbo_normalized_tagname(tag)).append(">");
    }

    std::string_view rest_;
    std::string out_;
    std::vector<OpenElement> open_;
};

// A document as Gumbo reads it.
class Document {
   public:
    explicit Document(std::string_view html)
        : html_(TagFilter(base::cut_at(html, longest_html)).filtered()) {
        auto options = kGumboDefaultOptions;
        options.fragment_context = GUMBO_TAG_BODY;
        options.max_errors = 0;
        output_ = gumbo_parse_with_options(&options, html_.data(), html_.size());
    }
    ~Document() { gumbo_destroy_output(&kGumboDefaultOptions, output_); }
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    [[nodiscard]] const GumboNode* root() const { return output_ ? output_->root : nullptr; }

   private:
    std::string html_;
    GumboOutput* output_ = nullptr;
};

std::string_view attribute_of(const GumboElement& element, const char* name) {
    const auto* attribute = gumbo_get_attribute(&element.attributes, name);
    return attribute ? std::string_view(attribute->value) : std::string_view();
}

// Appends text with its markup escaped. References in HTML may stand for any character: what is not legal is replaced,
// and so are carriage returns, which the next reader would take for line ends.
void append_text(std::string& out, std::string_view text) {
    auto legal = base::is_legal_text(text) ? std::string(text) : base::legal_text(text);
    std::ranges::replace(legal, '\r', '\n');
    out += base::escape_html(legal);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
    out.append(" ").append(name).append("=\"");
    append_text(out, value);
    out += '"';
}

// Writes the allowed part of a tree.
class SafeWriter {
   public:
    SafeWriter(const std::string& base_url, std::size_t most)
        : base_url_(base_url), most_(most) {}

    std::string write(const GumboNode& root) {
        write_children(root.v.element, 0);
        return std::move(out_);
    }

   private:
    void write_children(const GumboElement& element, std::size_t depth) {
        for (unsigned i = 0; i < element.children.length && !is_full_; ++i)
            write_node(*static_cast<const GumboNode*>(element.children.data[i]), depth);
    }

    void write_node(const GumboNode& node, std::size_t depth) {
        switch (node.type) {
            case GUMBO_NODE_TEXT:
            case GUMBO_NODE_WHITESPACE:
            case GUMBO_NODE_CDATA: return write_text(node.v.text.text);
            case GUMBO_NODE_ELEMENT: return write_element(node.v.element, depth);
            case GUMBO_NODE_DOCUMENT:
            case GUMBO_NODE_COMMENT:
            case GUMBO_NODE_TEMPLATE: break;
        }
    }

    // Returns whether this many bytes fit, besides the end tags of open elements.
    bool has_room(std::size_t bytes) {
        is_full_ = is_full_ || out_.size() + end_tags_ + bytes > most_;
        return !is_full_;
    }

    void write_text(std::string_view text) {
        std::string escaped;
        append_text(escaped, text);
        if (has_room(escaped.size())) {
            out_ += escaped;
            return;
        }
        const auto room = most_ - std::min(most_, out_.size() + end_tags_);
        auto cut = base::cut_at(escaped, std::min(room, escaped.size()));
        if (const auto reference = cut.rfind('&');
            reference != std::string_view::npos &&
            cut.find(';', reference) == std::string_view::npos)
            cut = cut.substr(0, reference);
        out_ += cut;
    }

    void write_element(const GumboElement& element, std::size_t depth) {
        const auto treatment = treatment_of(element);
        if (treatment == Treatment::drop || depth >= deepest) return;
        if (treatment == Treatment::unwrap) return write_children(element, depth + 1);
        std::string attributes;
        if (!append_attributes(attributes, element)) return write_children(element, depth + 1);
        const std::string name = gumbo_normalized_tagname(element.tag);
        if (is_among(without_content, element.tag)) {
            if (element.tag == GUMBO_TAG_IMG && attributes.empty()) return;
            if (has_room(name.size() + attributes.size() + 4))
                out_ += '<' + name + attributes + " />";
            return;
        }
        const auto end_tag = name.size() + 3;
        if (!has_room(name.size() + attributes.size() + 2 + end_tag)) return;
        end_tags_ += end_tag;
        out_ += '<' + name + attributes + '>';
        // Parsers drop the first line end of <pre>.
        if (element.tag == GUMBO_TAG_PRE && begins_with_line_end(element)) out_ += '\n';
        write_children(element, depth + 1);
        out_ += "</" + name + '>';
        end_tags_ -= end_tag;
    }

    static bool begins_with_line_end(const GumboElement& element) {
        if (element.children.length == 0) return false;
        const auto& first = *static_cast<const GumboNode*>(element.children.data[0]);
        const bool is_text = first.type == GUMBO_NODE_TEXT || first.type == GUMBO_NODE_WHITESPACE;
        return is_text && (first.v.text.text[0] == '\n' || first.v.text.text[0] == '\r');
    }

    // Appends the allowed attributes. Returns false for a link without a usable target.
    bool append_attributes(std::string& out, const GumboElement& element) const {
        if (element.tag == GUMBO_TAG_A) return append_link(out, element);
        if (element.tag == GUMBO_TAG_IMG) {
            append_image(out, element);
            return true;
        }
        constexpr auto plain = std::to_array<const char*>({"title", "dir", "lang"});
        for (const auto* name : plain)
            if (const auto value = attribute_of(element, name);
                !value.empty() && value.size() <= 500)
                if (std::strcmp(name, "dir") != 0 || value == "ltr" || value == "rtl")
                    append_attribute(out, name, value);
        if (element.tag == GUMBO_TAG_TD || element.tag == GUMBO_TAG_TH)
            for (const auto* name : {"colspan", "rowspan"})
                if (const auto number = base::parse_count(attribute_of(element, name));
                    number && *number >= 1 && *number <= 100)
                    append_attribute(out, name, std::to_string(*number));
        return true;
    }

    bool append_link(std::string& out, const GumboElement& element) const {
        const auto href = attribute_of(element, "href");
        auto url = resolve_reference(base_url_, href);
        if (url.empty() && base::fold_ascii(base::trim(href).substr(0, 7)) == "mailto:" &&
            href.size() < 300)
            url = base::trim(href);
        if (url.empty()) return false;
        append_attribute(out, "href", url);
        append_attribute(out, "rel", "nofollow noopener noreferrer");
        return true;
    }

    void append_image(std::string& out, const GumboElement& element) const {
        const auto is_tiny = [&](const char* name) {
            const auto size = base::parse_count(attribute_of(element, name));
            return size && *size <= 2;
        };
        const auto url = resolve_reference(base_url_, attribute_of(element, "src"));
        if (url.empty() || is_tiny("width") || is_tiny("height")) return;
        append_attribute(out, "src", url);
        append_attribute(out, "alt", base::cut_at(attribute_of(element, "alt"), 1000));
        for (const auto* name : {"width", "height"})
            if (const auto size = base::parse_count(attribute_of(element, name));
                size && *size <= 10'000)
                append_attribute(out, name, std::to_string(*size));
    }

    const std::string& base_url_;
    const std::size_t most_;
    std::string out_;
    std::size_t end_tags_ = 0;  // bytes of those that are still to be written
    bool is_full_ = false;
};

// Collects the visible text, with one blank between words and one line break between blocks.
class TextCollector {
   public:
    explicit TextCollector(std::size_t most) : most_(most) {}

    std::string collect(const GumboNode& root) {
        add_children(root.v.element, 0);
        return std::move(text_);
    }
    void add_text(std::string_view text) {
        for (const char c : text) {
            if (is_full()) return;
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
                blank_ = true;
                continue;
            }
            if (!text_.empty() && (line_ || blank_)) text_ += line_ ? '\n' : ' ';
            line_ = blank_ = false;
            text_ += c;
        }
    }
    std::string take() { return std::move(text_); }

   private:
    [[nodiscard]] bool is_full() const { return text_.size() >= most_; }

    void add_children(const GumboElement& element, std::size_t depth) {
        for (unsigned i = 0; i < element.children.length && !is_full(); ++i)
            add_node(*static_cast<const GumboNode*>(element.children.data[i]), depth);
    }
    void add_node(const GumboNode& node, std::size_t depth) {
        switch (node.type) {
            case GUMBO_NODE_TEXT:
            case GUMBO_NODE_CDATA: return add_text(node.v.text.text);
            case GUMBO_NODE_WHITESPACE: blank_ = true; return;
            case GUMBO_NODE_ELEMENT: break;
            case GUMBO_NODE_DOCUMENT:
            case GUMBO_NODE_COMMENT:
            case GUMBO_NODE_TEMPLATE: return;
        }
        const auto& element = node.v.element;
        if (treatment_of(element) == Treatment::drop || depth >= deepest) return;
        const auto* known = find_allowed(element.tag);
        const bool is_block = known != nullptr && known->is_block;
        line_ = line_ || is_block;
        add_children(element, depth + 1);
        line_ = line_ || is_block;
    }

    const std::size_t most_;
    std::string text_;
    bool line_ = false, blank_ = false;  // what goes before the next character
};

std::string whole_characters(std::string text, std::size_t most) {
    text.resize(base::cut_at(text, most).size());
    return base::is_legal_text(text) ? text : base::legal_text(text);
}

bool has_markup(std::string_view html) {
    return base::find_any<'<', '&'>(html) != std::string_view::npos;
}

// Of HTML without markup.
std::string safe_text(std::string_view html, std::size_t most) {
    constexpr std::size_t longest_reference = 6;  // &quot;
    auto text = base::escape_html(base::cut_at(html, most));
    return text.size() <= most ? text
                               : base::escape_html(base::cut_at(html, most / longest_reference));
}

std::string safe_html_in(const Document& document, const std::string& base_url,
                         std::size_t most) {
    if (document.root() == nullptr) return {};
    return SafeWriter(base_url, most).write(*document.root());
}

std::string plain_text_in(const Document& document, std::size_t most) {
    if (document.root() == nullptr) return {};
    return whole_characters(TextCollector(most + 4).collect(*document.root()), most);
}

}  // namespace

std::string safe_html(std::string_view html, const std::string& base_url, std::size_t most) {
    if (!has_markup(html)) return safe_text(html, most);
    return safe_html_in(Document(html), base_url, most);
}

std::string plain_text(std::string_view html, std::size_t most) {
    if (!has_markup(html)) return one_line(html, most);
    return plain_text_in(Document(html), most);
}

SafeAndPlain safe_and_plain(std::string_view html, const std::string& base_url,
                            std::size_t most) {
    if (!has_markup(html)) return {safe_text(html, most), one_line(html, most)};
    const Document document(html);
    return {safe_html_in(document, base_url, most), plain_text_in(document, most)};
}

std::string one_line(std::string_view text, std::size_t most) {
    TextCollector collector(most + 4);
    collector.add_text(text);
    return whole_characters(collector.take(), most);
}

std::string plain_line(std::string_view html, std::size_t most) {
    auto text = plain_text(html, most);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace feed
