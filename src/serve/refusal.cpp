// SPDX-License-Identifier: MIT
#include "serve/refusal.hpp"

#include "render/error_page.hpp"
#include "serve/negotiate.hpp"

namespace serve {

namespace {

// How long what is refused may be taken as refused. A new release may bring the object soon
// after, so a minute; what is broken or away may be back with the next request.
std::string_view cache_control_for(int status) {
    switch (status) {
        case 301: return "public, max-age=3600";
        case 404: return "public, max-age=60";
        case 500:
        case 503: return "no-store";
        default: return "public, max-age=60";
    }
}

constexpr std::string_view retry_after = "30";  // seconds

}  // namespace

Refusal refusal_of(base::Kind kind, const history::ObjectName& asked, const std::string& since) {
    const auto object = asked.class_name + " " + asked.name;
    switch (kind) {
        case base::Kind::absent:
            return {404, "There is no " + object +
                             " in the current release, and none was recorded in one before it."};
        case base::Kind::refused:
            if (since.empty()) break;
            return {400, "since=" + since + " names no release that is known here."};
        case base::Kind::unavailable:
            return {503, "The history of " + object + " can't be reached just now."};
        case base::Kind::malformed:
            return {500, object + " can't be read from the current build."};
        case base::Kind::too_large: return {500, object + " is larger than this server reads."};
        case base::Kind::conflict: break;
    }
    return {500, "The history of " + object + " can't be told."};
}

Response page_of(const Refusal& refusal, const Request& request, const render::Site& look) {
    Response response;
    response.status = refusal.status;
    response.fields = {{"Cache-Control", std::string(cache_control_for(refusal.status))},
                       {"Vary", "Accept"},
                       {"X-Content-Type-Options", "nosniff"}};
    if (refusal.status == 301) response.fields.emplace_back("Location", refusal.location);
    if (refusal.status == 405) response.fields.emplace_back("Allow", "GET, HEAD");
    if (refusal.status == 503)
        response.fields.emplace_back("Retry-After", std::string(retry_after));
    const bool html = prefers_html(request.field("accept"));
    response.fields.emplace_back("Content-Type",
                                 html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    const auto title = reason_of(refusal.status);
    response.body = std::make_shared<const std::string>(
        html ? render::error_page(refusal.status, title, refusal.text, look)
             : render::error_text(refusal.status, title, refusal.text));
    return response;
}

}  // namespace serve
