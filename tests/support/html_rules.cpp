// SPDX-License-Identifier: MIT
#include "support/html_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <utf8.h>

#include "base/text.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;

const std::set<std::string_view> elements_of_content = {"p",  "b",   "a",   "ul",
                                                        "li", "del", "ins", "br"};
// In foreign HTML, which elements and attributes there are besides.
const std::set<std::string_view> foreign_elements = {
    "p",  "b",      "a",     "ul",    "li",    "del",        "ins",    "br",  "img",
    "em", "strong", "i",     "u",     "s",     "code",       "pre",    "hr",  "div",
    "h1", "h2",     "h3",    "h4",    "h5",    "h6",         "span",   "sub", "sup",
    "ol", "dl",     "dt",    "dd",    "table", "tbody",      "tr",     "td",  "th",
    "q",  "cite",   "small", "thead", "tfoot", "blockquote", "figure", "kbd", "abbr"};
const std::set<std::string_view> foreign_attributes = {
    "href", "rel", "src", "alt", "title", "width", "height", "dir", "lang", "colspan", "rowspan"};

bool is_unwanted(std::uint32_t c) {
    const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c <= 0x9F);
    const bool noncharacter = (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
    return control || noncharacter || (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF;
}

class HtmlChecker {
   public:
    explicit HtmlChecker(std::string_view rest, bool is_foreign = false)
        : rest_(rest), is_foreign_(is_foreign) {}

    Strings check() {
        if (!utf8::is_valid(rest_.begin(), rest_.end())) return {"UnicodeError: not UTF-8"};
        while (!rest_.empty() && findings_.size() < 10) {
            if (rest_.front() == '<')
                tag();
            else
                text(rest_.substr(0, rest_.find('<')), true);
        }
        for (const auto& element : open_) find("NotHtml", "not ended: " + element);
        return findings_;
    }

   private:
    void find(const std::string& rule, const std::string& what) {
        findings_.push_back(rule + ": " + what);
    }

    // Reads element text or the value of an attribute. Returns it decoded.
    std::string text(std::string_view raw, bool take) {
        if (take && !open_.empty() && open_.back() == "ul" &&
            !(is_foreign_ && base::trim(raw).empty()))
            find("NotHtml", "text in ul");
        if (take) rest_.remove_prefix(raw.size());
        std::string plain;
        for (auto at = raw.begin(); at != raw.end();) {
            const auto from = at;
            const auto c = utf8::unchecked::next(at);
            if (is_unwanted(c)) find("NotHtml", "invalid-codepoint " + std::to_string(c));
            if (c == '&')
                plain += reference(raw, at);
            else
                plain.append(from, at);
        }
        return plain;
    }

    std::string reference(std::string_view raw, std::string_view::iterator& at) {
        const std::string_view rest(at, raw.end());
        const auto end = rest.find(';');
        if (end == std::string_view::npos) return find("NotHtml", "bare &"), "&";
        const auto name = rest.substr(0, end);
        at += static_cast<std::ptrdiff_t>(end) + 1;
        if (name == "amp") return "&";
        if (name == "lt") return "<";
        if (name == "gt") return ">";
        if (name == "quot") return "\"";
        if (!name.starts_with('#'))
            return find("NotHtml", "unknown reference " + std::string(name)), "";
        const bool hex = name.starts_with("#x");
        std::uint32_t c = 0;
        const auto* last = name.data() + name.size();
        const auto got = std::from_chars(name.data() + (hex ? 2 : 1), last, c, hex ? 16 : 10);
        if (got.ec != std::errc() || got.ptr != last || c == 0 || is_unwanted(c))
            return find("NotHtml", "bad reference " + std::string(name)), "";
        std::string plain;
        utf8::append(c, std::back_inserter(plain));
        return plain;
    }

    void tag() {
        const auto end = rest_.find('>');
        if (end == std::string_view::npos) {
            find("NotHtml", "cut inside a tag");
            rest_ = {};
            return;
        }
        auto inner = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        const bool is_end = inner.starts_with('/');
        if (is_end) inner.remove_prefix(1);
        const std::string name(inner.substr(0, inner.find(' ')));
        if (!(is_foreign_ ? foreign_elements : elements_of_content).contains(name))
            return find("SecurityRisk", "<" + std::string(inner) + ">");
        if (is_end) return end_tag(name);
        if (is_foreign_) return foreign_tag(name, inner.substr(name.size()));
        attributes(name, inner.substr(name.size()));
        place(name);
        if (name != "br") open_.push_back(name);
    }

    void foreign_tag(const std::string& name, std::string_view list) {
        const bool is_ended = list.ends_with('/');
        if (is_ended) list.remove_suffix(1);
        while (!base::trim(list).empty()) {
            list = list.substr(list.find_first_not_of(' '));
            const auto equals = list.find("=\""), end = list.find('"', equals + 2);
            if (equals == std::string_view::npos || end == std::string_view::npos)
                return find("NotHtml", "bad attribute " + std::string(list));
            const auto attribute = list.substr(0, equals);
            const auto value = text(list.substr(equals + 2, end - equals - 2), false);
            if (!foreign_attributes.contains(attribute))
                find("SecurityRiskAttr", std::string(attribute));
            if ((attribute == "href" || attribute == "src") && !value.starts_with("mailto:"))
                link(value);
            list.remove_prefix(end + 1);
        }
        const bool has_end = name != "br" && name != "hr" && name != "img";
        if (has_end == is_ended) find("NotHtml", "end of " + name);
        if (has_end) open_.push_back(name);
    }

    void end_tag(const std::string& name) {
        if (open_.empty() || open_.back() != name)
            return find("NotHtml", "unexpected </" + name + ">");
        open_.pop_back();
    }

    void place(const std::string& name) {
        const std::string parent = open_.empty() ? "" : open_.back();
        if ((name == "li") != (parent == "ul")) find("NotHtml", name + " in " + parent);
        if ((name == "p" || name == "ul") && std::count(open_.begin(), open_.end(), "p") > 0)
            find("NotHtml", name + " in p");
        if (name == "a" && std::count(open_.begin(), open_.end(), "a") > 0)
            find("NotHtml", "a in a");
    }

    void attributes(const std::string& element, std::string_view list) {
        if (list.empty()) return;
        constexpr std::string_view start = " href=\"";
        if (element != "a" || !list.starts_with(start) || !list.ends_with('"') ||
            list.substr(start.size(), list.size() - start.size() - 1).find('"') !=
                std::string_view::npos)
            return find("SecurityRiskAttr", element + std::string(list));
        link(text(list.substr(start.size(), list.size() - start.size() - 1), false));
    }

    void link(const std::string& url) {
        if (!url.starts_with("http://") && !url.starts_with("https://"))
            find("ContainsRelRef", url);
        constexpr std::string_view others = ";/?:@&=+$.-_!~*'()%,#";
        for (const char c : url)
            if (!std::isalnum(static_cast<unsigned char>(c)) &&
                others.find(c) == std::string_view::npos)
                return find("InvalidUriChar", url);
    }

    std::string_view rest_;
    const bool is_foreign_;
    Strings open_, findings_;
};

}  // namespace

Strings findings_in_html(std::string_view fragment) { return HtmlChecker(fragment).check(); }

Strings findings_in_foreign_html(std::string_view fragment) {
    return HtmlChecker(fragment, true).check();
}

}  // namespace support
