// SPDX-License-Identifier: MIT
#include "serve/cgi.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

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

}  // namespace

bool started_as_cgi(const char* const* variables) {
    constexpr std::string_view sign = "GATEWAY_INTERFACE=";
    bool signed_so = false;
    for (; *variables != nullptr; ++variables)
        signed_so = signed_so || std::string_view(*variables).starts_with(sign);
    return signed_so && !is_listening(STDIN_FILENO);
}

bool answer_cgi(const char* const* variables, int output,
                const std::function<Response(const Request&)>& answer) {
    const auto response = answer(request_of(variables, "", Via::cgi));
    if (!write_all(output, head_of(response))) return false;
    if (!response.body || !response.send_body) return true;
    return write_all(output, *response.body);
}

}  // namespace serve
