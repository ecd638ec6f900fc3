// A site over a small store and builds made by the test, and the requests of a client, for the
// tests of serve/.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "serve/access_control.hpp"
#include "serve/metrics.hpp"
#include "serve/page_cache.hpp"
#include "serve/site.hpp"
#include "support/catch.hpp"
#include "support/small_site.hpp"

namespace world {

using Fields = std::map<std::string, std::string, std::less<>>;
using base::ErrorKind;
using serve::Request;
using serve::Response;
using tree::ObjectName;

inline const ObjectName unc26{"Gene", "WBGene00006763"};
inline const ObjectName daf16{"Gene", "WBGene00000912"};
inline const ObjectName paper{"Paper", "WBPaper00031000"};
inline const std::string plain = "class=Gene&name=WBGene00006763";

inline serve::Settings settings_with(std::size_t cache_bytes = 1 << 20) {
    serve::Settings settings;
    settings.cache_bytes = cache_bytes;
    return settings;
}

inline serve::Settings private_settings() {
    auto settings = settings_with();
    settings.private_site = true;
    return settings;
}

inline render::Site site_at(const std::string& base_url) {
    render::Site site;
    site.title = "Changes";
    site.base_url = base_url;
    site.authority = "example.org,2007";
    return site;
}

inline const std::string site_path = "/changes";
inline const std::string site_top = "https://example.org" + site_path;
inline render::Site site_with_hub() {
    auto site = site_at(site_top);
    site.hub_url = site.base_url + "/hub";
    return site;
}

// Returns the request for a page with its query; "/rss?class=Gene".
inline Request request_for(const std::string& url, Fields fields = {}) {
    const auto question = url.find('?');
    Request request;
    request.path = url.substr(0, question);
    if (question != std::string::npos) request.query = url.substr(question + 1);
    request.fields = std::move(fields);
    request.client_address = "192.0.2.1";
    return request;
}

// WS1 has the date 2008-01-01, WS2 the next day, and so on. WS0 has all three objects, but no
// rows: nothing is recorded of an object at first sight.
class World {
   public:
    enum class Start : unsigned char { with_release, without_build };
    explicit World(serve::Settings settings = settings_with(),
                   const std::string& base_url = site_top, Start start = Start::with_release,
                   base::Gate::Limits long_pages = {})
        : World(site_at(base_url), std::move(settings), start, long_pages) {}
    explicit World(render::Site look, serve::Settings settings = settings_with(),
                   Start start = Start::with_release, base::Gate::Limits long_pages = {})
        : small(names(), long_pages), tokens(small.pool),
          site({small.service, small.current, small.pool, tokens}, std::move(look),
               *render::Templates::make(), completed(std::move(settings))) {
        for (const auto& [object, label] : labels) set_value(object, "0");
        if (start == Start::with_release) release(0);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] static std::string version(int number) { return "WS" + std::to_string(number); }
    [[nodiscard]] static std::string day(int number) {
        return base::format_date(*base::parse_date("2008-01-01") + std::chrono::days(number - 1));
    }
    [[nodiscard]] std::shared_ptr<support::SmallBuild> build(int number) const {
        return small.build(version(number), day(number));
    }

    void set_value(const ObjectName& object, const std::string& value) {
        auto text = support::text(value);
        // Timestamps of the first release would be evidence of earlier changes.
        if (value != "0") text.stamp = "2008-01-01_09:15:20_sylvia";
        small.set_object(object, {support::tag("Name", {support::text(labels.at(object))}),
                                  support::tag("Live", {std::move(text)})});
    }
    // Publishes a release that changes these objects: a row of history for each.
    void release(int number, const std::vector<ObjectName>& changed = {}) {
        for (const auto& object : changed) set_value(object, std::to_string(number));
        small.publish(version(number), day(number));
        newest = number;
    }
    // Publishes releases up to this one, each of which changes unc-26.
    void release_up_to(int number) {
        while (newest < number) release(newest + 1, {unc26});
    }

    // Moves the clocks on until no page is fresh.
    void make_stale() {
        small.now += serve::PageCache::fresh_for;
        tick += serve::PageCache::fresh_for;
    }
    // Cuts the store off or makes it reachable again, and moves the clocks so that this is noticed.
    void set_store_down(bool is_down) {
        small.set_store_down(is_down);
        tick += std::chrono::seconds(1);
    }
    // Returns how many pages were not in the cache.
    [[nodiscard]] int rendered() const {
        constexpr std::string_view name = "\nvarve_page_cache_misses_total ";
        const auto text = metrics.text();
        return std::stoi(text.substr(text.find(name) + name.size()));
    }
    // Returns how many requests were counted as hits of objects.
    [[nodiscard]] int hits() {
        small.service.flush_hits();
        return static_cast<int>(small.query("SELECT SUM(hits) FROM objects")[0].integer(0));
    }
    void add_token(const std::string& holder, const std::string& token) {
        small.execute("INSERT INTO tokens (name, token_hash, created_at) VALUES (?, ?, ?)",
                      {store::Value{holder}, store::Value{base::sha256_hex(token)},
                       store::Value{std::string("2008-01-01T00:00:00Z")}});
    }

    Response get(const std::string& query, Fields fields = {}) {
        return open("/rss?" + query, std::move(fields));
    }
    Response open(const std::string& url, Fields fields = {}) {
        return site.answer(request_for(url, std::move(fields)));
    }
    Response ask(const std::string& method, const std::string& url) {
        auto request = request_for(url);
        request.method = method;
        return site.answer(request);
    }
    // Sends a form, as browsers and subscribers do.
    Response post(const std::string& url, const std::string& body, Fields fields = {},
                  const std::string& client_address = "192.0.2.1") {
        auto request = request_for(url, std::move(fields));
        request.method = "POST";
        request.fields.emplace("content-type", "application/x-www-form-urlencoded");
        request.body = body;
        request.client_address = client_address;
        return site.answer(request);
    }
    // Returns another site over the same store and builds, as another process has it.
    [[nodiscard]] serve::Site site_like(render::Site look, serve::Settings settings) {
        return serve::Site({small.service, small.current, small.pool, tokens}, std::move(look),
                           *render::Templates::make(), completed(std::move(settings)));
    }

   private:
    static history::Settings names() {
        history::Settings settings;
        settings.names = {{"Gene", {{"Name"}}}};
        return settings;
    }
    // Clocks stand still until a test moves them.
    serve::Settings completed(serve::Settings settings) {
        if (settings.metrics == nullptr) settings.metrics = &metrics;
        settings.clock = [this] { return small.now; };
        settings.steady_clock = [this] { return tick; };
        return settings;
    }

   public:
    std::map<ObjectName, std::string> labels = {
        {unc26, "unc-26"}, {daf16, "daf-16"}, {paper, "A paper"}};
    int newest = 0;
    std::chrono::steady_clock::time_point tick{};
    serve::Metrics metrics;
    support::SmallSite small;
    serve::TokenHolders tokens;
    serve::Site site;
};

inline bool says(const Response& response, std::string_view text) {
    return response.body && response.body->find(text) != std::string::npos;
}

inline std::string body_of(const Response& response) {
    return response.body ? *response.body : std::string();
}

}  // namespace world
