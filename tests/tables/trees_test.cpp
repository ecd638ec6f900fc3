// Trees and the dictionaries that they are packed with, in both engines.
// SPDX-License-Identifier: MIT
#include "tables/trees.hpp"

#include "store/dialect.hpp"
#include "support/catch.hpp"
#include "support/faulty_connection.hpp"
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

// Trees of one kind, each with something of its own.
std::vector<Nodes> similar_trees(std::size_t count, const std::string& word = "muscle") {
    std::vector<Nodes> trees;
    for (std::size_t i = 0; i < count; ++i)
        trees.push_back({tag("Identity", {tag("Version", {text(std::to_string(i * 7919))})}),
                         tag("Remark", {text("Expressed in the " + word + " of the body wall"),
                                        text("Curated by hand, cell " + std::to_string(i))})});
    return trees;
}

TreesByClass of_class(const std::string& class_name, const std::vector<Nodes>& trees) {
    TreesByClass by_class;
    for (const auto& nodes : trees) by_class[class_name].push_back(&nodes);
    return by_class;
}

// Stores trees as those of objects 1, 2, 3, … of WS186, packed as dictionaries_for() says.
void store_trees(store::Pool& pool, const std::vector<Nodes>& trees) {
    const auto dictionaries = dictionaries_for(pool, of_class("Gene", trees));
    const auto dictionary = dictionaries.find("Gene");
    const std::string version = "WS186";
    std::vector<std::string> packed;
    std::vector<NewTree> rows;
    for (const auto& nodes : trees)
        packed.push_back(
            packed_tree(nodes, dictionary == dictionaries.end() ? nullptr : &dictionary->second));
    store::perform(pool, Access::write, [&](Transaction& transaction) {
        for (std::size_t i = 0; i < trees.size(); ++i) {
            const auto oid = static_cast<std::int64_t>(i + 1);
            transaction.execute("INSERT INTO objects (oid, class, name, name_key) VALUES"
                                " (?, 'Gene', ?, ?)",
                                {Value{oid}, Value{std::to_string(i)}, Value{std::to_string(i)}});
            rows.push_back({oid, &version, &packed[i]});
        }
        insert_trees(transaction, rows);
    });
}

auto newest_of(store::Pool& pool, std::int64_t oid) {
    return store::perform(pool, Access::read, [&](Transaction& transaction) {
        return newest_trees(transaction, std::span(&oid, 1), releases);
    });
}

store::Rows query(store::Pool& pool, std::string_view sql) {
    return store::perform(pool, Access::read,
                          [&](Transaction& transaction) { return transaction.query(sql); });
}

void execute(store::Pool& pool, std::string_view sql, const std::vector<Value>& values = {}) {
    store::perform(pool, Access::write,
                   [&](Transaction& transaction) { transaction.execute(sql, values); });
}

std::int64_t bytes_of_trees(store::Pool& pool) {
    std::int64_t bytes = 0;
    for (const auto& row : query(pool, "SELECT tree FROM trees"))
        bytes += static_cast<std::int64_t>(row.blob(0).size());
    return bytes;
}

}  // namespace

TEST_CASE("A class with enough trees gets a dictionary, and each tree is read as it was") {
    const support::FreshStore fresh(GENERATE(support::both_engines())), other(fresh.engine());
    store::Pool pool(fresh.connect(), 4), without(other.connect(), 4);
    const auto trees = similar_trees(100);
    store_trees(pool, trees);
    CHECK(query(pool, "SELECT class FROM dictionaries").size() == 1);
    for (std::size_t i = 0; i < trees.size(); ++i) {
        const auto oid = static_cast<std::int64_t>(i + 1);
        const auto read = newest_of(pool, oid);
        REQUIRE(read);
        CHECK(read->at(oid).nodes == trees[i]);
    }
    store_trees(without, similar_trees(99));
    CHECK(query(without, "SELECT class FROM dictionaries").empty());
    CHECK(2 * bytes_of_trees(pool) < bytes_of_trees(without));
}

