// Proposals are judged by what they would change: their counts come true when the settings have them.
// SPDX-License-Identifier: MIT
#include "release/proposals.hpp"

#include "support/catch.hpp"
#include "support/small_build.hpp"

using namespace release;
using support::node;
using support::Nodes;
using support::tag;
using support::text;
using tree::CellKind;

namespace {

struct Pair {
    support::SmallBuild before{"r1", "2026-01-01"}, after{"r2", "2026-02-01"};
    history::Settings settings;

    void with(const std::string& name, Nodes then, Nodes now) {
        before.with("Book", name, std::move(then));
        after.with("Book", name, std::move(now));
    }
    [[nodiscard]] Proposals proposals() const {
        auto made = propose(before, after, settings, {});
        REQUIRE(made);
        return std::move(*made);
    }
    // Returns what is proposed for the only class.
    [[nodiscard]] ClassProposal proposal() const {
        auto made = proposals();
        REQUIRE(made.classes.size() == 1);
        return std::move(made.classes.front());
    }
    // Writes what is proposed into the settings.
    void accept(const Proposals& made) {
        const auto add = [](auto& lines, const std::string& class_name, const auto& places) {
            for (const auto& place : places) lines.push_back({class_name, {place.path}});
        };
        for (const auto& each : made.classes) {
            add(settings.names, each.class_name, each.names);
            add(settings.ranking.important, each.class_name, each.important);
            add(settings.ranking.minor, each.class_name, each.minor);
            add(settings.ignored, each.class_name, each.ignore);
        }
    }
};

Nodes number(const std::string& name, int value) {
    return {tag(name, {node(CellKind::integer, std::to_string(value))})};
}
Nodes operator+(Nodes a, const Nodes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
Nodes words(const std::string& name, const std::string& value) {
    return {tag(name, {text(value)})};
}

using Paths = std::vector<std::vector<std::string>>;
Paths paths_of(const std::vector<ProposedPlace>& places) {
    Paths paths;
    for (const auto& place : places) paths.push_back(place.path);
    return paths;
}

// 40 books of which the rank and the time changes, of the first 3 the status, and of the first 5 the blurb.
struct Books : Pair {
    explicit Books(int with_blurb = 5) {
        for (int i = 0; i < 40; ++i) {
            const auto id = std::to_string(i);
            const auto book = [&](int release, bool is_sold, bool has_blurb) {
                return number("rank", i + release) +
                       words("seen", "2026-0" + std::to_string(release) + "-01T00:00") +
                       words("blurb", "A book of " + id + (has_blurb ? " pages" : "")) +
                       words("status", is_sold ? "sold" : "new");
            };
            with("b" + id, book(1, false, false), book(2, i < 2, i < with_blurb));
        }
    }
};

}  // namespace

TEST_CASE("Codes that change in most objects, and mostly alone, are to be ignored, and the rows "
          "vanish then") {
    Books books;
    const auto made = books.proposals();
    CHECK(made.looked_at == 40);
    CHECK(made.changed == 40);
    REQUIRE(made.classes.size() == 1);
    const auto& proposal = made.classes.front();
    CHECK(paths_of(proposal.ignore) == Paths{{"rank"}, {"seen"}});
    CHECK(proposal.unchanged == 35);
    CHECK(proposal.minor.empty());
    books.accept(made);
    const auto then = books.proposals();
    CHECK(then.changed == made.changed - proposal.unchanged);
    CHECK(then.classes.empty());
}

TEST_CASE("Values that change in most objects are minor where rows say more, and what is rare "
          "and says much leads") {
    Books books(30);
    const auto made = books.proposals();
    REQUIRE(made.classes.size() == 1);
    const auto& proposal = made.classes.front();
    CHECK(paths_of(proposal.minor) == Paths{{"rank"}, {"seen"}, {"blurb"}});
    CHECK(proposal.minor.front().objects == 40);
    CHECK(proposal.ignore.empty());
    CHECK(proposal.unchanged == 10);
    // Nothing that is not minor leads it.
    CHECK(proposal.important.empty());
    books.accept(made);
    CHECK(books.proposals().classes.empty());
}

TEST_CASE("A status that few objects change is important where another change leads their rows") {
    Pair books;
    for (int i = 0; i < 40; ++i) {
        const auto id = std::to_string(i);
        const auto book = [&](bool is_new) {
            return words("blurb", "A book of " + id + (is_new ? " pages" : "")) +
                   words("shelf", id) + words("status", is_new && i < 2 ? "sold" : "new");
        };
        books.with("b" + id, book(false), book(i < 10));
    }
    const auto proposal = books.proposal();
    CHECK(paths_of(proposal.important) == Paths{{"status"}});
    CHECK(proposal.important.front().objects == 2);
    CHECK(proposal.important.front().behind == 2);
    books.settings.names = {{"Book", {{"shelf"}}}};
    books.settings.ranking.important = {{"*", {{"Status"}}}};
    CHECK(books.proposals().classes.empty());
}

TEST_CASE(
    "Tags that came or went in most objects say how the data is made, and are not proposed") {
    Pair books;
    for (int i = 0; i < 40; ++i)
        books.with("b" + std::to_string(i), number("rank", 1),
                   number("rank", 1) + number("votes", i));
    CHECK(books.proposals().changed == 40);
    CHECK(books.proposals().classes.empty());
}

TEST_CASE("A tag is not proposed alone where it would mean other places too") {
    Pair books;
    for (int i = 0; i < 40; ++i) {
        const auto book = [&](int release) {
            return number("rank", release) + Nodes{tag("prize", number("rank", 1))};
        };
        books.with("b" + std::to_string(i), book(1), book(2));
    }
    CHECK(books.proposals().classes.empty());
    // The models say that it is there once, so the tag alone is enough.
    Pair genes;
    for (int i = 0; i < 40; ++i)
        genes.with("b" + std::to_string(i), {tag("Info", number("Rank", 1))},
                   {tag("Info", number("Rank", 2))});
    CHECK(paths_of(genes.proposal().ignore) == Paths{{"Info", "Rank"}});
    genes.after.with_models("?Book Info Rank Int\n");
    CHECK(paths_of(genes.proposal().ignore) == Paths{{"Rank"}});
}

TEST_CASE(
    "A text that nearly every object has for itself names the objects of a class without names") {
    Pair books;
    for (int i = 0; i < 40; ++i) {
        const auto id = std::to_string(i);
        const auto book =
            words("isbn", "b" + id) + words("publisher", "Faber") +
            Nodes{tag("about", words("full_name", "Book of " + id) + words("motto", "To " + id))};
        books.with("b" + id, book, book);
    }
    const auto proposal = books.proposal();
    CHECK(paths_of(proposal.names) == Paths{{"about", "full_name"}});
    CHECK(proposal.names.front().objects == 40);
    CHECK(proposal.sampled == 40);
    CHECK(proposal.labelled == 0);
    books.settings.names = {{"book", {{"about", "motto"}}}};
    CHECK(books.proposals().classes.empty());
    books.settings.names.clear();
    for (int i = 0; i < 30; ++i)
        books.after.with("Book", "b" + std::to_string(i),
                         words("title", "x") + words("full_name", std::to_string(i)));
    CHECK(books.proposals().classes.empty());
}

TEST_CASE("Without two objects of a class that both builds have, nothing is proposed") {
    Pair none;
    CHECK(none.proposals() == Proposals());
    Pair one;
    one.with("b", number("rank", 1), number("rank", 2));
    CHECK(one.proposals().changed == 1);
    CHECK(one.proposals().classes.empty());
    CHECK(propose(none.before, one.after, {}, {}) == Proposals());
    CHECK(propose(one.after, one.after, {}, {})->changed == 0);
}

TEST_CASE("Objects that cannot be read are counted apart, and a build that cannot be reached is "
          "an error") {
    Books books;
    books.before.break_one_with({"Book", "b7"}, {base::ErrorKind::malformed, "line 7"});
    books.after.break_one_with({"Book", "b9"}, {base::ErrorKind::too_large, "large"});
    const auto made = books.proposals();
    CHECK(made.unreadable == 2);
    CHECK(made.looked_at == 38);
    CHECK(made.classes.front().unchanged == 33);
    books.before.break_with({base::ErrorKind::unavailable, "gone"});
    const auto failed = propose(books.before, books.after, {}, {});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().text == "gone");
}

TEST_CASE("Of a running database a sample is compared") {
    Pair books;
    for (int i = 0; i < 2500; ++i)
        books.with(std::to_string(i), number("rank", 1), number("rank", 2));
    books.after.of_server();
    const auto made = books.proposals();
    CHECK(made.is_sample);
    CHECK(made.looked_at == 834);  // each third one
    CHECK(made.classes.front().unchanged == 834);
}

TEST_CASE("Of 100,000 tags some are counted, and it is said that others are not") {
    Pair books;
    for (int i = 0; i < 25; ++i) {
        Nodes then, now;
        for (int j = 0; j < 4'000; ++j) {
            const auto name = "t" + std::to_string(i * 4'000 + j);
            then = std::move(then) + number(name, 1);
            now = std::move(now) + number(name, 2);
        }
        books.with("b" + std::to_string(i), number("a", 1) + then, number("a", 2) + now);
    }
    const auto made = books.proposals();
    CHECK(made.are_places_left_out);
    CHECK(paths_of(made.classes.front().minor) == Paths{{"a"}});
}
