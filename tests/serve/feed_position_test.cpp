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

const std::optional<NewRows> nothing, everything = NewRows{.all = true};
std::optional<NewRows> those(std::vector<std::size_t> rows) {
    return NewRows{.all = false, .rows = std::move(rows)};
}

}  // namespace

TEST_CASE("A position is short printable text") {
    auto longest = row(1);
    longest.release.version = std::string(32, 'v');
    const auto position = position_of(page_of({longest}), most);
    CHECK(position.size() <= 128);
    CHECK(std::ranges::all_of(position, [](char c) { return c > ' ' && c <= '~'; }));
    CHECK_FALSE(position_of(page_of({}), most).empty());
}

TEST_CASE("New are later, late and replaced rows, and none that a document does not show") {
    auto again = row(1, "x", 7), third = row(1, "x", 8);
    again.revision = 1;
    third.revision = 2;
    struct Case {
        const char* name;
        query::HistoryPage before, now;
        std::optional<NewRows> expected;
    };
    const std::vector<Case> cases = {
        {"the same", page_of({row(1), row(2)}), page_of({row(1), row(2)}), nothing},
        {"no rows", page_of({}), page_of({}), nothing},
        {"a later release", page_of({row(1)}), page_of({row(1), row(2)}), those({0})},
        {"a later release in a full document", page_of({row(1), row(2), row(3), row(4)}),
         page_of({row(1), row(2), row(3), row(4), row(5)}), those({0})},
        {"recorded before it was shown", page_of({row(1), row(2, "x", 9)}),
         page_of({row(1), row(2, "x", 9), row(3, "x", 5)}), those({0})},
        {"recorded late for an old release", page_of({row(1), row(2)}),
         page_of({row(1), row(1, "y", 7), row(2)}), those({2})},
        {"another revision", page_of({row(1), row(2)}), page_of({again, row(2)}), those({1})},
        {"a third one", page_of({again, row(2)}), page_of({third, row(2)}), those({1})},
        {"the first row", page_of({}), page_of({row(1)}), everything},
        {"nothing but new rows", page_of({row(1)}), page_of({row(1), row(2), row(3), row(4)}),
         everything},
        // Recorded before the last one that was there: its transaction ended late.
        {"ended late", page_of({row(2)}), page_of({row(1, "y", 1), row(2)}), everything},
        {"ended late, and a later release", page_of({row(2)}),
         page_of({row(1, "y", 1), row(2), row(3)}), everything},
        {"rolled back", page_of({row(1), row(2)}), page_of({row(1)}), nothing},
        {"all rows are gone", page_of({row(1)}), page_of({}), nothing},
        {"new after rows are gone", page_of({row(1), row(2)}), page_of({row(2), row(3)}),
         everything},
        {"not shown by a full document", page_of({row(3), row(4), row(5)}),
         page_of({row(1, "y", 9), row(3), row(4), row(5)}), nothing}};
    for (const auto& [name, before, now, expected] : cases) {
        INFO(name);
        CHECK(rows_since(now, most, position_of(before, most)) == expected);
    }
}

TEST_CASE("Where earlier rows are not loaded, all is new") {
    auto now = page_of({row(1), row(2), row(3), row(4), row(5)});
    now.rows.resize(most);
    const auto before = position_of(page_of({row(1), row(2), row(3), row(4)}), most);
    CHECK(rows_since(now, most, before) == everything);
}

TEST_CASE("A text that is no position means that all is new") {
    for (const auto* text : {"x", "WS1,2008-01-02,86400,1", "WS1,2008-13-02,86400,1,ab",
                             "WS1,2008-01-02,-1,1,ab", "WS1,2008-01-02,86400,1,ab,"})
        CHECK(rows_since(page_of({row(1)}), most, text) == everything);
}
