// SPDX-License-Identifier: MIT
#include "serve/representation.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "serve/gzip.hpp"

namespace serve {

namespace {

// Pages bring all they need from where they lie: no script but /varve.js, no style but
// /style.css, no other site.
constexpr std::string_view content_policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

Page gzip_copy(const Page& page) {
    auto copy = page;
    copy.entity_tag = tag_in(page.entity_tag, Coding::gzip);
    copy.body = std::make_shared<const std::string>(gzip(*page.body));
    return copy;
}

Answered<PageCache::Found> fetch_coded(PageCache& pages, const std::string& key,
                                       const history::Moment& moment, Coding coding,
                                       const PageCache::Make& make,
                                       PageCache::Meanwhile meanwhile) {
    if (coding == Coding::identity) return pages.fetch(key, moment, make, meanwhile);
    const auto make_copy = [&]() -> Answered<PagePtr> {
        // What is kept as of this moment is never a copy of an older page.
        auto found = pages.fetch(key, moment, make);
        if (!found) return refuse(std::move(found.error()));
        auto copy = gzip_copy(*found->page);
        copy.passing = copy.passing || found->outdated;
        return std::make_shared<const Page>(std::move(copy));
    };
    return pages.fetch(key + " gzip", moment, make_copy, meanwhile);
}

}  // namespace

std::string tag_in(std::string_view entity_tag, Coding coding) {
    if (coding == Coding::identity) return std::string(entity_tag);
    return std::string(entity_tag.substr(0, entity_tag.size() - 1)) + "-gzip\"";
}

Answered<PageCache::Found> fetch(Workings& workings, const std::string& key,
                                 const history::Moment& moment, Coding coding,
                                 const PageCache::Make& make, PageCache::Meanwhile meanwhile) {
    auto found = fetch_coded(workings.pages, key, moment, coding, make, meanwhile);
    if (!found) return found;
    workings.metrics.count_page(found->kept);
    found->outdated = found->outdated || !moment.store_reachable;
    return found;
}

std::string cache_control(long max_age, bool passing) {
    return "public, max-age=" +
           std::to_string(passing ? std::min(passing_max_age, max_age) : max_age);
}

void vary_by(Response& response, std::string_view request_field) {
    for (auto& [name, value] : response.fields) {
        if (name != "Vary") continue;
        const auto named = base::split(value, ',');
        const bool is_named = std::any_of(named.begin(), named.end(), [&](std::string_view each) {
            return base::trim(each) == request_field;
        });
        if (!is_named) value.append(", ").append(request_field);
    }
}

void add_page_fields(Response& response) {
    response.fields.emplace_back("Content-Security-Policy", content_policy);
    response.fields.emplace_back("Referrer-Policy", "same-origin");
}

Response answer_with(const Request& request, const PageCache::Found& found, Coding coding,
                     const Sending& sending) {
    const Page& page = *found.page;
    Response response;
    response.kept = found.kept;
    response.fields = {{"ETag", page.entity_tag}};
    if (!page.last_modified_text.empty())
        response.fields.emplace_back("Last-Modified", page.last_modified_text);
    const bool may_stay = page.settled && sending.max_age > 0;  // 0: the operator wants none kept
    const auto max_age = may_stay ? std::max(settled_max_age, sending.max_age) : sending.max_age;
    response.fields.emplace_back("Cache-Control",
                                 cache_control(max_age, page.passing || found.outdated));
    response.fields.emplace_back("Vary", sending.vary);
    if (is_not_modified(request, {page.entity_tag, page.last_modified})) {
        response.status = 304;
        return response;
    }
    response.fields.emplace_back("Content-Type", sending.content_type);
    if (coding == Coding::gzip) response.fields.emplace_back("Content-Encoding", "gzip");
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    if (sending.is_shown) add_page_fields(response);
    response.body = page.body;
    return response;
}

}  // namespace serve
