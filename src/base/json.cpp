// SPDX-License-Identifier: MIT
#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utf8.h>

#include "base/utf8.hpp"

namespace base {
namespace {

bool is_valid_utf8(std::string_view text) {
    const bool is_ascii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return is_ascii || utf8::is_valid(text.begin(), text.end());
}

void append_escaped(std::string& out, unsigned char byte) {
    constexpr std::string_view hex = "0123456789abcdef";
    switch (byte) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default: out += "\\u00", out += hex[byte >> 4], out += hex[byte & 15];
    }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    if (!is_valid_utf8(text)) return append_json_string(out, legal_text(text));
    out += '"';
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        out.append(text, copied, at - copied);
        append_escaped(out, byte);
        copied = at + 1;
    }
    out.append(text, copied);
    out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
    begin_element();
    append_json_string(out_, name);
    out_ += indent_ == 0 ? ":" : ": ";
    is_after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    begin_element();
    append_json_string(out_, text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    auto text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return raw(text);
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    begin_element();
    out_ += json;
    return *this;
}

JsonWriter& JsonWriter::begin(char bracket) {
    begin_element();
    out_ += bracket;
    ++depth_;
    has_elements_ = false;
    return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
    --depth_;
    if (has_elements_) begin_line();
    out_ += bracket;
    has_elements_ = true;
    return *this;
}

void JsonWriter::begin_element() {
    if (is_after_key_) {
        is_after_key_ = false;
        return;
    }
    if (depth_ == 0) return;
    if (has_elements_) out_ += ',';
    begin_line();
    has_elements_ = true;
}

void JsonWriter::begin_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(indent_ * depth_, ' ');
}

}  // namespace base
