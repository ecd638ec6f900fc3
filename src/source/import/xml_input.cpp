// SPDX-License-Identifier: MIT
#include "source/import/xml_input.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utf8.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::import {
namespace {

constexpr std::size_t block_size = 256 << 10;
// Of a tag, outside of its values. libxml2 compares each attribute with all before it.
constexpr std::size_t most_markup = 8 << 10;
constexpr std::size_t kept_of_cut = 1 << 10;  // more than the longest name that is tracked
// libxml2 counts in int, and a value may grow by a factor of five (a newline is `&#10;`).
constexpr std::size_t most_of_all = 128 << 20;

constexpr std::string_view comment = "<!--", cdata = "<![CDATA[", instruction = "<?",
                           doctype = "<!DOCTYPE";

constexpr bool is_xml_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Returns the first quote, `<`, or byte other than 0x20 ... 0x7F (bytes above are negative), or
// end.
const char* find_special(const char* at, const char* end, char quote) {
#ifdef __SSE2__
    const auto quotes = _mm_set1_epi8(quote), less = _mm_set1_epi8('<'),
               blank = _mm_set1_epi8(0x20);
    for (; end - at >= 16; at += 16) {
        const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto stops =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, less));
        const auto found = static_cast<unsigned>(
            _mm_movemask_epi8(_mm_or_si128(stops, _mm_cmplt_epi8(bytes, blank))));
        if (found != 0) return at + std::countr_zero(found);
    }
#endif
    while (at != end && *at != quote && *at != '<' && *at >= 0x20) ++at;
    return at;
}

// Returns the value of `encoding` in an XML declaration, or nothing.
std::string_view encoding_in(std::string_view declaration) {
    const auto found = declaration.find("encoding");
    if (found == std::string_view::npos) return {};
    auto rest = base::trim(declaration.substr(found + 8));
    if (!rest.starts_with('=')) return {};
    rest = base::trim(rest.substr(1));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return {};
    return rest.substr(1, std::min(rest.find(rest.front(), 1), rest.size()) - 1);
}

enum class XmlEncoding { utf8, latin1 };

// Returns the encoding of an XML declaration: utf8 also for US-ASCII and if it names none;
// nullopt for any other but ISO-8859-1.
std::optional<XmlEncoding> declared_encoding(std::string_view declaration) {
    const auto encoding = encoding_in(declaration);
    const auto is_one_of = [&](const auto& names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return base::equal_ignoring_case(name, encoding);
        });
    };
    constexpr auto utf8 =
        std::to_array<std::string_view>({"", "UTF-8", "UTF8", "US-ASCII", "ASCII"});
    constexpr auto latin1 =
        std::to_array<std::string_view>({"ISO-8859-1", "ISO_8859-1", "Latin1"});
    if (is_one_of(utf8)) return XmlEncoding::utf8;
    if (is_one_of(latin1)) return XmlEncoding::latin1;
    return std::nullopt;
}

// Appends ISO-8859-1 as UTF-8. Each byte is its code point.
void append_latin1(std::string& out, std::string_view bytes) {
    for (const char c : bytes)
        utf8::unchecked::append(static_cast<unsigned char>(c), std::back_inserter(out));
}

// Appends the bytes between the quotes of a value so that XML keeps its newlines and tabs: as
// character references. CR LF is one newline. References in it stay.
void append_value(std::string& out, std::string_view value) {
    for (std::size_t at = 0; at < value.size(); ++at) {
        switch (value[at]) {
            case '\n': out += "&#10;"; break;
            case '\t': out += "&#9;"; break;
            case '\r':
                if (!value.substr(at + 1).starts_with('\n')) out += "&#13;";
                break;
            default: out += value[at];
        }
    }
}

}  // namespace

XmlInput::XmlInput(const File& file, std::string_view name, std::size_t most)
    : file_(file), name_(name), most_(std::min(most, most_of_all)), block_(block_size) {}

std::size_t XmlInput::read(char* into, std::size_t room) {
    const auto is_between = [&] { return in_ == In::text || in_ == In::skipped; };
    while (!is_done_ && (ready_.size() - given_ < room || !is_between())) {
        const auto more = step();
        if (!more) {
            error_ = more.error();
            if (!is_between()) ready_.resize(tag_begin_);
        }
        is_done_ = !more || !*more;
    }
    const auto size = std::min(room, ready_.size() - given_);
    std::copy_n(ready_.data() + given_, size, into);
    given_ += size;
    if (given_ == ready_.size()) {
        ready_.clear();
        given_ = 0;
    }
    return size;
}

