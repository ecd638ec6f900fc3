// SPDX-License-Identifier: MIT
#include "source/ace_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source {
namespace {

constexpr bool ends_word(char c) { return base::is_blank(c) || c == '\n' || c == '\r'; }

// Reads a header from left to right.
class HeaderReader {
   public:
    explicit HeaderReader(std::string_view bytes) : bytes_(bytes) {}

    tl::expected<RawHeader, ParseError> read() {
        header_.class_name = word();
        skip_blanks();
        if (header_.class_name.empty() || !take(':') || !skip_blanks())
            return fail("no object header (Class : \"name\")");
        if (!bytes_.substr(at_).starts_with('"'))
            return fail("no object header (Class : \"name\")");
        if (!read_text(header_.name)) return fail("a quote is not closed");
        // A name of a line continuation alone is empty, too.
        if (header_.name.bytes.empty() || (header_.name.escaped && text_of(header_.name).empty()))
            return fail("an object without a name");
        return rest();
    }

   private:
    tl::expected<RawHeader, ParseError> rest() {
        skip_blanks();
        if (bytes_.substr(at_).starts_with("-O ")) {
            at_ += 3;
            if (!read_text(header_.stamp)) return fail("a quote is not closed");
            skip_blanks();
        }
        if (at_ < bytes_.size() && bytes_[at_] == '\r')
            return fail("lines end in CR LF: this is not an AceDB dump, or something converted "
                        "its line ends");
        if (at_ < bytes_.size() && bytes_[at_] != '\n')
            return fail("more words than a header has");
        header_.size = std::min(at_ + 1, bytes_.size());
        return header_;
    }

    std::string_view word() {
        const auto begin = at_;
        while (at_ < bytes_.size() && !ends_word(bytes_[at_]) && bytes_[at_] != '"') ++at_;
        return bytes_.substr(begin, at_ - begin);
    }

    bool read_text(RawText& text) {
        if (!take('"')) {
            text.bytes = word();
            return true;
        }
        const char* begin = bytes_.data() + at_;
        const auto closing = find_closing(begin, bytes_.data() + bytes_.size());
        if (closing.quote == nullptr) return false;
        text = {{begin, static_cast<std::size_t>(closing.quote - begin)}, closing.escaped};
        at_ += text.bytes.size() + 1;
        return true;
    }

    bool take(char c) {
        if (at_ == bytes_.size() || bytes_[at_] != c) return false;
        ++at_;
        return true;
    }

    bool skip_blanks() {
        const auto begin = at_;
        while (at_ < bytes_.size() && base::is_blank(bytes_[at_])) ++at_;
        return at_ != begin;
    }

    [[nodiscard]] tl::unexpected<ParseError> fail(const char* what) const {
        return tl::unexpected<ParseError>(ParseError{base::ErrorKind::malformed, at_, what});
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    RawHeader header_;
};

}  // namespace

tl::expected<RawHeader, ParseError> read_header(std::string_view bytes) {
    return HeaderReader(bytes).read();
}

tl::expected<Header, ParseError> parse_header(std::string_view bytes) {
    const auto raw = read_header(bytes);
    if (!raw) return tl::unexpected(raw.error());
    return Header{
        {base::legal_text(raw->class_name), text_of(raw->name)}, text_of(raw->stamp), raw->size};
}

ObjectEnd::ObjectEnd(std::string_view start) {
    constexpr std::string_view name = "LongText";
    is_long_text_ = start.size() > name.size() && base::is_blank(start[name.size()]) &&
                    base::equal_ignoring_case(start.substr(0, name.size()), name);
}

std::optional<std::size_t> ObjectEnd::find(std::string_view bytes, bool is_all) {
    static const auto terminator = '\n' + std::string(long_text_end);
    const std::string_view last = is_long_text_ ? std::string_view(terminator) : "\n";
    for (;;) {
        const auto at = bytes.find(last, searched_);
        const auto end = at + last.size();
        if (at == std::string_view::npos || (end == bytes.size() && !(is_long_text_ && is_all))) {
            const auto left = std::min(last.size() - 1, bytes.size());
            searched_ = std::max(searched_, std::min(at, bytes.size() - left));
            return std::nullopt;
        }
        if (end == bytes.size()) return end;
        if (bytes[end] == '\n') return is_long_text_ ? end + 1 : end;
        searched_ = at + 1;
    }
}

std::string text_of(const RawText& text) {
    return text.escaped ? unescape(text.bytes) : base::legal_text(text.bytes);
}

namespace {

// Appends the text of the escape whose second byte is at `at`. Returns the position after it.
std::size_t append_escaped(std::string& text, std::string_view raw, std::size_t at) {
    const char c = raw[at++];
    if (c == '\n') {
        while (at < raw.size() && base::is_blank(raw[at])) ++at;
        return at;
    }
    text += c == 'n' ? '\n' : c;
    return c == 'n' && raw.substr(at).starts_with("\\\n") ? at + 2 : at;
}

}  // namespace

std::string unescape(std::string_view raw) {
    std::string text;
    text.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size();) {
        const auto escape = std::min(raw.find('\\', at), raw.size());
        text.append(raw, at, escape - at);
        if (escape + 1 >= raw.size()) break;
        at = append_escaped(text, raw, escape + 1);
    }
    return base::is_legal_text(text) ? text : base::legal_text(text);
}

}  // namespace source
