// Whole trees of objects, in both engines.
// SPDX-License-Identifier: MIT
#include "tables/trees.hpp"

#include "store/dialect.hpp"
#include "support/catch.hpp"
#include "support/stores.hpp"
#include "support/trees.hpp"

using namespace tables;
using store::Access;
using store::Transaction;
using store::Value;
using support::Nodes;
using support::tag;
using support::text;

namespace {

const Releases releases({{"WS186", *base::parse_date("2008-02-01")}});

// Stores a tree of object 1 as of WS186.
void store_tree(store::Pool& pool, const std::string& packed) {
    const std::string version = "WS186";
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        transaction.execute("INSERT INTO objects (oid, class, name, name_key) VALUES"
                            " (1, 'Gene', 'a', 'a')");
        insert_trees(transaction, std::vector<NewTree>{{1, &version, &packed}});
    });
}

}  // namespace

TEST_CASE("A tree is read as it was stored, and a damaged one is reported") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    store::Pool pool(fresh.connect(), 1);
    const Nodes nodes{tag("Identity", {tag("Version", {text("1")})}), tag("Live")};
    const bool is_damaged = GENERATE(false, true);
    auto packed = packed_tree(nodes);
    if (is_damaged) packed.pop_back();
    store_tree(pool, packed);
    const std::int64_t oid = 1;
    const auto read = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return newest_trees(transaction, std::span(&oid, 1), releases);
    });
    REQUIRE(read.has_value() != is_damaged);
    if (is_damaged)
        CHECK(read.error().text == "stored tree of WS186: a damaged zstd frame");
    else
        CHECK(read->at(1).nodes == nodes);
}

TEST_CASE("An object keeps as many trees as it shall, the newest") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    store::Pool pool(fresh.connect(), 1);
    store_tree(pool, packed_tree({tag("Live")}));
    const auto known = [] {
        Releases all;
        for (const auto* version : {"WS185", "WS186", "WS187"})
            all.add({version, *base::parse_date("2008-02-01")});
        return all;
    }();
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        const std::string older = "WS185", newer = "WS187", packed = packed_tree({tag("Live")});
        insert_trees(transaction,
                     std::vector<NewTree>{{1, &newer, &packed}, {1, &older, &packed}});
        const std::int64_t oid = 1;
        const auto kept = [&](std::size_t keep) {
            prune_trees(transaction, std::span(&oid, 1), keep, known);
            return tree_versions(transaction, std::span(&oid, 1), known).at(1);
        };
        CHECK(kept(0) == std::vector<std::string>{"WS187", "WS186", "WS185"});  // all
        CHECK(kept(3).size() == 3);
        CHECK(kept(2) == std::vector<std::string>{"WS187", "WS186"});
    });
}
