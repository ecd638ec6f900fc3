// SPDX-License-Identifier: MIT
#include "render/mail.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utf8.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/display_text.hpp"

namespace render {
namespace {

constexpr std::size_t text_width = 72;         // columns
constexpr std::size_t longest_mail_line = 76;  // RFC 2045 section 6.7 (5), RFC 2047 section 2
constexpr std::string_view first_word = "=?UTF-8?Q?", end_of_word = "?=";

// Returns the text without what would turn its direction or break its line: blanks of any sort are
// spaces then.
//   text  legal
std::string straight(std::string text) {
    text = base::without_directions(std::move(text));
    std::string line;
    line.reserve(text.size());
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        const auto c = static_cast<char32_t>(utf8::unchecked::next(at));
        if (c <= 0x20 || c == 0x2028 || c == 0x2029)
            line += ' ';
        else if (c == 0x7F || is_bad_character(c))
            line += '?';
        else
            line.append(from, at);
    }
    return line;
}

void append_escaped(std::string& bytes, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    bytes += '=';
    bytes += digits[byte >> 4];
    bytes += digits[byte & 15];
}

// -- header fields

// True for what is itself in an encoded word, also in one that stands for a name (RFC 2047 section 5).
constexpr bool stands_for_itself(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '!' ||
           c == '*' || c == '+' || c == '-' || c == '/';
}

// Returns the text as encoded words, a line each. No character is divided among two of them.
//   taken  bytes before it on its first line
std::string encoded_words(std::string_view text, std::size_t taken) {
    std::string words(first_word);
    auto column = taken + first_word.size();
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        utf8::unchecked::next(at);
        std::string character;
        for (auto byte = from; byte != at; ++byte)
            if (*byte == ' ')
                character += '_';
            else if (stands_for_itself(*byte))
                character += *byte;
            else
                append_escaped(character, *byte);
        if (column + character.size() + end_of_word.size() > longest_mail_line) {
            words.append(end_of_word).append("\n ").append(first_word);
            column = 1 + first_word.size();
        }
        words += character;
        column += character.size();
    }
    return words.append(end_of_word);
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, base::is_printable) &&
           text.find("=?") == std::string_view::npos;
}

// Returns unstructured text as the value of a header field.
std::string unstructured(std::string_view text, std::size_t taken) {
    const auto line = straight(one_line(text));
    return is_plain(line) && taken + line.size() <= longest_mail_line
               ? line
               : encoded_words(line, taken);
}

// Returns the name of a person as a phrase (RFC 5322 section 3.2.5).
std::string phrase_of(const std::string& name, std::size_t taken) {
    const auto is_atom = [](char c) {
        return stands_for_itself(c) ||
               std::string_view(" #$%&'=?^_`{|}~").find(c) != std::string_view::npos;
    };
    if (!is_plain(name) || taken + name.size() + 2 > longest_mail_line)
        return encoded_words(name, taken);
    if (std::ranges::all_of(name, is_atom)) return name;
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

void append_mailbox(std::string& bytes, const Mailbox& mailbox, std::size_t taken) {
    const auto name = straight(one_line(mailbox.name));
    if (name.empty()) {
        bytes += mailbox.address;
        return;
    }
    const auto phrase = phrase_of(name, taken);
    const auto last_line = phrase.size() - (phrase.find_last_of('\n') + 1);
    const bool fits = last_line + mailbox.address.size() + 3 + taken <= longest_mail_line;
    bytes.append(phrase).append(fits ? " <" : "\n <").append(mailbox.address) += '>';
}

// RFC 5322 section 3.3; the zone GMT of HTTP is obsolete in mails.
std::string date_field(base::Seconds date) {
    auto text = base::format_http_date(date);
    text.replace(text.rfind("GMT"), 3, "+0000");
    return text;
}

// -- bodies

// Appends lines as quoted-printable (RFC 2045 section 6.7). A dot and the word From at the beginning of
// a line are encoded too, because they mean something to programs that mail is piped to.
void append_quoted_printable(std::string& bytes, std::string_view text) {
    for (const auto line : base::split(text, '\n')) {
        std::size_t column = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            const bool is_last = i + 1 == line.size();
            const bool means_more =
                column == 0 && (c == '.' || line.substr(i).starts_with("From "));
            const bool is_itself = !means_more && c != '=' &&
                                   (base::is_printable(c) || c == '\t') &&
                                   !(is_last && base::is_blank(c));
            const std::size_t width = is_itself ? 1 : 3;
            if (column + width + (is_last ? 0 : 1) > longest_mail_line) {
                bytes += "=\n";
                column = 0;
                --i;  // whether it begins a line matters
                continue;
            }
            if (is_itself)
                bytes += c;
            else
                append_escaped(bytes, c);
            column += width;
        }
        bytes += '\n';
    }
}

