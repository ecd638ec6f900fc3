// source/tree_scanner.hpp -- the one reader of tree objects: lines of cells, one a leaf path.
// It keeps no text: cells are views into the object's bytes, handed to a sink.
//
// Each line repeats the path of the line before, stamps included (of 190 bytes a line some 110),
// so the cells inside the common prefix are kept as they are and only the rest is read. Signing
// a whole dump is 7 % faster for it, which the goal (as fast as `openssl md5`) takes.
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
#ifdef __SSE2__
    for (; at + 16 <= most; at += 16) {
        const auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + at)),
                   y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at));
        const auto same = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
        if (same != 0xFFFF) return at + static_cast<std::size_t>(std::countr_one(same));
    }
#endif
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
    RawText text;
    RawText stamp;  // empty: none
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

    // Drops the cells of the line before that end otherwise in this one: outside the common
    // prefix, in a longer word, or with a stamp that the line before did not have.
    void keep(const char* line, std::size_t common) {
        const auto is_same = [&](std::size_t end) {
            if (end > common) return false;
            at_ = line + end;
            return ends_cell() && !stamp_follows();
        };
        while (!path_.empty() && !is_same(path_.back().end)) path_.pop_back();
        at_ = path_.empty() ? line : line + path_.back().end;
    }

    // Reads the cells of a line from at_ on, and its LF; what is wrong, or nullptr.
    const char* read_line(const char* line, Sink& sink) {
        while (more_cells()) {
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

    bool more_cells() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
        return at_ != end_ && *at_ != '\n';
    }

    const char* read_cell(RawCell& cell) {
        if (*at_ == '"') {
            cell.notation = tree::Notation::quoted;
            return read_quoted(cell.text);
        }
        if (starts_with("-C \"")) {
            at_ += 3;
            cell.notation = tree::Notation::comment;
            return read_quoted(cell.text);
        }
        return read_bare(cell.text.bytes);
    }

    const char* read_bare(std::string_view& text) {
        const char *begin = at_, *at = at_;
        while (at != end_ && *at != ' ' && *at != '\t' && *at != '\n' && *at != '"') ++at;
        at_ = at;
        text = {begin, static_cast<std::size_t>(at - begin)};
        if (!ends_cell()) return "a quote inside a bare word";
        // Options are words of two characters; `-inf` is what a float may come to.
        if (*begin == '-' && text.size() == 2 && (begin[1] < '0' || begin[1] > '9'))
            return "an option that is neither -O nor -C, or stands without its text";
        return nullptr;
    }

    // ` -O "stamp"`, where it follows; of several the last one stands, as it does in AceDB
    // (WormBase's curation of 1999 to 2006 has such cells).
    const char* read_stamp(RawCell& cell) {
        while (stamp_follows()) {
            at_ += *at_ == '\t' ? 5 : 4;
            if (const char* what = read_quoted(cell.stamp)) return what;
        }
        return nullptr;
    }

    // Behind the first tag a TAB stands in front.
    [[nodiscard]] bool stamp_follows() const {
        return starts_with(" -O \"") || starts_with("\t -O \"");
    }

    [[nodiscard]] bool ends_cell() const {
        return at_ == end_ || *at_ == ' ' || *at_ == '\t' || *at_ == '\n';
    }

    const char* read_quoted(RawText& text) {
        const auto closing = find_closing(at_ + 1, end_);
        if (closing.quote == nullptr) return "a quote is not closed";
        text = {{at_ + 1, static_cast<std::size_t>(closing.quote - at_ - 1)}, closing.escaped};
        at_ = closing.quote + 1;
        return ends_cell() ? nullptr : "no blank after a closing quote";
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
