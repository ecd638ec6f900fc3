// SPDX-License-Identifier: MIT
#include <set>

#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"

namespace {

using namespace support;
using sample::Change;
using sample::count;
using sample::holds;
using sample::page_of;
using sample::Row;
using sample::text_of;

std::vector<Change> changes_of(std::size_t number, const std::string& name) {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < number; ++i)
        changes.push_back(
            sample::added(sample::tags({"Tag_" + std::to_string(i % 7)}),
                          stamped(reference("Gene", name + std::to_string(i)), sample::sylvia)));
    return changes;
}

std::vector<Row> rows_of(std::size_t number, std::size_t changes, const std::string& name) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < number; ++i) {
        const auto day = sample::day(2008, 2, 15) - std::chrono::days(21 * i);
        rows.push_back(
            sample::row("WS" + std::to_string(number - i), day, changes_of(changes, name)));
        rows.back().object.name = name;
    }
    return rows;
}

render::HistoryView view_of(std::vector<Row> rows, const std::string& name) {
    auto view = sample::history_view(std::move(rows));
    view.history.object.name = view.history.spelling.name = name;
    return view;
}

}  // namespace

TEST_CASE(
    "A page of a history has 50 releases, those that are too many with their changes in a line") {
    auto view = view_of(rows_of(120, 40, "unc-26"), "unc-26");
    const auto page = page_of(view);
    for (int i = 71; i <= 120; ++i) CHECK(holds(page, " id=\"WS" + std::to_string(i) + "\""));
    CHECK_FALSE(holds(page, " id=\"WS70\""));
    CHECK(holds(page, "<li class=\"change added\" id=\"WS120-c1\">"));
    CHECK(count(page, "<p class=\"stub\"") == 45);
    view.page = 3;
    const auto last = page_of(view);
    CHECK(holds(last, " id=\"WS20\""));
    CHECK(holds(last, " id=\"WS1\""));
    CHECK_FALSE(holds(last, ">Next page</a>"));
    view.page = 4;
    CHECK_FALSE(
        render::history_page(view, render::PageSite(sample::site()), sample::templates()));
}

TEST_CASE("The pages of a history of any size and names hold every release once") {
    for (const auto* piece : {"x", "\"", "%"}) {
        const auto name = text_of(512, piece);
        auto view = view_of(rows_of(300, 5, name), name);
        std::set<std::string> seen;
        bool more = true;
        for (view.page = 1; more; ++view.page) {
            REQUIRE(view.page < 100);
            const auto page = page_of(view);
            for (int i = 1; i <= 300; ++i) {
                const auto id = " id=\"WS" + std::to_string(i) + "\"";
                if (holds(page, id)) CHECK(seen.insert(id).second);
            }
            more = holds(page, ">Next page</a>");
        }
        CHECK(seen.size() == 300);
    }
}

