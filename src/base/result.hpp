// base/result.hpp -- a value, or the reason why there is none.
// Pure. Only value(), error(), operator bool and value_or() are used of tl::expected, so that
// std::expected can take its place when the compiler has it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace base {

// What a caller has to decide on. serve/ maps each kind to one HTTP status.
enum class Kind {
    absent,       // asked for something that is not there
    malformed,    // bytes or words that break their format's rules
    unavailable,  // a file, server or store that can't be reached now; may work later
    conflict,     // somebody else was first, or two truths stand against each other
    too_large,    // above a limit on size or depth
    refused,      // well-formed, and against a rule of ours (acceptance, configuration)
};

struct Error {
    Kind kind;
    std::string text;  // one sentence for people, with the place: file, line, object
    bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

// The failing side of any Result<T>.
[[nodiscard]] inline tl::unexpected<Error> fail(Kind kind, std::string text) {
    return tl::unexpected<Error>(Error{kind, std::move(text)});
}

// The same error with the place it came through in front: "place: text".
[[nodiscard]] inline tl::unexpected<Error> fail_at(std::string_view place, const Error& error) {
    return fail(error.kind, std::string(place) + ": " + error.text);
}

}  // namespace base
