// SPDX-License-Identifier: MIT
#include "serve/representation.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/date.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "serve/negotiation.hpp"
#include "serve/page_cache.hpp"

namespace serve {

namespace {

constexpr long provisional_max_age = 60;  // seconds

// Pages load what they need from their own site only: no script but /varve.js, no style but
// /style.css.
constexpr std::string_view content_policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

constexpr int gzip_level = 6;         // 9 takes a fifth longer and saves almost nothing
constexpr int gzip_window = 15 + 16;  // the largest window; 16: gzip's header and trailer
constexpr int gzip_memory = 8;        // zlib's default

// Returns the entity tag of a body in the coding identity, 34 bytes with its quotes.
std::string tag_of(std::string_view body) {
    return '"' + base::sha256_hex(body).substr(0, 32) + '"';
}

Representation page_of(SiteContext& context, const std::optional<query::ServedBuild>& build,
                       RenderedPage rendered) {
    rendered.body.shrink_to_fit();  // the page may stay in the cache for long
    Representation page;
    page.entity_tag = tag_of(rendered.body);
    page.body = std::make_shared<const std::string>(std::move(rendered.body));
    // When the build was switched meanwhile, the page may show either of the two.
    page.provisional =
        rendered.provisional || (build && *build != context.history.served_build());
    return page;
}

Representation gzip_form(const Representation& page) {
    auto coded = page;
    coded.entity_tag = tag_in_coding(page.entity_tag, Coding::gzip);
    coded.body = std::make_shared<const std::string>(gzip(*page.body));
    return coded;
}

// Where a page is kept.
struct CacheKey {
    CacheKey(const CachePolicy& policy, Coding coding_)
        : url(policy.key), build(policy.build ? *policy.build : none),
          needs_store(policy.build.has_value()), coding(coding_),
          coded_url(coding == Coding::identity ? std::string() : url + " gzip") {}
    [[nodiscard]] const std::string& name() const {
        return coding == Coding::identity ? url : coded_url;
    }

    static inline const query::ServedBuild none;
    const std::string& url;
    const query::ServedBuild& build;
    const bool needs_store;
    const Coding coding;
    const std::string coded_url;
};

Result<PageCache::Found> cached_in_coding(PageCache& pages, const CacheKey& key,
                                          const PageCache::Render& render,
                                          PageCache::WhileRendering policy) {
    if (key.coding == Coding::identity) return pages.get(key.url, key.build, render, policy);
    const auto compress = [&]() -> Result<Representation> {
        // Waits for the page of this build: its gzip form must never be that of a stale page.
        auto found = pages.get(key.url, key.build, render);
        if (!found) return fail(std::move(found.error()));
        auto coded = gzip_form(*found->page);
        coded.provisional = coded.provisional || found->stale;
        if (found->hit) coded.kept_since = found->rendered_at;
        return coded;
    };
    return pages.get(key.name(), key.build, compress, policy);
}

// Returns the page, which it renders in its turn. A request that is not admitted waits for nobody, not
// even for another one that renders the same page.
Result<PageCache::Found> wide_page(base::Gate& gate, PageCache& pages, const CacheKey& key,
                                   const PageCache::Render& render) {
    constexpr auto busy = "The server is busy with pages about many objects. "
                          "Please try again in a minute.";
    const auto admitted = gate.admit();
    if (!admitted) {
        if (auto stale = pages.find_stale(key.name())) return *std::move(stale);
        return fail(503, busy);
    }
    const auto render_in_turn = [&]() -> Result<Representation> {
        const auto turn = gate.wait_for_turn();
        return turn ? render() : fail(503, busy);
    };
    return cached_in_coding(pages, key, render_in_turn, PageCache::WhileRendering::send_stale);
}

// Returns the page if it is fresh, or if the store does not answer and nothing better can be had.
std::optional<PageCache::Found> kept_page(SiteContext& context, const CacheKey& key) {
    if (auto fresh = context.pages.find(key.name(), key.build)) return fresh;
    if (!key.needs_store) return std::nullopt;
    auto stale = context.pages.find_stale(key.name());
    return stale && !context.store_answers() ? stale : std::nullopt;
}

Result<PageCache::Found> cached_page(SiteContext& context, const CacheKey& key,
                                     const PageCache::Render& render, PageCost cost) {
    if (auto kept = kept_page(context, key)) return *std::move(kept);
    const auto render_or_unavailable = [&]() -> Result<Representation> {
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
    if (cost == PageCost::wide)
        return wide_page(context.wide_gate, context.pages, key, render_or_unavailable);
    return cached_in_coding(context.pages, key, render_or_unavailable,
                            PageCache::WhileRendering::wait);
}

Response page_response(const SiteContext& context, const Request& request,
                       const PageCache::Found& found, const Metadata& metadata, Coding coding) {
    const Representation& page = *found.page;
    // A date that lies ahead decides nothing, and is not sent (RFC 9110 section 8.8.2.1).
    const bool has_date =
        page.last_modified != base::Seconds{} && page.last_modified <= context.settings.clock();
    const Validators validators{page.entity_tag, has_date ? page.last_modified : base::Seconds{}};
    Response response;
    response.fields = {{"ETag", page.entity_tag}};
    if (has_date)
        response.fields.emplace_back("Last-Modified", base::format_http_date(page.last_modified));
    auto max_age = metadata.max_age;
    if (page.provisional || found.stale) max_age = std::min(provisional_max_age, max_age);
    response.fields.emplace_back("Cache-Control", "public, max-age=" + std::to_string(max_age));
    response.fields.emplace_back("Vary", metadata.vary);
    if (is_not_modified(request, validators)) {
        response.status = 304;
        return response;
    }
    response.fields.emplace_back("Content-Type", metadata.content_type);
    if (coding == Coding::gzip) response.fields.emplace_back("Content-Encoding", "gzip");
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    if (metadata.is_for_browser) add_security_fields(response);
    response.body = page.body;
    return response;
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
    const auto render_page = [&]() -> Result<Representation> {
        return render().map([&](RenderedPage rendered) {
            return page_of(context, policy.build, std::move(rendered));
        });
    };
    const auto found = cached_page(context, CacheKey(policy, coding), render_page, policy.cost);
    if (!found) return fail(found.error());
    context.metrics.count_page(found->hit);
    return page_response(context, request, *found, policy.metadata, coding);
}

}  // namespace serve
