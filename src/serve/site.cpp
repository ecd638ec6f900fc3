// SPDX-License-Identifier: MIT
#include "serve/site.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "serve/gzip.hpp"
#include "serve/negotiate.hpp"
#include "serve/page_cache.hpp"
#include "serve/query.hpp"
#include "serve/refusal.hpp"

namespace serve {

namespace {

constexpr long passing_max_age = 60;  // of what may be better in a minute

tl::unexpected<Refusal> refused(Refusal refusal) {
    return tl::unexpected<Refusal>(std::move(refusal));
}

// What a page's title says when it shows less than the plain feed.
std::string narrowing_of(const FeedQuery& query) {
    std::string narrowing;
    if (!query.window.since.empty()) narrowing += ", since " + query.window.since;
    if (query.says_most && query.window.most != default_items)
        narrowing += ", newest " + std::to_string(query.window.most);
    return narrowing;
}

// Strong: the coding is part of it (RFC 9110 section 8.8.3.3).
std::string tag_of(std::string_view digest, Coding coding) {
    return "\"" + std::string(digest) + (coding == Coding::gzip ? "-gzip\"" : "\"");
}

Page gzip_copy(const Page& page) {
    auto copy = page;
    const auto digest = std::string_view(page.entity_tag).substr(1, page.entity_tag.size() - 2);
    copy.entity_tag = tag_of(digest, Coding::gzip);
    copy.body = std::make_shared<const std::string>(gzip(*page.body));
    return copy;
}

bool same_build(const history::Moment& a, const history::Moment& b) {
    return a.version == b.version && a.build_digest == b.build_digest;
}

}  // namespace

struct Site::State {
    State(Desk desk_, render::Site look_, Settings settings_)
        : desk(std::move(desk_)), look(std::move(look_)), settings(std::move(settings_)),
          pages(settings.cache_bytes) {}

    const Desk desk;
    const render::Site look;
    const Settings settings;
    PageCache pages;

    // The routes. Each answers GET; HEAD is made of it in one place.
    Answered<Response> feed(const Request& request);
    Answered<Response> old_link(const Request& request);
    Answered<Response> health(const Request& request);

