// Feeds of many objects and their titles and lists.
// SPDX-License-Identifier: MIT
#include "sample.hpp"

using namespace sample;

namespace {

query::WatchList list_of(std::vector<tree::ObjectName> objects) {
    query::WatchList list;
    for (auto& object : objects) {
        const auto label = object.name == "WBGene00006763" ? "unc-26" : object.name;
        list.objects.push_back({std::move(object), label});
    }
    list.rows = {unc_26_in_ws187()};
    list.rows.front().notes.changes.resize(1);
    list.recorded = 1;
    list.current = {"WS188", day(2008, 3, 22)};
    return list;
}
const tree::ObjectName unc_26{"Gene", "WBGene00006763"};

std::string title(std::vector<tree::ObjectName> objects) {
    return render::subject_of(list_of(std::move(objects)), site()).title;
}

}  // namespace

TEST_CASE("The title of a watch list names its first objects and counts the others") {
    CHECK(title({unc_26}) == "Gene unc-26 - WormBase changes");
    CHECK(title({unc_26, {"Paper", "P1"}}) == "Gene unc-26 and Paper P1 - WormBase changes");
    CHECK(title({unc_26, {"Paper", "P1"}, {"Paper", "P2"}}) ==
          "Gene unc-26, Paper P1 and Paper P2 - WormBase changes");
    CHECK(title({unc_26, {"Paper", "P1"}, {"Paper", "P2"}, {"Paper", "P3"}}) ==
          "Gene unc-26, Paper P1 and 2 others - WormBase changes");
}

TEST_CASE("The page of a watch list has its objects, and its id depends on nothing else") {
    const auto list = list_of({unc_26, {"Paper", "a b/&:"}});
    const auto subject = render::subject_of(list, site());
    CHECK(subject.page_url == "https://changes.example.org/watch?object=Gene:WBGene00006763&"
                              "object=Paper:a%20b%2F%26%3A");
    CHECK(subject.description == "Changes to Gene unc-26 and Paper a b/&: in each release.");
    CHECK(subject.id.size() == std::string("tag:wormbase.org,2007:/list/").size() + 32);
    auto other = list;
    other.rows.clear();
    CHECK(render::subject_of(other, site()).id == subject.id);
    CHECK(render::subject_of(other, site()).title == subject.title);
    CHECK(render::subject_of(other, site()).description == subject.description);
    other.objects.pop_back();
    CHECK(render::subject_of(other, site()).id != subject.id);
    // The border between two names is part of the id.
    CHECK(render::subject_of(list_of({{"A", "b"}, {"C", "d"}}), site()).id !=
          render::subject_of(list_of({{"A", "b\nC/d"}}), site()).id);
}
