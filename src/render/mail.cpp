// SPDX-License-Identifier: MIT
#include "render/mail.hpp"

#include <algorithm>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/markup.hpp"
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
    void write(const feed::XmlToken& token) {
        using Kind = feed::XmlToken::Kind;
        const auto name = token.tag.name;
        if (name == "head") in_head_ = token.kind == Kind::start;
        if (in_head_) return;
        if (token.kind == Kind::text) add(base::without_directions(token.text));
        if (token.kind == Kind::start) start(token.tag);
        if (token.kind == Kind::end) end(name);
    }

    std::string take() && {
        end_block();
        return std::move(text_);
    }

   private:
    static bool is_title(std::string_view name) { return name == "h1" || name == "h2"; }
    static bool has_gap(std::string_view name) {
        return is_title(name) || name == "h3" || name == "p" || name == "hr";
    }
    static bool is_block(std::string_view name) {
        return has_gap(name) || name == "ul" || name == "li" || name == "br";
    }

    void start(const feed::Tag& tag) {
        if (tag.name == "bdi") add(std::string(base::begin_of_isolate));
        if (is_block(tag.name)) end_block();
        wants_gap_ = wants_gap_ || has_gap(tag.name);
        if (tag.name == "ul") ++levels_;
        if (tag.name == "li") wants_bullet_ = levels_ > 0;
        if (tag.name == "a") link_ = tag.value("href");
        if (tag.name != "hr") return;
        write_gap();
        text_ += "-- \n";  // what follows is a signature
    }

    void end(std::string_view name) {
        if (name == "bdi") add(std::string(base::end_of_isolate));
        if (is_block(name)) end_block(is_title(name));
        if (name == "li") wants_bullet_ = false;
        if (name == "ul" && levels_ > 0) --levels_;
        if (name != "a" || link_.empty()) return;
        links_.append("\n").append(link_) += '\n';
        link_.clear();
    }

    void add(std::string words) {
        std::ranges::replace(words, '\n', ' ');
        block_ += words;
        if (!link_.empty())
            links_ += words;
        else
            has_words_ = has_words_ || words.find_first_not_of(" |") != std::string::npos;
    }

    void end_block(bool is_title = false) {
        const auto& lines = has_words_ || links_.empty() ? block_ : links_;
        for (const auto line : base::split(lines, '\n')) write_line(line);
        const auto width = std::min(count_characters(one_line(block_)), text_width);
        if (is_title) text_.append(width, '-') += '\n';
        block_.clear();
        links_.clear();
        has_words_ = false;
    }

    void write_gap() {
        if (std::exchange(wants_gap_, false) && !text_.empty()) text_ += '\n';
    }

    void write_line(std::string_view text) {
        const auto words = one_line(text);
        if (words.empty()) return;
        write_gap();
        const std::string indent(2 * levels_, ' ');
        auto line = indent;
        if (std::exchange(wants_bullet_, false)) line.replace(line.size() - 2, 1, "-");
        for (const auto word : base::split(words, ' ')) {
            const bool is_first = line.size() == indent.size();
            if (!is_first && count_characters(line) + 1 + count_characters(word) > text_width) {
                // What is isolated ends with the line for those who show it, and goes on on the next one.
                const bool is_open =
                    line.rfind(base::begin_of_isolate) + 1 > line.rfind(base::end_of_isolate) + 1;
                text_ += line.append(is_open ? base::end_of_isolate : "") + '\n';
                line = indent;
                line += is_open ? base::begin_of_isolate : "";
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
    std::string link_;        // the address of the one that is open
    bool in_head_ = false;
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
    TextWriter writer;
    feed::XmlTokens tokens(html);
    while (const auto token = tokens.next()) writer.write(*token);
    return std::move(writer).take();
}

std::string bytes_of(const Mail& mail) {
    auto date = base::format_http_date(mail.date);
    date.replace(date.rfind("GMT"), 3, "+0000");  // the zone GMT is obsolete in mails
    const auto boundary = "=_varve_" + base::sha256_hex(mail.id).substr(0, 24);
    const auto line = one_line(mail.subject);
    const auto subject = base::is_isolated(line) ? line : straight_line(line);
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
