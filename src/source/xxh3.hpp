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
    enum class Width { bits64, bits128 };
    explicit Xxh3(Width width = Width::bits128) : width_(width), state_(XXH3_createState()) {
        if (state_ == nullptr) throw std::bad_alloc();
        if (width_ == Width::bits64)
            XXH3_64bits_reset(state_.get());
        else
            XXH3_128bits_reset(state_.get());
    }
    void add(std::string_view bytes) {
        if (width_ == Width::bits64)
            XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
        else
            XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
    }
    [[nodiscard]] XXH64_hash_t digest64() const { return XXH3_64bits_digest(state_.get()); }
    [[nodiscard]] XXH128_hash_t digest128() const { return XXH3_128bits_digest(state_.get()); }

   private:
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    Width width_;
    std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace source
