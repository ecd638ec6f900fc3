// SPDX-License-Identifier: MIT
#include "render/template_check.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace render {
namespace {

using Finding = std::optional<std::string>;

// One {{…}}, as the library reads it.
struct Tag {
    char sigil = ' ';  // '#', '^', '/', '>', '!', '='; '&' for {{{…}}} too; ' ': a variable
    std::string_view name;
    std::size_t from = 0, end = 0;
    bool ended = true;
};

std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
    Tag tag;
    tag.from = text.find("{{", from);
    if (tag.from == std::string_view::npos) return std::nullopt;
    const bool triple = text.substr(tag.from).starts_with("{{{");
    const std::string_view end = triple ? "}}}" : "}}";
    const auto start = tag.from + end.size();
    const auto stop = text.find(end, start);
    tag.ended = stop != std::string_view::npos;
    if (!tag.ended) return tag;
    tag.end = stop + end.size();
    tag.name = base::trim(text.substr(start, stop - start));
    constexpr std::string_view sigils = "#^/>&!=";
    const bool has_sigil =
        !tag.name.empty() && sigils.find(tag.name.front()) != std::string_view::npos;
    if (triple) {
        // The library takes {{{=…}}} for a new pair of delimiters.
        tag.sigil = has_sigil && tag.name.front() == '=' ? '=' : '&';
        return tag;
    }
    if (!has_sigil) return tag;
    tag.sigil = tag.name.front();
    tag.name = base::trim(tag.name.substr(1));
    return tag;
}

// Where in the HTML a byte stands; enough of the HTML syntax to tell safe places from others.
class Place {
   public:
    void advance(std::string_view html) {
        for (const char c : html) step(c);
    }
    // Two places from which the same HTML reads alike.
    bool operator==(const Place& other) const {
        return at_ == other.at_ && element_ == other.element_ && attribute() == other.attribute();
    }

    [[nodiscard]] bool is_text() const { return at_ == At::text; }
    // Empty outside of quoted values.
    [[nodiscard]] std::string_view attribute() const {
        return at_ == At::single_quoted || at_ == At::double_quoted ? attribute_
                                                                    : std::string_view();
    }

   private:
    enum class At : unsigned char {
        text,
        raw_text,
        comment,
        tag_name,
        in_tag,
        attribute_name,
        after_name,
        before_value,
        single_quoted,
        double_quoted,
        bare_value
    };

    void step(char c) {
        switch (at_) {
            case At::text: return step_in_text(c);
            case At::raw_text: return step_in_raw_text(c);
            case At::comment:
                tail_ += c;
                if (tail_.ends_with("-->")) end_tag();
                return;
            case At::tag_name: return step_in_tag_name(c);
            case At::single_quoted:
                if (c == '\'') at_ = At::in_tag;
                return;
            case At::double_quoted:
                if (c == '"') at_ = At::in_tag;
                return;
            case At::in_tag:
            case At::attribute_name:
            case At::after_name:
            case At::before_value:
            case At::bare_value: return step_in_tag(c);
        }
    }

    void step_in_text(char c) {
        if (c != '<') return;
        at_ = At::tag_name;
        element_.clear();
    }

    void step_in_raw_text(char c) {
        tail_ += base::fold_ascii({&c, 1});
        const auto end = "</" + element_;
        if (tail_.size() > end.size()) tail_.erase(0, 1);
        if (tail_ != end) return;
        at_ = At::tag_name;
        element_ = "/" + element_;
    }

    void step_in_tag_name(char c) {
        constexpr std::string_view begins =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/!?";
        if (element_.empty() && begins.find(c) == std::string_view::npos) {
            at_ = At::text;
            step(c);
        } else if (element_ == "!--") {
            at_ = At::comment;
            step(c);
        } else if (c == '>') {
            end_tag();
        } else if (is_blank(c) || (c == '/' && !element_.empty() && element_ != "!")) {
            at_ = At::in_tag;
        } else {
            element_ += base::fold_ascii({&c, 1});
        }
    }

    void step_in_tag(char c) {
        if (c == '>') return end_tag();
        if (at_ == At::before_value && (c == '"' || c == '\'')) {
            at_ = c == '"' ? At::double_quoted : At::single_quoted;
        } else if (is_blank(c)) {
            if (at_ == At::attribute_name) at_ = At::after_name;
            if (at_ == At::bare_value) at_ = At::in_tag;
        } else if (c == '=' && (at_ == At::attribute_name || at_ == At::after_name)) {
            at_ = At::before_value;
        } else if (at_ == At::before_value || at_ == At::bare_value) {
            at_ = At::bare_value;
        } else {
            if (at_ != At::attribute_name) attribute_.clear();
            at_ = At::attribute_name;
            attribute_ += base::fold_ascii({&c, 1});
        }
    }

    void end_tag() {
        constexpr std::array<std::string_view, 8> raw = {
            "script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"};
        const bool is_raw = std::find(raw.begin(), raw.end(), element_) != raw.end();
        at_ = is_raw ? At::raw_text : At::text;
        if (!is_raw) element_.clear();
        attribute_.clear();
        tail_.clear();
    }

    static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    }

    At at_ = At::text;
    std::string element_, attribute_, tail_;
};

