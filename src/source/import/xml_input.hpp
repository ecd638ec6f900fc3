// source/import/xml_input.hpp -- reads the bytes of an XML file and prepares them for libxml2:
// - Leaves out the XML declaration, comments, processing instructions and CDATA sections, and
//   refuses a DOCTYPE. So nothing can declare an entity, and nothing grows without bounds.
// - Replaces text between tags, which has no meaning, by one "x".
// - Makes each value legal text (base/utf8), as in every other notation, since AcePerl prints the
//   bytes of the database and declares no encoding. Writes newlines and tabs in values as
//   character references, since AcePerl writes them bare and XML would turn them into blanks.
// - Cuts a value longer than `most`, and gives its tag the attribute `cut_mark`.
// So libxml2 sees other lines than the file has: XmlInput knows where everything is. One thread at a time.
// The scanners of tags and values are written by hand since libxml2 has no hook before it parses;
// with them, XML is converted at half of libxml2's own reading speed or better
// (docs/performance.md).
// Source: XML 1.0, sections 2.2-2.8, 3.1, 3.3.3; AcePerl 1.92, Ace::Object::escapeXML.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/position.hpp"

namespace source::import {

// The name of an attribute that says that a value of its tag is cut.
inline constexpr std::string_view cut_mark = "_varve_cut_";

class XmlInput {
   public:
    // `file` and `name` (for errors) outlive it.
    XmlInput(const File& file, std::string_view name, std::size_t most);

    // Writes the next bytes: tags with legal UTF-8 between their quotes, and "x" for text. Returns how many; 0 at
    // the end of the file, or behind what precedes a mistake.
    [[nodiscard]] std::size_t read(char* into, std::size_t room);

    // Returns the mistake that read() has come to: refused (cut off inside of a tag, a value, ...; a DOCTYPE; an
    // unsupported encoding); malformed; too_large (a tag of too many attributes); unavailable.
    [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

    // Returns where that begins which libxml2 reports next: a tag, the end of an empty one, or a text.
    [[nodiscard]] Position next() const { return reports_.empty() ? here_ : reports_.front(); }
    // Returns the same when libxml2 reports it.
    Position take_next() {
        const auto at = next();
        if (!reports_.empty()) reports_.pop_front();
        return at;
    }

   private:
    enum class In { text, tag, value, skipped };

    // Each step below consumes some of rest(). They return false at the end of the file.

    [[nodiscard]] std::string_view rest() const { return {at_, rest_}; }
    void consume(std::size_t size) {
        here_ = behind(rest().substr(0, size), here_);
        at_ += size, rest_ -= size;
    }
    base::Result<bool> fill();
    base::Result<bool> read_start();
    base::Result<bool> read_declaration();
    base::Result<bool> step();
    base::Result<bool> read_text();
    base::Result<bool> read_markup();
    void add_text();
    void skip(std::string_view opening, std::string_view terminator);
    base::Result<bool> read_skipped();
    void begin_tag();
    base::Result<bool> read_tag();
    base::Result<bool> read_value();
    void cut_value();
    void end_value();
    [[nodiscard]] base::Result<bool> at_end() const;
    [[nodiscard]] tl::unexpected<base::Error> fault(base::ErrorKind kind,
                                                    const std::string& what) const;

    const File& file_;
    std::string_view name_;
    std::size_t most_;

    std::vector<char> block_;
    std::string recoded_;  // the block, where the file is Latin-1
    const char* at_ = nullptr;
    std::size_t rest_ = 0;    // bytes from at_ on that are read and not yet consumed
    std::uint64_t read_ = 0;  // bytes of the file read so far
    bool eof_ = false, has_begun_ = false, is_latin1_ = false;
    Position here_;  // of the byte at at_
    std::deque<Position>
        reports_;  // of what is in ready_, and what libxml2 has and did not yet report

    In in_ = In::text;
    std::string_view terminator_;  // of what is skipped
    char quote_ = '"';
    bool needs_care_ = false;  // the value holds more than plain ASCII
    bool is_value_cut_ = false;
    bool is_tag_cut_ = false;    // one of its values is
    std::size_t tag_begin_ = 0;  // in ready_
    std::size_t value_begin_ = 0;
    std::size_t markup_ = 0;  // bytes of the tag outside of its values

    std::string ready_;      // whole tags, but for the last one
    std::size_t given_ = 0;  // of ready_, to libxml2
    bool is_done_ = false;
    std::optional<base::Error> error_;
};

}  // namespace source::import
