// feed/markup.hpp -- the tags and texts of XML and HTML that need not be well-formed.
// Views point into the text that was read. Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feed {

// Returns legal text with its character references replaced ("&nbsp;", "&#8217;", "&#x2019;"); a bare & stays. Numbers of
// control characters mean those of windows-1252, as in browsers. Two of the halves of a surrogate pair are one, because
// programs of Java and .NET write them; a number that no character has is U+FFFD. Carriage returns become line ends; what
// they name that XML forbids is dropped.
[[nodiscard]] std::string decoded(std::string_view text);

struct Tag {
    struct Attribute {
        std::string_view name, written;
    };
    std::string_view name;              // as it is written, with its prefix
    std::vector<Attribute> attributes;  // the first 100
    bool is_empty = false;              // <a/>
    std::size_t size = 0;               // bytes, with the '>'

    // Returns the value of an attribute, decoded and cut at a character; empty: it has none. A name without a prefix is
    // that of an attribute with any.
    [[nodiscard]] std::string value(std::string_view attribute, std::size_t most = 4096) const;
};
// Returns the tag that begins a text, whose name is at a place; nullopt: the text ends before the tag does.
//   source  https://html.spec.whatwg.org/#tokenization
[[nodiscard]] std::optional<Tag> tag_at(std::string_view text, std::size_t place);

// A part of an XML document.
struct XmlToken {
    enum class Kind : unsigned char { text, start, end, declaration };
    Kind kind;
    std::string text = {};  // decoded
    Tag tag = {};           // of start and end
};

// Reads the parts of text that claims to be XML and is not: a tag that does not end is text, a section or comment that does
// not end is read as if it had not begun. Comments, instructions and the DOCTYPE with all that it defines are left out, so
// no entity is expanded and nothing is loaded. Whether tags match is up to the caller.
//   cost  O(text)
class XmlTokens {
   public:
    explicit XmlTokens(std::string_view text) : all_(text), rest_(text) {}
    // Returns the next part; nullopt: the text has ended. A declaration is the first one, of the first 16 KB: what is
    // outside of elements before it was written by the server ("<b>Warning</b>: …").
    [[nodiscard]] std::optional<XmlToken> next();

   private:
    struct Section {
        std::string_view begin, end;
        bool is_endless = false;  // the rest has no end of one: it is not looked for again
    };
    std::optional<XmlToken> take_section(Section& section);
    std::optional<XmlToken> take_tag();

    std::string_view all_, rest_;
    bool has_declaration_ = false;
    std::array<Section, 3> sections_{{{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?", "?>"}}};
};

}  // namespace feed
