// source/dump/window.hpp -- the bytes of a file that a reader holds: read in order, a block at a time,
// and dropped from the front. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/file.hpp"

namespace source::dump {

class Window {
   public:
    // `file` and `name` (for errors) outlive the window.
    //   block    bytes read at once; grows when a caller drops less than half of it
    //   padding  bytes that may be read beyond the end of bytes()
    Window(const File& file, std::string_view name, std::size_t block, std::size_t padding = 0)
        : file_(file), name_(name), padding_(padding), buffer_(block + padding) {}

    // Bytes that are read and not dropped; valid until fill().
    [[nodiscard]] std::string_view bytes() const {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    [[nodiscard]] std::uint64_t offset() const { return read_ - (end_ - begin_); }  // in the file
    [[nodiscard]] bool is_end() const { return is_end_; }  // fill() found no more bytes

    //   needs  size <= bytes().size()
    void drop(std::size_t size) { begin_ += size; }

    // Goes on at another place of the file.
    void go_to(std::uint64_t offset) {
        read_ = offset;
        begin_ = end_ = 0;
        is_end_ = false;
    }

    // Reads more bytes, or notes the end of the file.
    //   error  unavailable
    [[nodiscard]] base::Result<void> fill() {
        if (begin_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        auto room = buffer_.size() - padding_;
        if (end_ > room / 2) buffer_.resize((room *= 2) + padding_);
        const auto got = file_.read_at(buffer_.data() + end_, room - end_, read_);
        if (!got) return base::fail_at(name_, got.error());
        is_end_ = *got == 0;
        end_ += *got;
        read_ += *got;
        return {};
    }

   private:
    const File& file_;
    std::string_view name_;
    std::size_t padding_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t read_ = 0;  // bytes of the file
    bool is_end_ = false;
};

}  // namespace source::dump
