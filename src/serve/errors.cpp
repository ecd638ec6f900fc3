// SPDX-License-Identifier: MIT
#include "serve/refusal.hpp"

#include "base/log.hpp"
#include "render/pages.hpp"
#include "serve/negotiate.hpp"
#include "serve/representation.hpp"

namespace serve {

namespace {

// How long what is refused may be taken as refused. A new release may bring the object soon
// after, so a minute; what is broken or away may be back with the next request, and a refusal to
// one client is none to another.
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

constexpr long retry_after = 30;  // seconds

// A realm is a quoted string: what would end it, or is no ASCII, is left out.
std::string realm_of(const render::Site& site) {
    std::string realm;
    for (const char c : site.title)
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') realm += c;
    return "Basic realm=\"" + realm + "\", charset=\"UTF-8\"";
}

void add_fields_of(const Refusal& refusal, const render::Site& site, Response& response) {
    auto& fields = response.fields;
    switch (refusal.status) {
        case 301: fields.emplace_back("Location", refusal.location); break;
        case 401: fields.emplace_back("WWW-Authenticate", realm_of(site)); break;
        case 405: fields.emplace_back("Allow", "GET, HEAD"); break;
        case 429: fields.emplace_back("Retry-After", std::to_string(refusal.retry_after)); break;
        case 503: fields.emplace_back("Retry-After", std::to_string(retry_after)); break;
        default: break;
    }
}

}  // namespace

Wanted wanted_object(const history::ObjectName& object) {
    const auto what = object.class_name + " " + object.name;
    return {what, "There is no " + what +
                      " in the current release, and none was recorded in one before it."};
}

Wanted wanted_class(const std::string& class_name) {
    return {"class " + class_name, "There is no class " + class_name +
                                       " in the current release, and none was recorded in one"
                                       " before it."};
}

Wanted wanted_release(const std::string& version) {
    return {"release " + version,
            "There is no release " + version + " here, or it is later than the current one."};
}

Wanted wanted_list() { return {"this list", "None of the objects of this list is known here."}; }

Wanted wanted_search() { return {"this database", "There is nothing here yet."}; }

Refusal refusal_of(const base::Error& error, const Wanted& wanted, const std::string& since) {
    using base::Kind;
    // A reader's own mistake is none of the operator's business.
    if (error.kind != Kind::absent && error.kind != Kind::refused)
        base::log::warning("no history", {{"of", wanted.what}, {"why", error.text}});
    switch (error.kind) {
        case Kind::absent: return {404, wanted.if_absent};
        case Kind::refused:
            if (since.empty()) break;
            return {400, "since=" + since + " names no release that is known here."};
        case Kind::unavailable:
            return {503, "The history of " + wanted.what + " can't be reached just now."};
        case Kind::malformed:
            return {500, wanted.what + " can't be read from the current build."};
        case Kind::too_large: return {500, wanted.what + " is larger than this server reads."};
        case Kind::conflict: break;
    }
    return {500, "The history of " + wanted.what + " can't be told."};
}

Response page_of(const Refusal& refusal, const Request& request, const Look& look) {
    Response response;
    response.status = refusal.status;
    response.fields = {{"Cache-Control", std::string(cache_control_for(refusal.status))},
                       {"Vary", "Accept"},
                       {"X-Content-Type-Options", "nosniff"}};
    add_fields_of(refusal, look.site, response);
    const bool html = prefers_html(request.field("accept"));
    response.fields.emplace_back("Content-Type",
                                 html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    if (html) add_page_fields(response);
    const auto title = reason_of(refusal.status);
    response.body = std::make_shared<const std::string>(
        html ? render::error_page(refusal.status, title, refusal.text, look.site, look.templates)
             : render::error_text(refusal.status, title, refusal.text));
    return response;
}

}  // namespace serve