TEST_CASE("Trees above 64 KB and empty trees are no samples, and large ones are packed without") {
    const support::FreshStore fresh(store::Engine::sqlite);
    store::Pool pool(fresh.connect(), 4);
    auto trees = similar_trees(99);
    trees.push_back({tag("Remark", {text(std::string(64 << 10, 'x'))})});
    trees.emplace_back();
    CHECK(dictionaries_for(pool, of_class("Gene", trees)).empty());
    const auto more = similar_trees(100);
    const auto dictionaries = dictionaries_for(pool, of_class("Gene", more));
    REQUIRE(dictionaries.size() == 1);
    const auto* dictionary = &dictionaries.at("Gene");
    CHECK(base::dictionary_of_frame(packed_tree(more[0], dictionary)) != 0);
    CHECK(base::dictionary_of_frame(packed_tree(trees[99], dictionary)) == 0);
}

TEST_CASE("A class keeps its dictionary, and of two that were made at once uses the smaller id") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    store::Pool pool(fresh.connect(), 4);
    const auto one = similar_trees(150), other = similar_trees(150, "pharynx");
    const auto id_of = [&](const DictionariesByClass& dictionaries) {
        return std::int64_t{
            base::dictionary_of_frame(packed_tree(one[0], &dictionaries.at("Gene")))};
    };
    const auto first = id_of(dictionaries_for(pool, of_class("Gene", one)));
    CHECK(id_of(dictionaries_for(pool, of_class("Gene", other))) == first);
    // Another process made one at the same time.
    const auto its = store::Engine::sqlite;
    const support::FreshStore elsewhere(its);
    store::Pool its_pool(elsewhere.connect(), 4);
    const auto second = id_of(dictionaries_for(its_pool, of_class("Gene", other)));
    const auto row = query(its_pool, "SELECT dictionary FROM dictionaries").front();
    execute(pool, "INSERT INTO dictionaries (id, class, dictionary) VALUES (?, 'Gene', ?)",
            {Value{second}, Value{store::Blob{row.blob(0)}}});
    CHECK(second != first);
    CHECK(id_of(dictionaries_for(pool, of_class("Gene", other))) == std::min(first, second));
}

TEST_CASE(
    "A tree whose dictionary is missing or damaged is reported, and others get another one") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    store::Pool pool(fresh.connect(), 4);
    const auto trees = similar_trees(100);
    store_trees(pool, trees);
    const auto row = query(pool, "SELECT id, dictionary FROM dictionaries").front();
    const auto id = std::to_string(row.integer(0));
    SECTION("missing") {
        execute(pool, "DELETE FROM dictionaries");
        const auto read = newest_of(pool, 1);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind == base::ErrorKind::malformed);
        CHECK(read.error().text == "stored tree of WS186: dictionary " + id + " is missing");
    }
    SECTION("damaged") {
        const std::string damaged = GENERATE("", "no dictionary", "\x37\xA4\x30\xEC");
        execute(pool, "UPDATE dictionaries SET dictionary = ?", {Value{store::Blob{damaged}}});
        const auto read = newest_of(pool, 1);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind == base::ErrorKind::malformed);
        CHECK_THAT(read.error().text, Catch::Contains("dictionary " + id + ": a damaged"));
        const auto others = similar_trees(100, "pharynx");
        CHECK(dictionaries_for(pool, of_class("Gene", others)).size() == 1);
        // That of these samples is the damaged one.
        CHECK(query(pool, "SELECT id FROM dictionaries").size() == 2);
        execute(pool, "DELETE FROM dictionaries WHERE id <> ?", {Value{row.integer(0)}});
        CHECK(dictionaries_for(pool, of_class("Gene", trees)).empty());
    }
    SECTION("another one") {
        const auto others =
            base::make_dictionary(std::vector<std::string>(100, "something else"));
        execute(pool, "UPDATE dictionaries SET dictionary = ?",
                {Value{store::Blob{others.empty() ? row.blob(1).substr(1) : others}}});
        const auto read = newest_of(pool, 1);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind == base::ErrorKind::malformed);
    }
}

TEST_CASE("A dictionary is made once, whichever statement fails and however") {
    using support::Fault;
    const auto fault =
        GENERATE(Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit);
    const auto engine = GENERATE(support::both_engines());
    const auto trees = similar_trees(100);
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const support::FreshStore fresh(engine);
        store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
        CHECK(dictionaries_for(pool, of_class("Gene", trees)).size() == 1);
        CHECK(query(pool, "SELECT id FROM dictionaries").size() == 1);
    });
}

TEST_CASE("An object keeps as many trees as it shall, the newest") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    store::Pool pool(fresh.connect(), 1);
    store_trees(pool, similar_trees(1));  // of WS186
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
