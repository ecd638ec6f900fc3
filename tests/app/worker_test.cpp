// Long commands and a store whose files go away.
// SPDX-License-Identifier: MIT
#include "app/worker.hpp"

#include <csignal>
#include <filesystem>

#include "store/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// A store that is watched, and a clock that stands still.
struct WatchedStore {
    support::TempDir folder;
    fs::path file = folder.path() / "store.db", other = folder.path() / "other.db";
    store::Pool pool{[this] { return store::open_sqlite(file, store::IfMissing::create, 1s); },
                     4,
                     {},
                     store::Writers::one_at_a_time};
    std::chrono::steady_clock::time_point now;
    app::StoreWatch watch{pool, [this] { return now; }};

    WatchedStore() {
        store::perform(pool, store::Access::write, [](store::Transaction& transaction) {
            transaction.execute("CREATE TABLE t (n INTEGER)");
        });
    }
    void replace() const {
        fs::copy_file(file, other);
        fs::rename(other, file);
    }
};

}  // namespace

TEST_CASE("A store whose file was deleted or replaced is noticed within a minute") {
    WatchedStore store;
    store.now += 61s;
    CHECK_FALSE(store.watch.has_moved());
    SECTION("deleted") { fs::remove(store.file); }
    SECTION("replaced") { store.replace(); }
    CHECK_FALSE(store.watch.has_moved());
    store.now += 60s;
    CHECK(store.watch.has_moved());
}

TEST_CASE(
    "A connection that was opened to the new file does not hide that the store was replaced") {
    WatchedStore store;
    store.replace();
    {
        const auto first = store.pool.lease(store::Access::read);
        const auto second = store.pool.lease(store::Access::read);  // a new connection
        CHECK_FALSE(second->has_moved());
    }
    store.now += 60s;
    CHECK(store.watch.has_moved());
}

TEST_CASE("A worker ends when it is done, when a signal stops it, or when its store has moved") {
    WatchedStore store;
    app::StopSignals signals;
    int steps = 0;
    app::Worker worker{.name = "hub", .step = [&] { ++steps; }};
    const auto run = [&] {
        return app::run_until_stopped(worker, signals, store.watch, app::Config());
    };
    SECTION("done") {
        worker.is_done = [&] { return steps == 3; };
        CHECK(run());
        CHECK(steps == 3);
    }
    SECTION("stopped") {
        const int signal = GENERATE(SIGTERM, SIGHUP);
        worker.step = [&] {
            if (++steps == 3) REQUIRE(::raise(signal) == 0);
        };
        CHECK(run());
        CHECK(steps == 3);
    }
    SECTION("moved") {
        worker.step = [&] {
            if (++steps == 3) fs::remove(store.file);
            store.now += 61s;
        };
        CHECK_FALSE(run());
        CHECK(steps == 3);
    }
}
