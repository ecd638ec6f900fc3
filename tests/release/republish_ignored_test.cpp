// A re-publication while the ignore list changes: rows change only where the counted content of
// the two publications differs.
// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"
#include "release/republished_builds.hpp"
#include "support/recording.hpp"

using namespace release_tests;

namespace {

const compare::Ignored homol = {{"Gene", {{"Homol"}}}};

support::Nodes nodes(const std::string& title, const std::string& homology) {
    return {tag("Title", {text(title)}), tag("Homol", {text(homology)})};
}

// The previous release, the first publication, and the re-publication.
struct Publications {
    SmallBuild before{"WS187", "2008-02-15"}, first{"WS188", "2008-03-22"},
        again{"WS188", "2008-03-22"};
    std::map<std::string, std::string> rows;  // of the first publication

    Publications() {
        add("ignored_then", nodes("one", "a"), nodes("one", "b"), nodes("one", "b"));
        add("ignored_twice", nodes("one", "a"), nodes("one", "b"), nodes("one", "c"));
        add("beside", nodes("one", "a"), nodes("two", "b"), nodes("two", "c"));
        add("title_again", nodes("one", "a"), nodes("two", "b"), nodes("three", "b"));
        add("title_taken_back", nodes("one", "a"), nodes("two", "b"), nodes("one", "b"));
        first.with("Gene", "created", nodes("one", "a"));
        again.with("Gene", "created", nodes("one", "b"));
    }
    void add(const std::string& name, const support::Nodes& was, const support::Nodes& is,
             const support::Nodes& is_again) {
        before.with("Gene", name, was);
        first.with("Gene", name, is);
        again.with("Gene", name, is_again);
    }
    // Publishes with one list and again with another.
    void publish(JobSite& site, const compare::Ignored& list, const compare::Ignored& list_again,
                 bool is_kept) {
        site.settings.ignored = list;
        site.prewarm(before);
        site.prewarm(first, &before);
        rows = site.rows();
        site.settings.ignored = list_again;
        site.republish(again, &before, is_kept ? &first : nullptr);
    }
};

}  // namespace

TEST_CASE("A re-publication shows only changes outside the list, and keeps recorded changes") {
    struct Case {
        compare::Ignored list;
        Kinds kinds;
        std::vector<std::string> kept;  // rows
    };
    const auto with_list = GENERATE(values<Case>({
        {homol, {}, {"beside", "created"}},
        // The list grew.
        {{},
         {{"ignored_then", "changed 0 WS187"}, {"ignored_twice", "changed 0 WS187"}},
         {"ignored_then", "ignored_twice", "beside", "created"}},
    }));
    const support::FreshStore fresh(GENERATE(support::engines()));
    Publications builds;
    JobSite site(fresh.connect());
    builds.publish(site, with_list.list, homol, GENERATE(true, false));
    Kinds expected{{"beside", "changed 0 WS187"},
                   {"title_again", "changed 1 WS187"},
                   {"title_taken_back", "withdrawn 1 WS187"},
                   {"created", "created 0 WS187"}};
    expected.insert(with_list.kinds.begin(), with_list.kinds.end());
    CHECK(site.kinds() == expected);
    for (const auto& name : with_list.kept) CHECK(site.rows().at(name) == builds.rows.at(name));
    // The content is the new one even so.
    const auto trees = site.query("SELECT o.signature FROM objects o WHERE o.name IN "
                                  "('beside', 'created') ORDER BY o.name");
    CHECK(trees.at(0).text(0) == tree::signature_of(nodes("two", "c")));
    CHECK(trees.at(1).text(0) == tree::signature_of(nodes("one", "b")));
}

TEST_CASE("Changes ignored earlier are not shown by a re-publication after the list shrank") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Publications builds;
    JobSite site(fresh.connect());
    // It has other bytes, so that it is compared again.
    builds.again.with("Gene", "ignored_then", [] {
        auto restamped = nodes("one", "b");
        restamped[0].stamp = "2008-02-01_09:15:20_sylvia";
        return restamped;
    }());
    builds.publish(site, homol, {}, GENERATE(true, false));
    // With the new list, objects whose homology differs from the first publication's changed.
    CHECK(site.kinds() == Kinds{{"ignored_twice", "changed 0 WS187"},
                                {"beside", "changed 1 WS187"},
                                {"title_again", "changed 1 WS187"},
                                {"title_taken_back", "changed 1 WS187"},
                                {"created", "created 1 WS187"}});
}

TEST_CASE("A re-publication keeps what a first sight recorded under another ignore list") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const auto seen = [](const std::string& homology) {
        const std::string stamp = "2008-03-01_09:15:20_sylvia";
        return support::Nodes{tag("Title", {support::stamped(text("one"), stamp)}),
                              tag("Homol", {support::stamped(text(homology), stamp)})};
    };
    const bool grows = GENERATE(true, false);
    SmallBuild first("WS188", "2008-03-22"), again("WS188", "2008-03-22");
    first.with("Gene", "same", seen("a")).with("Gene", "ignored", seen("a"));
    again.with("Gene", "same", seen("a")).with("Gene", "ignored", seen(grows ? "b" : "a"));
    again.with("Gene", "other", {});
    JobSite site(fresh.connect());
    site.settings.ignored = grows ? compare::Ignored() : homol;
    site.prewarm(first);
    const auto rows = site.rows();
    CHECK(rows.size() == 2);
    site.settings.ignored = grows ? homol : compare::Ignored();
    site.republish(again, nullptr, nullptr);
    CHECK(site.rows() == rows);
}

TEST_CASE("The tree between two rows is known for releases in which jobs found no change") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    const bool is_prewarmed = GENERATE(true, false);
    SmallBuild a("WS186", "2008-02-01"), b("WS187", "2008-02-15"), c("WS188", "2008-03-22");
    a.with("Gene", "g", nodes("one", "a"));
    b.with("Gene", "g", nodes("one", "a"));
    c.with("Gene", "g", nodes("one", "b"));
    b.with("Gene", "another", {});  // so that the release is recorded
    JobSite site(fresh.connect());
    site.settings.ignored = homol;
    const auto come_to = [&](const SmallBuild& build, const SmallBuild* previous) {
        if (is_prewarmed)
            site.prewarm(build, previous);
        else
            site.ask(build, previous, {"Gene", "g"});
    };
    come_to(a, nullptr);
    come_to(b, &a);
    site.ask(b, &a, {"Gene", "another"});
    come_to(c, &b);
    CHECK_FALSE(site.rows().contains("g"));
    const auto object = store::perform(site.pool, store::Access::read, [](auto& transaction) {
        return support::row_of(transaction, {"Gene", "g"}).value();
    });
    const auto in = [&](const std::string& version) {
        return query::tree_at(site.pool, site.settings, object, version);
    };
    CHECK(in("WS186").value().nodes == nodes("one", "a"));
    CHECK(in("WS188").value().nodes == nodes("one", "b"));
    if (is_prewarmed)
        CHECK(in("WS187").value().nodes == nodes("one", "a"));
    else
        CHECK(in("WS187").error().text.find("WS186") != std::string::npos);
}