void append_part(std::string& bytes, const std::string& boundary, std::string_view type,
                 std::string_view content) {
    bytes.append("--").append(boundary).append("\nContent-Type: text/").append(type);
    bytes += "; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n";
    append_quoted_printable(bytes, content);
}

// -- text

struct Link {
    std::string words, url;
};

// Writes blocks of text in lines.
class TextWriter {
   public:
    std::string take() && { return std::move(text_); }

    void write(std::string_view html) {
        while (!html.empty()) {
            const auto tag = html.find('<');
            add(html.substr(0, tag));
            if (tag == std::string_view::npos) break;
            const auto end = html.find('>', tag);
            if (end == std::string_view::npos) break;
            meet(html.substr(tag + 1, end - tag - 1));
            html.remove_prefix(end + 1);
        }
        end_block();
    }

   private:
    void meet(std::string_view tag) {
        const bool closes = tag.starts_with('/');
        const auto name = tag.substr(closes ? 1 : 0, tag.find(' ') - (closes ? 1 : 0));
        if (name == "head") {
            skipped_ = !closes;
        } else if (name == "a") {
            meet_link(tag, closes);
        } else if (name == "ul") {
            end_block();
            levels_ = closes ? levels_ - std::min<std::size_t>(levels_, 1) : levels_ + 1;
        } else if (name == "li" || name == "br") {
            end_block();
            begins_item_ = name == "li" && !closes;
        } else if (name == "p" || name == "h1" || name == "h2" || name == "h3") {
            end_block(closes && (name == "h1" || name == "h2") ? Line::below : Line::none);
            wants_gap_ = wants_gap_ || !closes;
        } else if (name == "hr") {
            end_block();
            wants_gap_ = true;
            start_block("-- \n");
        }
    }

    void meet_link(std::string_view tag, bool closes) {
        constexpr std::string_view attribute = "href=\"";
        if (!closes) {
            const auto from = tag.find(attribute);
            if (from == std::string_view::npos) return;
            const auto url = tag.substr(from + attribute.size());
            links_.push_back({{}, unescaped(url.substr(0, url.find('"')))});
            in_link_ = true;
        } else {
            in_link_ = false;
        }
    }

    void add(std::string_view html) {
        if (skipped_) return;
        const auto words = straight(unescaped(html));
        block_ += words;
        if (in_link_)
            links_.back().words += words;
        else if (words.find_first_not_of(" |") != std::string::npos)
            has_words_ = true;
    }

    // Returns the text of references such as &amp; and &#x27;.
    static std::string unescaped(std::string_view html) {
        std::string text;
        while (!html.empty()) {
            const auto at = html.find('&');
            text += html.substr(0, at);
            if (at == std::string_view::npos) break;
            const auto end = html.find(';', at);
            if (end == std::string_view::npos) {
                text += html.substr(at);
                break;
            }
            append_reference(text, html.substr(at + 1, end - at - 1));
            html.remove_prefix(end + 1);
        }
        return text;
    }

