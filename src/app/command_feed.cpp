// SPDX-License-Identifier: MIT
#include <cstdio>

#include "app/commands.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"

namespace app {
namespace {

// The page for people has an address of its own; the formats of a feed share one.
::serve::Request request_for(const tree::ObjectName& object, const std::string& format) {
    ::serve::Request request;
    request.path = format == "html" ? "/history" : "/rss";
    request.query = "class=" + base::percent_encode(object.class_name) +
                    "&name=" + base::percent_encode(object.name);
    if (format != "html" && format != render::formats().front().name)
        request.query += "&format=" + format;
    return request;
}

}  // namespace

int feed(const Config& config, const tree::ObjectName& object, const std::string& format) {
    auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    look_at_build(*services->current);
    const auto site = open_site(*services, Asker::operator_of_it);
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
    return std::fflush(stdout) == 0 ? ok : complain("cannot write the feed", failed);
}

}  // namespace app
