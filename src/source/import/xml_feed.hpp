// source/xml_feed.hpp -- the bytes of an XML file, made ready for libxml2's parser.
// Done here, before libxml2 sees anything:
// - The XML declaration, comments, processing instructions, CDATA sections are left out; a
//   DOCTYPE is refused. So no entity can be declared, and nothing unbounded be gathered.
// - Of text between tags nothing is read; one "x" tells that there was some.
// - Values become legal text (base/utf8) one by one, as in every other notation: AcePerl prints
//   the bytes of the database and declares no encoding. Newlines and tabs in them are written as
//   character references, since AcePerl writes them bare and XML would make blanks of them.
// - Batches end where a tag ends: libxml2 2.9 looks through an unfinished tag again at each
//   portion of it (12 MB of DNA in an attribute took 30 s).
// - A value longer than `most` is cut, and the tag marked.
// Lines are kept, so that libxml2 counts them right. One thread at a time.
// Source: XML 1.0, sections 2.2-2.8, 3.1, 3.3.3; AcePerl 1.92, Ace::Object::escapeXML.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/file.hpp"

namespace source::import {

// A start tag of a batch.
struct XmlStart {
    std::uint64_t line = 0;  // of its `<`, counted from 1
    bool is_cut = false;     // one of its values is not whole
};

class XmlInput {
   public:
    // `file` and `name` (for errors) outlive it.
    XmlInput(const File& file, std::string_view name, std::size_t most);

    // The next batch into bytes() and starts(); false at the end of the file. What stands before
    // a mistake is handed over before the error.
    //   error  refused (cut off inside of a tag, a value, ...; a DOCTYPE; an encoding that is not
    //          read); malformed; too_large (a tag of too many attributes); unavailable
    [[nodiscard]] base::Result<bool> next();

    // Whole tags and line ends between them, legal UTF-8 between the quotes.
    [[nodiscard]] std::string_view bytes() const { return batch_; }
    [[nodiscard]] const std::vector<XmlStart>& starts() const { return starts_; }
    // Where next() stands.
    [[nodiscard]] std::uint64_t line() const { return line_; }

   private:
    enum class In { text, tag, value, passed };

    // Each takes some of rest(); true where there may be more.
    using More = base::Result<bool>;

    [[nodiscard]] std::string_view rest() const { return {at_, rest_}; }
    void take(std::size_t size) { at_ += size, rest_ -= size; }
    void drop(std::size_t size);  // takes them, keeping their line ends
    void use_block(std::size_t size);
    More fill();  // false at the end of the file
    More read_start();
    More read_declaration();
    More step();
    More read_text();
    More read_markup();
    void pass(std::string_view opening, std::string_view terminator);
    More read_passed();
    void begin_tag();
    More read_tag();
    More read_value();
    void cut_value();
    void end_value();
    [[nodiscard]] More at_end() const;
    void forget_tag();
    [[nodiscard]] tl::unexpected<base::Error> fault(base::Kind kind,
                                                    const std::string& what) const;

    const File& file_;
    std::string_view name_;
    std::size_t most_;

    std::vector<char> block_;
    std::string recoded_;  // the block, where the file is Latin-1
    const char* at_ = nullptr;
    std::size_t rest_ = 0;    // bytes from at_ on that are read and not yet taken
    std::uint64_t read_ = 0;  // bytes of the file read so far
    bool eof_ = false, has_begun_ = false, is_latin1_ = false;
    std::uint64_t line_ = 1;  // of the byte at at_

    In in_ = In::text;
    std::string_view terminator_;  // of what is passed over
    char quote_ = '"';
    bool is_start_ = false;    // not an end tag
    bool needs_care_ = false;  // the value holds more than plain ASCII
    bool is_value_cut_ = false;
    std::size_t tag_begin_ = 0;  // in batch_
    std::size_t value_begin_ = 0;
    std::size_t markup_ = 0;     // bytes of the tag outside of its values
    std::size_t line_ends_ = 0;  // that stood in values of the tag

    std::string batch_;
    std::vector<XmlStart> starts_;
    std::optional<base::Error> error_;
};

}  // namespace source::import
