// In which release an object was compared, as its row and the release jobs say.
// SPDX-License-Identifier: MIT

#include "support/catch.hpp"
#include "support/stores.hpp"
#include "support/watched_connection.hpp"
#include "tables/prewarmed.hpp"

using namespace tables;

TEST_CASE(
    "The jobs of other releases are asked for only where that of the current one did not do") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    int lists = 0;
    const auto connection =
        support::watched(fresh.connect(), [&](support::Statement, std::string_view sql) {
            if (sql == "SELECT version FROM warmed WHERE class = ?") ++lists;
        })();
    store::Transaction transaction(*connection, store::Access::write);
    const auto release = [](int number) {
        return Release{"WS" + std::to_string(number),
                       *base::parse_date("2008-01-0" + std::to_string(number))};
    };
    const Releases releases({release(1), release(2), release(3), release(4)});
    for (const auto* version : {"WS1", "WS2", "WS3"})
        note_prewarmed(transaction, "Gene", version, {}, 1);
    const FailedObject failed{release(3), {"Gene", "failed"}, "by the test"};
    list_failed(transaction, std::span(&failed, 1));
    const auto compared_in = [&](const std::string& name, const Release& current) {
        ObjectRow row;
        row.object = {"Gene", name};
        row.ace_version = "WS1";
        auto* const one = &row;
        lists = 0;
        resolve_compared_in(transaction, std::span(&one, 1), current, releases);
        return row.compared_in;
    };
    CHECK(compared_in("g", release(3)) == "WS3");
    CHECK(lists == 0);
    CHECK(compared_in("failed", release(3)) == "WS2");
    CHECK(lists == 1);
    CHECK(compared_in("g", release(4)) == "WS3");
    CHECK(lists == 1);
    CHECK(compared_in("g", {}) == "WS3");
}
