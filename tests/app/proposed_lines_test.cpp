// What is proposed is pasted into a configuration, and read as meant.
// SPDX-License-Identifier: MIT
#include "app/proposed_lines.hpp"

#include "app/config_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

const std::string site_lines =
    "[site]\nbase_url = https://x.org/changes/\nauthority = x.org,2007\n"
    "[source]\nkind = dump\npath = builds/current\n"
    "[store]\nurl = sqlite:var/history.db\n";
const base::Release r1{"r1", {}}, r2{"r2", {}};

app::Config configuration_of(const std::string& text) {
    const support::TempDir folder;
    auto config = app::load_config(folder.write("varve.conf", text));
    INFO((config ? text : config.error().text));
    REQUIRE(config);
    return std::move(*config);
}

release::Proposals proposals() {
    release::Proposals made;
    made.looked_at = made.changed = 1'234;
    release::ClassProposal book{"Book", 1'000, 900, 890, 200, 4, {}, {}, {}, {}};
    book.names = {{{"about", "name"}, {}, 199, 0}};
    book.important = {{{"status"}, {}, 7, 5}};
    book.minor = {{{"blurb"}, {}, 800, 0}};
    book.ignore = {{{"rank"}, {}, 900, 0}, {{"a b", "c"}, {}, 890, 0}};
    made.classes = {book};
    return made;
}

}  // namespace

TEST_CASE("Proposed lines are a part of a configuration, below sections that are there as well") {
    const auto text = app::proposed_lines(proposals(), configuration_of(site_lines), r1, r2);
    CHECK(text == R"(# r2 compared with r1: 1,234 of 1,234 objects in both changed.

[names]
# 199 of 200 books looked at have a name of their own there.
# By itself Varve found one for 4.
Book = about>name

[important]
# 900 of 1,000 books changed: status in 7, behind other changes in 5.
# They would lead.
Book = status

[minor]
# 900 of 1,000 books changed: blurb in 800.
# They would come last, and lead only where nothing else changed.
Book = blurb

[ignore]
# 900 of 1,000 books changed: rank in 900; a b>c in 890.
# 890 changed nowhere else, and would have no new row. Below [minor] they would keep it.
Book = rank, a b>c
)");
    for (const auto* there : {"", "[minor]\n* = x\n[ignore]\nPaper = y\n"}) {
        const auto settings = configuration_of(site_lines + there + text).history;
        CHECK(settings.names == compare::TagPaths{{"Book", {{"about", "name"}}}});
        CHECK(settings.ranking.important == compare::TagPaths{{"Book", {{"status"}}}});
        CHECK(settings.ranking.minor.back() ==
              compare::TagPaths::value_type{"Book", {{"blurb"}}});
        CHECK(settings.ignored.back() ==
              compare::TagPaths::value_type{"Book", {{"rank"}, {"a b", "c"}}});
    }
}

TEST_CASE("A class that has a line gets one to put in its place") {
    const auto text = app::proposed_lines(
        proposals(), configuration_of(site_lines + "[ignore]\nbook = x>y, z\n"), r1, r2);
    CHECK(text.ends_with(
        "# Put this in the place of the line book that is there.\nbook = x>y, z, rank, a b>c\n"));
}

TEST_CASE(
    "What a line cannot say is left out, and nothing reaches the terminal that could harm it") {
    for (const std::string bad : {"a,b", "a>b", " a", "a\n[site]",
                                  "\xC2\x9B"
                                  "31m",
                                  "\xE2\x80\xAE"
                                  "a"}) {
        CAPTURE(bad);
        auto made = proposals();
        auto& book = made.classes.front();
        for (auto* places : {&book.names, &book.important, &book.minor, &book.ignore})
            places->push_back({{"about", bad}, {}, 1, 1});
        auto text = app::proposed_lines(made, configuration_of(site_lines), r1, r2);
        constexpr std::string_view rest =
            "\n# 4 more places cannot be written in a configuration.\n";
        CHECK(text.ends_with(rest));
        text.resize(text.size() - rest.size());
        CHECK(text == app::proposed_lines(proposals(), configuration_of(site_lines), r1, r2));
    }
    for (const std::string bad : {"*", "a=b", "#a", ";a", "[a", " a",
                                  "\xC2\x9B"
                                  "31m",
                                  "\xE2\x80\xAE"
                                  "a"}) {
        CAPTURE(bad);
        auto made = proposals();
        made.classes.front().class_name = bad;
        const auto text = app::proposed_lines(made, configuration_of(site_lines), r1, r2);
        CHECK(text.find("\n# 5 more places cannot be written in a configuration.\n") !=
              std::string::npos);
        CHECK(text.find(bad + " =") == std::string::npos);
        CHECK(configuration_of(site_lines + text).history.ignored.empty());
    }
}

TEST_CASE("Where nothing is proposed, and where not all was compared, the comments say so") {
    release::Proposals made;
    made.looked_at = 1;
    made.unreadable = 1'000;
    made.is_sample = made.are_places_left_out = true;
    const auto text = app::proposed_lines(made, configuration_of(site_lines), r1, r2);
    for (const auto* part :
         {"0 of 1 object in both changed", "sample", "1,000 more could not be read",
          "more places than", "Nothing is proposed"})
        CHECK(text.find(part) != std::string::npos);
    (void)configuration_of(site_lines + text);
}
