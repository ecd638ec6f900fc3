// base/digest.hpp -- MD5, SHA-256 and base64 of bytes, by OpenSSL.
// Safe from any thread; one digest object belongs to one thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace base {

enum class Algorithm { md5, sha256 };

// Computes the digest of bytes that come in pieces. Reusable: raw() and hex() return the digest and
// start over.
//   throws  std::runtime_error when OpenSSL refuses (a FIPS-only library has no MD5)
class Digest {
   public:
    explicit Digest(Algorithm algorithm);
    ~Digest();
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;

    void update(std::string_view bytes);
    [[nodiscard]] std::string raw();  // 16 or 32 bytes
    [[nodiscard]] std::string hex();  // 32 or 64 lower-case digits

   private:
    struct State;
    std::unique_ptr<State> state_;
};

[[nodiscard]] std::string md5_hex(std::string_view bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(std::string_view bytes);

// Appends bytes in base64 (RFC 4648 section 4), padded, on one line.
void append_base64(std::string& out, std::string_view bytes);
// Returns the bytes that append_base64() wrote so; nullopt for any other text.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace base
