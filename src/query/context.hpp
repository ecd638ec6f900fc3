// query/context.hpp -- what every read depends on: the store, the settings, the builds, the known
// releases, and the people whom curators' user names stand for.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/gate.hpp"
#include "base/result.hpp"
#include "base/single_flight.hpp"
#include "history/context.hpp"
#include "history/current.hpp"
#include "query/history_page.hpp"
#include "store/pool.hpp"
#include "tables/release_rows.hpp"
#include "tables/releases.hpp"

namespace query {

// What a read needs of the tables `releases`, `builds` and `mass_changes`.
struct KnownReleases {
    tables::Releases releases;
    bool has_mass_changes = true;  // false: no release has any, so none are looked for
    std::int64_t number = 0;       // of the current build; 0: there is none, or it has none
    // Another publication of the current release is in force than the current build.
    bool is_superseded = false;
};
using KnownReleasesPtr = std::shared_ptr<const KnownReleases>;

// Keeps them for a second, while the builds are the same.
class ReleaseCache {
   public:
    explicit ReleaseCache(base::Clock clock) : clock_(std::move(clock)) {}

    // Returns what a transaction has read from the tables in this second of the clock.
    //   throws  store::Failure
    //   cost    a read of the tables once a second
    [[nodiscard]] KnownReleasesPtr get(store::Transaction& transaction,
                                       const history::Settings& settings,
                                       const history::Builds& builds);

    // Lets the next call read them.
    void expire() { ++expirations_; }

   private:
    struct Version {
        base::Seconds read_at;
        std::uint64_t expirations = 0;
        Release build, previous;
        std::string digest;  // of the build
        bool operator==(const Version&) const = default;
    };
    const base::Clock clock_;
    std::atomic<std::uint64_t> expirations_ = 0;
    base::VersionedValue<Version, KnownReleasesPtr> kept_;
};

// Never null.
using CountedRowsPtr = std::shared_ptr<const tables::CountedRows>;

// Keeps the counts of a release until a row of it has a higher number than before, and otherwise for a minute,
// those of releases other than the current one for ten: rows may be forgotten, and on MariaDB a row may be
// committed after one that has a higher number. Safe from any thread.
class CountedRowsCache {
   public:
    explicit CountedRowsCache(base::Clock clock) : clock_(std::move(clock)) {}

    // Returns them for each of these releases, in their order.
    //   current  the version of the current release
    //   throws   store::Failure
    //   cost     that of tables::newest_rows(), and of tables::count_rows() for those that are not kept
    [[nodiscard]] std::vector<CountedRowsPtr> get(store::Transaction& transaction,
                                                  std::span<const std::string> versions,
                                                  const std::string& current);

   private:
    struct Kept {
        base::Seconds counted_at{};
        CountedRowsPtr rows;
    };
    [[nodiscard]] bool is_good(const Kept& kept, std::int64_t newest_row, bool is_current) const;

    const base::Clock clock_;
    std::mutex mutex_;                  // guards what follows; not held while the store is read
    std::map<std::string, Kept> kept_;  // by version
};

// Logs rows that cannot be read, which pages leave out: each of them once, and a hundred of them at
// most, since the same pages are asked for again and again. Safe from any thread.
class UnreadableRows {
   public:
    void note(const tables::UnreadableRow& row);

   private:
    std::mutex mutex_;
    std::set<std::pair<ObjectName, std::string>> logged_;
};

// Bytes of notes in the store. A page takes 8 to 9.1 bytes of memory for each of them (bench/memory_bench).
// A page of which 64 rows have more is read in its turn (SharedReads::long_pages). Nearly all have fewer.
inline constexpr std::size_t short_page = 256 << 10;
// Of feeds and pages with more rows than archive_page, which show fewer where these have more.
inline constexpr std::size_t longest_page = 4 << 20;
// Of a row on such a page: it shows the beginning of longer ones (tables::shorten()).
inline constexpr std::size_t longest_shown = longest_page / archive_page;

// Thrown when the turn of a long page does not come.
struct Busy : std::runtime_error {
    Busy() : std::runtime_error("too many long histories are read at once") {}
};

// What the reads of a process share.
struct SharedReads {
    explicit SharedReads(const base::Clock& clock = base::system_clock_now,
                         base::Gate::Limits limits = {})
        : releases(clock), counted_rows(clock), long_pages(limits) {}

