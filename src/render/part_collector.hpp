// render/part_collector.hpp -- divides a long list of pieces of HTML into the parts of a page, and
// keeps one of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace render {

// What one part of a page holds.
struct PartSize {
    std::size_t bytes = 0;
    std::size_t nodes = std::numeric_limits<std::size_t>::max();
};

struct PartOfPage {
    std::string html;  // whole elements; empty if there is nothing
    std::size_t part = 1;
    bool more = false;  // a part follows
};

// Collects pieces until the wanted part is full. A part that begins inside of a group repeats the
// group's beginning.
class PartCollector {
   public:
    PartCollector(const PartSize& size, std::size_t wanted) : size_(size), wanted_(wanted) {}

    // Puts the pieces that follow into an element. It is left out if there are none.
    //   end  a constant of the caller
    void begin(std::string start, std::string_view end) {
        close();
        start_ = std::move(start);
        end_ = end;
    }

    // Returns false if the wanted part is full: this piece belongs to the next one.
    //   reserved  bytes that the piece may take besides its own
    bool take(const std::string& piece, std::size_t nodes, std::size_t reserved = 0) {
        const auto needed = (open_ ? 0 : start_.size()) + piece.size() + reserved;
        const bool fits =
            bytes_ + needed + end_.size() <= size_.bytes && nodes_ + nodes <= size_.nodes;
        if (!html_.empty() && !fits) {
            if (part_ == wanted_) return false;
            html_.clear();
            nodes_ = bytes_ = 0;
            open_ = false;
            ++part_;
            return take(piece, nodes, reserved);
        }
        if (!open_) html_ += start_;
        open_ = true;
        html_ += piece;
        nodes_ += nodes;
        bytes_ += needed;
        return true;
    }

    // Puts another piece in the place of the last one, which was taken with room reserved for it. What
    // fits into the part stays the same, so that parts begin where those before them end.
    void replace_last(const std::string& piece, const std::string& other) {
        html_.resize(html_.size() - piece.size());
        html_ += other;
    }

    // The part of the last piece, which has not been left yet, becomes the wanted one.
    void want_this() { wanted_ = part_; }

    // Returns whether the last piece that was taken belongs to the wanted part.
    [[nodiscard]] bool is_in_wanted() const { return part_ == wanted_; }

    PartOfPage finish(bool more) && {
        close();
        return {std::move(html_), part_, more};
    }

   private:
    void close() {
        if (open_) html_ += end_;
        if (open_) bytes_ += end_.size();
        open_ = false;
    }

    PartSize size_;
    std::size_t wanted_, part_ = 1;
    std::size_t nodes_ = 0, bytes_ = 0;  // of the part, with what is reserved
    std::string html_, start_;
    std::string_view end_;
    bool open_ = false;
};

}  // namespace render
