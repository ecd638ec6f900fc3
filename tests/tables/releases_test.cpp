// The order of releases, and the numbers of their builds.
// SPDX-License-Identifier: MIT
#include "tables/releases.hpp"

#include "support/catch.hpp"
#include "support/stores.hpp"
#include "tables/writing.hpp"

using namespace tables;

namespace {

Release release(const std::string& version, const std::string& day) {
    return {version, *base::parse_date(day)};
}

std::vector<std::string> versions_of(const Releases& releases) {
    std::vector<std::string> versions;
    for (const auto& each : releases.all()) versions.push_back(each.version);
    return versions;
}

struct Numbering : tables_tests::Writing {
    base::Result<std::int64_t> number(const Release& release, const std::string& digest,
                                      Publication publication = Publication::first) {
        return number_build(transaction, release, digest, publication, {});
    }
};

}  // namespace

TEST_CASE("Releases are in the order of their dates, then of their versions") {
    Releases releases;
    for (const auto& each : {release("WS100", "2008-02-01"), release("WS2", "2009-01-01"),
                             release("WS99", "2008-02-01"), release("WS100", "2010-01-01")})
        releases.add(each);
    CHECK(versions_of(releases) == std::vector<std::string>{"WS99", "WS100", "WS2"});
    CHECK(releases.is_later("WS2", "WS100"));
    CHECK_FALSE(releases.is_later("WS99", "WS100"));
    CHECK(releases.is_later("WS99", "unknown"));
    CHECK_FALSE(releases.is_later("unknown", "WS99"));
}

TEST_CASE("A release that is lacking or has no date is a fault that an operator mends") {
    support::FreshStore fresh(store::Engine::sqlite);
    const auto connection = fresh.connect()();
    static_cast<void>(connection->query("PRAGMA foreign_keys = OFF"));
    store::Transaction transaction(*connection, store::Access::write);
    REQUIRE(number_build(transaction, release("WS1", "2008-01-01"), "x", Publication::first, {}));
    const auto damage = GENERATE(as<std::string>(), "DELETE FROM releases",
                                 "UPDATE releases SET released_on = '2020-99-99'");
    transaction.execute(damage);
    try {
        static_cast<void>(load_releases(transaction));
        FAIL("it was loaded");
    } catch (const store::Failure& failure) {
        CHECK(failure.kind().needs_operator);
        CHECK_THAT(failure.what(), Catch::Contains("WS1") && Catch::Contains("backup"));
    }
}

TEST_CASE("A release has a position among all, and among those of its day") {
    Releases releases;
    for (const auto& each : {release("WS98", "2008-01-01"), release("WS99", "2008-02-01"),
                             release("WS100", "2008-02-01"), release("WS101", "2008-03-01")})
        releases.add(each);
    const auto position = [&](const char* version) {
        const auto found = releases.position(version);
        REQUIRE(found);
        return std::pair(found->rank, found->of_day);
    };
    CHECK(position("WS98") == std::pair(std::size_t{0}, 0));
    CHECK(position("WS99") == std::pair(std::size_t{1}, 0));
    CHECK(position("WS100") == std::pair(std::size_t{2}, 1));
    CHECK(position("WS101") == std::pair(std::size_t{3}, 0));
    CHECK_FALSE(releases.position("WS1"));
}

TEST_CASE_METHOD(Numbering, "A build gets no number before one of a later release") {
    REQUIRE(number(release("WS2", "2008-02-01"), "two") == 1);
    const auto middle = number(release("WS1", "2008-01-01"), "one");
    REQUIRE_FALSE(middle);
    CHECK(middle.error().kind == base::ErrorKind::conflict);
    CHECK(middle.error().text == "WS1 is not recorded, and WS2 is recorded after it");
    // Timestamps name releases of any date.
    record_release(transaction, release("WS1", "2008-01-01"));
    CHECK(number(release("WS3", "2008-03-01"), "three").value() > 1);
}

TEST_CASE_METHOD(Numbering,
                 "A release that was known by name alone gets the date of its first build") {
    const auto date = [&] {
        return base::format_date(*load_releases(transaction).date_of("WS1"));
    };
    record_release(transaction, release("WS1", "2008-01-01"));
    CHECK(date() == "2008-01-01");
    const auto first = number(release("WS1", "2008-01-05"), "one");
    CHECK(date() == "2008-01-05");
    CHECK(number(release("WS1", "2008-01-09"), "server:one") == first);
    CHECK(date() == "2008-01-05");
}

TEST_CASE_METHOD(Numbering, "The newest publication of a release is in force") {
    const auto ws1 = release("WS1", "2008-01-01");
    const auto first = number(ws1, "one").value();
    CHECK(number(ws1, "two").error().kind == base::ErrorKind::conflict);
    const auto second = number(ws1, "two", Publication::again).value();
    CHECK(second > first);
    CHECK(number(ws1, "one").error().kind == base::ErrorKind::conflict);
    CHECK(note_recorded(transaction, "WS1", second, {}, 0));
    const auto known = load_releases(transaction);
    CHECK(known.number_of("WS1") == second);
    CHECK(known.number_of("WS1", "one") == 0);
    CHECK(known.contradicts("WS1", "one"));
    CHECK_FALSE(known.contradicts("WS1", "two"));
    CHECK(known.version_of(first) == "WS1");
    CHECK(known.version_of(second + 1).empty());
    CHECK(known.is_compared("WS1"));
}

TEST_CASE_METHOD(Numbering, "A counter below the numbers of builds is damaged, and gives none") {
    REQUIRE(number(release("WS1", "2010-01-01"), "a") == 1);
    transaction.execute("UPDATE meta SET value = 0 WHERE name = 'builds'");
    CHECK_THROWS_WITH(number(release("WS2", "2010-02-01"), "b"),
                      Catch::Contains("must be at least 1"));
}

TEST_CASE_METHOD(Numbering, "While a release is being forgotten, no build gets a number") {
    const auto ws1 = release("WS1", "2008-01-01"), ws2 = release("WS2", "2008-02-01");
    const auto first = number(ws1, "one");
    const auto second = number(ws2, "two");
    begin_forgetting(transaction, "WS2");
    CHECK(number(ws1, "one") == first);
    CHECK(number(ws2, "two").error().kind == base::ErrorKind::conflict);
    end_forgetting(transaction);
    CHECK(number(ws2, "two").value() > *second);
}