base::Result<bool> XmlInput::step() {
    if (!has_begun_) return read_start();
    if (rest_ == 0) {
        const auto filled = fill();
        if (!filled) return filled;
        if (!*filled) return at_end();
    }
    switch (in_) {
        case In::text: return *at_ == '<' ? read_markup() : read_text();
        case In::skipped: return read_skipped();
        case In::tag: return read_tag();
        case In::value: break;
    }
    return read_value();
}

// Keeps what is left, a few bytes, in front of the new block.
base::Result<bool> XmlInput::fill() {
    if (eof_) return false;
    const std::string left(rest());
    block_.resize(left.size() + block_size);
    std::copy(left.begin(), left.end(), block_.begin());
    const auto got = file_.read_at(block_.data() + left.size(), block_size, read_);
    if (!got) return base::fail_at(name_, got.error());
    read_ += *got;
    eof_ = *got < block_size;
    if (is_latin1_) {
        recoded_ = left;
        append_latin1(recoded_, {block_.data() + left.size(), *got});
        at_ = recoded_.data(), rest_ = recoded_.size();
    } else {
        at_ = block_.data(), rest_ = left.size() + *got;
    }
    return *got > 0;
}

base::Result<bool> XmlInput::read_start() {
    has_begun_ = true;
    if (auto filled = fill(); !filled) return filled;
    const auto head = rest().substr(0, 4);
    if (head.starts_with("\xFE\xFF") || head.starts_with("\xFF\xFE") ||
        head.find('\0') != head.npos)
        return fault(
            base::ErrorKind::refused,
            "the file is not text, or it is UTF-16 or UTF-32: make it UTF-8 (iconv -t UTF-8)");
    if (head.starts_with("\xEF\xBB\xBF")) consume(3);
    std::size_t blanks = 0;
    while (blanks < rest_ && is_xml_blank(at_[blanks])) ++blanks;
    consume(blanks);
    return rest().starts_with("<?xml") ? read_declaration() : true;
}

base::Result<bool> XmlInput::read_declaration() {
    const auto end = rest().find("?>");
    if (end == std::string_view::npos)
        return fault(base::ErrorKind::refused,
                     "the file is cut off: it ends in its XML declaration");
    const auto encoding = declared_encoding(rest().substr(0, end));
    if (!encoding)
        return fault(base::ErrorKind::refused, "the file's encoding is not UTF-8, US-ASCII or "
                                               "ISO-8859-1: make it UTF-8 (iconv -t UTF-8)");
    consume(end + 2);
    is_latin1_ = *encoding == XmlEncoding::latin1;
    if (!is_latin1_) return true;
    append_latin1(recoded_, rest());
    at_ = recoded_.data(), rest_ = recoded_.size();
    return true;
}

base::Result<bool> XmlInput::read_text() {
    const auto text = rest().substr(0, rest().find('<'));
    std::size_t blanks = 0;
    while (blanks < text.size() && is_xml_blank(text[blanks])) ++blanks;
    consume(blanks);
    if (blanks == text.size()) return true;
    add_text();
    consume(text.size() - blanks);
    return true;
}

void XmlInput::add_text() {
    reports_.push_back(here_);
    ready_ += 'x';
}

base::Result<bool> XmlInput::read_markup() {
    if (rest_ < doctype.size() && !eof_) {
        auto filled = fill();
        if (!filled) return filled;
        return true;
    }
    if (rest().starts_with(comment)) {
        skip(comment, "-->");
    } else if (rest().starts_with(cdata)) {
        add_text();
        skip(cdata, "]]>");
    } else if (rest().starts_with(instruction)) {
        skip(instruction, "?>");
    } else if (base::equal_ignoring_case(rest().substr(0, doctype.size()), doctype)) {
        return fault(base::ErrorKind::refused,
                     "the file has a DOCTYPE, which is not read (it may "
                     "declare entities): take it out");
    } else if (eof_ && rest().starts_with("<!") && rest().find('>') == std::string_view::npos) {
        return fault(base::ErrorKind::refused, "the file is cut off: it ends inside a comment");
    } else if (rest().starts_with("<!")) {
        return fault(base::ErrorKind::malformed, "not well-formed XML: a declaration (\"<!\")");
    } else {
        begin_tag();
    }
    return true;
}

