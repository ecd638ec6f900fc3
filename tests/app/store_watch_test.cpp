// Long commands and a store whose files go away.
// SPDX-License-Identifier: MIT
#include "app/store_watch.hpp"

#include <filesystem>

#include "store/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST_CASE("A store whose file was deleted or replaced is noticed within a minute") {
    const support::TempDir folder;
    const auto file = folder.path() / "store.db", other = folder.path() / "other.db";
    store::Pool pool([&] { return store::open_sqlite(file, store::IfMissing::create, 1s); }, 4,
                     {}, store::Writers::one_at_a_time);
    store::perform(pool, store::Access::write, [](store::Transaction& transaction) {
        transaction.execute("CREATE TABLE t (n INTEGER)");
    });
    std::chrono::steady_clock::time_point now;
    app::StoreWatch watch(pool, [&] { return now; });
    now += 61s;
    CHECK_FALSE(watch.has_moved());
    SECTION("deleted") { fs::remove(file); }
    SECTION("replaced") {
        fs::copy_file(file, other);
        fs::rename(other, file);
    }
    CHECK_FALSE(watch.has_moved());
    now += 60s;
    CHECK(watch.has_moved());
}

TEST_CASE(
    "A connection that was opened to the new file does not hide that the store was replaced") {
    const support::TempDir folder;
    const auto file = folder.path() / "store.db", other = folder.path() / "other.db";
    store::Pool pool([&] { return store::open_sqlite(file, store::IfMissing::create, 1s); }, 4,
                     {}, store::Writers::one_at_a_time);
    store::perform(pool, store::Access::write, [](store::Transaction& transaction) {
        transaction.execute("CREATE TABLE t (n INTEGER)");
    });
    std::chrono::steady_clock::time_point now;
    app::StoreWatch watch(pool, [&] { return now; });
    fs::copy_file(file, other);
    fs::rename(other, file);
    {
        const auto first = pool.lease(store::Access::read);
        const auto second = pool.lease(store::Access::read);  // a new connection
        CHECK_FALSE(second->has_moved());
    }
    now += 60s;
    CHECK(watch.has_moved());
}
