// Whole trees of objects, in both engines.
// SPDX-License-Identifier: MIT
#include "tables/trees.hpp"

#include "support/trees.hpp"
#include "tables/writing.hpp"

using namespace tables;
using support::tag;
using support::text;

namespace {

// Object 1 and its trees.
struct OneObject : tables_tests::Writing {
    OneObject() {
        know({"WS185", "WS186", "WS187"});
        transaction.execute("INSERT INTO objects (oid, class, name, name_key) VALUES"
                            " (1, 'Gene', 'a', 'a')");
    }
    void store_tree(const std::string& version, const std::optional<std::string>& packed,
                    const std::string& since = {}) {
        insert_trees(transaction,
                     std::vector<NewTree>{{oid, &version, &since, packed ? &*packed : nullptr}});
    }
    const std::int64_t oid = 1;
};

}  // namespace

TEST_CASE_METHOD(OneObject, "A tree is read as it was stored, and a damaged one is reported") {
    Releases releases;
    releases.add({"WS186", *base::parse_date("2008-02-01")});
    const support::Nodes nodes{tag("Identity", {tag("Version", {text("1")})}), tag("Live")};
    const bool is_damaged = GENERATE(false, true);
    auto packed = packed_tree(nodes);
    if (is_damaged) packed.pop_back();
    store_tree("WS186", packed);
    const Release later{"WS999", *base::parse_date("2020-01-01")};
    const auto read = newest_trees(transaction, std::span(&oid, 1), releases, later).at(1);
    REQUIRE(read.has_value() != is_damaged);
    if (is_damaged)
        CHECK(read.error().text == "stored tree of WS186: a damaged zstd frame");
    else
        CHECK(read->nodes == nodes);
}

TEST_CASE_METHOD(OneObject, "That a release does not have an object is stored as well") {
    Releases known;
    for (const auto* version : {"WS186", "WS187"})
        known.add({version, *base::parse_date("2008-02-01")});
    store_tree("WS186", packed_tree({tag("Live")}));
    store_tree("WS187", std::nullopt, "WS186");
    const auto stored = stored_trees(transaction, oid, known);
    REQUIRE(stored.size() == 2);
    CHECK((stored[0].version == "WS187" && stored[0].since == "WS186" && !stored[0].is_there));
    CHECK((stored[1].version == "WS186" && stored[1].since.empty() && stored[1].is_there));
    CHECK_FALSE(tree_of(transaction, oid, "WS187")->is_there);
    CHECK(newest_trees(transaction, std::span(&oid, 1), known, *known.find("WS187"))
              .at(oid)
              ->is_there);
}

TEST_CASE_METHOD(OneObject, "An object keeps as many trees as it shall, the newest") {
    Releases known;
    for (const auto* version : {"WS186", "WS187", "WS185"}) {
        known.add({version, *base::parse_date("2008-02-01")});
        store_tree(version, packed_tree({tag("Live")}));
    }
    const auto kept = [&](std::size_t keep) {
        prune_trees(transaction, std::span(&oid, 1), keep, known);
        return tree_versions(transaction, std::span(&oid, 1), known).at(1);
    };
    CHECK(kept(0) == std::vector<std::string>{"WS187", "WS186", "WS185"});  // all
    CHECK(kept(3).size() == 3);
    CHECK(kept(2) == std::vector<std::string>{"WS187", "WS186"});
}
