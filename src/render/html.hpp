// render/html.hpp -- HTML that grows up to a limit and is whole at any moment: what has been
// opened can always be closed, and nothing is cut inside a tag.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace render {

class Html {
   public:
    // At most `most` bytes, end tags included.
    explicit Html(std::size_t most) : most_(most) { text_.reserve(2'000); }

    // Appends markup that opens nothing, whole or not at all. What has been refused once is
    // full: all that comes later is refused, so that nothing is missing in the middle.
    //   append   void(std::string&): appends the markup, and only appends
    //   returns  whether it stays
    template <std::invocable<std::string&> Append>
    bool add(Append append) {
        return add_above(kept_, append);
    }
    bool add(std::string_view markup) {
        return add([markup](std::string& text) { text += markup; });
    }

    // Appends markup that leaves one element open, and keeps room for its end tag.
    //   element  its name: "li"; a constant, no copy is made
    //   append   begins with the start tag: "<li>added "
    template <std::invocable<std::string&> Append>
    bool open(std::string_view element, Append append) {
        const auto kept = kept_ + end_tag_size(element);
        if (!add_above(kept, append)) return false;
        kept_ = kept;
        open_.push_back(element);
        return true;
    }
    bool open(std::string_view element, std::string_view markup) {
        return open(element, [markup](std::string& text) { text += markup; });
    }

    // Ends the element opened last. Always has room.
    void close();

    [[nodiscard]] bool full() const { return full_; }
    // needs  every element closed
    [[nodiscard]] std::string take() && { return std::move(text_); }

   private:
    static constexpr std::size_t end_tag_size(std::string_view element) {
        return element.size() + 3;
    }

    // Written in place and taken back when it was too much: no copy of each small piece.
    template <std::invocable<std::string&> Append>
    bool add_above(std::size_t kept, Append append) {
        if (full_) return false;
        const auto from = text_.size();
        append(text_);
        full_ = text_.size() + kept > most_;
        if (full_) text_.resize(from);
        return !full_;
    }

    std::size_t most_;
    std::size_t kept_ = 0;  // bytes that the end tags of what is open will take
    bool full_ = false;
    std::string text_;  // text_.size() + kept_ <= most_
    std::vector<std::string_view> open_;
};

}  // namespace render
