// SPDX-License-Identifier: MIT
#include "support/html_rules.hpp"

#include <algorithm>
#include <cctype>
#include <gumbo.h>
#include <set>
#include <span>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;
using Names = std::set<std::string_view>;

// What may occur in a kind of HTML.
struct Vocabulary {
    Names elements, attributes;
    Names links;  // how an address may begin; "" for relative ones
};

// Returns the words of a text.
Names names_in(std::string_view text) {
    const auto words = base::split(text, ' ');
    return {words.begin(), words.end()};
}

const Vocabulary content{
    names_in("p b a ul li del ins br bdi"), names_in("href"), {"http://", "https://"}};
const Vocabulary foreign_content{
    names_in("p b a ul li del ins br img em strong i u s code pre hr div h1 h2 h3 h4 h5 h6 "
             "span sub sup ol dl dt dd table tbody tr td th q cite small thead tfoot "
             "blockquote figure kbd abbr"),
    names_in("href rel src alt title width height dir lang colspan rowspan"),
    {"http://", "https://", "mailto:"}};
const Vocabulary page{
    names_in("html head body title header nav main footer h1 h2 h3 h4 p a b span div section "
             "article figure figcaption ul li form label input select option button datalist "
             "table caption thead tbody tr th td time small del ins svg g path rect text "
             "line circle script defs pattern meta link br details summary desc textarea bdi"),
    names_in("lang charset name content rel href src defer type title class id role for "
             "value action formaction method enctype accept rows autocomplete selected "
             "autocapitalize spellcheck checked required list datetime scope tabindex "
             "viewBox d x y preserveAspectRatio width height x1 x2 y1 y2 dx cy r stroke "
             "patternUnits patternTransform readonly data-suggest data-home data-watch "
             "aria-label aria-labelledby aria-hidden"),
    {"", "http://", "https://", "mailto:"}};

std::string name_of(const GumboElement& element) {
    if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
    auto text = element.original_tag;
    gumbo_tag_from_original_text(&text);
    return {text.data, text.length};
}

template <class T>
std::span<T* const> all_of(const GumboVector& vector) {
    return {reinterpret_cast<T* const*>(vector.data), vector.length};
}

class Checker {
   public:
    Checker(std::string_view html, const Vocabulary& known)
        : known_(known),
          output_(gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size())) {
        if (!base::is_legal_text(html)) find("Text", "control characters, or not UTF-8");
        if (output_->errors.length > 0)
            find("Syntax", std::to_string(output_->errors.length) + " errors of the parser");
    }
    ~Checker() { gumbo_destroy_output(&kGumboDefaultOptions, output_); }
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    Strings check_page() && {
        if (!output_->document->v.document.has_doctype) find("Page", "no doctype");
        check_element(output_->root->v.element, "");
        if (!has_title_) find("Page", "no title");
        for (const auto& id : needed_)
            if (!ids_.contains(id)) find("Page", "no element of id " + id);
        return std::move(findings_);
    }
    Strings check_fragment() && {
        for (const auto* child : all_of<GumboNode>(output_->root->v.element.children))
            if (child->type == GUMBO_NODE_ELEMENT && child->v.element.tag == GUMBO_TAG_BODY)
                check_children(child->v.element, "body");
        return std::move(findings_);
    }

   private:
    void find(const std::string& rule, const std::string& what) {
        findings_.push_back(rule + ": " + what.substr(0, 100));
    }

    void check_children(const GumboElement& element, const std::string& name) {
        for (const auto* child : all_of<GumboNode>(element.children)) {
            if (child->type == GUMBO_NODE_ELEMENT) check_element(child->v.element, name);
            if (child->type == GUMBO_NODE_TEXT && (name == "ul" || name == "table"))
                find("Place", "text in " + name);
            if (child->type == GUMBO_NODE_TEXT && name == "title") has_title_ = true;
        }
    }

    void check_element(const GumboElement& element, const std::string& parent) {
        const auto name = name_of(element);
        if (!known_.elements.contains(name)) find("Security", "<" + name + ">");
        if ((name == "li") != (parent == "ul" || parent == "ol"))
            find("Place", name + " in " + parent);
        for (const auto* attribute : all_of<GumboAttribute>(element.attributes)) {
            if (!known_.attributes.contains(attribute->name))
                find("Security", std::string(attribute->name) + " of " + name);
            check_attribute(element, attribute->name, attribute->value);
        }
        if (name == "script" && gumbo_get_attribute(&element.attributes, "src") == nullptr)
            find("Security", "script of its own");
        check_children(element, name);
    }

    void check_attribute(const GumboElement& element, std::string_view name,
                         const std::string& value) {
        if (name == "id") {
            if (value.empty() || value.find(' ') != value.npos || !ids_.insert(value).second)
                find("Page", "id " + value);
        } else if (name == "for" || name == "list" || name == "aria-labelledby") {
            for (const auto id : base::split(value, ' '))
                if (!id.empty()) needed_.emplace(id);
        } else if (Names{"href", "src", "action", "formaction"}.contains(name)) {
            const auto* rel = gumbo_get_attribute(&element.attributes, "rel");
            const bool is_icon = rel != nullptr && std::string_view(rel->value) == "icon";
            if (!is_icon || !value.starts_with("data:image/")) check_link(value);
        }
    }

    void check_link(const std::string& url) {
        if (url.starts_with('#')) {
            if (url.size() > 1) needed_.insert(url.substr(1));
            return;
        }
        const auto colon = url.find(':');
        const bool is_relative = colon == url.npos || url.find_first_of("/?#") < colon;
        const auto begins = [&](auto start) { return !start.empty() && url.starts_with(start); };
        if (is_relative ? !known_.links.contains("") : std::ranges::none_of(known_.links, begins))
            find("Security", "link to " + url);
        constexpr std::string_view others = ";/?:@&=+$.-_!~*'()%,#";
        if (std::ranges::any_of(url, [&](unsigned char c) {
                return std::isalnum(c) == 0 && others.find(static_cast<char>(c)) == others.npos;
            }))
            find("Link", url);
    }

    const Vocabulary& known_;
    GumboOutput* output_;
    Strings findings_;
    std::set<std::string> ids_, needed_;
    bool has_title_ = false;
};

std::string document_of(std::string_view fragment) {
    return "<!DOCTYPE html><title>x</title><body>" + std::string(fragment);
}

}  // namespace

Strings findings_in_html(std::string_view fragment) {
    const auto html = document_of(fragment);
    return Checker(html, content).check_fragment();
}

Strings findings_in_foreign_html(std::string_view fragment) {
    const auto html = document_of(fragment);
    return Checker(html, foreign_content).check_fragment();
}

Strings findings_in_page(std::string_view html) { return Checker(html, page).check_page(); }

}  // namespace support
