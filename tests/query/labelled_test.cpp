// SPDX-License-Identifier: MIT
#include "process.hpp"
#include "query/labelled.hpp"

using namespace tables;
using namespace history;
using namespace query;
using namespace processes;
using support::tag;
using support::text;

TEST_CASE("objects that are named are told with what people call them, each in its place") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Settings settings;
    settings.names = {{"Gene", {{"Name"}}}};
    Process process(fresh.connect(), settings);
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    build->with("Gene", "WBGene01", {tag("Name", {text("unc-26")})});
    build->with("Gene", "WBGene02", {tag("Name", {text("lin-7")})});
    build->with("Paper", "WBGene01", {});
    process.put(build);
    static_cast<void>(process.list({{"Gene", "WBGene01"}, {"Paper", "WBGene01"}}));

    // Another spelling, another class of the same name, nobody, and one of the build alone; what
    // a search would find by its beginning is not meant.
    const std::vector<ObjectName> asked{{"gene", "wbgene01"}, {"Paper", "WBGene01"},
                                        {"Gene", "nobody"},   {"Gene", "wbgene02"},
                                        {"Gene", "WBGene0"},  {"Gene", "WBGene01"}};
    CHECK(labelled(process.service.read_context(), asked) ==
          std::vector<Named>{{{"Gene", "WBGene01"}, "unc-26"},
                             {{"Paper", "WBGene01"}, "WBGene01"},
                             {{"Gene", "nobody"}, "nobody"},
                             {{"Gene", "WBGene02"}, "lin-7"},
                             {{"Gene", "WBGene0"}, "WBGene0"},
                             {{"Gene", "WBGene01"}, "unc-26"}});
    CHECK(labelled(process.service.read_context(), {}).empty());
}
