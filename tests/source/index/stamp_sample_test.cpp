// Which timestamps of a sample are those of loading sessions (rule C4).
// SPDX-License-Identifier: MIT
#include "source/index/indexed_source.hpp"
#include "support/catch.hpp"

using source::StampSample;

TEST_CASE(
    "A timestamp in a tenth of the sample is a curator's, in more than a tenth it is loading") {
    tree::Node stamped;
    stamped.stamp = "2008-01-25_10:00:00_loader";
    tree::Object object;
    object.nodes = {stamped};
    StampSample sample;
    for (int i = 0; i < 100; ++i) sample.add(object);
    for (int i = 0; i < 800; ++i) sample.add({});
    CHECK(sample.loading_stamps().empty());  // of so few, even these may be a curator's
    for (int i = 0; i < 100; ++i) sample.add({});
    CHECK(sample.loading_stamps().empty());
    sample.add(object);
    CHECK(sample.loading_stamps() == std::vector<std::string>{"2008-01-25_00:00:00_loader"});
}
