// tables/releases.hpp -- the table releases: which releases are known, and their order.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "store/pool.hpp"

namespace tables {

using base::Release;

// Known releases in their order, found by version without a scan. A value: copies are independent.
class Releases {
   public:
    Releases() = default;
    // Keeps the first of those that have the same version.
    explicit Releases(std::vector<Release> releases);

    void add(const Release& release);  // does nothing when its version is known
    // Returns nullptr when the version is unknown. Valid until the next add().
    [[nodiscard]] const Release* find(std::string_view version) const;
    // Returns true when `a` is the later release of the two. An unknown version is earlier than
    // every known one.
    [[nodiscard]] bool is_later(std::string_view a, std::string_view b) const;
    // Returns the newest release before `release`; nullptr when none is known.
    [[nodiscard]] const Release* before(const Release& release) const;
    // Returns nullptr when none is known.
    [[nodiscard]] const Release* newest() const {
        return releases_.empty() ? nullptr : &releases_.back();
    }
    [[nodiscard]] std::vector<Release> up_to(const Release& release) const;
    [[nodiscard]] const std::vector<Release>& all() const { return releases_; }

    // Where a release is in all().
    struct Position {
        std::size_t rank = 0;  // its index; 0 is the oldest
        // The number of known releases of the same date before it. It changes when a release of
        // that date becomes known later (named in the configuration, an older build visited):
        // then the times of later items of that date move on by a second. Versions and ids of
        // items never change.
        int of_day = 0;
    };
    // Returns nullopt when the version is unknown.
    [[nodiscard]] std::optional<Position> position(std::string_view version) const;

    // Returns nullopt when the version is unknown.
    [[nodiscard]] std::optional<base::Date> date_of(std::string_view version) const;

    // The oldest release of which a build was recorded; nullptr: there is none. What older ones have was
    // read from timestamps.
    [[nodiscard]] const Release* first_build() const { return find(first_build_); }
    // Notes that a build of a known release was recorded.
    void add_build(const std::string& version);

    // Releases that were published again, while their replacements are in force and not all of
    // them moved into place (releases.replacing). Usually none.
    struct Replacing {
        std::string version, digest;
    };
    void add_replacing(std::string version, std::string digest);
    [[nodiscard]] const std::vector<Replacing>& replacing() const { return replacing_; }

   private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::vector<Release> releases_;  // by date, then version
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> ranks_;
    std::vector<Replacing> replacing_;
    std::string first_build_;  // empty: none
};

// Reads all releases.
//   throws  Failure, as all that follow
[[nodiscard]] Releases load_releases(store::Transaction& transaction);

// Records the release unless it is recorded. Fills in an empty digest. The digest of a server takes the place of that of files and
// the other way round, so the next build of this version is compared with what is served now.
// Until the transaction ends, no other one can put another build of the release in force.
//   error  conflict: it is recorded with a digest that contradicts this one; or a build of it would
//          be new, and a later release is recorded
[[nodiscard]] base::Result<void> record_release(store::Transaction& transaction,
                                                const Release& release, std::string_view digest);

// A release whose build was served once.
struct RecordedRelease {
    base::Date released_on{};
    std::string digest;
};
// Returns nullopt when no build of this version was ever served.
[[nodiscard]] std::optional<RecordedRelease> recorded_release(store::Transaction& transaction,
                                                              std::string_view version);

// Returns the version of a known release of the same date; nullopt when there is none, or when this
// release itself is known by its date.
[[nodiscard]] std::optional<std::string> other_release_of_date(store::Transaction& transaction,
                                                               const Release& release);

// Another version under which a build of a digest is recorded.
struct OtherVersion {
    std::string version;
    bool is_newest =
        false;  // of all releases of which a build is recorded, but for the one asked for
};
// Returns nullopt when there is none.
[[nodiscard]] std::optional<OtherVersion> other_version_of(store::Transaction& transaction,
                                                           const std::string& version,
                                                           const std::string& digest);

// Builds that an operator accepted although they lack objects, or are recorded as another release
// (table accepted).
[[nodiscard]] bool is_accepted(store::Transaction& transaction, const std::string& version,
                               const std::string& digest);
// Does nothing when the build is accepted already.
void accept_build(store::Transaction& transaction, const std::string& version,
                  const std::string& digest, base::Seconds now);

constexpr std::array<std::string_view, 16> slots{"00", "01", "02", "03", "04", "05", "06", "07",
                                                 "08", "09", "10", "11", "12", "13", "14", "15"};
// Returns the one of the rows that this process writes again and again. Each process has its
// own: writers on other hosts do not wait for its rows, and do not lose their transactions over them
// in a cluster.
[[nodiscard]] const std::string& slot_of_process();

// Returns a day as the tables hold it.
//   throws  logic_error when the text is no date
[[nodiscard]] base::Date date_of(const std::string& text);

}  // namespace tables
