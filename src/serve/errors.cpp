// SPDX-License-Identifier: MIT
#include "serve/errors.hpp"

#include "base/log.hpp"
#include "query/context.hpp"
#include "render/pages.hpp"
#include "serve/negotiation.hpp"
#include "serve/representation.hpp"

namespace serve {

namespace {

// How long caches may keep an error. A minute for most, because a new release may bring the
// object soon. Failures are not kept, because the next request may succeed; neither is an error
// that concerns one client.
std::string_view cache_control_for(int status) {
    switch (status) {
        case 301: return "public, max-age=3600";
        case 401:
        case 429:
        case 500:
        case 503: return "no-store";
        default: return "public, max-age=60";
    }
}

// A realm is a quoted string: characters that would end it, or are not ASCII, are left out.
std::string authenticate_field(const render::Site& site) {
    std::string realm;
    for (const char c : site.title)
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') realm += c;
    return "Basic realm=\"" + realm + "\", charset=\"UTF-8\"";
}

void add_status_fields(const HttpError& error, const render::Site& site, Response& response) {
    auto& fields = response.fields;
    switch (error.status) {
        case 301:
        case 302:
        case 303: fields.emplace_back("Location", site.link(error.location)); break;
        case 401: fields.emplace_back("WWW-Authenticate", authenticate_field(site)); break;
        case 405: fields.emplace_back("Allow", error.allow); break;
        case 429: fields.emplace_back("Retry-After", std::to_string(error.retry_after)); break;
        case 503: fields.emplace_back("Retry-After", std::to_string(retry_after)); break;
        default: break;
    }
}

}  // namespace

Wanted wanted_object(const tree::ObjectName& object) {
    const auto what = object.class_name + " " + object.name;
    return {what, "There is no " + what +
                      " in the current release or in any earlier one that is recorded."};
}

Wanted wanted_class(const std::string& class_name) {
    return wanted_object({"class", class_name});
}

Wanted wanted_release(const std::string& version) {
    return {"release " + version, query::no_release(version).value().text};
}

Wanted wanted_list() { return {"this list", "None of the objects in this list is known."}; }

HttpError http_error_of(const base::Error& error, const Wanted& wanted,
                        const std::string& since) {
    using base::ErrorKind;
    // A mistake of the client does not concern the operator.
    if (error.kind != ErrorKind::absent && error.kind != ErrorKind::refused)
        base::log::warning("history not available",
                           {{"object", wanted.what}, {"reason", error.text}});
    switch (error.kind) {
        case ErrorKind::absent: return {404, wanted.if_absent};
        case ErrorKind::refused:
            if (since.empty()) break;
            return {400, "since=" + since + " does not name a known release."};
        case ErrorKind::conflict:
        case ErrorKind::unavailable:
            return {503, "The history of " + wanted.what +
                             " is not available right now. Please try again in a minute."};
        case ErrorKind::malformed:
            return {503, wanted.what + " cannot be read from the current build."};
        case ErrorKind::too_large:
            return {503, wanted.what + " is too large for this server to read."};
    }
    return {500, "The history of " + wanted.what +
                     " is not available because of an error on this server."};
}

HttpError moved(const std::string& what, std::string url) {
    return {301, "This " + what + " has moved.", std::move(url)};
}

HttpError past_the_end() { return {404, "There is no such page: there are fewer than that."}; }

HttpError too_many(std::string text, std::chrono::seconds wait) {
    HttpError error{429, std::move(text)};
    error.text += " Try again in " + std::to_string(wait.count()) +
                  (wait.count() == 1 ? " second." : " seconds.");
    error.retry_after = wait.count();
    return error;
}

Response error_response(const HttpError& error, const Request& request,
                        const ErrorPageStyle& style) {
    Response response;
    response.status = error.status;
    // What answers a form answers it once.
    const auto caching =
        request.method == "POST" ? std::string_view("no-store") : cache_control_for(error.status);
    response.fields = {{"Cache-Control", std::string(caching)},
                       {"Vary", "Accept"},
                       {"X-Content-Type-Options", "nosniff"}};
    add_status_fields(error, style.site, response);
    const bool html = prefers_html(request.field("accept"));
    response.fields.emplace_back("Content-Type",
                                 html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    if (html) add_security_fields(response);
    const auto title = reason_phrase(error.status);
    response.body = std::make_shared<const std::string>(
        html ? render::error_page(error.status, title, error.text, style.site, style.templates,
                                  error.choices)
             : render::error_text(error.status, title, error.text, style.site, error.choices));
    return response;
}

}  // namespace serve
