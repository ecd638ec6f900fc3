// Objects in the store: how they are found, and when they are written.
// SPDX-License-Identifier: MIT
#include "tables/objects.hpp"

#include "support/catch.hpp"
#include "support/stores.hpp"
#include "tables/forgetting.hpp"
#include "tables/writing.hpp"

using namespace tables;
using tables_tests::Writing;

namespace {

ObjectRow object(const std::string& name) {
    ObjectRow row;
    row.object = {"Gene", name};
    row.build = row.bytes = 1;
    row.signature = "one";
    row.last_modified = *base::parse_date("2008-02-01");
    return row;
}

}  // namespace

TEST_CASE("Of two objects whose names differ in case, a third spelling finds neither") {
    const ObjectsByName one({object("unc-1")});
    REQUIRE(one.find({"Gene", "UNC-1"}) != nullptr);
    const ObjectsByName two({object("unc-1"), object("Unc-1")});
    REQUIRE(two.find({"Gene", "Unc-1"}) != nullptr);
    CHECK(two.find({"Gene", "Unc-1"})->object.name == "Unc-1");
    CHECK(two.find({"Gene", "UNC-1"}) == nullptr);
}

TEST_CASE_METHOD(Writing, "An object is written only if it still is as it was read") {
    auto there = object("unc-1");
    const auto* row = &there;
    there.oid = insert_objects(transaction, std::span(&row, 1)).at(0);
    auto other_build = there, other_bytes = there, other_content = there;
    other_build.build = other_bytes.bytes = 2;
    other_content.signature = "two";
    for (const auto& read : {other_build, other_bytes, other_content}) {
        CHECK_FALSE(update_object(transaction, there, read));
        CHECK_FALSE(note_compared(transaction, there, read));
    }
    CHECK(note_compared(transaction, other_build, there));
    CHECK(note_compared(transaction, there, other_build));
    CHECK(update_object(transaction, other_content, there));
    CHECK_FALSE(update_object(transaction, other_content, there));
}

TEST_CASE_METHOD(
    Writing, "Names that differ in case, or in a blank at the end, are names of three objects") {
    const std::vector objects{object("unc-1"), object("Unc-1"), object("unc-1 ")};
    for (const auto& each : objects) {
        const auto* row = &each;
        (void)insert_objects(transaction, std::span(&row, 1));
    }
    for (const auto& each : objects) CHECK(oids_of(transaction, each.object).size() == 1);
}