// Not `content`: a <meta> with it can lead a browser elsewhere.
constexpr std::array<std::string_view, 12> text_attributes = {
    "alt",  "class", "datetime", "for",         "id",   "label",
    "lang", "name",  "title",    "placeholder", "type", "value"};
constexpr std::array<std::string_view, 5> url_attributes = {"href", "src", "action", "formaction",
                                                            "cite"};

template <class List>
bool holds(const List& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

class Checker {
   public:
    Checker(std::string_view file, std::string_view text, std::span<const Known> known)
        : file_(file), text_(text), known_(known) {}

    Finding check() {
        std::size_t at = 0;
        while (const auto tag = next_tag(text_, at)) {
            place_.advance(text_.substr(at, tag->from - at));
            if (!tag->ended) return wrong(*tag, "{{ is not ended");
            if (auto finding = check(*tag)) return finding;
            at = tag->end;
        }
        place_.advance(text_.substr(at));
        if (open_.empty() && !place_.is_text())
            return std::string(file_) + ": ends inside of a tag";
        if (open_.empty()) return std::nullopt;
        return wrong(open_.back().tag, quoted(open_.back().tag.name) + " is not ended");
    }

   private:
    struct Open {
        Tag tag;
        Place place;
    };

    static std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

    [[nodiscard]] std::string wrong(const Tag& tag, const std::string& what) const {
        const auto before = text_.substr(0, tag.from);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        return std::string(file_) + ":" + std::to_string(line) + ": " + what;
    }

    Finding check(const Tag& tag) {
        switch (tag.sigil) {
            case '!': return std::nullopt;
            case '=': return wrong(tag, "tags that set delimiters are not known here");
            case '>': return check_inclusion(tag);
            case '#':
            case '^': return begin_section(tag);
            case '/': return end_section(tag);
            default: return check_variable(tag);
        }
    }

    const Known* find(std::string_view name) const {
        for (auto open = open_.rbegin(); open != open_.rend(); ++open)
            if (const auto* known = find(name, open->tag.name)) return known;
        return find(name, {});
    }
    const Known* find(std::string_view name, std::string_view in) const {
        for (const auto& list : {known_, known_everywhere()})
            for (const auto& each : list)
                if (each.name == name && each.in == in) return &each;
        return nullptr;
    }

    // Partials hold none, so that there is no circle.
    Finding check_inclusion(const Tag& tag) const {
        const bool known = is_partial(std::string(tag.name) + ".mustache") && !is_partial(file_);
        if (!known) return wrong(tag, "there is no partial " + quoted(tag.name) + " here");
        if (!place_.is_text()) return wrong(tag, "partials may stand in text only");
        return std::nullopt;
    }

    Finding begin_section(const Tag& tag) {
        if (!find(tag.name)) return wrong(tag, "there is no section " + quoted(tag.name));
        open_.push_back({tag, place_});
        return std::nullopt;
    }

    Finding end_section(const Tag& tag) {
        if (open_.empty() || open_.back().tag.name != tag.name)
            return wrong(tag, quoted(tag.name) + " is ended here, and does not stand open");
        if (!(open_.back().place == place_))
            return wrong(tag, "section " + quoted(tag.name) +
                                  " begins in one place of the HTML and ends in another");
        open_.pop_back();
        return std::nullopt;
    }

    Finding check_variable(const Tag& tag) {
        const auto* known = find(tag.name);
        if (!known) return wrong(tag, "there is no variable " + quoted(tag.name));
        if (known->is == Is::section)
            return wrong(tag, quoted(tag.name) + " is a section, not a variable");
        const bool raw = tag.sigil == '&';
        if (raw != (known->is == Is::html))
            return wrong(tag, raw ? quoted(tag.name) + " is plain text: write {{…}}"
                                  : quoted(tag.name) + " is HTML: write {{{…}}}");
        if (place_.is_text()) return std::nullopt;
        const auto attribute = place_.attribute();
        if (raw || attribute.empty())
            return wrong(tag,
                         quoted(tag.name) + " may stand in text and in a quoted attribute only");
        return check_attribute(tag, attribute, known->is);
    }

    Finding check_attribute(const Tag& tag, std::string_view attribute, Is is) const {
        const bool holds_url = holds(url_attributes, attribute);
        if (holds_url && is != Is::url)
            return wrong(tag, quoted(tag.name) + " is no URL, and stands in " +
                                  std::string(attribute));
        if (holds_url || holds(text_attributes, attribute) || attribute.starts_with("aria-") ||
            attribute.starts_with("data-"))
            return std::nullopt;
        return wrong(tag, "no variable may stand in the attribute " + quoted(attribute));
    }

    std::string_view file_, text_;
    std::span<const Known> known_;
    Place place_;
    std::vector<Open> open_;
};

}  // namespace

Finding check_template(std::string_view file, std::string_view text,
                       std::span<const Known> known) {
    return Checker(file, text, known).check();
}

std::optional<Inclusion> first_inclusion(std::string_view text) {
    std::size_t at = 0;
    while (const auto tag = next_tag(text, at)) {
        if (!tag->ended || tag->sigil == '=') return std::nullopt;
        if (tag->sigil == '>') return Inclusion{std::string(tag->name), tag->from, tag->end};
        at = tag->end;
    }
    return std::nullopt;
}

}  // namespace render
