// SPDX-License-Identifier: MIT
#include "source/curated/lines.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::curated {
namespace {

constexpr std::size_t most_frames = 17;  // the outermost file, and 16 included in each other
// Each included file counts at least this much, since empty ones take time, too.
constexpr std::size_t least_counted = 4096;
constexpr std::size_t tab_width = 8;

bool leads_outside(std::string_view name) {
    return name.empty() || name.front() == '.' || name.find('/') != std::string_view::npos;
}

}  // namespace

LineReader::LineReader(std::string_view name, std::string_view bytes, const Include& include,
                       std::size_t most)
    : include_(include), most_(most) {
    const auto* known = &*names_.emplace(name).first;
    frames_.push_back({known, {}, bytes});
    line_file_ = known;
}

std::string LineReader::place() const { return *line_file_ + ':' + std::to_string(line_number_); }

base::Result<bool> LineReader::next(LineRules rules) {
    if (std::exchange(is_returned_, false)) return true;
    for (;;) {
        while (frames_.size() > 1 && frames_.back().is_ended) frames_.pop_back();
        if (frames_.back().is_ended) return false;
        if (auto ok = assemble(rules); !ok) return tl::unexpected(ok.error());
        if (rules == LineRules::long_text) return true;
        const auto is_included = open_included();
        if (!is_included || !*is_included)
            return is_included ? base::Result<bool>(true) : tl::unexpected(is_included.error());
    }
}

base::Result<void> LineReader::assemble(LineRules rules) {
    auto& frame = frames_.back();
    text_.clear();
    line_file_ = frame.name;
    line_number_ = frame.line_begin = frame.line;
    const auto bytes = frame.bytes();
    for (;;) {
        frame.is_ended = frame.at == bytes.size();
        if (frame.is_ended) return {};
        // AceDB would end the file here, and nobody would know what is missing.
        if (bytes[frame.at] == '\0')
            return base::fail(base::ErrorKind::malformed,
                              *line_file_ + ':' + std::to_string(frame.line) +
                                  ": there is a NUL byte, at which AceDB ends a file");
        const char c = bytes[frame.at++];
        if (c == '\n') {
            ++frame.line;
            return {};
        }
        if (c == '/' && rules == LineRules::ace && bytes.substr(frame.at).starts_with('/')) {
            skip_comment(frame);
            return {};
        }
        append(frame, c, rules);
        if (text_.size() > most_) return too_large("a line is too long");
    }
}

void LineReader::append(Frame& frame, char c, LineRules rules) {
    if (c == '\\')
        append_escape(frame);
    else if (c == '\t' && rules == LineRules::ace)
        text_.append(tab_width - text_.size() % tab_width, ' ');
    else if (base::is_printable(c) || c == '\t')
        text_ += c;
}

void LineReader::append_escape(Frame& frame) {
    const auto bytes = frame.bytes();
    if (frame.at == bytes.size() || bytes[frame.at] == '\0') return;
    const char c = bytes[frame.at++];
    if (c == '\n') {
        ++frame.line;
        while (frame.at < bytes.size() && base::is_blank(bytes[frame.at])) ++frame.at;
    } else if (c == 'n') {
        text_ += '\n';
    } else {
        text_ += '\\';
        text_ += c;
    }
}

void LineReader::skip_comment(Frame& frame) {
    const auto bytes = frame.bytes();
    frame.at = std::min(bytes.find_first_of(std::string_view("\n\0", 2), frame.at), bytes.size());
    if (frame.at == bytes.size() || bytes[frame.at] == '\0') return;
    ++frame.at;
    ++frame.line;
}

base::Result<bool> LineReader::open_included() {
    const auto at = text_.find_first_not_of(" \t");
    if (at == std::string::npos || text_[at] != '@') return false;
    const auto name = WordReader(std::string_view(text_).substr(at + 1)).next();
    if (!name) return true;  // `@` alone: AceDB ignores the line
    if (leads_outside(name->text))
        return base::fail(base::ErrorKind::refused,
                          place() + ": a file outside of the folder is included");
    if (auto ok = push(name->text); !ok) return tl::unexpected(ok.error());
    return true;
}

base::Result<void> LineReader::push(const std::string& name) {
    if (frames_.size() == most_frames) return too_large("files include each other too deeply");
    auto bytes =
        include_ ? include_(name)
                 : base::Result<std::string>(base::fail(base::ErrorKind::absent, "no such file"));
    if (!bytes) return base::fail_at(place() + ": @" + base::legal_text(name), bytes.error());
    included_bytes_ += std::max(bytes->size(), least_counted);
    if (included_bytes_ > most_) return too_large("the included files are too large");
    included_.insert(name);
    frames_.push_back({&*names_.insert(name).first, std::move(*bytes), {}});
    return {};
}

tl::unexpected<base::Error> LineReader::too_large(const std::string& what) const {
    return base::fail(base::ErrorKind::too_large,
                      place() + ": " + what + " (" + std::to_string(most_) + " bytes)");
}

std::optional<Word> WordReader::next() {
    skip_blanks();
    if (is_at_end()) return std::nullopt;
    Word word;
    word.is_quoted = skip('"');
    word.text = word.is_quoted ? quoted() : bare();
    skip_blanks();
    if (!word.is_quoted && word.text.empty()) return std::nullopt;
    return word;
}

bool WordReader::skip(char c) {
    if (is_at_end() || line_[at_] != c) return false;
    ++at_;
    return true;
}

std::optional<std::string> WordReader::cut(std::string_view separators) {
    const auto end = std::min(line_.find_first_of(separators, at_), line_.size());
    const std::string word(line_.substr(at_, end - at_));
    at_ = std::min(end + 1, line_.size());
    skip_blanks();
    if (word.empty()) return std::nullopt;
    return word;
}

std::string shown(std::string_view word) {
    constexpr std::size_t longest_shown = 60;
    const bool is_long = word.size() > longest_shown;
    return '"' + base::legal_text(base::cut_at(word, longest_shown)) + (is_long ? "…\"" : "\"");
}

std::string WordReader::quoted() {
    std::string text;
    while (!is_at_end() && !skip('"')) {
        if (skip('\\') && is_at_end()) break;
        text += line_[at_++];
    }
    return text;
}

std::string WordReader::bare() {
    std::string text;
    while (!is_at_end() && is_graphic(line_[at_])) {
        if (skip('\\') && is_at_end()) break;
        text += line_[at_++];
    }
    return text;
}

void WordReader::skip_blanks() {
    while (!is_at_end() && base::is_blank(line_[at_])) ++at_;
}

}  // namespace source::curated
