// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"
#include "support/trees.hpp"

using namespace sample;
using nlohmann::json;

namespace {

std::string json_feed(const query::History& history, const render::Site& look = site()) {
    const auto bytes =
        render::format_named("json")->render(history, channel_of(history, look), look);
    INFO(bytes.substr(0, 3000));
    CHECK(support::findings_in_json(bytes, self_url, now()) == none);
    return bytes;
}
json item_of(const Row& row, const render::Site& look = site()) {
    return json::parse(json_feed(history_of({row}), look)).at("items").at(0);
}

}  // namespace

TEST_CASE("A gene's JSON Feed equals the golden one") {
    auto history = gene();
    history.people = people();
    check_golden("gene.json", json_feed(history));
}

TEST_CASE("A JSON Feed without items equals the golden one") {
    check_golden("empty.json", json_feed(history_of({})));
}

TEST_CASE("An item counts what its row does not have, and so does a change") {
    auto r = unc_26_in_ws187();
    const auto recorded = r.notes.changes.size();
    r.notes.changes[0].left_out = 5'000'000;
    r.notes.left_out = {100'000, 0, 1};
    const auto varve = item_of(r).at("_varve");
    CHECK(varve.at("changes").size() == recorded);
    CHECK(varve.at("changes").at(0).at("left_out") == 5'000'000);
    CHECK(!varve.at("changes").at(1).contains("left_out"));
    CHECK(varve.at("left_out") == 100'001);
}

TEST_CASE("Where curators are hidden, changes as data have the days of timestamps and no users") {
    auto look = site();
    look.hide_curators = true;
    auto r = unc_26_in_ws187();
    r.notes.changes.push_back(
        added({}, support::stamped(support::text("v"), "opaque of sylvia")));
    const auto changes = item_of(r, look).at("_varve").at("changes");
    CHECK(changes.at(1).at("after").at(0).at("at") == "2008-02-01T09:15:20");
    CHECK(changes.at(1).at("after").at(0).at("children").at(0).at("children").at(0) ==
          json{{"text", "wormpub_GO"}, {"at", "2008-02-01T09:15:20"}});
    CHECK(changes.at(5).at("after").at(0) == json{{"text", "v"}});
}

TEST_CASE(
    "The data of an item is cut at 200 changes and at 32 KB, and says how many are missing") {
    std::vector<Change> changes;
    for (int i = 0; i < 203; ++i)
        changes.push_back(added(tags({"A"}), support::text(std::to_string(i))));
    auto varve = item_of(row("WS187", day(2008, 2, 15), changes)).at("_varve");
    CHECK(varve.at("changes").size() == 200);
    CHECK(varve.at("left_out") == 3);
    changes.at(2) = added({}, support::text(std::string(40'000, 'x')));
    varve = item_of(row("WS187", day(2008, 2, 15), changes)).at("_varve");
    CHECK(varve.at("changes").size() == 2);
    CHECK(varve.at("left_out") == 201);
}

TEST_CASE("A difference as JSON has as many changes as its bytes allow, and says how many more") {
    query::Difference difference;
    difference.object = {"Gene", "deep"};
    difference.from.version = "WS1";
    difference.to.version = "WS2";
    for (int i = 0; i < 3; ++i)
        difference.changes.push_back(
            {compare::Op::added, {}, {}, {support::text(std::string(100, 'x'))}});
    const std::string head =
        R"({"class":"Gene","name":"deep","from":"WS1","to":"WS2","kind":"changed","changes":[)";
    const auto change = render::change_json(difference.changes.front(), {});
    CHECK(render::difference_json(difference, {}, 2 * change.size() + 50) ==
          head + change + "," + change + "],\"left_out\":1}\n");
    CHECK(render::difference_json(difference, {}, 10) == head + "],\"left_out\":3}\n");
    CHECK(render::difference_json(difference, {}) ==
          head + change + "," + change + "," + change + "]}\n");
}