    Answered<Response> route(const Request& request);
    std::string url_of(const FeedQuery& query) const {
        return look.base_url + "/rss?" + to_text(query);
    }
    Answered<PagePtr> render(const FeedQuery& query, const history::Moment& moment);
    Answered<PageCache::Found> page(const FeedQuery& query, const history::Moment& moment,
                                    Coding coding);
    std::string entity_digest(std::string_view body) const;
    std::string cache_control(bool passing) const;
};

// A digest of the body holds the rows shown, the format and the parameters (they are in its
// self link); configuration and renderer are added because the design wants a new tag for each.
std::string Site::State::entity_digest(std::string_view body) const {
    base::Digest digest(base::Algorithm::sha256);
    for (const auto part :
         {render::renderer_version, std::string_view(settings.configuration_digest), body}) {
        digest.update(std::to_string(part.size()));
        digest.update(":");
        digest.update(part);
    }
    return digest.hex().substr(0, 32);
}

std::string Site::State::cache_control(bool passing) const {
    const long age = passing ? std::min(passing_max_age, settings.max_age) : settings.max_age;
    return "public, max-age=" + std::to_string(age);
}

Answered<PagePtr> Site::State::render(const FeedQuery& query, const history::Moment& moment) {
    const auto answer = desk.history_of(query.object, query.window);
    if (!answer) {
        const auto& error = answer.error();
        // A reader's own mistake is none of the operator's business.
        if (error.kind != base::Kind::absent && error.kind != base::Kind::refused)
            base::log::warning("no history", {{"class", query.object.class_name},
                                              {"name", query.object.name},
                                              {"why", error.text}});
        return refused(refusal_of(error.kind, query.object, query.window.since));
    }
    if (answer->history.object != query.object) {
        auto recorded = query;
        recorded.object = answer->history.object;
        return refused({301, "The feed is elsewhere.", url_of(recorded)});
    }
    Page page;
    const render::Channel channel{.subject = render::subject_of(answer->history, look),
                                  .narrowing = narrowing_of(query),
                                  .self_url = url_of(query),
                                  .current_url = {},
                                  .archive_url = {}};
    auto document = render::rss(answer->history, channel, look);
    document.shrink_to_fit();  // what grew by doubling is kept for long
    page.body = std::make_shared<const std::string>(std::move(document));
    page.entity_tag = tag_of(entity_digest(*page.body), Coding::identity);
    page.last_modified = render::last_modified(answer->history);
    page.last_modified_text = base::format_http_date(page.last_modified);
    // Switched meanwhile: which of the two builds it shows is not known here.
    page.passing = !answer->up_to_date || !same_build(moment, desk.moment());
    return std::make_shared<const Page>(std::move(page));
}

Answered<PageCache::Found> Site::State::page(const FeedQuery& query,
                                             const history::Moment& moment, Coding coding) {
    const auto key = to_text(query);
    const auto plain = [&] {
        return pages.fetch(key, moment, [&] { return render(query, moment); });
    };
    if (coding == Coding::identity) return plain();
    return pages.fetch(key + " gzip", moment, [&]() -> Answered<PagePtr> {
        auto found = plain();
        if (!found) return refused(std::move(found.error()));
        auto copy = gzip_copy(*found->page);
        copy.passing = copy.passing || found->outdated;
        return std::make_shared<const Page>(std::move(copy));
    });
}

Answered<Response> Site::State::feed(const Request& request) {
    const auto query = parse_feed_query(request.query, settings.max_items);
    if (!query) return refused(query.error());
    const auto moment = desk.moment();
    const auto coding = coding_for(request.field("accept-encoding"));
    const auto found = page(*query, moment, coding);
    if (!found) return refused(found.error());
    if (settings.count_hits) desk.note_hit(query->object);

    const Page& page = *found->page;
    const bool passing = page.passing || found->outdated || !moment.store_reachable;
    Response response;
    response.fields = {
        {"ETag", page.entity_tag},
        {"Last-Modified", page.last_modified_text},
        {"Cache-Control", cache_control(passing)},
        {"Vary", query->format.empty() ? "Accept-Encoding, Accept" : "Accept-Encoding"}};
    if (is_not_modified(request, {page.entity_tag, page.last_modified})) {
        response.status = 304;
        return response;
    }
    response.fields.emplace_back("Content-Type", "application/rss+xml; charset=utf-8");
    if (coding == Coding::gzip) response.fields.emplace_back("Content-Encoding", "gzip");
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    response.body = page.body;
    return response;
}

// The old site's links: /db/rss?name=…;class=…
Answered<Response> Site::State::old_link(const Request& request) {
    const auto query = parse_feed_query(request.query, settings.max_items);
    if (!query) return refused(query.error());
    return refused({301, "The feed is elsewhere.", url_of(*query)});
}

Answered<Response> Site::State::health(const Request&) {
    const auto moment = desk.moment();
    const bool well = moment.store_reachable && !moment.version.empty();
    nlohmann::ordered_json report = {
        {"status", well ? "ok" : "unavailable"},
        {"store", moment.store_reachable ? "reachable" : "unreachable"},
        {"release", moment.version},
        {"build", moment.build_digest}};
    if (const auto why = desk.refused_build(); !why.empty()) report["refused_build"] = why;
    Response response;
    response.status = well ? 200 : 503;
    response.fields = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    if (!well) response.fields.emplace_back("Retry-After", "30");
    // Any bytes may stand in a reason: replaced, not thrown at.
    response.body = std::make_shared<const std::string>(
        report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return response;
}

Answered<Response> Site::State::route(const Request& request) {
    struct Route {
        std::string_view path;
        Answered<Response> (State::*answer)(const Request&);
    };
    constexpr std::array<Route, 3> routes = {{
        {"/rss", &State::feed},
        {"/db/rss", &State::old_link},
        {"/healthz", &State::health},
    }};
    if (request.fault) return refused(*request.fault);
    const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& candidate) {
        return candidate.path == request.path;
    });
    if (found == routes.end()) return refused({404, "There is no such page.", {}});
    if (request.method != "GET" && request.method != "HEAD")
        return refused({405, "Only GET and HEAD are answered here.", {}});
    return (this->*found->answer)(request);
}

Site::Site(Desk desk, render::Site look, Settings settings)
    : state_(std::make_unique<State>(std::move(desk), std::move(look), std::move(settings))) {}

Site::~Site() = default;

Response Site::answer(const Request& request) {
    const auto respond = [&]() -> Response {
        try {
            auto response = state_->route(request);
            return response ? std::move(*response)
                            : page_of(response.error(), request, state_->look);
        } catch (const std::exception& broken) {
            base::log::error("request failed", {{"path", request.path},
                                                {"query", request.query.substr(0, 1000)},
                                                {"why", broken.what()}});
            return page_of({500, "Something broke here; it has been noted.", {}}, request,
                           state_->look);
        }
    };
    auto response = respond();
    response.send_body = request.method != "HEAD";
    return response;
}

}  // namespace serve
