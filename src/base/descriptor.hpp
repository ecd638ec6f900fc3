// base/descriptor.hpp -- a file descriptor that closes itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>
#include <utility>

namespace base {

// Owns a file descriptor and closes it. -1: none.
class Descriptor {
   public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

   private:
    int number_ = -1;
};

}  // namespace base
