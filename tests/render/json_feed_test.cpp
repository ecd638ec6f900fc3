// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "sample.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using nlohmann::json;

namespace {

std::string json_feed(const query::History& history, const render::Site& look = site()) {
    const auto bytes = render::json_feed(history, channel_of(history, look), look);
    INFO(bytes.substr(0, 3000));
    CHECK(support::findings_in_json(bytes, self_url, now()) == std::vector<std::string>());
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

TEST_CASE("An item has its changes as data, in the recorded form") {
    const auto r = unc_26_in_ws187();
    const auto varve = item_of(r).at("_varve");
    CHECK(varve.at("class") == "Gene");
    CHECK(varve.at("name") == "WBGene00006763");
    CHECK(varve.at("release") == "WS187");
    CHECK(varve.at("since") == "WS186");
    CHECK(varve.at("kind") == "changed");
    CHECK(varve.at("changes") == json::parse(tables::changes_to_json(r.notes.changes)));
    CHECK(!varve.contains("left_out"));
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

TEST_CASE("Where curators are hidden, formats show the days of timestamps and no users") {
    auto r = unc_26_in_ws187();
    r.notes.changes.push_back(
        added({}, support::stamped(support::text("v"), "opaque of sylvia")));
    r.notes.changes.push_back(
        removed(tags({"B"}), support::tag("C", {support::stamped(support::text("w"), sylvia)})));
    auto history = history_of({r});
    history.people = people();
    auto look = site();
    look.hide_curators = true;
    for (const auto& format : render::formats()) {
        INFO(format.name);
        CHECK(format.render(history, channel_of(history, site()), site()).find("ylvia") !=
              std::string::npos);
        const auto hidden = format.render(history, channel_of(history, look), look);
        CHECK(hidden.find("ylvia") == std::string::npos);
        CHECK(hidden.find("2008-02-01.") != std::string::npos);
    }
    const auto changes = item_of(r, look).at("_varve").at("changes");
    CHECK(changes.at(1).at("after").at(0).at("at") == "2008-02-01T09:15:20");
    CHECK(changes.at(1).at("after").at(0).at("children").at(0).at("children").at(0) ==
          json{{"text", "wormpub_GO"}, {"at", "2008-02-01T09:15:20"}});
    CHECK(changes.at(5).at("after").at(0) == json{{"text", "v"}});
    json_feed(history, look);
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

TEST_CASE("The data of a narrower feed contains the changes that it shows") {
    auto history = history_of({unc_26_in_ws187()});
    history.filter.only = {Op::removed};
    const auto varve = json::parse(json_feed(history)).at("items").at(0).at("_varve");
    CHECK(varve.at("changes").size() == 1);
    CHECK(varve.at("left_out") == 4);
}
