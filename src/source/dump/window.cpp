// SPDX-License-Identifier: MIT
#include "source/dump/window.hpp"

#include <cstring>

namespace source::dump {

base::Result<void> Window::fill() {
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

}  // namespace source::dump
