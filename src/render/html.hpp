// render/html.hpp -- HTML that grows up to a limit and is whole at any moment: what has been
// opened can always be closed, and nothing is cut inside a tag.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace render {

class Html {
 public:
    // At most `most` bytes, end tags included.
    explicit Html(std::size_t most) : most_(most) {}

    // Appends markup that opens nothing, whole or not at all. What has been refused once is
    // full: all that comes later is refused, so that nothing is missing in the middle.
    //   returns  whether it was appended
    bool add(std::string_view markup);

    // Appends markup that leaves one element open, and keeps room for its end tag.
    //   element  its name: "li"
    //   markup   begins with its start tag: "<li>added "
    bool open(std::string_view element, std::string_view markup);

    // Ends the element opened last. Always has room.
    void close();

    [[nodiscard]] bool full() const { return full_; }
    // needs  every element closed
    [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
    [[nodiscard]] bool has_room(std::size_t bytes);

    std::size_t most_;
    std::size_t kept_ = 0;  // bytes that the end tags of what is open will take
    bool full_ = false;
    std::string text_;      // text_.size() + kept_ <= most_
    std::vector<std::string_view> open_;
};

}  // namespace render
