// Gumbo reads HTML as browsers do, and what is written here is read by them again. So nothing is written but
// elements of one small list in the namespace of HTML, with text whose markup is escaped: there is nothing that a second
// reading could take for something else.
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

// Gumbo needs some 200 bytes for each byte of markup, and time that grows with the depth of open elements.
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
// What is in these was never meant to be read.
constexpr auto dropped = std::to_array<GumboTag>(
    {GUMBO_TAG_SCRIPT,    GUMBO_TAG_STYLE,    GUMBO_TAG_TEMPLATE, GUMBO_TAG_NOSCRIPT,
     GUMBO_TAG_IFRAME,    GUMBO_TAG_OBJECT,   GUMBO_TAG_EMBED,    GUMBO_TAG_APPLET,
     GUMBO_TAG_FRAME,     GUMBO_TAG_FRAMESET, GUMBO_TAG_NOEMBED,  GUMBO_TAG_NOFRAMES,
     GUMBO_TAG_HEAD,      GUMBO_TAG_TITLE,    GUMBO_TAG_META,     GUMBO_TAG_LINK,
     GUMBO_TAG_BASE,      GUMBO_TAG_SVG,      GUMBO_TAG_MATH,     GUMBO_TAG_TEXTAREA,
     GUMBO_TAG_SELECT,    GUMBO_TAG_OPTION,   GUMBO_TAG_BUTTON,   GUMBO_TAG_INPUT,
     GUMBO_TAG_PLAINTEXT, GUMBO_TAG_XMP,      GUMBO_TAG_AUDIO,    GUMBO_TAG_VIDEO,
     GUMBO_TAG_CANVAS});
constexpr auto without_content =
    std::to_array<GumboTag>({GUMBO_TAG_BR, GUMBO_TAG_HR, GUMBO_TAG_IMG});

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

// A document as Gumbo reads it. Gumbo walks its tree by recursion when it deletes it, but not when it makes it; the depth
// of open elements is limited before that.
class Document {
   public:
    explicit Document(std::string_view html) : html_(limited(html)) {
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
    // Returns the HTML without the tags that would open an element more than `most_open` deep: how deep they are is
    // estimated by counting, since end tags may be missing or too many.
    static std::string limited(std::string_view html) {
        constexpr std::size_t most_open = 1000;
        html = base::cut_at(html, longest_html);
        std::size_t opened = 0;
        for (std::size_t at = html.find('<'); at != std::string_view::npos;
             at = html.find('<', at + 1))
            if (at + 1 < html.size() && is_letter(html[at + 1])) ++opened;
        if (opened <= most_open) return std::string(html);
        std::string result;
        result.reserve(html.size());
        std::size_t open = 0, from = 0;
        for (std::size_t at = html.find('<'); at != std::string_view::npos;
             at = html.find('<', at + 1)) {
            const char next = at + 1 < html.size() ? html[at + 1] : ' ';
            if (next == '/') {
                if (open > 0) --open;
                continue;
            }
            if (!is_letter(next) || closes_itself(html.substr(at + 1))) continue;
            if (open < most_open) {
                ++open;
                continue;
            }
            result.append(html, from, at - from);
            from = std::min(html.find('>', at), html.size() - 1) + 1;
        }
        return result.append(html, from);
    }
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    // Elements that stay open for nothing: they have no end tag, or need none.
    static bool closes_itself(std::string_view tag) {
        const auto name = base::fold_ascii(tag.substr(0, tag.find_first_of(" \t\r\n/>")));
        constexpr auto names = std::to_array<std::string_view>(
            {"br",    "hr",    "img",    "p",     "li",     "dd",   "dt",   "td",
             "tr",    "th",    "option", "input", "wbr",    "link", "meta", "tbody",
             "thead", "tfoot", "area",   "col",   "source", "embed"});
        return std::ranges::find(names, name) != names.end();
    }

    std::string html_;
    GumboOutput* output_ = nullptr;
};

std::string_view attribute_of(const GumboElement& element, const char* name) {
    const auto* attribute = gumbo_get_attribute(&element.attributes, name);
    return attribute ? std::string_view(attribute->value) : std::string_view();
}

// Appends text with its markup escaped; `legal` because references in HTML may stand for any character.
void append_text(std::string& out, std::string_view text) {
    out +=
        base::escape_html(base::is_legal_text(text) ? std::string(text) : base::legal_text(text));
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

    // Returns whether so many bytes have room, besides the end tags of what is open.
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
        write_children(element, depth + 1);
        out_ += "</" + name + '>';
        end_tags_ -= end_tag;
    }

    // Appends what may stay of the attributes. Returns false for a link that leads nowhere.
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

// Collects what a reader sees, with one blank between words and one line break between blocks.
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
    return html.find_first_of("<&") != std::string_view::npos;
}

}  // namespace

std::string safe_html(std::string_view html, const std::string& base_url, std::size_t most) {
    if (!has_markup(html)) {
        constexpr std::size_t longest_reference = 6;  // &quot;
        auto text = base::escape_html(base::cut_at(html, most));
        return text.size() <= most
                   ? text
                   : base::escape_html(base::cut_at(html, most / longest_reference));
    }
    const Document document(html);
    if (document.root() == nullptr) return {};
    return SafeWriter(base_url, most).write(*document.root());
}

std::string plain_text(std::string_view html, std::size_t most) {
    TextCollector collector(most + 4);
    if (!has_markup(html)) {
        collector.add_text(html);
        return whole_characters(collector.take(), most);
    }
    const Document document(html);
    if (document.root() == nullptr) return {};
    return whole_characters(collector.collect(*document.root()), most);
}

std::string plain_line(std::string_view html, std::size_t most) {
    auto text = plain_text(html, most);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace feed
