// The builds that bench/make_build makes for tests/large, which compares the changes that they list.
// SPDX-License-Identifier: MIT
#include "../../bench/build_release.hpp"
#include "source/ace_object.hpp"
#include "source/dumps.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

// A build of 3,000 objects and its next release with many changes.
struct MadeBuilds {
    MadeBuilds() {
        plan.objects = 3000;
        plan.first = {"WS300", "2010-01-01", folder.path() / "first"};
        plan.next = {"WS301", "2010-02-01", folder.path() / "next"};
        plan.shares = {100000, 200000, 30000, 30000};
        plan.mass_change = "Author";
        plan.changes = folder.path() / "changes.tsv";
        bench::BuildMaker(plan).make();
    }
    [[nodiscard]] std::string bytes() const {
        return dumps::read(plan.first.folder / "dump.ace") +
               dumps::read(plan.next->folder / "dump.ace") + dumps::read(plan.changes);
    }
    support::TempDir folder;
    bench::Plan plan;
};

}  // namespace

TEST_CASE("Made dumps are written as AceDB writes them") {
    const MadeBuilds builds;
    for (const auto& release : {builds.plan.first, *builds.plan.next})
        for (const auto& bytes : dumps::objects_in(release.folder / "dump.ace")) {
            const auto object = source::parse_object(bytes, tree::Models());
            INFO(bytes);
            REQUIRE(object);
            if (!bench::is_array(object->id.class_name)) CHECK(dumps::written(*object) == bytes);
        }
}

TEST_CASE("The same plan makes the same bytes, and another seed makes others") {
    const MadeBuilds one, other;
    const auto bytes = one.bytes();
    CHECK((other.bytes() == bytes));
    auto seeded = one.plan;
    seeded.seed = 2;
    bench::BuildMaker(seeded).make();
    CHECK((one.bytes() != bytes));
}
