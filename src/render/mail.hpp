// render/mail.hpp -- a mail as bytes: header fields, a text and the same as HTML. RFC 5322 (mail),
// RFC 2045 to 2047 (MIME).
// Pure: no clock, no I/O. Safe from any thread. Any text gives a correct mail: no value can begin a
// header field or a line of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"

namespace render {

struct Mailbox {
    std::string name;     // of the person; may be empty; any text
    std::string address;  // printable ASCII without blanks: "name@example.org"
    bool operator==(const Mailbox&) const = default;
};

struct Mail {
    base::Seconds date{};
    Mailbox from;
    std::vector<Mailbox> to;  // may be empty
    std::string subject;
    std::string id;    // between < and >: "digest.1f00@example.org"
    std::string html;  // a whole document, made of the elements that text_of_html() knows
};

// Returns the mail, whose text is text_of_html(mail.html). ASCII without control characters, lines of
// at most 78 bytes (longer where an address is) that end with LF, as programs expect that read mail from
// a pipe. No line begins with "." or "From ".
[[nodiscard]] std::string bytes_of(const Mail& mail);

// Returns what a document says as plain text, in lines of at most 72 characters unless a word is
// longer. h1 and h2 are underlined, items of lists begin with "- ". A paragraph or heading that holds
// nothing but links has their addresses; other links are words alone. Marks that turn the direction of
// text are left out.
//   html  of this room: h1 h2 h3 p ul li br hr and what stands within a line; <head> is skipped
[[nodiscard]] std::string text_of_html(std::string_view html);

// Returns the text with CRLF where it has LF, as mails in transit and the texts in them have it.
[[nodiscard]] std::string with_crlf(std::string_view text);

}  // namespace render
