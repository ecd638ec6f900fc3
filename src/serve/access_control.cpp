// SPDX-License-Identifier: MIT
#include "serve/access_control.hpp"

#include <openssl/evp.h>

#include "base/log.hpp"
#include "base/text.hpp"

namespace serve {

namespace {

constexpr std::size_t longest_token = 512;

// Decodes base64 (RFC 4648 section 4, with padding); empty when it is invalid.
std::string decode_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > 2 * longest_token) return {};
    std::string bytes(text.size() / 4 * 3, '\0');
    const int count = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                        reinterpret_cast<const unsigned char*>(text.data()),
                                        static_cast<int>(text.size()));
    if (count < 0) return {};
    // EVP_DecodeBlock decodes padding as zeros.
    bytes.resize(static_cast<std::size_t>(count));
    for (auto end = text; end.ends_with('=') && !bytes.empty(); end.remove_suffix(1))
        bytes.pop_back();
    return bytes;
}

}  // namespace

std::string token_in(std::string_view authorization) {
    const auto blank = authorization.find(' ');
    if (blank == std::string_view::npos) return {};
    const auto scheme = authorization.substr(0, blank);
    const auto credentials = base::trim(authorization.substr(blank));
    if (base::equal_ignoring_case(scheme, "Bearer")) return std::string(credentials);
    if (!base::equal_ignoring_case(scheme, "Basic")) return {};
    const auto user_and_password = decode_base64(credentials);
    const auto colon = user_and_password.find(':');
    return colon == std::string::npos ? std::string() : user_and_password.substr(colon + 1);
}

std::optional<HttpError> check_token(TokenHolders& holders, const Request& request,
                                     const std::vector<std::string>& query_tokens) {
    auto tokens = query_tokens;
    tokens.push_back(token_in(request.field("authorization")));
    // A client that sends many tokens is guessing.
    if (tokens.size() > 2) tokens.clear();
    for (const auto& token : tokens) {
        if (token.empty() || token.size() > longest_token) continue;
        const auto holder = holders.holder_of(token);
        if (!holder) {
            base::log::warning("token lookup failed", {{"reason", holder.error().text}});
            return HttpError{
                503, "Your token cannot be checked right now. Please try again in a minute."};
        }
        if (*holder) return std::nullopt;
    }
    return HttpError{401,
                     "This site is private and needs a token. Add ?token=… to the URL of a feed, "
                     "or enter the token as the password when your browser asks."};
}

void mark_private(Response& response, const std::vector<std::string>& query_tokens) {
    response.set_field("Cache-Control",
                       response.status == 226 ? "private, no-store, im" : "private, no-store");
    response.set_field("Referrer-Policy", "no-referrer");
    if (response.status != 301 || query_tokens.empty()) return;
    std::string location(response.field("Location"));
    location += location.find('?') == std::string::npos ? "?token=" : "&token=";
    response.set_field("Location", location + base::percent_encode(query_tokens.front()));
}

}  // namespace serve
