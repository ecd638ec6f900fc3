// source/xxh3.hpp -- XXH3 of bytes that come piece by piece.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <new>
#include <string_view>
#include <xxhash.h>

namespace source {

class Xxh3 {
   public:
    Xxh3() : state_(XXH3_createState()) {
        if (state_ == nullptr) throw std::bad_alloc();
        XXH3_128bits_reset(state_.get());
    }
    void add(std::string_view bytes) {
        XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
    }
    [[nodiscard]] XXH128_hash_t digest() const { return XXH3_128bits_digest(state_.get()); }

   private:
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace source
