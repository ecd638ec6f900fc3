// POST /hub: what subscribers ask for, what is recorded of it, and how bad requests are answered.
// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "serve/world.hpp"

using namespace std::chrono_literals;
using namespace world;

namespace {

using Catch::Matchers::Contains;

const std::string topic_url = site_top + "/rss?" + plain;
const std::string hub_form_type = "application/x-www-form-urlencoded";
const std::string callback_url = "https://reader.example/in?id=7";

std::string hub_form(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string body;
    for (const auto& [name, value] : fields) {
        if (!body.empty()) body += '&';
        body += name + "=" + base::percent_encode(value);
    }
    return body;
}

struct HubRequest {
    std::string mode = "subscribe", topic = topic_url, to = callback_url;
    std::vector<std::pair<std::string, std::string>> more = {};
    std::string body() const {
        std::vector<std::pair<std::string, std::string>> fields = {
            {"hub.mode", mode}, {"hub.topic", topic}, {"hub.callback", to}};
        fields.insert(fields.end(), more.begin(), more.end());
        return hub_form(fields);
    }
};

Response post_to_hub(World& world, const std::string& body,
                     const std::string& type = hub_form_type, const std::string& query = "",
                     const std::string& client = "192.0.2.1") {
    return world.post("/hub?" + query, body, {{"content-type", type}}, client);
}
Response subscribe(World& world, const HubRequest& asked) {
    return post_to_hub(world, asked.body());
}

void check_refused_by_hub(World& world, const HubRequest& asked, int status,
                          const std::string& text) {
    const auto response = subscribe(world, asked);
    INFO(asked.body().substr(0, 500));
    CHECK(response.status == status);
    CHECK_THAT(body_of(response), Contains(text));
    CHECK(response.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(response.field("Cache-Control").ends_with("no-store"));
}

std::int64_t requests_in(World& world) {
    return world.small.query("SELECT COUNT(*) FROM hub_requests")[0].integer(0);
}
std::string topic_in(World& world) {
    const auto rows = world.small.query("SELECT url FROM topics");
    return rows.empty() ? "" : rows[0].text(0);
}

struct HubWorld : World {
    explicit HubWorld(serve::Settings settings = settings_with())
        : World(site_with_hub(), std::move(settings)) {
        release_up_to(2);
    }
};

}  // namespace

TEST_CASE("The topic of a list with a short address names the list, which stays as long as it") {
    HubWorld world;
    const auto kept = world.post("/watch", "keep=1&object=Gene:WBGene00006763");
    const std::string id(kept.field("Location").substr(site_path.size() + 7));
    CHECK(subscribe(world, {.topic = site_top + "/rss?watch=" + id}).status == 202);
    CHECK(
        world.small.query("SELECT name FROM topics WHERE subject = 'watch_list'").at(0).text(0) ==
        id);
}

TEST_CASE("A request of a subscriber is accepted before it is verified, and recorded") {
    HubWorld world;
    const auto response = subscribe(world, {});
    CHECK(response.status == 202);
    CHECK(response.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(response.field("Cache-Control") == "no-store");
    CHECK(requests_in(world) == 1);
    CHECK(topic_in(world) == topic_url);
}

TEST_CASE("The hub takes nothing from browsers") {
    HubWorld world;
    const auto form = HubRequest().body();
    for (const Fields& fields :
         {Fields{{"origin", "https://example.org"}}, Fields{{"origin", "null"}},
          Fields{{"sec-fetch-site", "same-origin"}}, Fields{{"sec-fetch-site", "none"}}}) {
        auto sent = fields;
        sent["content-type"] = hub_form_type;
        CHECK(world.post("/hub", form, sent).status == 403);
    }
    CHECK(requests_in(world) == 0);
    CHECK(world.ask("GET", "/hub").status == 405);
}

TEST_CASE("Every feed that names the hub is a topic, under the address that it names") {
    for (const auto* url :
         {"/rss?class=Gene&name=WBGene00006763",
          "/rss?class=Gene&name=WBGene00006763&format=json",
          "/rss?class=Gene&name=WBGene00006763&n=2&since=WS1&tag=Live&change=added&mass=no",
          "/rss?object=Gene:WBGene00006763&object=Paper:WBPaper00031000&format=atom",
          "/rss?class=Gene&format=rss", "/rss?class=Gene", "/release/WS2?format=atom",
          "/releases?format=rss"}) {
        INFO(url);
        HubWorld world;
        const auto link = std::string(world.open(url).field("Link"));
        CHECK_THAT(link, Contains("<" + site_top + url + ">; rel=\"self\""));
        CHECK(subscribe(world, {.topic = site_top + url}).status == 202);
        CHECK(topic_in(world) == site_top + url);
    }
}

TEST_CASE("Other spellings of a topic are the same topic") {
    for (const auto* url :
         {"https://EXAMPLE.org:443/changes/rss?name=WBGene00006763&class=Gene",
          "https://example.org/changes/rss?class=%47ene;name=WBGene00006763&x=y",
          "HTTPS://example.org/changes/r%73s?class=Gene&name=WBGene00006763"}) {
        INFO(url);
        HubWorld world;
        CHECK(subscribe(world, {.topic = url}).status == 202);
        CHECK(topic_in(world) == topic_url);
    }
}

TEST_CASE("A topic that is no feed of this site is refused, and the text says what it is") {
    HubWorld world;
    for (const auto& [url, status, text] : std::vector<std::tuple<std::string, int, std::string>>{
             {"https://elsewhere.org/changes/rss?" + plain, 400,
              "is not an address of this site"},
             {"http://example.org/changes/rss?" + plain, 400, "is not an address of this site"},
             {"https://example.org/changesrss?" + plain, 400, "is not an address of this site"},
             {site_top + "/history?" + plain, 400, "is not the address of a feed"},
             {site_top + "/rss/archive?" + plain + "&before=50", 400,
              "is not the address of a feed"},
             {site_top + "/release/WS2/archive?before=50", 400, "is not the address of a feed"},
             {site_top + "/release/WS2", 400, "is the address of a page"},
             {site_top + "/releases", 400, "is the address of a page"},
             {site_top + "/rss?class=Gene&tag=Live", 400, "narrowed by"},
             {site_top + "/release/WS2?mass=no&format=rss", 400, "narrowed by"},
             {site_top + "/rss?" + plain + "&include=mentions", 400, "include=mentions"},
             {site_top + "/rss?" + plain + "&since=WS77", 400, "since="},
             {site_top + "/rss?class=Gene&name=Nothing", 404, "Nothing"},
             {site_top + "/rss?class=Gene&name=wbgene00006763", 400, topic_url},
             {site_top + "/rss?class=Nothing", 404, "Nothing"},
             {site_top + "/release/WS99?format=rss", 404, "WS99"},
             {site_top + "/rss?watch=abcdefghijklmnop", 404, "hub.topic"},
             {site_top + "/rss?" + plain + "&tag=%FF", 400, "tag"}}) {
        check_refused_by_hub(world, {.topic = url}, status, text);
        check_refused_by_hub(world, {.topic = url}, status, "hub.topic");
    }
    CHECK(requests_in(world) == 0);
}

TEST_CASE("A bad parameter is refused with a text that names it") {
    HubWorld world;
    check_refused_by_hub(world, {.to = std::string("https://reader.example/\0", 24)}, 400,
                         "hub.callback");
    check_refused_by_hub(world, {.more = {{"hub.callback", "x"}}}, 400, "hub.callback");
    const auto escape = post_to_hub(world, HubRequest{}.body() + "&hub.secret=%zz");
    CHECK(escape.status == 400);
    CHECK_THAT(body_of(escape), Contains("hub.secret"));
    CHECK(requests_in(world) == 0);
}

TEST_CASE("Parameters that the hub does not know are ignored, whatever they hold") {
    HubWorld world;
    CHECK(post_to_hub(world, HubRequest{}.body() + "&hub.foo=%zz&foo=%ff&%zz=1&=&&x").status ==
          202);
    CHECK(requests_in(world) == 1);
}

TEST_CASE("The body is a form of at most 16 KB") {
    HubWorld world;
    for (const auto* type : {"application/json", "multipart/form-data; boundary=x", ""}) {
        const auto response = post_to_hub(world, HubRequest{}.body(), type);
        CHECK(response.status == 415);
        CHECK_THAT(body_of(response), Contains("Content-Type"));
    }
    for (const auto* type : {"application/x-www-form-urlencoded; charset=UTF-8",
                             "Application/X-WWW-Form-Urlencoded"})
        CHECK(post_to_hub(world, HubRequest{}.body(), type).status == 202);
    const auto padded = HubRequest{}.body() + "&x=";
    CHECK(post_to_hub(world, padded + std::string(16 * 1024 - padded.size(), 'x')).status == 202);
    CHECK(post_to_hub(world, padded + std::string(16 * 1024 - padded.size() + 1, 'x')).status ==
          413);
    Request dropped;
    dropped.method = "POST";
    dropped.path = "/hub";
    dropped.fields = {{"content-type", hub_form_type}};
    dropped.body_error = serve::body_too_long();
    CHECK(world.site.answer(dropped).status == 413);
    CHECK(post_to_hub(world, "").status == 400);
}

TEST_CASE("The hub only accepts POST, and a site without a hub has no page at its address") {
    HubWorld world;
    for (const auto* method : {"GET", "HEAD", "PUT", "OPTIONS"}) {
        const auto response = world.ask(method, "/hub");
        CHECK(response.status == 405);
        CHECK(response.field("Allow") == "POST");
    }
    World without;
    CHECK(without.open("/hub").status == 404);
    CHECK(subscribe(without, {}).status == 404);
}

TEST_CASE("Who unsubscribes needs neither a feed that is still there nor a token") {
    HubWorld world(private_settings());
    CHECK(subscribe(world, {.mode = "unsubscribe"}).status == 202);
    CHECK(subscribe(world,
                    {.mode = "unsubscribe", .topic = site_top + "/rss?class=Gene&name=Nothing"})
              .status == 202);
    CHECK(subscribe(world, {.mode = "unsubscribe", .topic = site_top + "/"}).status == 400);
}

TEST_CASE("Feeds of a private site are topics of its readers alone") {
    HubWorld world(private_settings());
    world.add_token("reader", "secret");
    check_refused_by_hub(world, {}, 401, "hub.topic");
    check_refused_by_hub(world, {.topic = topic_url + "&token=wrong"}, 401, "hub.topic");
    check_refused_by_hub(world, {.topic = topic_url + "&token=a&token=b&token=c&token=secret"},
                         401, "hub.topic");
    CHECK(requests_in(world) == 0);
    const auto check_recorded = [&](const Response& response) {
        CHECK(response.status == 202);
        const auto rows =
            world.small.query("SELECT url, topic_url, reader FROM topics, hub_requests");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].text(0) == topic_url);
        CHECK(rows[0].text(1) == topic_url);
        CHECK(rows[0].text(2) == base::sha256_hex("secret"));
    };
    check_recorded(subscribe(world, {.topic = topic_url + "&token=secret"}));
    check_recorded(post_to_hub(world, HubRequest{}.body(), hub_form_type, "token=secret"));
}

