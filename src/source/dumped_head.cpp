// is_dumped(): tells AceDB's own files from those that people write.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "source/ace_text.hpp"
#include "source/hand_written.hpp"

namespace source {
namespace {

constexpr std::size_t whole_head = std::size_t{64} << 10;

constexpr bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Goes through the head from line to line.
class Head {
   public:
    explicit Head(std::string_view bytes) : bytes_(bytes) {
        // The last line may be cut.
        if (bytes.size() >= whole_head) bytes_ = bytes.substr(0, bytes.rfind('\n') + 1);
    }

    bool is_dumped() {
        for (; at_ < bytes_.size();) {
            const auto line = rest().substr(0, rest().find('\n'));
            if (line.starts_with(" // Class ")) return true;
            if (line.empty() || line.starts_with("//") || line.starts_with(" //")) {
                skip_line();
                continue;
            }
            if (!take_header()) return false;
            if (form_ != Form::tree)
                skip_array();
            else if (at_ < bytes_.size() && bytes_[at_] != '\n')
                return are_lines();
        }
        return true;
    }

   private:
    [[nodiscard]] std::string_view rest() const { return bytes_.substr(at_); }

    void skip_line() { at_ = std::min(bytes_.find('\n', at_), bytes_.size() - 1) + 1; }

    void skip_array() {
        while (at_ < bytes_.size()) {
            const auto line = rest().substr(0, rest().find('\n'));
            skip_line();
            if (form_ == Form::long_text ? line == long_text_end : line.empty()) return;
        }
    }

    // `Class : "name"`, and a stamp.
    bool take_header() {
        const auto word = take_word();
        form_ = form_of(word);
        if (word.empty() || !take(" : \"") || !take_quoted()) return false;
        if (take(" -O \"") && !take_quoted()) return false;
        return take("\n") || at_ == bytes_.size();
    }

    // Up to a blank line: `Tag` TAB, and each cell behind one blank.
    bool are_lines() {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') {
            if (take_word().empty() || !take("\t")) return false;
            while (take(" "))
                if (!take_cell()) return false;
            if (at_ < bytes_.size() && !take("\n")) return false;
        }
        return true;
    }

    // Of a class or tag, which begin with a letter or digit; empty: there is none.
    std::string_view take_word() {
        const auto end = std::min(rest().find_first_of(" \t\n\""), rest().size());
        const auto word = rest().substr(0, end);
        if (word.empty() || !is_letter_or_digit(word.front())) return {};
        at_ += end;
        return word;
    }

    bool take_cell() {
        if (take("-O \"") || take("-C \"") || take("\"")) return take_quoted();
        const auto end = std::min(rest().find_first_of(" \t\n\""), rest().size());
        at_ += end;
        return end > 0 && (at_ == bytes_.size() || bytes_[at_] == ' ' || bytes_[at_] == '\n');
    }

    bool take_quoted() {
        const char* begin = bytes_.data() + at_;
        const auto closing = find_closing(begin, bytes_.data() + bytes_.size());
        if (closing.quote == nullptr) return goes_on_behind_end();
        at_ += static_cast<std::size_t>(closing.quote - begin) + 1;
        return true;
    }

    // A text whose end is not in the head, or not in the file: then it is a dump cut off, which
    // must be refused rather than loaded.
    bool goes_on_behind_end() {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') at_ += bytes_[at_] == '\\' ? 2 : 1;
        if (at_ < bytes_.size()) return false;
        at_ = bytes_.size();
        return true;
    }

    bool take(std::string_view text) {
        if (!rest().starts_with(text)) return false;
        at_ += text.size();
        return true;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    Form form_ = Form::tree;
};

}  // namespace

bool is_dumped(std::string_view head) { return Head(head).is_dumped(); }

}  // namespace source
