// SPDX-License-Identifier: MIT
#include "source/import/ace_head.hpp"

#include <algorithm>
#include <utility>

#include "source/ace_classes.hpp"
#include "source/ace_text.hpp"

namespace source::import {
namespace {

// What a header or line looks like. `broken` is what the dump's readers refuse; the end of a
// `cut` text is not in the head, or not in the file.
enum class Look { dumped, stamped, curated, broken, cut };

// True for words that never begin a word of a dump.
bool is_curators_word(std::string_view word) {
    return word == "-D" || word == "-R" || word == "-A" || word.starts_with("//");
}

// The dumper writes a backslash before each slash in a text.
bool has_slashes(std::string_view raw) {
    for (std::size_t at = 0; at + 1 < raw.size(); ++at)
        if (raw[at] == '\\')
            ++at;
        else if (raw[at] == '/' && raw[at + 1] == '/')
            return true;
    return false;
}

// Reads headers and lines from left to right, by the rules of read_header and parse_object, and
// looks for what those would accept although a curator wrote it.
class HeadWords {
   public:
    explicit HeadWords(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] std::string_view rest() const { return bytes_.substr(at_); }
    [[nodiscard]] std::string_view line() const { return rest().substr(0, rest().find('\n')); }
    [[nodiscard]] bool at_blank_line() const { return rest().empty() || rest()[0] == '\n'; }

    void skip_line() { at_ = std::min(bytes_.find('\n', at_), bytes_.size() - 1) + 1; }

    // Reads `Class : "name"` and a stamp, up to the end of the line.
    Look header(std::string_view& class_name) {
        if (begins_as_curated()) return Look::curated;
        class_name = word();
        const bool has_tab = gap().starts_with('\t');
        // With a TAB it is a line that lost its header, not a header of a curator.
        if (!take(":")) return has_tab ? Look::broken : Look::curated;
        if (gap().empty() || !take("\"")) return Look::curated;
        const auto name = quoted();
        if (name == Look::broken || name == Look::cut) return name;
        gap();
        if (take("-O \"")) return Look::stamped;
        if (take("-O ") && !word().empty()) return Look::curated;
        gap();
        if (at_blank_line()) return name;
        return rest().starts_with("//") ? Look::curated : Look::broken;
    }

    // Reads a tag and cells.
    //   has_tab  set when a TAB follows the tag
    Look cells(bool& has_tab) {
        if (begins_as_curated() || is_curators_word(word())) return Look::curated;
        for (bool is_first = true;; is_first = false) {
            const auto between = gap();
            has_tab = has_tab || (is_first && between.starts_with('\t'));
            if (at_blank_line()) return Look::dumped;
            if (between.empty()) return Look::broken;
            // AcePerl's asAce writes only TABs between cells.
            if (between.find(' ') == between.npos) return Look::curated;
            if (const auto found = cell(); found != Look::dumped) return found;
        }
    }

   private:
    [[nodiscard]] bool begins_as_curated() const {
        constexpr std::string_view first = "!@\" \t";
        return rest().empty() || first.find(rest()[0]) != first.npos ||
               is_curators_word(next_word());
    }

    [[nodiscard]] std::string_view next_word() const {
        return rest().substr(0, rest().find_first_of(" \t\n\""));
    }

    std::string_view word() {
        const auto found = next_word();
        at_ += found.size();
        return found;
    }

    std::string_view gap() {
        const auto found = rest().substr(0, rest().find_first_not_of(" \t"));
        at_ += found.size();
        return found;
    }

    Look cell() {
        if (take("-O \"") || take("-C \"") || take("\"")) return quoted();
        const auto found = word();
        if (is_curators_word(found)) return Look::curated;
        return is_option(found) ? Look::broken : Look::dumped;
    }

    // Reads the rest of a text after its opening quote.
    Look quoted() {
        const char* begin = bytes_.data() + at_;
        const auto closing = find_closing(begin, bytes_.data() + bytes_.size());
        if (closing.quote == nullptr) return continues_after_end() ? Look::cut : Look::broken;
        const auto size = static_cast<std::size_t>(closing.quote - begin);
        at_ += size + 1;
        return has_slashes({begin, size}) ? Look::curated : Look::dumped;
    }

    bool continues_after_end() {
        auto at = at_;
        while (at < bytes_.size() && bytes_[at] != '\n') at += bytes_[at] == '\\' ? 2 : 1;
        return at >= bytes_.size();
    }

    bool take(std::string_view text) {
        if (!rest().starts_with(text)) return false;
        at_ += text.size();
        return true;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

// Judges paragraph by paragraph. The first object with content must be one that a dump may hold.
// After it, damage is damage of a dump, which its reader refuses, and only signs of a curator
// count.
class Head {
   public:
    // The last line of a full head may be cut.
    explicit Head(std::string_view bytes)
        : words_(bytes.size() < head_size ? bytes : bytes.substr(0, bytes.rfind('\n') + 1)) {}

    bool is_dumped() {
        while (!words_.rest().empty()) {
            const auto line = words_.line();
            if (line.starts_with(" // Class ")) return true;
            if (line.empty() || line.starts_with("//") || line.starts_with(" //")) {
                words_.skip_line();
                continue;
            }
            const auto found = paragraph();
            if (found == Look::stamped || found == Look::cut) return true;
            if (found == Look::curated) return false;
        }
        return true;
    }

   private:
    Look paragraph() {
        std::string_view class_name;
        const auto found = words_.header(class_name);
        const auto form = form_of(class_name);
        const bool is_first = !std::exchange(has_objects_, true);
        // A stamp decides, whatever else the header holds. That of an array may be pasted text.
        if (found == Look::stamped && (is_first || form == Form::tree)) return found;
        if (found == Look::curated || found == Look::cut) return found;
        if (found == Look::broken && !has_content_) return Look::curated;
        words_.skip_line();
        if (form == Form::tree) return lines();
        skip_array(form);
        return Look::dumped;
    }

    void skip_array(Form form) {
        while (!words_.rest().empty()) {
            const auto line = words_.line();
            words_.skip_line();
            if (form == Form::long_text ? line == long_text_end : line.empty()) return;
        }
    }

    // Reads up to a blank line.
    Look lines() {
        if (words_.at_blank_line()) return Look::dumped;
        const bool is_first = !std::exchange(has_content_, true);
        bool has_tab = false;
        while (!words_.at_blank_line()) {
            const auto found = words_.cells(has_tab);
            if (found == Look::curated) return found;
            if (found == Look::broken && is_first) return Look::curated;
            // The dumper writes a TAB after each line's tag; curators seldom write one.
            if (found == Look::cut) return is_first && !has_tab ? Look::curated : found;
            words_.skip_line();
        }
        return is_first && !has_tab ? Look::curated : Look::dumped;
    }

    HeadWords words_;
    bool has_objects_ = false;
    bool has_content_ = false;  // there was an object with lines
};

}  // namespace

bool is_dumped(std::string_view head) { return Head(head.substr(0, head_size)).is_dumped(); }

bool is_unstamped(std::string_view head) {
    // Each object with content has a line with a TAB after its first tag.
    const bool has_content = head.find('\t') != std::string_view::npos;
    return has_content && head.find(" -O \"") == std::string_view::npos;
}

}  // namespace source::import