TEST_CASE("Requests to the hub are limited for each network, whatever the callback") {
    auto settings = settings_with();
    settings.subscription_limits.most_pending_of_asker = 1000;
    HubWorld world(settings);
    int accepted = 0;
    const auto ask = [&](const std::string& client) {
        const auto to = "https://reader.example/" + std::to_string(++accepted);
        return post_to_hub(world, HubRequest{.to = to}.body(), hub_form_type, "", client);
    };
    const auto refused = [&] {
        for (;;)
            if (auto response = ask("2001:db8:1:" + std::to_string(accepted % 9) + "::1");
                response.status != 202)
                return response;
    }();
    CHECK(accepted == 501);
    CHECK(refused.status == 429);
    CHECK(refused.field("Retry-After") == "1");
    CHECK(ask("2001:db8:2::1").status == 202);
    CHECK(ask("192.0.2.1").status == 202);
    world.tick += 1s;
    CHECK(ask("2001:db8:1::1").status == 202);
}

TEST_CASE("A hub that is full says when to come again") {
    auto settings = settings_with();
    settings.subscription_limits.most_pending_of_asker = 1;
    HubWorld world(settings);
    CHECK(subscribe(world, {}).status == 202);
    const auto refused = subscribe(world, {.to = "https://reader.example/other"});
    CHECK(refused.status == 429);
    CHECK(refused.field("Retry-After") == "60");
    CHECK_THAT(body_of(refused), Contains("from your address"));
    settings.subscription_limits.most_of_host = 0;
    HubWorld full_host(settings);
    const auto of_host = subscribe(full_host, {});
    CHECK(of_host.status == 429);
    CHECK(of_host.field("Retry-After") == "3600");
    CHECK_THAT(body_of(of_host), Contains("hub.callback"));
    settings.subscription_limits = {.most = 0};
    HubWorld full(settings);
    const auto none = subscribe(full, {});
    CHECK(none.status == 503);
    CHECK(none.field("Retry-After") == "30");
}

TEST_CASE("While the store is away nothing is accepted") {
    HubWorld world;
    world.set_store_down(true);
    CHECK(subscribe(world, {}).status == 503);
    CHECK(subscribe(world, {.mode = "unsubscribe"}).status == 503);
}

TEST_CASE("A callback on an intranet is accepted where the operator allows it") {
    auto settings = settings_with();
    settings.callback_guard = net::AddressGuard(net::parse_allow_list("127.0.0.0/8").value());
    HubWorld world(settings);
    CHECK(subscribe(world, {.to = "http://127.0.0.1:8080/in"}).status == 202);
    check_refused_by_hub(world, {.to = "http://10.0.0.1/in"}, 400, "hub.callback");
}
