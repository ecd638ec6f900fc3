// SPDX-License-Identifier: MIT
#include "render/mail.hpp"

#include <algorithm>
#include <gumbo.h>
#include <memory>
#include <utility>

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
    std::string text;
    base::append_base64(text, bytes);
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

// Writes blocks of text in lines.
class TextWriter {
   public:
    void write(const GumboNode& node) {
        if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE)
            add(node.v.text.text);
        else if (node.type == GUMBO_NODE_ELEMENT && node.v.element.tag != GUMBO_TAG_HEAD)
            write_element(node.v.element);
    }

    std::string take() && { return std::move(text_); }

   private:
    void write_element(const GumboElement& element) {
        const auto is = [&](auto... tags) { return ((element.tag == tags) || ...); };
        const bool is_list = is(GUMBO_TAG_UL), is_title = is(GUMBO_TAG_H1, GUMBO_TAG_H2);
        const bool has_gap = is_title || is(GUMBO_TAG_H3, GUMBO_TAG_P, GUMBO_TAG_HR);
        const bool is_block = has_gap || is_list || is(GUMBO_TAG_LI, GUMBO_TAG_BR);
        if (is_block) end_block();
        wants_gap_ = wants_gap_ || has_gap;
        if (is(GUMBO_TAG_LI)) wants_bullet_ = levels_ > 0;
        if (is(GUMBO_TAG_HR)) {
            write_gap();
            text_ += "-- \n";  // what follows is a signature
        }
        const auto* link =
            is(GUMBO_TAG_A) ? gumbo_get_attribute(&element.attributes, "href") : nullptr;
        in_link_ = in_link_ || link != nullptr;
        levels_ += is_list ? 1 : 0;
        for (unsigned int i = 0; i < element.children.length; ++i)
            write(*static_cast<const GumboNode*>(element.children.data[i]));
        if (is_block) end_block(is_title);
        if (is(GUMBO_TAG_LI)) wants_bullet_ = false;
        levels_ -= is_list ? 1 : 0;
        if (link == nullptr) return;
        links_.append("\n").append(link->value) += '\n';
        in_link_ = false;
    }

    void add(std::string words) {
        std::ranges::replace(words, '\n', ' ');
        block_ += words;
        if (in_link_)
            links_ += words;
        else
            has_words_ = has_words_ || words.find_first_not_of(" |") != std::string::npos;
    }

    void end_block(bool is_title = false) {
        const auto& lines = has_words_ || links_.empty() ? block_ : links_;
        for (const auto line : base::split(lines, '\n')) write_line(line);
        const auto width = std::min(count_characters(straight_line(block_)), text_width);
        if (is_title) text_.append(width, '-') += '\n';
        block_.clear();
        links_.clear();
        has_words_ = false;
    }

    void write_gap() {
        if (std::exchange(wants_gap_, false) && !text_.empty()) text_ += '\n';
    }

    void write_line(std::string_view text) {
        const auto words = straight_line(text);
        if (words.empty()) return;
        write_gap();
        const std::string indent(2 * levels_, ' ');
        auto line = indent;
        if (std::exchange(wants_bullet_, false)) line.replace(line.size() - 2, 1, "-");
        for (const auto word : base::split(words, ' ')) {
            const bool is_first = line.size() == indent.size();
            if (!is_first && count_characters(line) + 1 + count_characters(word) > text_width) {
                text_ += line + '\n';
                line = indent;
            } else if (!is_first) {
                line += ' ';
            }
            line += word;
        }
        text_ += line + '\n';
    }

    std::string text_;
    std::string block_;       // its words so far
    std::string links_;       // in the block: the words of each and its address, on two lines
    bool has_words_ = false;  // besides those of links
    bool in_link_ = false;
    bool wants_bullet_ = false;  // on the next line
    bool wants_gap_ = false;     // an empty line comes before the next one
    std::size_t levels_ = 0;     // of lists
};

}  // namespace

std::string with_crlf(std::string_view text) {
    std::string lines;
    for (const char c : text) lines.append(c == '\n' ? "\r" : "") += c;
    return lines;
}

std::string text_of_html(std::string_view html) {
    const auto destroy = [](GumboOutput* output) {
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    };
    const std::unique_ptr<GumboOutput, decltype(destroy)> document(
        gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size()));
    TextWriter writer;
    writer.write(*document->root);
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
