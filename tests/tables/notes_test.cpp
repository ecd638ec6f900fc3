// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

#include "compare/compare.hpp"
#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tables/rows.hpp"

using namespace tables;

TEST_CASE("Every kind of row has a name of its own that leads back to it") {
    for (const auto kind : {RowKind::changed, RowKind::created, RowKind::vanished,
                            RowKind::reappeared, RowKind::reconstructed, RowKind::withdrawn})
        CHECK(kind_named(name_of(kind)) == kind);
    CHECK_FALSE(kind_named("else"));
}

TEST_CASE("Notes come back from JSON as they were") {
    CHECK(rc::check([] {
        Notes notes;
        notes.changes = compare::compare(support::random_nodes(3), support::random_nodes(3),
                                         tree::Models{}, tree::Models::unknown);
        notes.previous = *rc::gen::element<std::string>("", "WS186");
        const auto back = notes_from_json(to_json(notes));
        RC_ASSERT(back.has_value());
        RC_ASSERT(to_json(*back) == to_json(notes));
        RC_ASSERT(back->changes.size() == notes.changes.size());
    }));
}

TEST_CASE("Changes have the shape that docs/schema.md promises") {
    Notes notes;
    notes.changes = {{compare::Op::replaced,
                      {support::tag("Identity").cell, support::tag("Version").cell},
                      {support::node(tree::CellKind::integer, "1")},
                      {support::stamped(support::node(tree::CellKind::integer, "2"),
                                        "2008-02-01_09:15:20_sylvia")}}};
    CHECK(to_json(notes) ==
          R"({"changes":[{"op":"replaced","path":[{"tag":"Identity"},{"tag":"Version"}],)"
          R"("before":[{"int":1}],)"
          R"("after":[{"int":2,"at":"2008-02-01T09:15:20","by":"sylvia"}]}]})");
}

TEST_CASE("A path is stored once, however many changes lie on it") {
    support::Nodes before, after;
    for (int level = 0; level < 300; ++level) {
        const auto of_level = [&](const std::string& value, support::Nodes below) {
            auto node = support::tag("Level", std::move(below));
            node.children.push_back(support::text(value));
            return node;
        };
        before = {of_level("old", before)};
        after = {of_level("new", after)};
    }
    Notes notes;
    notes.changes = compare::compare(before, after, tree::Models{}, tree::Models::unknown);
    REQUIRE(notes.changes.size() == 300);
    const auto json = to_json(notes);
    CHECK(json.size() < 60'000);
    const auto back = notes_from_json(json);
    REQUIRE(back);
    CHECK(back->changes == notes.changes);
}

TEST_CASE("A row whose paths would take more memory than the row is an error") {
    Notes notes;
    const compare::Change change{compare::Op::added,
                                 std::vector(1'900, support::tag("Level").cell),
                                 {},
                                 {support::text("new")}};
    notes.changes.assign(26, change);
    CHECK(notes_from_json(to_json(notes)));
    notes.changes.assign(1'000, change);
    const auto json = to_json(notes);
    CHECK(json.size() < 200'000);
    CHECK(notes_from_json(json).error().kind == base::ErrorKind::malformed);
}

TEST_CASE("Bytes that are no notes are an error") {
    for (const auto* text :
         {"", "[]", "{", R"({"changes":1})", R"({"changes":[{}]})",
          R"({"changes":[{"op":"mended","path":[]}]})", R"({"changes":[{"op":"added"}]})",
          R"({"changes":[{"op":"added","path":[{"x":1}]}]})",
          R"({"changes":[{"op":"added","path":[]}]})",
          R"({"changes":[{"op":"removed","path":[],"after":[{"tag":"A"}]}]})",
          R"({"changes":[{"op":"replaced","path":[],"after":[{"tag":"A"}]}]})",
          R"({"changes":[{"op":"added","path":[],"after":[{"tag":"A"},{"tag":"B"}]}]})",
          R"({"changes":[{"op":"added","below":[],"after":[{"tag":"A"}]}]})",
          R"({"changes":[{"op":"added","shared":1,"below":[],"after":[{"tag":"A"}]}]})",
          R"({"changes":[{"op":"added","shared":-1,"below":[],"after":[{"tag":"A"}]}]})"})
        CHECK(notes_from_json(text).error().kind == base::ErrorKind::malformed);
}

TEST_CASE(
    "A row that is too long loses what is below its largest changes, then its last changes") {
    const auto added = [](support::Nodes nodes) {
        return compare::Change{
            compare::Op::added, {support::tag("Remark").cell}, {}, std::move(nodes)};
    };
    Notes notes;
    const auto small = added({support::text("small", {support::text("below")})});
    const auto large =
        added({support::text("large", support::Nodes(1'000, support::text("below")))});
    notes.changes = {small, large, added({support::text(std::string(20'000, 'a'))}), small,
                     small};
    const auto whole = notes;
    CHECK(whole.is_whole());

    shorten(notes, 1'000);
    REQUIRE(notes.changes.size() == 5);
    CHECK(notes.changes[0] == small);
    CHECK(notes.changes[1].after == support::Nodes{support::text("large")});
    CHECK(notes.changes[1].left_out > 10'000);
    CHECK(notes.changes[2].after[0].cell.text == std::string(100, 'a') + "\xE2\x80\xA6");
    CHECK(notes.changes[2].left_out > 19'000);
    CHECK(notes.changes[4] == small);
    CHECK_FALSE(notes.is_whole());

    notes = whole;
    shorten(notes, 250);
    CHECK(notes.changes.size() == 2);
    CHECK(notes.left_out == compare::Counts{3, 0, 0});
    CHECK(to_json(notes).find(R"("left_out":{"added":3,"removed":0,"replaced":0}})") !=
          std::string::npos);
}

TEST_CASE("A shortened row has no more bytes than it may, counts all changes, and comes back") {
    CHECK(rc::check([] {
        Notes notes;
        notes.changes = compare::compare(support::random_nodes(3), support::random_nodes(3),
                                         tree::Models{}, tree::Models::unknown);
        const auto counts = count_changes(notes);
        const auto most = *rc::gen::inRange<std::size_t>(0, 2'000);
        const auto json_size = [](const Notes& of) {
            return to_json(Notes{of.changes, {}, {}, {}}).size() - to_json(Notes{}).size() + 2;
        };
        const bool fits = json_size(notes) <= most;
        auto shortened = notes;
        shorten(shortened, most);
        RC_ASSERT(json_size(shortened) <= most + 2);  // the brackets
        RC_ASSERT(count_changes(shortened) == counts);
        if (fits) RC_ASSERT(shortened == notes);
        const auto back = notes_from_json(to_json(shortened));
        RC_ASSERT(back.has_value());
        RC_ASSERT(to_json(*back) == to_json(shortened));
        RC_ASSERT(back->left_out == shortened.left_out);
        RC_ASSERT(back->is_whole() == shortened.is_whole());
        auto again = shortened;
        shorten(again, most + 2);
        RC_ASSERT(again == shortened);
        // Pages shorten what was shortened when it was recorded.
        shorten(again, most / 2);
        RC_ASSERT(count_changes(again) == counts);
    }));
}
