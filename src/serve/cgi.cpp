// SPDX-License-Identifier: MIT
#include "serve/cgi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/text.hpp"
#include "serve/listener.hpp"
#include "serve/variables.hpp"

namespace serve {

namespace {

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// No route wants a body; it is read all the same, as far as it goes: a web server whose bytes
// are left unread may lose the answer with them.
void drop_body(const char* const* variables, int input) {
    constexpr std::string_view length = "CONTENT_LENGTH=";
    constexpr std::size_t most_body = 256 * 1024;
    std::size_t left = 0;
    for (; *variables != nullptr; ++variables)
        if (const std::string_view each(*variables); each.starts_with(length))
            left = static_cast<std::size_t>(std::clamp<std::int64_t>(
                base::parse_integer(each.substr(length.size())).value_or(0), 0, most_body));
    std::array<char, 8192> unused;
    while (left > 0) {
        const auto count = ::read(input, unused.data(), std::min(left, unused.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        left -= static_cast<std::size_t>(count);
    }
}

}  // namespace

bool started_as_cgi(const char* const* variables) {
    constexpr std::string_view sign = "GATEWAY_INTERFACE=";
    bool signed_so = false;
    for (; *variables != nullptr; ++variables)
        signed_so = signed_so || std::string_view(*variables).starts_with(sign);
    return signed_so && !is_listening(STDIN_FILENO);
}

bool answer_cgi(const char* const* variables, Streams streams,
                const std::function<Response(const Request&)>& answer) {
    drop_body(variables, streams.input);
    const auto response = answer(request_of(variables, "", Via::cgi));
    if (!write_all(streams.output, head_of(response))) return false;
    if (!response.body || !response.send_body) return true;
    return write_all(streams.output, *response.body);
}

}  // namespace serve
