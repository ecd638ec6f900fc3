// The builds that bench/make_build makes for tests/large, which compares the changes that they list.
// SPDX-License-Identifier: MIT
#include "../../bench/build_release.hpp"
#include "source/ace_object.hpp"
#include "source/dumps.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

TEST_CASE("Made dumps are written as AceDB writes them") {
    const support::TempDir folder;
    bench::Plan plan;
    plan.objects = 3000;
    plan.first = {"WS300", "2010-01-01", folder.path() / "first"};
    plan.next = {"WS301", "2010-02-01", folder.path() / "next"};
    plan.shares = {100000, 200000, 30000, 30000};
    plan.mass_change = "Author";
    plan.changes = folder.path() / "changes.tsv";
    bench::BuildMaker(plan).make();
    for (const auto& release : {plan.first, *plan.next})
        for (const auto& bytes : dumps::objects_in(release.folder / "dump.ace")) {
            const auto object = source::parse_object(bytes, tree::Models());
            INFO(bytes);
            REQUIRE(object);
            if (!bench::is_array(object->id.class_name)) CHECK(dumps::written(*object) == bytes);
        }
}
