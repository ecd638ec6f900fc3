// SPDX-License-Identifier: MIT
#include "store/line_reader.hpp"

#include <algorithm>

namespace store {
namespace {

constexpr std::size_t first_size = std::size_t{1} << 20;

}  // namespace

LineReader::LineReader(ReadBytes read, std::size_t longest, std::size_t padding)
    : read_(std::move(read)), longest_(longest), padding_(padding),
      buffer_(first_size + padding, '\0') {}

base::Result<std::optional<std::string_view>> LineReader::next() {
    for (;;) {
        const auto here = std::string_view(buffer_).substr(0, end_);
        const std::size_t found = here.find('\n', seen_);
        const bool whole = found != std::string_view::npos || at_end_;
        const std::size_t stop = std::min(found, end_);
        if (stop - begin_ > longest_)
            return base::fail(base::Kind::too_large, "line " + std::to_string(number_ + 1) +
                                                         " has more than " +
                                                         std::to_string(longest_) + " bytes");
        if (whole) {
            if (begin_ == end_) return std::optional<std::string_view>();
            const auto line = here.substr(begin_, stop - begin_);
            begin_ = seen_ = std::min(stop + 1, end_);
            ++number_;
            return std::optional(line);
        }
        seen_ = end_;
        if (const auto more = read_more(); !more) return tl::unexpected(more.error());
    }
}

// The line begun moves to the front, and the buffer grows when that leaves too little.
void LineReader::make_room() {
    if (begin_ > 0) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        end_ -= begin_;
        seen_ -= begin_;
        begin_ = 0;
    }
    if (end_ > buffer_.size() / 2) buffer_.resize(buffer_.size() * 2);
}

base::Result<void> LineReader::read_more() {
    make_room();
    const auto got = read_(std::span(buffer_).subspan(end_, buffer_.size() - padding_ - end_));
    if (!got) return tl::unexpected(got.error());
    at_end_ = *got == 0;
    end_ += *got;
    return {};
}

}  // namespace store