TEST_CASE("Each change of one release is on one of its pages") {
    auto view = view_of(rows_of(1, 3'000, "unc-26"), "unc-26");
    view.at = "WS1";
    std::size_t seen = 0;
    bool more = true;
    for (view.page = 1; more; ++view.page) {
        REQUIRE(view.page < 50);
        const auto page = page_of(view);
        CHECK(holds(page, " id=\"WS1\""));
        if (view.page == 1) CHECK(holds(page, "&amp;at=WS1&amp;page=2\">Next page</a>"));
        seen += count(page, " id=\"WS1-c");
        more = holds(page, ">Next page</a>");
    }
    CHECK(view.page > 3);
    CHECK(seen == 3'000);
}

TEST_CASE("The values of a change too large for a page are on several, and none is left out") {
    std::vector<tree::Node> children;
    for (int i = 0; i < 5'000; ++i)
        children.push_back(
            stamped(reference("GO_term", "GO:" + std::to_string(1'000'000 + i)), sample::sylvia));
    auto view = sample::diff_view(
        {sample::added({}, tag("Gene_info", {tag("GO_term", std::move(children))}))});
    std::size_t seen = 0;
    bool more = true;
    for (view.page = 1; more; ++view.page) {
        REQUIRE(view.page < 50);
        const auto page = page_of(view);
        seen += count(page, ">GO:1");
        more = holds(page, ">Next page</a>");
    }
    CHECK(seen == 5'000);
}

TEST_CASE("A tree as deep as a reader accepts is shown") {
    auto node = reference("Gene", "last-one");
    for (std::size_t i = 0; i + 2 < tree::deepest_node; ++i) {
        auto parent = i % 2 == 0 ? tag("T" + std::to_string(i), {text("x")})
                                 : reference("Gene", text_of(200, "g"));
        parent.children.push_back(std::move(node));
        node = std::move(parent);
    }
    auto view = sample::diff_view({sample::added({}, std::move(node))});
    CHECK(holds(page_of(view), "release=WS188\">all of it in WS188</a>"));
}

TEST_CASE("Of a value of more than 100 nodes a page shows 100, and leads to the object") {
    const auto value_of = [](std::size_t children) {
        std::vector<tree::Node> nodes;
        for (std::size_t i = 0; i < children; ++i) nodes.push_back(text("below"));
        return text("v", std::move(nodes));
    };
    const auto path = sample::tags({"Remark"});
    const auto whole = page_of(sample::diff_view({sample::added(path, value_of(99))}));
    CHECK(count(whole, "<li>below</li>") == 99);
    CHECK_FALSE(holds(whole, "all of it"));
    const auto added = page_of(sample::diff_view({sample::added(path, value_of(1'000'000))}));
    CHECK(count(added, "<li>below</li>") == 99);
    CHECK(holds(added,
                " <a rel=\"nofollow\" href=\"object?class=Gene&amp;name=WBGene00006763&amp;"
                "release=WS188\">all of it in WS188</a>"));
    const auto removed = page_of(sample::diff_view({sample::removed(path, value_of(100))}));
    CHECK(holds(removed, "release=WS186\">all of it in WS186</a>"));
    auto row = sample::row("WS187", sample::day(2008, 2, 15),
                           {sample::replaced(path, value_of(100), text("w"))});
    row.since = "WS186";
    CHECK(holds(page_of(sample::history_view({row})), ">all of it in WS186</a></del> → <ins>w"));
    row.since.clear();
    CHECK(holds(page_of(sample::history_view({row})), "…</li></ul></del> → <ins>w"));
}

TEST_CASE("Values of the longest names leave a page small enough to be read") {
    std::vector<tree::Node> nodes;
    for (int i = 0; i < 1'000; ++i)
        nodes.push_back(reference("Gene", text_of(505, "\"") + std::to_string(1'000 + i)));
    const auto one = sample::added(sample::tags({"Remark"}), text("v", nodes));
    const auto many = sample::added({}, tag("Gene", nodes));
    for (const auto& change : {one, many,
                               sample::replaced(sample::tags({"Remark"}), one.after[0],
                                                text("w", std::move(nodes)))}) {
        const auto page = page_of(sample::diff_view({change}));
        CHECK(holds(page, change == many ? ">Next page</a>" : ">all of it in WS188</a>"));
    }
}

TEST_CASE("A row of 100,000 changes is on pages that each change can be found on") {
    auto view = view_of(rows_of(1, 100'000, "unc-26"), "unc-26");
    view.at = "WS1";
    CHECK(holds(page_of(view), " id=\"WS1-c1\""));
    view.number = 99'999;
    const auto page = page_of(view);
    CHECK(holds(page, " id=\"WS1-c99999\""));
    CHECK_FALSE(holds(page, " id=\"WS1-c1\""));
}

TEST_CASE("Pages of long lists keep to their size") {
    const auto name = text_of(512, "\"");
    auto home = sample::home_view();
    home.found.assign(100, {{"Gene", name}, name});
    home.classes.clear();
    for (int i = 0; i < 2'000; ++i) home.classes.push_back("Class_" + std::to_string(i));
    home.releases = std::make_shared<const query::ReleaseList>(
        query::ReleaseList(300, home.releases->front()));
    static_cast<void>(page_of(home));

    auto watch = sample::watch_view({});
    watch.classes = home.classes;
    watch.found = home.found;
    watch.id = "abcdefghijklmnop";
    watch.objects.assign(125, {.named = {{"Gene", name}, name},
                               .state = render::WatchedObject::State::vanished,
                               .vanished_in = "WS187",
                               .words = "Merged into",
                               .instead = {{{"Gene", name}, name}}});
    watch.unclear.assign(50, {name, std::vector<query::Named>(100, {{"Gene", name}, name})});
    watch.changes.rows.assign(200, sample::unc_26_in_ws187());
    static_cast<void>(page_of(watch));

    auto release = sample::release_view();
    release.contents.classes.assign(3'000, {"Gene", 5, {{sample::RowKind::changed, 5}}});
    release.contents.entries.assign(100,
                                    {{"Gene", name}, name, sample::RowKind::changed, {1, 0, 0}});
    release.contents.matching = 1'000;
    release.contents.mass_changes.assign(500, {"WS187", "Gene", name, 3, 4});
    const auto page = page_of(release);
    CHECK(holds(page, "Page 1 of 10"));
    CHECK(holds(page, ">Next page</a>"));
}

TEST_CASE("The form of a watch list has all its objects, however long their names are") {
    auto watch = sample::watch_view({});
    watch.objects.clear();
    for (int i = 0; i < 200; ++i)
        watch.objects.push_back(
            {.named = {{"Gene", std::string(500, 'n') + std::to_string(i)}, "l"},
             .state = render::WatchedObject::State::vanished,
             .vanished_in = "WS187",
             .words = "Merged into",
             .instead = {{{"Gene", "other"}, "l"}}});
    watch.left_out = 3;
    const auto page = page_of(watch);
    CHECK(count(page, "<input type=\"checkbox\" checked name=\"object\" value=\"Gene:n") == 200);
    CHECK(holds(page, "<button name=\"keep\" value=\"1\">"));
    CHECK(holds(page, "3 names did not fit"));
    CHECK(count(page, "<link rel=\"alternate\"") == 1);
}

TEST_CASE("A watch list of 200 usual names has its feeds and newest changes on one page") {
    auto watch = sample::watch_view({});
    watch.objects.clear();
    for (int i = 0; i < 200; ++i)
        watch.objects.push_back(
            {.named = {{"Gene", "WBGene0000" + std::to_string(1'000 + i)}, "unc-1"}});
    watch.changes.rows.assign(200, sample::unc_26_in_ws187());
    watch.changes.recorded = 200;
    for (const std::string id : {"", "abcdefghijklmnop"}) {
        watch.id = id;
        const auto page = page_of(watch);
        CHECK(count(page, "<input type=\"checkbox\"") == 200);
        CHECK(holds(page, id.empty() ? "/opml?object=" : "/opml?watch="));
        CHECK(holds(page, ">Subscribe</a>"));
        CHECK(count(page, "&amp;at=WS187\">unc-26</a>") > 20);
        auto searched = watch;
        searched.text = "unc";
        searched.found.assign(50, {{"Gene", "WBGene00001000"}, "unc-1"});
        searched.unclear.assign(
            50, {"unc-1", std::vector<query::Named>(50, {{"Gene", "WBGene00001000"}, "unc-1"})});
        static_cast<void>(page_of(searched));
        CHECK(holds(page, "Older changes are in the feeds"));
    }
}
