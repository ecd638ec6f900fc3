// base/compress.hpp -- compression with zstd.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace base {

// Returns the bytes of a dictionary for texts that are like these samples: what they have in common is stored
// once (RFC 8878 section 5).
//   returns  at most 16 KB with an id that is a digest of the samples; empty when the samples have less than
//            1 KB together
//   cost     0.5 ms for 200 samples of 1 KB; more than 200 are not looked at
[[nodiscard]] std::string make_dictionary(std::span<const std::string> samples);

// Returns the id of a dictionary; 0: the bytes are none.
[[nodiscard]] std::uint32_t id_of_dictionary(std::string_view dictionary);

// Returns the id of the dictionary that a frame was compressed with; 0: it needs none, or is no frame.
[[nodiscard]] std::uint32_t dictionary_of_frame(std::string_view frame);

// A dictionary as compress() wants it. Making one takes 25 us.
class CompressionDictionary {
   public:
    //   error  malformed: the bytes are no dictionary
    [[nodiscard]] static Result<CompressionDictionary> make(std::string_view dictionary);

   private:
    friend std::string compress(std::string_view, const CompressionDictionary*);
    struct Free {
        void operator()(ZSTD_CDict_s* tables) const noexcept;
    };
    explicit CompressionDictionary(ZSTD_CDict_s* tables) : tables_(tables) {}
    std::unique_ptr<ZSTD_CDict_s, Free> tables_;
};

// A dictionary as decompress() wants it. Making one takes 8 us.
class DecompressionDictionary {
   public:
    //   error  malformed: the bytes are no dictionary
    [[nodiscard]] static Result<DecompressionDictionary> make(std::string_view dictionary);

   private:
    friend Result<std::string> decompress(std::string_view, std::size_t,
                                          const DecompressionDictionary*);
    struct Free {
        void operator()(ZSTD_DDict_s* tables) const noexcept;
    };
    explicit DecompressionDictionary(ZSTD_DDict_s* tables) : tables_(tables) {}
    std::unique_ptr<ZSTD_DDict_s, Free> tables_;
};

// Returns one zstd frame that states the size of its content (RFC 8878 section 3.1.1.1.4).
//   dictionary  nullptr: none
//   throws      std::runtime_error when zstd has no memory
[[nodiscard]] std::string compress(std::string_view bytes,
                                   const CompressionDictionary* dictionary = nullptr);

// Returns the content of such a frame.
//   dictionary  that of the frame; nullptr: it has none
//   error       malformed; too_large when the content is, or claims to be, above `most` bytes
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::size_t most,
                                             const DecompressionDictionary* dictionary = nullptr);

}  // namespace base