    static void append_reference(std::string& text, std::string_view name) {
        constexpr auto names = std::to_array<std::pair<std::string_view, char>>(
            {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}});
        const auto* known =
            std::ranges::find(names, name, [](const auto& it) { return it.first; });
        if (known != names.end()) {
            text += known->second;
            return;
        }
        const bool is_hex = name.starts_with("#x");
        std::uint32_t code = 0;
        const auto digits = name.substr(std::min<std::size_t>(name.size(), is_hex ? 2 : 1));
        const auto read =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
        const bool is_code = name.starts_with('#') && read.ec == std::errc() && !digits.empty() &&
                             code >= 0x20 && code < 0xD800;
        if (is_code)
            utf8::append(code, std::back_inserter(text));
        else
            text += '?';
    }

    // Ends the block of text that is being collected.
    enum class Line : unsigned char { none, below };
    void end_block(Line line = Line::none) {
        const bool is_links = !has_words_ && !links_.empty();
        const auto words = base::trim(block_);
        if (!words.empty() && is_links) {
            for (const auto& link : links_) write_link(link);
        } else if (!words.empty()) {
            const auto width = wrap(words);
            if (line == Line::below) text_.append(std::min(width, text_width), '-') += '\n';
        }
        block_.clear();
        links_.clear();
        has_words_ = in_link_ = false;
    }

    void write_link(const Link& link) {
        wrap(base::trim(link.words));
        text_.append(levels_ * 2, ' ').append(link.url) += '\n';
    }

    void start_block(std::string_view first) {
        if (wants_gap_ && !text_.empty()) text_ += '\n';
        wants_gap_ = false;
        text_ += first;
    }

    // Writes words in lines and returns how many characters the longest has.
    std::size_t wrap(std::string_view words) {
        const auto indent = levels_ * 2;
        std::string first(indent, ' ');
        if (begins_item_ && indent > 0) first.replace(indent - 2, 2, "- ");
        begins_item_ = false;
        start_block(first);
        std::size_t column = indent, longest = 0;
        bool is_first = true;
        for (const auto word : base::split(words, ' ')) {
            if (word.empty()) continue;
            const auto width = count_characters(word);
            if (!is_first && column + 1 + width > text_width) {
                text_.append("\n").append(indent, ' ');
                column = indent;
                is_first = true;
            }
            if (!is_first) text_ += ' ';
            text_ += word;
            column += width + (is_first ? 0 : 1);
            longest = std::max(longest, column);
            is_first = false;
        }
        text_ += '\n';
        return longest;
    }

    std::string text_;
    std::string block_;        // the words collected so far
    std::vector<Link> links_;  // in the block
    bool has_words_ = false;   // besides those of links
    bool in_link_ = false;
    bool begins_item_ = false;  // the next line gets a bullet
    bool wants_gap_ = false;    // an empty line comes before the next one
    bool skipped_ = false;      // what is met is not shown
    std::size_t levels_ = 0;    // of lists
};

}  // namespace

std::string text_of_html(std::string_view html) {
    TextWriter writer;
    writer.write(html);
    return std::move(writer).take();
}

std::string bytes_of(const Mail& mail) {
    // No body has "=_": after = comes a digit, A to F or a line end.
    const auto boundary = "=_varve_" + base::sha256_hex(mail.id).substr(0, 24);
    std::string bytes = "Date: " + date_field(mail.date) + "\nFrom: ";
    append_mailbox(bytes, mail.from, std::string_view("From: ").size());
    for (const auto& to : mail.to) {
        const bool is_first = &to == &mail.to.front();
        bytes += is_first ? "\nTo: " : ",\n ";
        append_mailbox(bytes, to, is_first ? std::string_view("To: ").size() : 1);
    }
    bytes += "\nSubject: " + unstructured(mail.subject, std::string_view("Subject: ").size());
    bytes += "\nMessage-ID: <" + mail.id + ">\n";
    // RFC 3834: nobody answers automatically, such as that they are on holiday.
    bytes += "Auto-Submitted: auto-generated\nMIME-Version: 1.0\n";
    bytes += "Content-Type: multipart/alternative;\n boundary=\"" + boundary + "\"\n\n";
    append_part(bytes, boundary, "plain", text_of_html(mail.html));
    append_part(bytes, boundary, "html", mail.html);
    return bytes + "--" + boundary + "--\n";
}

}  // namespace render
