// What `varve check` learns of a build before anything is recorded.
// SPDX-License-Identifier: MIT
#include "history/build_view.hpp"

#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using namespace history;

namespace {

// Each object is loaded in a session of its own; a curator adds to every tenth.
struct LoadedInSteps : support::SmallBuild {
    LoadedInSteps() : SmallBuild("WS187", "2008-02-15") {
        for (int i = 0; i < 200; ++i) {
            const auto step = std::to_string(100 + i).substr(1);
            auto nodes = support::Nodes{support::tag(
                "Remark", {support::stamped(support::text("x"),
                                            "2008-01-" + std::to_string(10 + i % 20) + "_09:00:" +
                                                std::to_string(10 + i % 50) + "_loader")})};
            if (i % 10 == 0)
                nodes.push_back(support::tag(
                    "Person",
                    {support::stamped(support::text("y"), "2008-02-01_10:00:00_sylvia")}));
            with("Gene", "g" + step, std::move(nodes));
        }
    }
};

FirstSightSample sample_of(support::RecordingSite& site, const source::Source& build,
                           const source::Source* previous = nullptr) {
    const auto context = site.context();
    auto sample = sample_first_sight({context, build, previous});
    if (!sample) FAIL(sample.error().text);
    return std::move(*sample);
}

}  // namespace

TEST_CASE(
    "A sample says how many objects first sight would report, and whose timestamps they have") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    const LoadedInSteps build;
    const auto objects = static_cast<std::size_t>(build.class_counts().at(0).objects);
    auto sample = sample_of(site, build);
    CHECK(sample.objects == objects);
    CHECK(sample.reported == objects);
    REQUIRE(sample.users.size() == 2);
    CHECK(sample.users[0] == std::pair<std::string, std::size_t>("loader", objects));
    CHECK(sample.users[1].first == "sylvia");
    site.settings.build_users = {"loader"};
    sample = sample_of(site, build);
    CHECK(sample.reported == sample.users.at(0).second);
    CHECK(sample.users.at(0).first == "sylvia");
}

TEST_CASE("Objects that are recorded, or new in the build, are not part of the sample") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    const LoadedInSteps build;
    support::SmallBuild before("WS186", "2008-02-01");
    before.with("Gene", "g00", support::remark("x")).with("Gene", "g01", support::remark("x"));
    CHECK(sample_of(site, build, &before).objects == 2);
    site.ask(build, nullptr, {"Gene", "g00"});
    CHECK(sample_of(site, build, &before).objects == 1);
    const auto loads = build.loads();
    site.ask(build, nullptr, {"Gene", "g01"});
    CHECK(sample_of(site, build, &before).objects == 0);
    CHECK(build.loads() == loads + 1);
}
