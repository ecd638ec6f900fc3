// SPDX-License-Identifier: MIT
#include <cstdio>

#include "app/commands.hpp"
#include "base/text.hpp"

namespace app {
namespace {

// The page for people has an address of its own; the formats of a feed share one.
::serve::Request request_for(const ObjectWords& object, const std::string& format) {
    ::serve::Request request;
    request.path = format == "html" ? "/history" : "/rss";
    request.query = "class=" + base::percent_encode(object.class_name) +
                    "&name=" + base::percent_encode(object.name);
    if (format != "html" && format != "rss") request.query += "&format=" + format;
    return request;
}

}  // namespace

int feed(const Config& config, const ObjectWords& object, const std::string& format) {
    auto rooms = open_rooms(config);
    if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
    rooms->current->look();
    const auto site = open_site(*rooms, Asker::operator_of_it);
    auto request = request_for(object, format);
    auto response = site->answer(request);
    // Spelled otherwise: what the server would send after the redirection.
    if (response.status == 301) {
        const auto location = std::string(response.field("Location"));
        request.query = location.substr(location.find('?') + 1);
        response = site->answer(request);
    }
    if (response.status != 200)
        return complain(response.body ? base::trim(*response.body) : "no answer", failed);
    std::fwrite(response.body->data(), 1, response.body->size(), stdout);
    return std::fflush(stdout) == 0 ? ok : complain("can't write the feed", failed);
}

}  // namespace app
