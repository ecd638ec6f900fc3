// What ends a command that runs long.
// SPDX-License-Identifier: MIT
#include "app/long_running.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>

#include "store/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

struct WatchedStore {
    support::TempDir folder;
    fs::path file = folder.path() / "store.db";
    store::Pool pool{[this] { return store::open_sqlite(file, store::IfMissing::create, 1s); },
                     4,
                     {},
                     store::Writers::one_at_a_time};

    WatchedStore() {
        store::perform(pool, store::Access::write, [](store::Transaction& transaction) {
            transaction.execute("CREATE TABLE t (n INTEGER)");
        });
    }
};

}  // namespace

TEST_CASE("A worker ends when it is done, when a signal stops it, or when its store has moved") {
    WatchedStore store;
    app::StopSignals signals;
    int steps = 0;
    store::Url url;
    url.path = store.file;
    app::Worker worker{.name = "hub", .step = [&] { ++steps; }};
    const auto run = [&] { return app::run_until_stopped(worker, signals, store.pool, url); };
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
    SECTION("deleted") {
        worker.step = [&] {
            if (++steps == 3) fs::remove(store.file);
        };
        CHECK_FALSE(run());
        CHECK(steps == 3);
    }
    SECTION("replaced, although a connection was opened to the new file since") {
        const auto other = store.folder.path() / "other.db";
        fs::copy_file(store.file, other);
        worker.step = [&] {
            if (++steps == 3) fs::rename(other, store.file);
            const auto first = store.pool.lease(store::Access::read);
            const auto second = store.pool.lease(store::Access::read);
        };
        CHECK_FALSE(run());
        CHECK(steps == 3);
    }
}

TEST_CASE("A stop that takes longer than its limit is ended") {
    std::promise<void> end;
    const app::StopLimit limit(0ms, [&] { end.set_value(); });
    // Long enough for any machine; without it a limit that ends nothing would hang the test.
    CHECK(end.get_future().wait_for(60s) == std::future_status::ready);
}

TEST_CASE("A stop within its limit is left alone") {
    std::atomic<bool> is_ended = false;
    {
        const app::StopLimit limit(1h, [&] { is_ended = true; });
    }
    CHECK_FALSE(is_ended);
}
