// source/tree_scanner.hpp -- the one reader of tree objects: lines of cells, one a leaf path.
// It keeps no text: cells are views into the object's bytes, handed to a sink.
//
// Each line repeats the path of the line before, stamps included (of 150 bytes a line about
// 110), so the cells inside the common prefix are kept as they are and only the rest is read.
// Measured on the bench's dump: 2.4 times as fast as reading each line whole.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "source/ace_text.hpp"
#include "tree/object.hpp"

namespace source {

// Bytes that `a` and `b` have in common at their start, at most `most`.
[[nodiscard]] inline std::size_t common_prefix(const char* a, const char* b, std::size_t most) {
    std::size_t at = 0;
    for (; at + 8 <= most; at += 8) {
        const auto differs = load_word(a + at) ^ load_word(b + at);
        if (differs != 0) return at + static_cast<std::size_t>(std::countr_zero(differs)) / 8;
    }
    while (at < most && a[at] == b[at]) ++at;
    return at;
}

// A cell as it stands in the bytes.
struct RawCell {
    tree::Notation notation = tree::Notation::bare;
    bool escaped = false;    // text holds a backslash: unescape() it
    std::string_view text;   // between the quotes, or the bare word
    std::string_view stamp;  // between the quotes; empty: none
};

// Sink: has a type Place, cheap to copy; root() gives the place of the object itself;
// add(parent, cell) takes a cell below `parent` and gives its place. The same cell may come
// again, also directly after itself.
template <class Sink>
class TreeScanner {
   public:
    // Reads the lines below the header.
    //   body  lines of one object, no blank ones; views in cells point into it
    std::optional<Fault> scan(std::string_view body, Sink& sink) {
        begin_ = at_ = body.data();
        end_ = begin_ + body.size();
        path_.clear();
        std::size_t previous = 0;  // bytes of the line before
        while (at_ != end_) {
            const char* line = at_;
            keep(line, common_prefix(line - previous, line, most(previous)));
            if (const char* what = read_line(line, sink)) return fault(what);
            previous = static_cast<std::size_t>(at_ - line);
        }
        return std::nullopt;
    }

   private:
    struct Step {
        std::size_t end;  // of the cell with its stamp, counted from the start of the line
        typename Sink::Place place;
    };

    [[nodiscard]] std::size_t most(std::size_t previous) const {
        return std::min(previous, static_cast<std::size_t>(end_ - at_));
    }

    // Drops the cells of the line before that may end otherwise in this one. A cell is the
    // same when the prefix goes on to the cell after it: past a `-`, which may begin its stamp.
    void keep(const char* line, std::size_t common) {
        const auto is_same = [&](std::size_t end) {
            std::size_t next = end;
            while (next < common && (line[next] == ' ' || line[next] == '\t')) ++next;
            return next > end && next < common && (line[next] != '-' || next + 2 < common);
        };
        while (!path_.empty() && !is_same(path_.back().end)) path_.pop_back();
        if (!path_.empty()) at_ = line + path_.back().end;
    }

    // Reads the cells of a line from at_ on, and its LF; what is wrong, or nullptr.
    const char* read_line(const char* line, Sink& sink) {
        for (;;) {
            while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
            if (at_ == end_ || *at_ == '\n') break;
            if (path_.size() == tree::deepest_node) return too_deep;
            RawCell cell;
            if (const char* what = read_cell(cell)) return what;
            if (const char* what = read_stamp(cell)) return what;
            const auto parent = path_.empty() ? sink.root() : path_.back().place;
            const auto place = sink.add(parent, cell);
            path_.push_back({static_cast<std::size_t>(at_ - line), place});
        }
        if (path_.empty()) return "a blank line inside an object";
        if (at_ != end_) ++at_;
        return nullptr;
    }

    const char* read_cell(RawCell& cell) {
        if (*at_ == '"') {
            cell.notation = tree::Notation::quoted;
            return read_quoted(cell.text, cell.escaped);
        }
        if (starts_with("-C \"")) {
            at_ += 3;
            cell.notation = tree::Notation::comment;
            return read_quoted(cell.text, cell.escaped);
        }
        const char* begin = at_;
        while (at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\n') ++at_;
        cell.text = {begin, static_cast<std::size_t>(at_ - begin)};
        // Options are words of two characters; `-inf` is what a float may come to.
        if (*begin == '-' && cell.text.size() == 2 && !(begin[1] >= '0' && begin[1] <= '9'))
            return "an option that is neither -O nor -C, or stands without its text";
        if (cell.text.find('"') != std::string_view::npos) return "a quote inside a bare word";
        return nullptr;
    }

    // `-O "stamp"`, where it follows; of several the last one stands, as it does in AceDB
    // (WormBase's curation of 1999 to 2006 has such cells).
    const char* read_stamp(RawCell& cell) {
        for (;;) {
            const char* cell_end = at_;
            if (at_ != end_ && *at_ == '\t') ++at_;  // after the first tag
            if (!starts_with(" -O \"")) {
                at_ = cell_end;
                return nullptr;
            }
            at_ += 4;
            bool escaped = false;
            if (const char* what = read_quoted(cell.stamp, escaped)) return what;
        }
    }

    const char* read_quoted(std::string_view& text, bool& escaped) {
        const auto closing = find_closing(at_ + 1, end_);
        if (closing.quote == nullptr) return "a quote is not closed";
        text = {at_ + 1, static_cast<std::size_t>(closing.quote - at_ - 1)};
        escaped = closing.escaped;
        at_ = closing.quote + 1;
        if (at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\n')
            return "no blank after a closing quote";
        return nullptr;
    }

    [[nodiscard]] bool starts_with(std::string_view word) const {
        return static_cast<std::size_t>(end_ - at_) >= word.size() &&
               std::memcmp(at_, word.data(), word.size()) == 0;
    }

    [[nodiscard]] Fault fault(const char* what) const {
        return {what == too_deep ? base::Kind::too_large : base::Kind::malformed,
                static_cast<std::size_t>(at_ - begin_), what};
    }

    static constexpr const char* too_deep = "nodes nest deeper than 2000 levels";

    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::vector<Step> path_;  // cells of the line so far
};

}  // namespace source
