// SPDX-License-Identifier: MIT
#include "serve/representation.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/log.hpp"
#include "base/text.hpp"

namespace serve {

namespace {

constexpr long provisional_max_age = 60;  // seconds
constexpr long permanent_max_age = 86400;

// Pages load what they need from their own site only: no script but /varve.js, no style but
// /style.css.
constexpr std::string_view content_policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

constexpr int gzip_level = 6;         // 9 takes a fifth longer and saves almost nothing
constexpr int gzip_window = 15 + 16;  // the largest window; 16: gzip's header and trailer
constexpr int gzip_memory = 8;        // zlib's default

Representation gzip_form(const Representation& page) {
    auto coded = page;
    coded.entity_tag = tag_in_coding(page.entity_tag, Coding::gzip);
    coded.body = std::make_shared<const std::string>(gzip(*page.body));
    return coded;
}

std::string key_in(const std::string& key, Coding coding) {
    return coding == Coding::identity ? key : key + " gzip";
}

Result<PageCache::Found> cached_in_coding(PageCache& pages, const std::string& key,
                                          const query::CacheVersion& version, Coding coding,
                                          const PageCache::Render& render,
                                          PageCache::WhileRendering policy) {
    if (coding == Coding::identity) return pages.get(key, version, render, policy);
    const auto compress = [&]() -> Result<RepresentationPtr> {
        // Waits for the page of this version: its gzip form must never be that of a stale page.
        auto found = pages.get(key, version, render);
        if (!found) return fail(std::move(found.error()));
        auto coded = gzip_form(*found->page);
        coded.provisional = coded.provisional || found->stale;
        return std::make_shared<const Representation>(std::move(coded));
    };
    return pages.get(key_in(key, coding), version, compress, policy);
}

// Returns the page from the cache, or renders it in its turn. A request that is not admitted waits
// for nobody, not even for another one that renders the same page.
Result<PageCache::Found> cached_wide_page(WideGate& gate, PageCache& pages,
                                          const std::string& key,
                                          const query::CacheVersion& version, Coding coding,
                                          const PageCache::Render& render) {
    constexpr auto busy = "The server is busy with pages about many objects. "
                          "Please try again in a minute.";
    if (auto cached = pages.find(key_in(key, coding), version)) return *std::move(cached);
    const auto admitted = gate.admit();
    if (!admitted) {
        if (auto stale = pages.find_stale(key_in(key, coding))) return *std::move(stale);
        return fail(503, busy);
    }
    const auto render_in_turn = [&]() -> Result<RepresentationPtr> {
        const auto turn = gate.wait_for_turn();
        return turn ? render() : fail(503, busy);
    };
    return cached_in_coding(pages, key, version, coding, render_in_turn,
                            PageCache::WhileRendering::send_stale);
}

RepresentationPtr page_of(const SiteContext& context,
                          const std::optional<query::CacheVersion>& version,
                          RenderedPage rendered) {
    Representation page;
    rendered.body.shrink_to_fit();  // the page may stay in the cache for long
    page.entity_tag = context.entity_tag_of({"page", rendered.body});
    page.body = std::make_shared<const std::string>(std::move(rendered.body));
    page.last_modified = rendered.last_modified;
    // When the build was switched meanwhile, the page may show either of the two.
    page.provisional = rendered.provisional ||
                       (version && !same_build(*version, context.history.cache_version()));
    if (page.provisional) page.last_modified = {};
    return std::make_shared<const Representation>(std::move(page));
}

}  // namespace

std::string gzip(std::string_view bytes) {
    if (bytes.size() > std::numeric_limits<uInt>::max())
        throw std::runtime_error("gzip: more than 4 GB");
    z_stream stream{};
    if (deflateInit2(&stream, gzip_level, Z_DEFLATED, gzip_window, gzip_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("gzip: deflateInit2 failed");
    const std::unique_ptr<z_stream, decltype(&deflateEnd)> owner(&stream, &deflateEnd);
    std::string coded(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    // zlib only reads this, through a pointer that is not const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(coded.data());
    stream.avail_out = static_cast<uInt>(coded.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        throw std::runtime_error("gzip: deflate failed");
    coded.resize(stream.total_out);
    coded.shrink_to_fit();
    return coded;
}

Validators validators_of(const SiteContext& context, const Representation& page) {
    const bool is_ahead = context.settings.clock() < page.last_modified;
    return {page.entity_tag, is_ahead ? base::Seconds{} : page.last_modified};
}

Metadata html_metadata(const SiteContext& context) {
    return {.content_type = "text/html; charset=utf-8",
            .vary = "Accept-Encoding",
            .max_age = context.settings.max_age,
            .is_for_browser = true};
}

void vary_by(Response& response, std::string_view request_field) {
    for (auto& [name, value] : response.fields) {
        if (name != "Vary") continue;
        const auto listed = base::split(value, ',');
        const bool is_listed =
            std::any_of(listed.begin(), listed.end(),
                        [&](std::string_view each) { return base::trim(each) == request_field; });
        if (!is_listed) value.append(", ").append(request_field);
    }
}

void add_security_fields(Response& response) {
    response.fields.emplace_back("Content-Security-Policy", content_policy);
    response.fields.emplace_back("Referrer-Policy", "same-origin");
}

Result<PageCache::Found> cached_page(SiteContext& context, const std::string& key,
                                     const query::CacheVersion& version, Coding coding,
                                     const PageCache::Render& render, PageCost cost) {
    const auto render_or_unavailable = [&]() -> Result<RepresentationPtr> {
        try {
            return render();
        } catch (const store::Failure& failure) {
            base::log::error("cannot reach the store", {{"reason", failure.what()}});
            return fail(503, "This page is not available right now. "
                             "Please try again in a minute.");
        } catch (const query::Busy&) {
            return fail(503, "The server is busy with long histories. "
                             "Please try again in a minute.");
        }
    };
    auto found = cost == PageCost::wide
                     ? cached_wide_page(context.wide_gate, context.pages, key, version, coding,
                                        render_or_unavailable)
                     : cached_in_coding(context.pages, key, version, coding,
                                        render_or_unavailable, PageCache::WhileRendering::wait);
    if (!found) return found;
    context.metrics.count_page(found->hit);
    found->stale = found->stale || !version.store_reachable;
    return found;
}

std::optional<PageCache::Found> kept_page(SiteContext& context, const std::string& key,
                                          const query::CacheVersion& version, Coding coding) {
    auto kept = context.pages.find(key_in(key, coding), version);
    if (!kept) return kept;
    context.metrics.count_page(true);
    kept->stale = !version.store_reachable;
    return kept;
}

Response page_response(const SiteContext& context, const Request& request,
                       const PageCache::Found& found, const Metadata& metadata) {
    const Representation& page = *found.page;
    Response response;
    response.fields = {{"ETag", page.entity_tag}};
    // RFC 9110 section 8.8.2.1: a date in the future is replaced by the time of the response.
    if (page.last_modified != base::Seconds{})
        response.fields.emplace_back(
            "Last-Modified",
            base::format_http_date(std::min(page.last_modified, context.settings.clock())));
    auto max_age = metadata.max_age;
    // A max_age of 0 means that the operator wants nothing to be cached.
    if (page.permanent && max_age > 0) max_age = std::max(permanent_max_age, max_age);
    if (page.provisional || found.stale) max_age = std::min(provisional_max_age, max_age);
    response.fields.emplace_back("Cache-Control", "public, max-age=" + std::to_string(max_age));
    response.fields.emplace_back("Vary", metadata.vary);
    if (is_not_modified(request, validators_of(context, page))) {
        response.status = 304;
        return response;
    }
    response.fields.emplace_back("Content-Type", metadata.content_type);
    if (metadata.coding == Coding::gzip) response.fields.emplace_back("Content-Encoding", "gzip");
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    if (metadata.is_for_browser) add_security_fields(response);
    response.body = page.body;
    return response;
}

Response uncached(int status, std::string_view content_type, std::string body) {
    Response response;
    response.status = status;
    response.fields = {{"Content-Type", std::string(content_type)},
                       {"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"}};
    response.body = std::make_shared<const std::string>(std::move(body));
    return response;
}

Result<Response> cached_response(SiteContext& context, const Request& request,
                                 const CachePolicy& policy,
                                 const std::function<Result<RenderedPage>()>& render) {
    const auto coding = preferred_coding(request.field("accept-encoding"));
    const auto render_page = [&]() -> Result<RepresentationPtr> {
        auto rendered = render();
        if (!rendered) return fail(std::move(rendered.error()));
        return page_of(context, policy.version, std::move(*rendered));
    };
    const auto found =
        cached_page(context, policy.key, policy.version.value_or(query::CacheVersion{}), coding,
                    render_page, policy.cost);
    if (!found) return fail(found.error());
    auto metadata = policy.metadata;
    metadata.coding = coding;
    return page_response(context, request, *found, metadata);
}

}  // namespace serve
