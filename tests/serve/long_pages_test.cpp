// Histories whose rows take much memory: few of them are read at the same time.
// SPDX-License-Identifier: MIT
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "serve/world.hpp"

using namespace world;
using namespace std::chrono_literals;

namespace {

const std::string short_history = "class=Gene&name=" + daf16.name;

struct LongHistory : World {
    explicit LongHistory(base::Gate::Limits limits, serve::Settings settings = settings_with())
        : World(std::move(settings), "https://example.org/changes", Start::with_release, limits) {
        release(1, {unc26, daf16});
        make_long();
    }
    // Gives the rows of unc-26 some hundred KB of changes, and 10 KB besides.
    void make_long(int changes = 5'000) {
        World::small.execute(
            "UPDATE history SET notes = '{\"changes\":[' || rtrim(replace(hex(zeroblob(" +
            std::to_string(changes) + R"()), '00', '{"op":"added","path":[],"after":[{"text":)" +
            R"("some words"}]},'), ',') || '],"previous":"' || hex(zeroblob(5000)) || '"}')"
            " WHERE oid IN (SELECT oid FROM objects WHERE name = 'WBGene00006763')");
    }
    [[nodiscard]] base::Gate& gate() {
        return World::small.service.read_context().shared.long_pages;
    }
};

}  // namespace

TEST_CASE("Feeds of few bytes are answered while long histories are refused") {
    LongHistory site({.admitted = 1, .computing = 1, .wait_at_most = 0ms});
    auto held = site.gate().admit();
    REQUIRE(held);
    CHECK(site.get(short_history).status == 200);
    CHECK(site.open("/history?" + short_history).status == 200);
    CHECK(site.open("/").status == 200);
    const std::vector<std::string> long_ones = {"/history?" + plain, "/rss?class=Gene",
                                                "/release/WS1", "/rss?object=Gene:" + unc26.name,
                                                "/diff?" + plain + "&from=WS0&to=WS1"};
    for (const auto& url : long_ones) {
        INFO(url);
        const auto refused = site.open(url);
        CHECK(refused.status == 503);
        CHECK(refused.field("Retry-After") == "30");
    }
    held.reset();
    CHECK(site.open("/history?" + plain).status == 200);
}

TEST_CASE(
    "A filter waits for its turn with the longest row that it looks at, whatever it shows") {
    LongHistory site({.admitted = 1, .computing = 1, .wait_at_most = 0ms});
    site.release(2, {unc26});
    const auto narrowed = plain + "&change=replaced&since=WS1";
    const auto filtered = plain + "&change=replaced";
    REQUIRE(site.get(filtered).status == 200);
    const auto held = site.gate().admit();
    CHECK(site.get(narrowed).status == 200);
    CHECK(site.get(filtered + "&n=7").status == 503);
}

TEST_CASE("No transaction and no connection is kept while a request waits for its turn") {
    LongHistory site({.admitted = 99, .computing = 1, .wait_at_most = 10min});
    auto held = site.gate().admit();
    auto turn = site.gate().wait_for_turn();
    std::vector<std::future<Response>> waiting;
    for (int each = 0; each < 8; ++each)  // the pool has four connections
        waiting.push_back(std::async(std::launch::async, [&site, each] {
            return site.get(plain + "&n=" + std::to_string(each + 1));
        }));
    const auto is_answered = [](const auto& one) {
        return one.wait_for(0s) != std::future_status::timeout;
    };
    while (site.gate().admitted() < 9 && std::ranges::none_of(waiting, is_answered))
        std::this_thread::yield();
    CHECK(site.get(short_history).status == 200);
    turn.reset();
    for (auto& each : waiting) CHECK(each.get().status == 200);
}

TEST_CASE("A turn ends whatever becomes of the answer") {
    LongHistory site({.admitted = 1, .computing = 1, .wait_at_most = 0ms},
                     settings_with(0));  // no page cache
    const auto is_free = [&] { return site.gate().admit() != nullptr; };
    const std::string tag(site.get(plain).field("ETag"));
    CHECK(site.get(plain, {{"if-none-match", tag}}).status == 304);
    CHECK(site.ask("HEAD", "/rss?" + plain).status == 200);
    CHECK(site.open("/rss/archive?" + plain + "&before=100").status == 404);
    CHECK(site.open("/history?" + plain + "&at=WS0").status == 404);
    CHECK(is_free());

    // The store fails at the first, second, third … statement.
    int answered = 0;
    for (int last = 0; answered != 200 && last < 1000; ++last) {
        int statements = 0;
        site.World::small.store_switch.before_statement = [&] {
            if (statements++ == last) throw store::Failure("away (by the test)", {}, 2013);
        };
        answered = site.get(plain).status;
        CHECK(is_free());
    }
    CHECK(answered == 200);
}

TEST_CASE("Of a long row a feed has the same beginning whatever else is on the page") {
    LongHistory site({});
    site.make_long(5'000);
    const auto item_of_unc26 = [&](const std::string& query) {
        const auto body = *site.get(query).body;
        const auto title = body.find("unc-26", body.find("<item>"));
        const auto from = body.rfind("<item>", title);
        return body.substr(from, body.find("</item>", title) - from);
    };
    const auto alone = item_of_unc26(plain);
    CHECK(alone.size() < 40 << 10);
    CHECK(item_of_unc26("class=Gene") == alone);
}

TEST_CASE("A feed ends where its rows have 4 MB, and the pages of its archive have all of them") {
    LongHistory site({});
    for (int number = 2; number <= 80; ++number) site.release(number, {unc26});
    site.make_long();
    const auto items_of = [&](const std::string& url) {
        const auto feed = *site.open(url).body;
        std::size_t items = 0;
        for (auto at = feed.find("<item>"); at != std::string::npos;
             at = feed.find("<item>", at + 1))
            ++items;
        return items;
    };
    const auto shown = items_of("/rss?" + plain + "&n=100");
    CHECK(shown < 50);
    CHECK(shown > 30);
    CHECK(items_of("/rss/archive?" + plain + "&before=50") == 50);
    CHECK(says(site.open("/rss?" + plain + "&n=100"), "before=50"));
}

TEST_CASE("The pages of a history have all of its rows with changes, however long they are") {
    LongHistory site({});
    constexpr int releases = 103;
    for (int number = 2; number <= releases; ++number) site.release(number, {unc26});
    site.make_long(800);  // more than 4 MB in all
    const auto recorded = site.small
                              .query("SELECT COUNT(*) FROM history h JOIN objects o ON o.oid = "
                                     "h.oid WHERE o.name = '" +
                                     unc26.name + "'")[0]
                              .integer(0);
    std::set<std::string> versions;
    std::string next = "/history?" + plain + "&format=json";
    for (int page = 1; !next.empty(); ++page) {
        const auto html = site.open("/history?" + plain + "&page=" + std::to_string(page));
        CHECK(says(html, "Page " + std::to_string(page) + " of 3"));
        const auto document = nlohmann::json::parse(*site.open(next).body);
        for (const auto& row : document["rows"]) {
            CHECK(versions.insert(row["release"].get<std::string>()).second);
            CHECK(row["changes"].size() > 100);
        }
        next = document.value("next_url", "");
        if (!next.empty()) next = next.substr(site_top.size());
    }
    CHECK(versions.size() == static_cast<std::size_t>(recorded));
    CHECK(recorded > 100);
}
