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

// A row of the table builds. Numbers grow with the order of releases; a release that was published again has a
// number for each publication, of which the highest is in force. Files and server of one publication have
// one number and two digests.
struct NumberedBuild {
    std::int64_t number = 0;
    std::string digest, version;
    bool is_recorded = false;  // a job has compared all objects with it
    bool operator==(const NumberedBuild&) const = default;
};

// Known releases in their order with their builds, found by version without a scan. A value: copies are
// independent.
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

    // -- numbered builds

    // Adds a build of a known release; in ascending order of numbers.
    void add_build(NumberedBuild build);
    [[nodiscard]] const std::vector<NumberedBuild>& builds() const { return builds_; }

    // Returns whether the build of this digest was one of an earlier publication.
    [[nodiscard]] bool is_superseded(std::string_view version, std::string_view digest) const;
    // Returns the number of the newest publication of a release; 0: no build of it was accepted.
    [[nodiscard]] std::int64_t number_of(std::string_view version) const;
    // Returns it if that publication has this digest, else 0.
    [[nodiscard]] std::int64_t number_of(std::string_view version, std::string_view digest) const;
    // Returns whether another publication of the release is in force than the build of this digest.
    [[nodiscard]] bool contradicts(std::string_view version, std::string_view digest) const;
    // Returns whether a job has compared all objects with the build.
    [[nodiscard]] bool is_recorded(std::int64_t number) const;
    // Returns the release of a build; empty: no build has this number, or its release was forgotten.
    [[nodiscard]] std::string version_of(std::int64_t number) const;

    // Returns the oldest release of which a build was accepted; nullptr: there is none. What older ones
    // have was read from timestamps.
    [[nodiscard]] const Release* first_build() const;
    // Returns the newest release before this one of which a build was accepted; nullptr: there is none.
    [[nodiscard]] const Release* build_before(const Release& release) const;
    // Returns the newest release of which a build was accepted, if it comes after this one; else nullptr.
    // Then none of this one gets a number: objects that were compared with the later one would not be compared
    // with it, and count as unchanged in it (rule C6).
    [[nodiscard]] const Release* build_after(const Release& release) const;
    // Returns false for the newest release with a build, until a job has compared all objects of a publication.
    [[nodiscard]] bool is_compared(std::string_view version) const;

   private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::vector<Release> releases_;  // by date, then version
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> ranks_;
    std::vector<NumberedBuild> builds_;  // by number
};

// Reads all releases and builds.
//   throws  Failure, as all that follow
[[nodiscard]] Releases load_releases(store::Transaction& transaction);

// Records that there is a release of this version, unless that is known. That says nothing of a build.
void record_release(store::Transaction& transaction, const Release& release);

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

}  // namespace tables
