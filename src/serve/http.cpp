// SPDX-License-Identifier: MIT
#include "serve/http.hpp"

#include <algorithm>
#include <microhttpd.h>

namespace serve {

std::pair<std::string_view, std::string_view> halves_of(std::string_view text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

std::string_view Request::field(std::string_view name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Response::field(std::string_view name) const {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& field) { return field.first == name; });
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

void Response::set_field(std::string_view name, std::string value) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& field) { return field.first == name; });
    if (found == fields.end())
        fields.emplace_back(name, std::move(value));
    else
        found->second = std::move(value);
}

HttpError body_too_long() {
    return {413, "The request is longer than " + std::to_string(longest_body / 1024) +
                     " KB. Send it in several parts."};
}

std::string_view reason_phrase(int status) {
    return MHD_get_reason_phrase_for(static_cast<unsigned>(status));
}

std::string head_of(const Response& response) {
    std::string head;
    head.reserve(512);
    head.append("Status: ").append(std::to_string(response.status)).append(" ");
    head.append(reason_phrase(response.status)).append("\r\n");
    for (const auto& [name, value] : response.fields)
        head.append(name).append(": ").append(value).append("\r\n");
    if (response.body && response.status != 304) {
        head.append("Content-Length: ").append(std::to_string(response.body->size()));
        head.append("\r\n");
    }
    return head.append("\r\n");
}

}  // namespace serve
