// SPDX-License-Identifier: MIT
#include "serve/gate.hpp"

#include <openssl/evp.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"

namespace serve {

namespace {

constexpr std::size_t longest_token = 512;

// The bytes meant by base64 (RFC 4648 section 4, padding needed); empty when it is none.
std::string decode_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > 2 * longest_token) return {};
    std::string bytes(text.size() / 4 * 3, '\0');
    const int count = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                        reinterpret_cast<const unsigned char*>(text.data()),
                                        static_cast<int>(text.size()));
    if (count < 0) return {};
    // Padding is decoded as zeros.
    bytes.resize(static_cast<std::size_t>(count));
    for (auto end = text; end.ends_with('=') && !bytes.empty(); end.remove_suffix(1))
        bytes.pop_back();
    return bytes;
}

void set_field(Response& response, std::string_view name, std::string value) {
    const auto field = std::find_if(response.fields.begin(), response.fields.end(),
                                    [&](const auto& each) { return each.first == name; });
    if (field == response.fields.end())
        response.fields.emplace_back(name, std::move(value));
    else
        field->second = std::move(value);
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

std::optional<Refusal> stop_at_gate(const OperatorDesk& desk, const Request& request,
                                    const std::vector<std::string>& of_query) {
    auto tokens = of_query;
    tokens.push_back(token_in(request.field("authorization")));
    // Whoever sends many of them is guessing.
    if (tokens.size() > 2) tokens.clear();
    for (const auto& token : tokens) {
        if (token.empty() || token.size() > longest_token) continue;
        const auto holder = desk.token_holder(token);
        if (!holder) {
            base::log::warning("token not looked up", {{"why", holder.error().text}});
            return Refusal{503, "Who may read this site can't be looked up just now."};
        }
        if (*holder) return std::nullopt;
    }
    return Refusal{401, "This site is private: it takes a token of yours, as ?token= behind the"
                        " address of a feed, or as the password that a browser asks for."};
}

void make_private(Response& response, const std::vector<std::string>& of_query) {
    set_field(response, "Cache-Control",
              response.status == 226 ? "private, no-store, im" : "private, no-store");
    set_field(response, "Referrer-Policy", "no-referrer");
    if (response.status != 301 || of_query.empty()) return;
    std::string location(response.field("Location"));
    location += location.find('?') == std::string::npos ? "?token=" : "&token=";
    set_field(response, "Location", location + base::percent_encode(of_query.front()));
}

}  // namespace serve
