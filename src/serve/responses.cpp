// SPDX-License-Identifier: MIT
#include "serve/responses.hpp"

#include <algorithm>
#include <array>
#include <xxhash.h>

#include "base/compress.hpp"
#include "base/date.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "query/context.hpp"
#include "render/pages.hpp"
#include "serve/negotiation.hpp"
#include "serve/page_cache.hpp"

namespace serve {

// ---- pages ----

namespace {

constexpr long short_max_age = 60;  // seconds

// Pages load what they need from their own site only: no script but /varve.js, no style but
// /style.css.
constexpr std::string_view content_policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

Representation page_of(SiteContext& context, const std::optional<query::ServedBuild>& build,
                       RenderedPage rendered) {
    rendered.body.shrink_to_fit();  // the page may stay in the cache for long
    Representation page;
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(rendered.body.data(), rendered.body.size()));
    page.entity_tag =
        '"' + base::to_hex({reinterpret_cast<const char*>(digest.digest), sizeof digest}) + '"';
    page.body = std::make_shared<const std::string>(std::move(rendered.body));
    // When the build was switched meanwhile, the page may show either of the two.
    page.provisional =
        rendered.provisional || (build && *build != context.history.served_build());
    page.changes_soon = rendered.changes_soon;
    return page;
}

Result<PageCache::Found> cached_page(SiteContext& context, const CachePolicy& policy,
                                     const PageCache::Render& render) {
    auto& pages = context.pages;
    const auto build = policy.build.value_or(query::ServedBuild());
    auto kept = pages.find(policy.key, build);
    if (kept && (!kept->stale || (policy.build && !context.store_answers())))
        return *std::move(kept);
    if (policy.cost == PageCost::ordinary) return pages.get(policy.key, build, render);
    // A request that is not admitted waits for nobody, not even for another one that renders the same page.
    const auto admitted = context.wide_gate.admit();
    if (!admitted) return kept ? Result<PageCache::Found>(*std::move(kept)) : fail(no_turn());
    const auto render_in_turn = [&]() -> Result<Representation> {
        const auto turn = context.wide_gate.wait_for_turn();
        return turn ? render() : fail(no_turn());
    };
    return pages.get(policy.key, build, render_in_turn, policy.cost);
}

// Adds the fields that keep a browser from running or loading anything that a page does not need.
void add_security_fields(Response& response) {
    response.fields.emplace_back("Content-Security-Policy", content_policy);
    response.fields.emplace_back("Referrer-Policy", "same-origin");
}

constexpr const char* gzip_suffix = " gzip";  // of the key of a gzip form

// Returns the page that a gzip form was made of.
RepresentationPtr uncompressed(Representation page) {
    page.entity_tag.erase(page.entity_tag.size() - std::string_view("-gzip\"").size(), 5);
    page.body =
        std::make_shared<const std::string>(base::gunzip(*page.body, std::string::npos).value());
    return std::make_shared<const Representation>(std::move(page));
}

// Returns the gzip form of a page; its bytes are kept as long as those of the page are the same.
//   key  under which the cache has the gzip form
Representation compressed(SiteContext& context, const std::string& key, Representation page) {
    page.entity_tag.insert(page.entity_tag.size() - 1, "-gzip");  // RFC 9110 section 8.8.3.3
    const auto kept = context.pages.find(key, {});
    const bool is_same = kept && kept->page->entity_tag == page.entity_tag;
    page.body =
        is_same ? kept->page->body : std::make_shared<const std::string>(base::gzip(*page.body));
    return page;
}

Response page_response(const SiteContext& context, const Request& request,
                       const PageCache::Found& found, const CachePolicy& policy, Coding coding) {
    const Representation& page = *found.page;
    // A date that lies ahead decides nothing, and is not sent (RFC 9110 section 8.8.2.1).
    const bool has_date =
        page.last_modified != base::Seconds{} && page.last_modified <= context.settings.clock();
    const Validators validators{page.entity_tag, has_date ? page.last_modified : base::Seconds{}};
    Response response;
    response.fields = {{"ETag", page.entity_tag}};
    if (has_date)
        response.fields.emplace_back("Last-Modified", base::format_http_date(page.last_modified));
    auto max_age = policy.max_age;
    if (page.provisional || page.changes_soon || found.stale)
        max_age = std::min(short_max_age, max_age);
    response.fields.emplace_back("Cache-Control", "public, max-age=" + std::to_string(max_age));
    response.fields.emplace_back("Vary", policy.vary);
    if (is_not_modified(request, validators)) {
        response.status = 304;
        response.body = page.body;
        response.send_body = false;
        return response;
    }
    response.fields.emplace_back("Content-Type", policy.content_type);
    if (coding == Coding::gzip) response.fields.emplace_back("Content-Encoding", "gzip");
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    if (policy.is_for_browser) add_security_fields(response);
    response.body = page.body;
    return response;
}

}  // namespace

