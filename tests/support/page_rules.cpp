// SPDX-License-Identifier: MIT
#include "support/html_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utf8.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;
using Attributes = std::map<std::string, std::string>;
using Names = std::set<std::string_view>;

const Names voids = {"meta", "link", "input", "br"};
const Names page_elements = {
    "html",   "head",    "body",    "title",  "header",     "nav",      "main",    "footer",
    "h1",     "h2",      "h3",      "h4",     "p",          "a",        "b",       "span",
    "div",    "section", "article", "figure", "figcaption", "ul",       "li",      "form",
    "label",  "input",   "select",  "option", "button",     "datalist", "table",   "caption",
    "thead",  "tbody",   "tr",      "th",     "td",         "time",     "small",   "del",
    "ins",    "svg",     "g",       "path",   "rect",       "text",     "line",    "circle",
    "script", "defs",    "pattern", "meta",   "link",       "br",       "details", "summary",
    "desc",   "textarea"};
const Names known_attributes = {"lang",
                                "charset",
                                "name",
                                "content",
                                "rel",
                                "href",
                                "src",
                                "defer",
                                "type",
                                "title",
                                "class",
                                "id",
                                "role",
                                "for",
                                "value",
                                "action",
                                "formaction",
                                "method",
                                "enctype",
                                "accept",
                                "rows",
                                "autocomplete",
                                "autocapitalize",
                                "spellcheck",
                                "selected",
                                "checked",
                                "required",
                                "list",
                                "datetime",
                                "scope",
                                "tabindex",
                                "viewBox",
                                "preserveAspectRatio",
                                "d",
                                "x",
                                "y",
                                "width",
                                "height",
                                "x1",
                                "x2",
                                "y1",
                                "y2",
                                "dx",
                                "cy",
                                "r",
                                "stroke",
                                "patternUnits",
                                "patternTransform",
                                "readonly",
                                "data-suggest",
                                "data-home",
                                "data-watch",
                                "aria-label",
                                "aria-labelledby",
                                "aria-hidden"};
const Names blocks = {"p",  "div", "ul", "section", "article", "table",  "h1",
                      "h2", "h3",  "h4", "form",    "figure",  "details"};
const Names interactive = {"a", "button", "input", "select", "textarea", "label"};

// Reads one page from its beginning to its end, and then checks what needs all of it.
class PageChecker {
   public:
    explicit PageChecker(std::string_view page) : rest_(page) {}

    Strings check() {
        if (!base::is_legal_text(rest_)) return {"Text: control characters, or not UTF-8"};
        if (!take("<!DOCTYPE html>\n")) find("Page", "no doctype");
        while (!rest_.empty() && findings_.size() < 10) {
            if (rest_.front() == '<')
                tag();
            else
                text(rest_.substr(0, rest_.find('<')));
        }
        for (const auto& element : open_) find("Page", "not ended: " + element);
        check_whole();
        return findings_;
    }