    ReleaseCache releases;
    CountedRowsCache counted_rows;
    UnreadableRows unreadable;
    base::Gate long_pages;
};

// Dependencies of every read. The caller keeps what is referred to alive. Rows of releases newer
// than the build's are not shown.
struct ReadContext {
    store::Pool& pool;
    const history::Settings& settings;
    SharedReads& shared;
    history::Builds builds;
    People people = {};  // for the pages that are read
};

// Returns the models of the build, or of the one before; nullptr: neither is there.
[[nodiscard]] std::shared_ptr<const tree::Models> models_of(const history::Builds& builds);

// What one read transaction sees.
struct ReadView {
    store::Transaction& transaction;
    const ReadContext& context;
    KnownReleasesPtr known;
    Release current;          // the build's; without a build the newest that is known
    bool may_be_long = true;  // false: more than short_page throws tables::NotesTooLong
    [[nodiscard]] const tables::Releases& releases() const { return known->releases; }
    // Returns what notes rows that cannot be read.
    [[nodiscard]] tables::OnUnreadable on_unreadable() const {
        return [this](const tables::UnreadableRow& row) { context.shared.unreadable.note(row); };
    }
    [[nodiscard]] const source::Source* build() const { return context.builds.build.get(); }
    // Returns the number of the build; 0: there is none, or it has none.
    [[nodiscard]] std::int64_t number() const { return known->number; }
    // Returns a release that is known and not newer than the current one; nullptr when it is not.
    [[nodiscard]] const Release* shown(const std::string& version) const;
    // Returns all of those, newest first.
    [[nodiscard]] std::vector<Release> shown() const;
    // Returns the highest number of a build of one of those; 0: none has any.
    [[nodiscard]] std::int64_t newest_build() const;
    // Returns whether what is recorded of an object that was compared with this build last may be shown.
    [[nodiscard]] bool is_shown(std::int64_t number) const { return number <= newest_build(); }
    // Returns the rows of releases, counted, in their order.
    //   throws, cost  as CountedRowsCache::get()
    [[nodiscard]] std::vector<CountedRowsPtr> counted(std::span<const Release> releases) const;
};
[[nodiscard]] ReadView view_of(store::Transaction& transaction, const ReadContext& context,
                               bool may_be_long);

// Runs fn(const ReadView&) in a read transaction and returns its result. The function may run
// twice (store::perform), and again in the turn of a long page when it threw tables::NotesTooLong.
// No transaction is open while this waits for the turn.
//   throws  store::Failure; Busy
template <class F>
auto read(const ReadContext& context, F&& fn) {
    const auto run = [&](bool may_be_long) {
        return store::perform(context.pool, store::Access::read,
                              [&](store::Transaction& transaction) {
                                  return fn(view_of(transaction, context, may_be_long));
                              });
    };
    try {
        return run(false);
    } catch (const tables::NotesTooLong&) {
    }
    auto& gate = context.shared.long_pages;
    const auto admitted = gate.admit();
    const auto turn = admitted ? gate.wait_for_turn() : base::Gate::Pass();
    if (!turn) throw Busy();
    return run(true);
}

// Returns what is said wherever a release is asked for that is not shown: absent, with a whole
// sentence for readers.
[[nodiscard]] tl::unexpected<base::Error> no_release(const std::string& version);

// The persons behind users of timestamps, as the current build calls them.
class Curators {
   public:
    // Returns those of settings.curators. A person whom the build does not have, or who cannot be
    // read now, is called by the name of the object.
    //   build   nullptr: none is available
    //   cost    a load for each curator at the first call for a build, later a copy
    //   blocks  while another thread loads them
    [[nodiscard]] People of(const history::Settings& settings, const source::Build& build);

   private:
    struct Kept {
        People people;
        std::chrono::steady_clock::time_point valid_until;
    };
    base::VersionedValue<std::string, Kept> kept_;  // by the digest of the build
};

}  // namespace query