Response uncached(int status, std::string_view content_type, std::string body) {
    Response response;
    response.status = status;
    response.fields = {{"Content-Type", std::string(content_type)},
                       {"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"}};
    response.body = std::make_shared<const std::string>(std::move(body));
    return response;
}

Result<Response> cached_response(SiteContext& context, const Request& request, CachePolicy policy,
                                 const std::function<Result<RenderedPage>()>& render) {
    auto coding = preferred_coding(request.field("accept-encoding"));
    const auto identity_key = policy.key;
    if (coding == Coding::gzip) policy.key += gzip_suffix;
    const auto render_page = [&]() -> Result<Representation> {
        try {
            return render().map([&](RenderedPage rendered) {
                auto page = page_of(context, policy.build, std::move(rendered));
                return coding == Coding::gzip ? compressed(context, policy.key, std::move(page))
                                              : page;
            });
        } catch (const store::Failure& failure) {
            base::log::error("cannot reach the store", {{"reason", failure.what()}});
            return fail(503, "This page is not available right now. "
                             "Please try again in a minute.");
        } catch (const query::Busy&) {
            return fail(503, "The server is busy with long histories. "
                             "Please try again in a minute.");
        }
    };
    auto found = cached_page(context, policy, render_page);
    if (!found && found.error().status == 503) {
        // Perhaps it is kept in the other coding.
        auto kept = context.pages.find(identity_key, {});
        if (!kept && (kept = context.pages.find(identity_key + gzip_suffix, {})))
            kept->page = uncompressed(*kept->page);
        if (kept) {
            coding = Coding::identity;
            found = *std::move(kept);
        }
    }
    if (!found) return fail(found.error());
    context.metrics.count_page(found->hit);
    return page_response(context, request, *found, policy, coding);
}

// ---- errors ----

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

// Returns whether the address asks for JSON, or else Accept.
bool wants_json(const Request& request) {
    const auto formats = extract_parameter(request.query, "format").values;
    if (!formats.empty()) return formats == std::vector<std::string>{"json"};
    constexpr auto types =
        std::to_array<std::string_view>({"text/plain", "text/html", "application/json",
                                         "application/feed+json", "application/problem+json"});
    return preferred_type(request.field("accept"), types) >= 2;
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

HttpError no_turn() {
    return {503, "The server is busy with pages about many objects. "
                 "Please try again in a minute."};
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
                        const render::PageSite& site, const render::Templates& templates) {
    Response response;
    response.status = error.status;
    // What answers a form answers it once.
    const auto caching =
        request.method == "POST" ? std::string_view("no-store") : cache_control_for(error.status);
    response.fields = {{"Cache-Control", std::string(caching)},
                       {"Vary", "Accept"},
                       {"X-Content-Type-Options", "nosniff"}};
    add_status_fields(error, site, response);
    const auto title = reason_phrase(error.status);
    const auto answer = [&](std::string_view type, std::string body) {
        response.fields.emplace_back("Content-Type", type);
        response.body = std::make_shared<const std::string>(std::move(body));
    };
    const auto accept = request.field("accept");
    if (wants_json(request)) {
        answer(MediaType::json,
               render::error_json(error.status, title, error.text, site, error.choices));
    } else if (prefers_html(accept)) {
        add_security_fields(response);
        answer(MediaType::html, render::error_page(error.status, title, error.text, site,
                                                   templates, error.choices));
    } else {
        answer(MediaType::text,
               render::error_text(error.status, title, error.text, site, error.choices));
    }
    return response;
}

}  // namespace serve
