// Positions of feeds, and what is new since one.
// SPDX-License-Identifier: MIT
#include "serve/feed_position.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace serve;

namespace {

constexpr std::size_t most = 3;
const base::Date first_day = *base::parse_date("2008-01-01");

tables::Row row(int release, const std::string& name = "x", int recorded = -1) {
    tables::Row row;
    row.object = {"Gene", name};
    row.release = {"WS" + std::to_string(release), first_day + std::chrono::days(release)};
    row.recorded_at =
        base::Seconds(first_day) + std::chrono::hours(24 * (recorded < 0 ? release : recorded));
    return row;
}

query::HistoryPage page_of(std::vector<tables::Row> rows) {
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return a.release != b.release ? a.release > b.release : a.object < b.object;
    });
    query::HistoryPage page;
    page.recorded = rows.size();
    page.rows = std::move(rows);
    if (page.rows.size() > 2 * most) page.rows.resize(2 * most);
    return page;
}

// Returns what the second page has that the first had not.
std::optional<NewRows> between(const query::HistoryPage& before, const query::HistoryPage& now) {
    return rows_since(now, most, position_of(before, most));
}

const std::optional<NewRows> nothing, everything = NewRows{.all = true};
std::optional<NewRows> those(std::vector<std::size_t> rows) {
    return NewRows{.all = false, .rows = std::move(rows)};
}

}  // namespace

TEST_CASE("A feed has nothing new since its own position, also without rows") {
    CHECK(between(page_of({row(1), row(2)}), page_of({row(1), row(2)})) == nothing);
    CHECK(between(page_of({}), page_of({})) == nothing);
}

TEST_CASE("A position is short printable text") {
    auto longest = row(1);
    longest.release.version = std::string(32, 'v');
    const auto position = position_of(page_of({longest}), most);
    CHECK(position.size() <= 128);
    CHECK(std::ranges::all_of(position, [](char c) { return c > ' ' && c <= '~'; }));
    CHECK_FALSE(position_of(page_of({}), most).empty());
}

TEST_CASE("Rows of later releases are new, in a document that is full too") {
    CHECK(between(page_of({row(1)}), page_of({row(1), row(2)})) == those({0}));
    CHECK(between(page_of({row(1), row(2), row(3), row(4)}),
                  page_of({row(1), row(2), row(3), row(4), row(5)})) == those({0}));
}

TEST_CASE("Rows of a later release are new though they were recorded before it was shown") {
    CHECK(between(page_of({row(1), row(2, "x", 9)}),
                  page_of({row(1), row(2, "x", 9), row(3, "x", 5)})) == those({0}));
}

TEST_CASE("A row that is recorded later for an old release is new") {
    CHECK(between(page_of({row(1), row(2)}), page_of({row(1), row(1, "y", 7), row(2)})) ==
          those({2}));
}

TEST_CASE("A row with another revision is new") {
    auto again = row(1, "x", 7);
    again.revision = 1;
    CHECK(between(page_of({row(1), row(2)}), page_of({again, row(2)})) == those({1}));
    auto third = row(1, "x", 8);
    third.revision = 2;
    CHECK(between(page_of({again, row(2)}), page_of({third, row(2)})) == those({1}));
}

TEST_CASE("The first row of a feed without any is new, and then it is the whole feed") {
    CHECK(between(page_of({}), page_of({row(1)})) == everything);
}

TEST_CASE("A document in which all is new is whole") {
    CHECK(between(page_of({row(1)}), page_of({row(1), row(2), row(3), row(4)})) == everything);
}

TEST_CASE("A row whose transaction ended late comes with all others, rather than never") {
    // Recorded before the last one that was there.
    CHECK(between(page_of({row(2)}), page_of({row(1, "y", 1), row(2)})) == everything);
    CHECK(between(page_of({row(2)}), page_of({row(1, "y", 1), row(2), row(3)})) == everything);
}

TEST_CASE("Rows that are gone are no news, nor are those that come back after them") {
    const auto whole = page_of({row(1), row(2)}), rolled_back = page_of({row(1)});
    CHECK(between(whole, rolled_back) == nothing);
    CHECK(between(whole, whole) == nothing);
    CHECK(between(page_of({row(1)}), page_of({})) == nothing);
}

TEST_CASE("What is new after rows are gone comes with all others") {
    CHECK(between(page_of({row(1), row(2)}), page_of({row(2), row(3)})) == everything);
}

TEST_CASE("New rows that a full document does not show are no news") {
    const auto before = page_of({row(3), row(4), row(5)});
    CHECK(between(before, page_of({row(1, "y", 9), row(3), row(4), row(5)})) == nothing);
}

TEST_CASE("Where earlier rows are not loaded, all is new") {
    auto now = page_of({row(1), row(2), row(3), row(4), row(5)});
    now.rows.resize(most);
    CHECK(between(page_of({row(1), row(2), row(3), row(4)}), now) == everything);
}

TEST_CASE("A text that is no position means that all is new") {
    for (const auto* text : {"x", "WS1,2008-01-02,86400,1", "WS1,2008-13-02,86400,1,ab",
                             "WS1,2008-01-02,-1,1,ab", "WS1,2008-01-02,86400,1,ab,"})
        CHECK(rows_since(page_of({row(1)}), most, text) == everything);
}
