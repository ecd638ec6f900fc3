// is_dumped(): tells AceDB's own files from those that people write.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "source/ace_text.hpp"
#include "source/import/curated_files.hpp"

namespace source::import {
namespace {

constexpr std::size_t whole_head = std::size_t{64} << 10;

// What a header or line is: `broken` is what the dump's readers refuse, `cut` a text whose end
// is not in the head, or not in the file.
enum class Written { dumped, stamped, by_hand, broken, cut };

// Words that stand in no dump where a word begins.
bool is_of_hand(std::string_view word) {
    return word == "-D" || word == "-R" || word == "-A" || word.starts_with("//");
}

// Options are words of two characters (as in TreeScanner).
bool is_option(std::string_view word) {
    return word.size() == 2 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
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

// Goes through headers and lines from left to right, by the rules of HeaderReader and
// TreeScanner, and looks for what they would take though people wrote it.
class HeadReader {
   public:
    explicit HeadReader(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] std::string_view rest() const { return bytes_.substr(at_); }
    [[nodiscard]] std::string_view line() const { return rest().substr(0, rest().find('\n')); }
    [[nodiscard]] bool at_blank_line() const { return rest().empty() || rest()[0] == '\n'; }

    void skip_line() { at_ = std::min(bytes_.find('\n', at_), bytes_.size() - 1) + 1; }

    // `Class : "name"`, and a stamp; stands at the end of the line then.
    Written header(std::string_view& class_name) {
        if (begins_by_hand()) return Written::by_hand;
        class_name = word();
        const bool has_tab = gap().starts_with('\t');
        // A line that lost its header is no header by hand.
        if (!take(":")) return has_tab ? Written::broken : Written::by_hand;
        if (gap().empty() || !take("\"")) return Written::by_hand;
        const auto name = quoted();
        if (name == Written::broken || name == Written::cut) return name;
        gap();
        if (take("-O \"")) return Written::stamped;
        if (take("-O ") && !word().empty()) return Written::by_hand;
        gap();
        if (at_blank_line()) return name;
        return rest().starts_with("//") ? Written::by_hand : Written::broken;
    }

    // A tag and cells.
    //   has_tab  set when a TAB stands behind the tag
    Written cells(bool& has_tab) {
        if (begins_by_hand() || is_of_hand(word())) return Written::by_hand;
        for (bool is_first = true;; is_first = false) {
            const auto between = gap();
            has_tab = has_tab || (is_first && between.starts_with('\t'));
            if (at_blank_line()) return Written::dumped;
            if (between.empty()) return Written::broken;
            // AcePerl's asAce has nothing but TABs between cells.
            if (between.find(' ') == between.npos) return Written::by_hand;
            if (const auto found = cell(); found != Written::dumped) return found;
        }
    }

   private:
    [[nodiscard]] bool begins_by_hand() const {
        constexpr std::string_view first = "!@\" \t";
        return rest().empty() || first.find(rest()[0]) != first.npos || is_of_hand(next_word());
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

    Written cell() {
        if (take("-O \"") || take("-C \"") || take("\"")) return quoted();
        const auto found = word();
        if (is_of_hand(found)) return Written::by_hand;
        return is_option(found) ? Written::broken : Written::dumped;
    }

    // Behind the opening quote.
    Written quoted() {
        const char* begin = bytes_.data() + at_;
        const auto closing = find_closing(begin, bytes_.data() + bytes_.size());
        if (closing.quote == nullptr)
            return goes_on_behind_end() ? Written::cut : Written::broken;
        const auto size = static_cast<std::size_t>(closing.quote - begin);
        at_ += size + 1;
        return has_slashes({begin, size}) ? Written::by_hand : Written::dumped;
    }

    bool goes_on_behind_end() {
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

// Judges paragraph by paragraph. The first object with content has to be what a dump may hold;
// behind it damage is the dump's, to be refused, and only what people alone write is against it.
class Head {
   public:
    // The last line may be cut.
    explicit Head(std::string_view bytes)
        : words_(bytes.size() < whole_head ? bytes : bytes.substr(0, bytes.rfind('\n') + 1)) {}

    bool is_dumped() {
        while (!words_.rest().empty()) {
            const auto line = words_.line();
            if (line.starts_with(" // Class ")) return true;
            if (line.empty() || line.starts_with("//") || line.starts_with(" //")) {
                words_.skip_line();
                continue;
            }
            const auto found = paragraph();
            if (found == Written::stamped || found == Written::cut) return true;
            if (found == Written::by_hand) return false;
        }
        return true;
    }

   private:
    Written paragraph() {
        std::string_view class_name;
        const auto found = words_.header(class_name);
        const auto form = form_of(class_name);
        const bool is_first = !std::exchange(has_objects_, true);
        // A stamp decides, whatever else the header holds; one of an array may be a paste.
        if (found == Written::stamped && (is_first || form == Form::tree)) return found;
        if (found == Written::by_hand || found == Written::cut) return found;
        if (found == Written::broken && !has_content_) return Written::by_hand;
        words_.skip_line();
        if (form == Form::tree) return lines();
        skip_array(form);
        return Written::dumped;
    }

    void skip_array(Form form) {
        while (!words_.rest().empty()) {
            const auto line = words_.line();
            words_.skip_line();
            if (form == Form::long_text ? line == long_text_end : line.empty()) return;
        }
    }

    // Up to a blank line.
    Written lines() {
        if (words_.at_blank_line()) return Written::dumped;
        const bool is_first = !std::exchange(has_content_, true);
        bool has_tab = false;
        while (!words_.at_blank_line()) {
            const auto found = words_.cells(has_tab);
            if (found == Written::by_hand) return found;
            if (found == Written::broken && is_first) return Written::by_hand;
            // The dumper writes a TAB behind each line's tag; people seldom write one.
            if (found == Written::cut) return is_first && !has_tab ? Written::by_hand : found;
            words_.skip_line();
        }
        return is_first && !has_tab ? Written::by_hand : Written::dumped;
    }

    HeadReader words_;
    bool has_objects_ = false;
    bool has_content_ = false;  // an object with lines was there
};

}  // namespace

bool is_dumped(std::string_view head) { return Head(head).is_dumped(); }

}  // namespace source::import
