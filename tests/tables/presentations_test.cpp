// The store says since when a site shows its history as it does.
// SPDX-License-Identifier: MIT
#include "tables/presentations.hpp"

#include "support/catch.hpp"
#include "tables/releases.hpp"
#include "tables/writing.hpp"

using namespace tables;
using tables_tests::Writing;

TEST_CASE_METHOD(Writing,
                 "A presentation counts from when it became the newest one of its site") {
    const Presentation first{"0123456789abcdef", std::string(32, '1')};
    const Presentation second{first.site, std::string(32, '2')};
    const Presentation elsewhere{"fedcba9876543210", std::string(32, '1')};
    const auto at = [](int time) { return base::Seconds(std::chrono::seconds(time)); };
    CHECK(presentations(transaction).empty());
    record_presentation(transaction, first, at(100));
    record_presentation(transaction, elsewhere, at(150));
    record_presentation(transaction, first, at(200));
    using Times = std::map<std::string, base::Seconds>;
    CHECK(presentations(transaction) ==
          Times{{first.name(), at(100)}, {elsewhere.name(), at(150)}});
    record_presentation(transaction, second, at(300));
    CHECK(presentations(transaction) ==
          Times{{second.name(), at(300)}, {elsewhere.name(), at(150)}});
    // Not the same time again, whatever the clock says.
    record_presentation(transaction, first, at(300));
    CHECK(presentations(transaction).at(first.name()) == at(301));
    record_presentation(transaction, second, at(7));
    CHECK(presentations(transaction).at(second.name()) == at(302));

    const auto before = generation(transaction);
    note_rewrite(transaction, at(400));
    note_rewrite(transaction, at(390));
    // A page may have been made in the same second before.
    CHECK(presentations(transaction) ==
          Times{{second.name(), at(401)}, {elsewhere.name(), at(401)}});
    CHECK(generation(transaction) == before + 2);
    record_presentation(transaction, first, at(500));
    CHECK(presentations(transaction) ==
          Times{{first.name(), at(500)}, {elsewhere.name(), at(401)}});
}

TEST_CASE_METHOD(
    Writing, "Of two presentations of a site that are left, the newer one counts, and both go") {
    const auto digit = [](char one) {
        return Presentation{"0123456789abcdef", std::string(32, one)};
    };
    const auto at = [](int time) { return base::Seconds(std::chrono::seconds(time)); };
    const auto leave = [&](const Presentation& presentation, std::int64_t time) {
        transaction.execute("INSERT INTO meta (name, value) VALUES (?, ?)",
                            {store::Value{presentation.name()}, store::Value{time}});
    };
    using Times = std::map<std::string, base::Seconds>;
    leave(digit('1'), 200);
    leave(digit('2'), 100);
    CHECK(presentations(transaction) == Times{{digit('1').name(), at(200)}});
    leave(digit('3'), 200);
    CHECK(presentations(transaction) == Times{{digit('3').name(), at(200)}});
    record_presentation(transaction, digit('2'), at(150));
    CHECK(presentations(transaction) == Times{{digit('2').name(), at(201)}});
    CHECK(transaction.query("SELECT name FROM meta WHERE name LIKE 'shown.%'").size() == 1);
}
