// HTML is read once, tag by tag, and written again: nothing but elements and attributes of one small list, each element
// ended before those that surround it, and text whose markup is escaped. So it does not matter whether a
// browser would have read the input in the same way: there is nothing that a second reading could take for something else.
// SPDX-License-Identifier: MIT
#include "feed/safe_html.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unicode/uchar.h>
#include <utf8.h>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/words.hpp"
#include "feed/markup.hpp"
#include "feed/reference.hpp"

namespace feed {
namespace {

constexpr std::size_t longest_html = 1 << 20;
constexpr std::size_t most_open = 200;  // elements; the tags of deeper ones are left out

// What becomes of an element. Those that no role names are left out, but their content is kept.
enum class Role : unsigned char {
    in_line,
    block,     // begins a line of plain text
    row_part,  // of a table: level 1 is outside of level 2
    as_div,    // a block that is written as <div>
    empty,     // has no content
    medium,    // a link to it is written, without its content
    dropped,   // with its content
};
struct NamedRole {
    Role role;
    std::string_view names;  // with a blank around each
};
constexpr auto roles = std::to_array<NamedRole>({
    {Role::in_line,
     " a abbr b cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var "},
    {Role::block,
     " blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p pre table ul "},
    {Role::row_part, " caption tbody thead tfoot tr td th "},
    {Role::as_div,
     " address article aside center details fieldset footer form header hgroup legend main nav"
     " section summary "},
    {Role::empty, " br hr img "},
    {Role::medium, " audio embed iframe object video "},
    {Role::dropped,
     " annotation annotation-xml applet base button canvas frame frameset input link meta noembed"
     " noframes noscript plaintext script select style svg template textarea title xmp "},
});
constexpr std::string_view headings = " h1 h2 h3 h4 h5 h6 ", cells = " td th caption ",
                           sections = " tbody thead tfoot caption ",
                           without_end_tag = " base embed frame input link meta ",
                           sources = " a embed iframe img source ";
bool is_among(std::string_view names, std::string_view name) {
    for (auto at = names.find(name); at != std::string_view::npos;
         at = names.find(name, at + 1)) {
        const auto end = at + name.size();
        if (at > 0 && names[at - 1] == ' ' && end < names.size() && names[end] == ' ')
            return true;
    }
    return false;
}

std::optional<Role> role_of(std::string_view name) {
    for (const auto& [role, names] : roles)
        if (is_among(names, name)) return role;
    return std::nullopt;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Collects the visible text, with one blank between words and one line break between blocks. Blanks of any kind are the
// same, and so are the spellings of a letter with an accent (Unicode's NFC): nobody sees a difference.
class TextCollector {
   public:
    explicit TextCollector(std::size_t most) : most_(most) {}

    // Takes legal text.
    void add(std::string_view text) {
        for (auto at = text.begin(); at != text.end() && text_.size() < most_ + 4;) {
            const auto begin = at;
            const auto c = static_cast<UChar32>(utf8::unchecked::next(at));
            const bool is_unseen = c == 0xAD || c == 0x200B || c == 0x2060 || c == 0xFEFF;
            if (is_unseen) continue;
            if (c == ' ' || c == '\f' || u_isUWhiteSpace(c)) {
                blank_ = true;
                continue;
            }
            if (!text_.empty() && (line_ || blank_)) text_ += line_ ? '\n' : ' ';
            line_ = blank_ = false;
            text_.append(begin, at);
        }
    }
    void end_line() { line_ = true; }

    std::string take() {
        text_ = base::composed(text_);
        text_.resize(base::cut_at(text_, most_).size());
        return std::move(text_);
    }

   private:
    const std::size_t most_;
    std::string text_;
    bool line_ = false, blank_ = false;  // what goes before the next character
};

// Reads HTML once, and writes what is safe of it and what people see of it.
class HtmlReader {
   public:
    HtmlReader(const std::string& base_url, std::size_t most)
        : base_url_(base_url), most_(most), text_(most) {}

    SafeAndPlain read(std::string_view html) {
        const auto legal = base::is_legal_text(html) ? std::string() : base::legal_text(html);
        rest_ = base::cut_at(legal.empty() ? html : legal, longest_html);
        take_all();
        end_elements(0);
        return {std::move(html_), text_.take()};
    }

   private:
    void take_all() {
        while (!rest_.empty()) {
            auto text = rest_.substr(0, rest_.find('<'));
            rest_.remove_prefix(text.size());
            // What is between the marks of a section is HTML: some programs write them around it.
            if (const auto end = text.find("]]>"); is_in_cdata_ && end != text.npos) {
                write_text(decoded(text.substr(0, end)));
                text.remove_prefix(end + 3);
                is_in_cdata_ = false;
            }
            write_text(decoded(text));
            if (!rest_.empty()) take_markup();
        }
    }

    void take_markup() {
        const auto at = [&](std::size_t place) {
            return place < rest_.size() ? rest_[place] : ' ';
        };
        if (rest_.starts_with("<!--")) return drop_through("-->", 2);
        if (constexpr std::string_view mark = "<![CDATA["; rest_.starts_with(mark)) {
            is_in_cdata_ = true;
            return rest_.remove_prefix(mark.size());
        }
        if (is_letter(at(1))) return take_start_tag();
        if (at(1) == '/' && is_letter(at(2))) return take_end_tag();
        if (at(1) == '!' || at(1) == '?' || (at(1) == '/' && rest_.size() > 2))
            return drop_through(">", 1);
        write_text("<");
        rest_.remove_prefix(1);
    }
    void drop_through(std::string_view end, std::size_t from) {
        const auto found = rest_.find(end, from);
        rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + end.size());
    }
    // Removes a tag from the text; nullopt: it does not end, and neither does anything else.
    std::optional<Tag> take_tag(std::size_t place) {
        auto tag = tag_at(rest_, place);
        rest_.remove_prefix(tag ? tag->size : rest_.size());
        is_after_pre_ = false;
        name_ = tag ? base::fold_ascii(tag->name) : std::string();
        if (tag) tag->name = name_;
        return tag;
    }

    void take_start_tag() {
        auto tag = take_tag(1);
        if (!tag) return;
        const auto role = role_of(tag->name);
        if (!role) return;
        if (role == Role::dropped) {
            drop_content(*tag);
            return;
        }
        if (role == Role::row_part) return open_row_part(*tag);
        // A browser moves what is in a table and in no cell of it before the table, where it may belong to something else.
        const auto table = find_open("table");
        const bool is_outside_of_cells = table && !is_in_cell(*table);
        if (role == Role::medium) return write_medium(*tag, is_outside_of_cells);
        if (is_outside_of_cells) return;
        if (role == Role::as_div) tag->name = "div";
        end_what_ends_at(tag->name, *role);
        open(*tag, *role);
    }

    void take_end_tag() {
        auto tag = take_tag(2);
        const auto role = tag ? role_of(tag->name) : std::nullopt;
        if (!role) return;
        if (tag->name == "br") return open(*tag, Role::empty);  // as browsers read </br>
        end_through(find_open(role == Role::as_div ? "div" : std::string_view(tag->name)));
    }

    // ---- What is open ----

    struct OpenElement {
        std::string name;
        bool is_block = false, is_written = false;
    };

    // Writes a start tag. An element deeper than others may be, or beyond the end, is not open.
    void open(const Tag& tag, Role role) {
        const bool is_line = role != Role::in_line && tag.name != "img";
        if (is_line) text_.end_line();
        const auto attributes = attributes_of(tag);
        const std::string name(tag.name);
        if (role == Role::empty) {
            const auto written = "<" + name + attributes.value_or("") + " />";
            if (attributes && has_room(written.size())) html_ += written;
            return;
        }
        if (open_.size() >= most_open) return;
        const auto start = "<" + name + attributes.value_or("") + ">";
        const auto end = name.size() + 3;
        const bool is_written = attributes && has_room(start.size() + end);
        if (is_written) {
            html_ += start;
            end_tags_ += end;
        }
        open_.push_back({name, is_line, is_written});
        is_after_pre_ = name == "pre";
        if (is_after_pre_) begin_of_pre_ = html_.size();
    }

    // Opens a part of the innermost table, and the row of a cell that is in none.
    void open_row_part(const Tag& part) {
        const auto table = find_open("table");
        if (!table) return;
        const bool is_cell = part.name == "td" || part.name == "th";
        auto left = *table + 1;
        if (part.name == "tr" || is_cell)
            if (left < open_.size() && is_among(sections, open_[left].name) &&
                open_[left].name != "caption")
                ++left;
        if (is_cell && left < open_.size() && open_[left].name == "tr") ++left;
        end_elements(left);
        if (is_cell && open_.back().name != "tr")
            open({.name = "tr", .attributes = {}}, Role::row_part);
        open(part, Role::row_part);
    }

    [[nodiscard]] bool is_in_cell(std::size_t table) const {
        return std::any_of(open_.begin() + static_cast<std::ptrdiff_t>(table), open_.end(),
                           [](const auto& element) { return is_among(cells, element.name); });
    }

    // Ends the elements that the start of another one ends.
    void end_what_ends_at(std::string_view name, Role role) {
        if ((role != Role::in_line && name != "br" && name != "img")) end_through(find_open("p"));
        if (name == "a") end_through(find_open(name));
        if (name == "li") end_through(find_open("li", "li", " ul ol dl table "));
        if (name == "dt" || name == "dd") end_through(find_open("dt", "dd", " ul ol dl table "));
        if (is_among(headings, name) && !open_.empty() && is_among(headings, open_.back().name))
            end_elements(open_.size() - 1);
    }

    // Returns the place of the innermost open element of one name, or of another one, unless it is outside of a barrier.
    [[nodiscard]] std::optional<std::size_t> find_open(std::string_view name,
                                                       std::string_view other,
                                                       std::string_view barriers) const {
        for (auto place = open_.size(); place > 0; --place) {
            if (open_[place - 1].name == name || open_[place - 1].name == other) return place - 1;
            if (is_among(barriers, open_[place - 1].name)) break;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::size_t> find_open(std::string_view name) const {
        return find_open(name, name, " table ");
    }

    void end_through(std::optional<std::size_t> place) {
        if (place) end_elements(*place);
    }
    // Ends elements until `left` are open.
    void end_elements(std::size_t left) {
        for (; open_.size() > left; open_.pop_back()) {
            const auto& [name, is_block, is_written] = open_.back();
            if (is_block) text_.end_line();
            if (!is_written) continue;
            html_.append("</").append(name).append(">");
            end_tags_ -= name.size() + 3;
        }
    }

    // Drops everything up to the end tag, or all of the rest, and returns it.
    std::string_view drop_content(const Tag& tag) {
        const bool is_foreign = tag.name == "svg" || tag.name.starts_with("annotation");
        if (is_among(without_end_tag, tag.name) || (is_foreign && tag.is_empty)) return {};
        const auto content = rest_;
        for (auto end = rest_.find("</"); end != std::string_view::npos;
             end = rest_.find("</", end + 2)) {
            const auto name = rest_.substr(end + 2, tag.name.size());
            const auto after = end + 2 + tag.name.size();
            if (!base::equal_ignoring_case(name, tag.name) || after >= rest_.size()) continue;
            if (std::string_view(" \t\r\n\f/>").find(rest_[after]) != std::string_view::npos) {
                rest_.remove_prefix(std::min(rest_.find('>', end), rest_.size() - 1) + 1);
                return content.substr(0, end);
            }
        }
        rest_ = {};
        return content;
    }

    // ---- What is written ----

    // Returns whether this many bytes fit, besides the end tags of open elements.
    bool has_room(std::size_t bytes) {
        is_full_ = is_full_ || html_.size() + end_tags_ + bytes > most_;
        return !is_full_;
    }

    void write_text(std::string_view text) {
        if (text.empty()) return;
        // Parsers drop the first line end of <pre>.
        if (std::exchange(is_after_pre_, false) && text.starts_with('\n')) text.remove_prefix(1);
        if (html_.size() == begin_of_pre_ && text.starts_with('\n') && has_room(1)) html_ += '\n';
        text_.add(text);
        if (is_full_) return;
        const auto escaped = base::escape_html(base::without_directions(std::string(text)));
        if (has_room(escaped.size())) {
            html_ += escaped;
            return;
        }
        const auto room = most_ - std::min(most_, html_.size() + end_tags_);
        auto cut = base::cut_at(escaped, std::min(room, escaped.size()));
        if (const auto reference = cut.rfind('&');
            reference != std::string_view::npos &&
            cut.find(';', reference) == std::string_view::npos)
            cut = cut.substr(0, reference);
        html_ += cut;
    }

    // Writes a link to a video and the like instead of it.
    void write_medium(const Tag& tag, bool is_outside_of_cells) {
        auto url = source_of(tag);
        const auto content = drop_content(tag);
        for (auto at = content.find('<'); at != content.npos && url.empty();
             at = content.find('<', at + 1)) {
            const auto inner = tag_at(content, at + 1);
            if (!inner) break;
            if (is_among(sources, base::fold_ascii(inner->name))) url = source_of(*inner);
        }
        if (url.empty() || is_tiny(tag) || is_outside_of_cells) return;
        const auto title = tag.value("title");
        const auto reference = base::escape_html(url);
        end_what_ends_at("a", Role::in_line);
        open({.name = "a", .attributes = {{"href", reference}}}, Role::in_line);
        write_text(title.empty() ? name_of_target(url) : title);
        end_through(find_open("a"));
    }

    // Returns the allowed attributes; nullopt: it lacks one without which it has no use.
    [[nodiscard]] std::optional<std::string> attributes_of(const Tag& tag) const {
        std::string written;
        if (tag.name == "a") {
            const auto url = target_of(tag);
            if (url.empty()) return std::nullopt;
            append_attribute(written, "href", url);
            append_attribute(written, "rel", "nofollow noopener noreferrer");
            return written;
        }
        if (tag.name == "img") {
            const auto url = source_of(tag);
            if (url.empty() || is_tiny(tag)) return std::nullopt;
            append_attribute(written, "src", url);
            append_attribute(written, "alt", base::cut_at(tag.value("alt"), 1000));
            for (const auto* name : {"width", "height"})
                append_number(written, tag, name, 0, 10'000);
            return written;
        }
        for (const auto* name : {"title", "dir", "lang"})
            if (const auto value = tag.value(name); !value.empty() && value.size() <= 500)
                if (name != std::string_view("dir") || value == "ltr" || value == "rtl")
                    append_attribute(written, name, value);
        if (tag.name == "td" || tag.name == "th")
            for (const auto* name : {"colspan", "rowspan"})
                append_number(written, tag, name, 1, 100);
        return written;
    }

    static void append_attribute(std::string& out, std::string_view name,
                                 std::string_view value) {
        out.append(" ").append(name).append("=\"");
        out += base::escape_html(base::without_directions(std::string(value)));
        out += '"';
    }
    static void append_number(std::string& out, const Tag& tag, const char* name,
                              std::uint64_t least, std::uint64_t most) {
        if (const auto number = base::parse_count(tag.value(name));
            number && *number >= least && *number <= most)
            append_attribute(out, name, std::to_string(*number));
    }

    // Returns the target of a link; empty: none that can be used. The text has no places that "#top" could name.
    [[nodiscard]] std::string target_of(const Tag& tag) const {
        const auto href = tag.value("href");
        const auto trimmed = base::trim(href);
        if (trimmed.empty() || trimmed.starts_with('#')) return {};
        if (base::fold_ascii(trimmed.substr(0, 7)) == "mailto:" && trimmed.size() < 300)
            return std::string(trimmed);
        return resolve_reference(base_url_, trimmed);
    }

    // Returns the URL of an image or another medium, whatever attribute has it; empty: none that can be used.
    [[nodiscard]] std::string source_of(const Tag& tag) const {
        for (const auto* name : {"src", "data", "data-src", "data-lazy-src", "data-original",
                                 "srcset", "data-srcset", "href"}) {
            const auto value = tag.value(name);
            auto reference = base::trim(value);
            // "a.jpg 75w, b.jpg 150w"
            if (std::string_view(name).ends_with("srcset"))
                reference = reference.substr(0, reference.find_first_of(" ,\n\t"));
            if (reference.empty() || reference.starts_with('#')) continue;
            if (auto url = resolve_reference(base_url_, reference); !url.empty()) return url;
        }
        return {};
    }

    // True for what only counts readers.
    static bool is_tiny(const Tag& tag) {
        return std::ranges::any_of(std::array{"width", "height"}, [&](const char* name) {
            const auto size = base::parse_count(tag.value(name));
            return size && *size <= 2;
        });
    }

    const std::string& base_url_;
    const std::size_t most_;
    std::string_view rest_;
    std::string html_;
    TextCollector text_;
    std::vector<OpenElement> open_;
    std::string name_;                              // of the tag that is read, in lower case
    std::size_t end_tags_ = 0;                      // bytes of those that are still to be written
    std::size_t begin_of_pre_ = std::string::npos;  // where its start tag ends
    bool is_full_ = false, is_in_cdata_ = false, is_after_pre_ = false;
};

}  // namespace

SafeAndPlain safe_and_plain(std::string_view html, const std::string& base_url,
                            std::size_t most) {
    return HtmlReader(base_url, most).read(html);
}

std::string safe_html(std::string_view html, const std::string& base_url, std::size_t most) {
    return safe_and_plain(html, base_url, most).html;
}

std::string plain_text(std::string_view html, std::size_t most) {
    return safe_and_plain(html, {}, most).text;
}

std::string one_line(std::string_view text, std::size_t most) {
    TextCollector collector(most);
    collector.add(base::is_legal_text(text) ? text : base::legal_text(text));
    return collector.take();
}

std::string plain_line(std::string_view html, std::size_t most) {
    auto text = plain_text(html, most);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace feed
