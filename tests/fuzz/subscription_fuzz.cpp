// Requests of subscribers with any bytes: what is accepted is within its bounds, and what is sent because of it
// goes to the host that was accepted and breaks no field.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "hub/protocol.hpp"
#include "hub/subscription_request.hpp"

namespace {

bool is_one_line(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// Every line is a field: name=value.
std::vector<hub::RequestField> fields_in(std::string_view bytes) {
    std::vector<hub::RequestField> fields;
    for (const auto line : base::split(bytes, '\n')) {
        const auto equals = std::min(line.find('='), line.size());
        fields.push_back({std::string(line.substr(0, equals)),
                          std::string(line.substr(std::min(equals + 1, line.size())))});
    }
    return fields;
}

void check_url(const net::Url& url, const net::Url& callback) {
    require(url.scheme == callback.scheme && url.host == callback.host &&
            url.port == callback.port);
    require(is_one_line(url.text) && is_one_line(url.target));
    require(url.text.size() > net::longest_url || net::parse_url(url.text) == url);
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto request = hub::parse_subscription_request(fields_in(bytes), net::AddressGuard());
    if (!request) {
        require(is_one_line(request.error().text) && !request.error().text.empty());
        return;
    }
    require(request->lease >= hub::shortest_lease && request->lease <= hub::longest_lease);
    require(request->secret.size() <= hub::longest_secret);
    const hub::Verification verification{request->mode, request->topic.text, hub::new_challenge(),
                                         request->lease};
    check_url(hub::verification_url(request->callback, verification), request->callback);
    check_url(hub::denial_url(request->callback, request->topic.text, bytes), request->callback);
    require(is_one_line(hub::link_field("https://x.org/hub", request->topic.text)));
    if (!request->secret.empty())
        require(is_one_line(hub::signature_field(request->method, request->secret, bytes)));
}
