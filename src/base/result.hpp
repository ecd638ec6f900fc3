// base/result.hpp -- a value, or the reason why there is none.
// Pure. The code uses only those members of tl::expected that std::expected has too, which can
// replace it once the compiler offers it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace base {

// What a caller decides on. serve/ maps each kind to one HTTP status.
enum class ErrorKind {
    absent,       // the requested thing does not exist
    malformed,    // bytes or words that violate their format
    unavailable,  // a file, server or store cannot be reached now; may work later
    conflict,     // somebody else was first, or two sources contradict each other
    too_large,    // above a limit on size or depth
    refused,      // well-formed, but against a rule (acceptance, configuration)
};

struct Error {
    ErrorKind kind;
    std::string text;  // one sentence for people, with file, line or object
    bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

// Returns the error side of any Result<T>.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorKind kind, std::string text) {
    return tl::unexpected<Error>(Error{kind, std::move(text)});
}

// Returns the same error with "place: " before its text.
[[nodiscard]] inline tl::unexpected<Error> fail_at(std::string_view place, const Error& error) {
    return fail(error.kind, std::string(place) + ": " + error.text);
}

}  // namespace base