   private:
    void find(const std::string& rule, const std::string& what) {
        findings_.push_back(rule + ": " + what);
    }
    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }

    void text(std::string_view raw) {
        rest_.remove_prefix(raw.size());
        const auto plain = decoded(raw);
        if (base::trim(plain).empty()) return;
        const std::string parent = open_.empty() ? "" : open_.back();
        if (Names{"", "html", "ul", "table", "tr", "tbody", "thead", "script"}.contains(parent))
            find("Page", "text in " + parent);
        if (parent == "title" && !is_open("svg")) has_title_ = true;
        for (auto& named : unnamed_) named.second |= is_open(named.first);
    }

    std::string decoded(std::string_view raw) {
        std::string plain;
        while (!raw.empty()) {
            const auto from = raw.find('&');
            plain += raw.substr(0, from);
            if (from == std::string_view::npos) break;
            raw.remove_prefix(from + 1);
            const auto end = raw.find(';');
            const auto name = raw.substr(0, end);
            static const std::map<std::string_view, std::string_view> references = {
                {"amp", "&"},
                {"lt", "<"},
                {"gt", ">"},
                {"quot", "\""},
                {"#39", "'"},
                {"#x27", "'"},
                {"apos", "'"},
                {"middot", "\xC2\xB7"},
                {"#xFFFD", "\xEF\xBF\xBD"}};
            const auto known = references.find(name);
            if (end == std::string_view::npos || known == references.end()) {
                find("Text", "bare & before " + std::string(raw.substr(0, 12)));
                continue;
            }
            plain += known->second;
            raw.remove_prefix(end + 1);
        }
        return plain;
    }

    [[nodiscard]] bool is_open(std::string_view element) const {
        return std::find(open_.begin(), open_.end(), element) != open_.end();
    }

    void tag() {
        rest_.remove_prefix(1);
        const bool is_end = take("/");
        const auto size = rest_.find_first_of(" />\n");
        const std::string name(rest_.substr(0, size));
        rest_.remove_prefix(std::min(size, rest_.size()));
        if (!page_elements.contains(name)) {
            find("Page", "element <" + name + ">");
            rest_.remove_prefix(std::min(rest_.find('>'), rest_.size() - 1) + 1);
            return;
        }
        if (is_end) return end_tag(name);
        const auto attributes = attributes_of(name);
        const bool ended = take("/");
        if (!take(">")) find("Page", "<" + name + " is not ended");
        place(name);
        look_at(name, attributes);
        if (!ended && !voids.contains(name)) open_.push_back(name);
        if (ended && !is_open("svg")) find("Page", "<" + name + "/>");
    }

    void end_tag(const std::string& name) {
        if (!take(">")) find("Page", "</" + name + " is not ended");
        if (open_.empty() || open_.back() != name)
            return find("Page", "unexpected </" + name + ">");
        open_.pop_back();
        if (name == "a" || name == "button") {
            if (!unnamed_.empty() && !unnamed_.back().second)
                find("Reader", name + " has no name");
            unnamed_.clear();
        }
    }

    Attributes attributes_of(const std::string& element) {
        Attributes attributes;
        while (take(" ") || take("\n")) {
            const auto size = rest_.find_first_of("= />\n");
            const std::string name(rest_.substr(0, size));
            rest_.remove_prefix(std::min(size, rest_.size()));
            if (!known_attributes.contains(name))
                find("Security", "attribute " + name + " of " + element);
            std::string value;
            if (take("=")) {
                if (!take("\"")) return find("Page", "value without quotes: " + name), attributes;
                const auto raw = rest_.substr(0, rest_.find('"'));
                rest_.remove_prefix(std::min(raw.size() + 1, rest_.size()));
                if (raw.find('<') != std::string_view::npos) find("Page", "< in " + name);
                value = decoded(raw);
            }
            if (!attributes.emplace(name, value).second) find("Page", "twice: " + name);
        }
        return attributes;
    }

    void place(const std::string& name) {
        const std::string parent = open_.empty() ? "" : open_.back();
        if ((name == "li") != (parent == "ul")) find("Page", name + " in " + parent);
        if (blocks.contains(name) && is_open("p")) find("Page", name + " in p");
        if (name == "option" && parent != "select" && parent != "datalist")
            find("Page", "option in " + parent);
        const bool nested = is_open("a") || is_open("button");
        if (interactive.contains(name) && nested) find("Page", name + " in a or button");
        if (name == "form" && is_open("form")) find("Page", "form in form");
        if ((name == "td" || name == "th") != (parent == "tr"))
            find("Page", name + " in " + parent);
        if (parent == "table" && !Names{"caption", "thead", "tbody"}.contains(name))
            find("Page", name + " in table");
        if (open_.size() > 60) find("Page", "nested too deep");
    }

    static std::string value_of(const Attributes& attributes, const std::string& name) {
        const auto found = attributes.find(name);
        return found == attributes.end() ? std::string() : found->second;
    }

    void look_at(const std::string& name, const Attributes& attributes) {
        const auto value = [&](const std::string& key) { return value_of(attributes, key); };
        const auto id = value("id");
        if (attributes.contains("id") && (id.empty() || id.find(' ') != std::string::npos))
            find("Page", "id '" + id + "'");
        if (!id.empty() && !ids_.insert(id).second) find("Page", "id twice: " + id);
        const bool own_icon = value("rel") == "icon" && value("href").starts_with("data:image/");
        for (const auto* key : {"href", "src", "action", "formaction"})
            if (attributes.contains(key) && !own_icon) url(value(key));
        if (name == "script" && !attributes.contains("src"))
            find("Security", "script of its own");
        if (attributes.contains("for")) named_.insert(value("for"));
        if (attributes.contains("list")) needed_.insert(value("list"));
        const auto labels = value("aria-labelledby");
        for (const auto part : base::split(labels, ' '))
            if (!part.empty()) needed_.insert(std::string(part));
        const bool is_field = name == "input" || name == "select" || name == "textarea";
        if (is_field && value("type") != "hidden" && !attributes.contains("aria-label") &&
            !is_open("label"))
            fields_.insert(id);
        if (name == "svg" && !is_open("svg") && !attributes.contains("aria-labelledby") &&
            !attributes.contains("aria-label") && value("aria-hidden") != "true")
            find("Reader", "a picture without a name");
        if (name == "html" && value("lang").empty()) find("Reader", "no language");
        if (name == "table") ++tables_;
        if (name == "caption") --tables_;
        if (name == "main") ++mains_;
        if (name == "a" || name == "button")
            unnamed_ = {{name, attributes.contains("aria-label")}};
        heading(name);
    }

    void heading(const std::string& name) {
        if (name.size() != 2 || name[0] != 'h' || name[1] < '1' || name[1] > '4') return;
        const int level = name[1] - '0';
        if (level > level_ + 1) find("Reader", name + " after h" + std::to_string(level_));
        level_ = level;
        if (level == 1) ++first_headings_;
    }

    void url(const std::string& value) {
        if (value.starts_with('#')) {
            if (value.size() > 1) targets_.insert(value.substr(1));
            return;
        }
        const auto colon = value.find(':');
        const bool relative = colon == std::string::npos || value.find_first_of("/?#") < colon;
        if (!relative && !value.starts_with("http://") && !value.starts_with("https://") &&
            !value.starts_with("mailto:"))
            find("Security", "link to " + value.substr(0, 40));
        constexpr std::string_view others = ";/?:@&=+$.-_!~*'()%,#";
        for (const char c : value)
            if (!std::isalnum(static_cast<unsigned char>(c)) &&
                others.find(c) == std::string_view::npos)
                return find("Page", "no URL: " + value.substr(0, 60));
    }

    void check_whole() {
        for (const auto& id : named_)
            if (!fields_.contains(id))
                find("Reader", "label for '" + id + "', which is no field");
        for (const auto& id : fields_)
            if (!named_.contains(id)) find("Reader", "field '" + id + "' without label");
        for (const auto& id : needed_)
            if (!ids_.contains(id)) find("Page", "no element of id " + id);
        for (const auto& id : targets_)
            if (!ids_.contains(id)) find("Page", "link to #" + id + ", which is not there");
        if (!has_title_) find("Page", "no title");
        if (tables_ != 0) find("Reader", "table without caption");
        if (mains_ != 1) find("Reader", "not one main");
        if (first_headings_ != 1) find("Reader", "not one h1");
    }

    std::string_view rest_;
    Strings open_, findings_;
    std::vector<std::pair<std::string, bool>> unnamed_;  // link or button: whether it has a name
    std::set<std::string> ids_, named_, fields_, needed_, targets_;
    int level_ = 0, first_headings_ = 0, mains_ = 0, tables_ = 0;
    bool has_title_ = false;
};

}  // namespace

Strings findings_in_page(std::string_view page) { return PageChecker(page).check(); }

}  // namespace support