void XmlInput::skip(std::string_view opening, std::string_view terminator) {
    consume(opening.size());
    terminator_ = terminator;
    in_ = In::skipped;
}

base::Result<bool> XmlInput::read_skipped() {
    const auto end = rest().find(terminator_);
    if (end != std::string_view::npos) {
        consume(end + terminator_.size());
        in_ = In::text;
        return true;
    }
    // The block may end with the beginning of the terminator.
    if (rest_ >= terminator_.size()) consume(rest_ - (terminator_.size() - 1));
    auto filled = fill();
    if (!filled) return filled;
    return *filled ? base::Result<bool>(true) : at_end();
}

void XmlInput::begin_tag() {
    reports_.push_back(here_);
    tag_begin_ = ready_.size();
    markup_ = 0;
    is_tag_cut_ = false;
    ready_ += '<';
    consume(1);
    in_ = In::tag;
}

base::Result<bool> XmlInput::read_tag() {
    const auto size = std::min(base::find_any<'<', '>', '"', '\''>(rest()), rest_);
    markup_ += size;
    if (markup_ > most_markup)
        return fault(base::ErrorKind::too_large, "a tag with more attributes than any may have");
    ready_.append(at_, size);
    consume(size);
    if (rest_ == 0) return true;
    const char c = *at_;
    if (c == '<')
        return fault(base::ErrorKind::malformed, "not well-formed XML: a tag inside a tag");
    const bool is_empty = c == '>' && ready_.ends_with('/');
    if (c == '>' && is_tag_cut_)
        ready_.insert(ready_.size() - (is_empty ? 1 : 0), " " + std::string(cut_mark) + "=''");
    if (is_empty) reports_.push_back(here_);
    ready_ += c;
    ++markup_;
    consume(1);
    in_ = In::text;
    if (c == '>') return true;
    quote_ = c;
    value_begin_ = ready_.size();
    needs_care_ = is_value_cut_ = false;
    in_ = In::value;
    return true;
}

base::Result<bool> XmlInput::read_value() {
    const char *const end = at_ + rest_, *to = at_;
    if (!needs_care_) {
        to = find_special(at_, end, quote_);
        needs_care_ = to != end && *to != quote_ && *to != '<';
    }
    while (to != end && *to != quote_ && *to != '<') ++to;
    const auto size = static_cast<std::size_t>(to - at_);
    if (!is_value_cut_) ready_.append(at_, size);
    if (ready_.size() - tag_begin_ > most_) cut_value();
    consume(size);
    if (rest_ == 0) return true;
    if (*at_ == quote_) {
        end_value();
        return true;
    }
    return fault(base::ErrorKind::malformed,
                 "not well-formed XML: a value whose quote is not closed, or that holds a \"<\", "
                 "which should be \"&lt;\"");
}

void XmlInput::cut_value() {
    is_value_cut_ = is_tag_cut_ = true;
    ready_.resize(std::min(ready_.size(), value_begin_ + kept_of_cut));
    // Don't keep half of a reference or of a character.
    const auto open = ready_.rfind('&');
    if (open != ready_.npos && open >= value_begin_ && ready_.find(';', open) == ready_.npos)
        ready_.resize(open);
    while (ready_.size() > value_begin_ && ready_.back() < 0) ready_.pop_back();
}

void XmlInput::end_value() {
    if (needs_care_) {
        const auto value = base::legal_text(std::string_view(ready_).substr(value_begin_));
        ready_.resize(value_begin_);
        append_value(ready_, value);
    }
    ready_ += quote_;
    ++markup_;
    consume(1);
    in_ = In::tag;
}

base::Result<bool> XmlInput::at_end() const {
    if (in_ == In::text) return false;
    return fault(base::ErrorKind::refused, in_ == In::skipped
                                               ? "the file is cut off: it ends inside a comment"
                                               : "the file is cut off: it ends inside a tag");
}

tl::unexpected<base::Error> XmlInput::fault(base::ErrorKind kind, const std::string& what) const {
    return fail_in(name_, here_, kind, what);
}

}  // namespace source::import
