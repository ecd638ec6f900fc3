// SPDX-License-Identifier: MIT
#include "render/mail.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <openssl/evp.h>
#include <utf8.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/display_text.hpp"

namespace render {
namespace {

constexpr std::size_t text_width = 72;         // columns
constexpr std::size_t longest_mail_line = 78;  // RFC 5322 section 2.1.1
constexpr std::size_t longest_token = 68;      // fits on the line of any field
constexpr std::size_t bytes_in_word = 42;      // whose encoded word is a longest token
constexpr std::size_t bytes_in_line = 57;      // of a body; 76 characters of base64

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                    reinterpret_cast<const unsigned char*>(bytes.data()),
                    static_cast<int>(bytes.size()));
    return text;
}

std::string straight_line(std::string_view text) {
    return one_line(base::without_directions(one_line(text)));
}

// Appends a word to a header field, on a new line if it does not fit on the last one.
void append_word(std::string& head, const std::string& word) {
    const auto column = head.size() - (head.rfind('\n') + 1);
    head.append(column + 1 + word.size() > longest_mail_line ? "\n " : " ").append(word);
}

// Appends a text as encoded words of whole characters (RFC 2047), or as it is spelled if it is short ASCII.
void append_text(std::string& head, std::string_view text, const std::string& spelled) {
    const bool is_plain = spelled.size() <= longest_token &&
                          std::ranges::all_of(text, base::is_printable) &&
                          text.find("=?") == std::string_view::npos;
    if (is_plain) {
        append_word(head, spelled);
        return;
    }
    for (; !text.empty(); text.remove_prefix(base::cut_at(text, bytes_in_word).size()))
        append_word(head, "=?UTF-8?B?" + base64(base::cut_at(text, bytes_in_word)) + "?=");
}

void append_mailbox(std::string& head, const Mailbox& mailbox, std::string_view end = {}) {
    const auto name = straight_line(mailbox.name);
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    if (!name.empty()) append_text(head, name, quoted + '"');
    const auto address = name.empty() ? mailbox.address : "<" + mailbox.address + ">";
    append_word(head, address + std::string(end));
}

void append_part(std::string& bytes, const std::string& boundary, std::string_view type,
                 std::string_view text) {
    bytes.append("--").append(boundary).append("\nContent-Type: text/").append(type);
    bytes += "; charset=utf-8\nContent-Transfer-Encoding: base64\n\n";
    const auto content = with_crlf(text);
    for (std::size_t at = 0; at < content.size(); at += bytes_in_line)
        bytes += base64(std::string_view(content).substr(at, bytes_in_line)) + '\n';
}

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

std::string with_crlf(std::string_view text) {
    std::string lines;
    for (const char c : text) lines.append(c == '\n' ? "\r" : "") += c;
    return lines;
}

std::string text_of_html(std::string_view html) {
    TextWriter writer;
    writer.write(html);
    return std::move(writer).take();
}

std::string bytes_of(const Mail& mail) {
    auto date = base::format_http_date(mail.date);
    date.replace(date.rfind("GMT"), 3, "+0000");  // the zone GMT is obsolete in mails
    const auto boundary = "=_varve_" + base::sha256_hex(mail.id).substr(0, 24);
    const auto subject = straight_line(mail.subject);
    std::string bytes = "Date: " + date + "\nFrom:";
    append_mailbox(bytes, mail.from);
    if (!mail.to.empty()) bytes += "\nTo:";
    for (const auto& to : mail.to) append_mailbox(bytes, to, &to == &mail.to.back() ? "" : ",");
    bytes += "\nSubject:";
    append_text(bytes, subject, subject);
    bytes += "\nMessage-ID: <" + mail.id + ">\n";
    // RFC 3834: nobody answers automatically, such as that they are on holiday.
    bytes += "Auto-Submitted: auto-generated\nMIME-Version: 1.0\n";
    bytes += "Content-Type: multipart/alternative;\n boundary=\"" + boundary + "\"\n\n";
    append_part(bytes, boundary, "plain", text_of_html(mail.html));
    append_part(bytes, boundary, "html", mail.html);
    return bytes + "--" + boundary + "--\n";
}

}  // namespace render
