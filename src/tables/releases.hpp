// tables/releases.hpp -- the tables releases, builds and accepted: which releases are known, their order, and which
// builds of them were accepted under which numbers.
// SPDX-License-Identifier: MIT
#pragma once

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
    bool is_recorded = false;      // a job has compared all objects with it
    std::uint64_t unreadable = 0;  // objects that this job could not read
};

// Known releases in their order with their builds, found by version without a scan. A value: copies are
// independent.
class Releases {
   public:
    // Does nothing when its version is known.
    //   cost  little, unless many later ones are known
    void add(const Release& release);
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

// -- numbers of builds. An object is up to date in a build when it was compared with it or a later one (objects.build),
// so numbers only grow: they come from a counter in `meta`.

// Returns what is wrong with the counter; empty: nothing.
[[nodiscard]] std::string counter_fault(store::Transaction& transaction);

// Keeps others from numbering builds, and from beginning or ending to forget releases, until the transaction ends. At
// two nodes of a cluster, one of two that do so is committed.
//   returns  forgetting()
//   throws   store::Failure: counter_fault() too
std::string lock_builds(store::Transaction& transaction);

enum class Publication {
    first,
    again,  // a further publication of the newest release, with a number of its own
};

// Returns the number of a build; 0: it has none, and may get one, as a further publication always may.
//   error  conflict: another publication of the release is in force, a later release has a build, or a release is
//          being forgotten; refused: there is nothing to publish again, or a later release has a build
[[nodiscard]] base::Result<std::int64_t> find_number(store::Transaction& transaction,
                                                     const Release& release,
                                                     const std::string& digest,
                                                     Publication publication);

// Gives a build its number, and records its release. A build that has one keeps it; one of another kind of
// source joins the publication in force.
//   error  as of find_number()
[[nodiscard]] base::Result<std::int64_t> number_build(store::Transaction& transaction,
                                                      const Release& release,
                                                      const std::string& digest,
                                                      Publication publication, base::Seconds now);

// Returns the number of the publication of a release that is in force; 0: none. It stays so until the transaction ends,
// but for other nodes of a cluster.
[[nodiscard]] std::int64_t share_number_of(store::Transaction& transaction,
                                           const std::string& version);

// Notes that all objects were compared with the build.
//   unreadable  objects of it that could not be read
//   returns     whether that was noted of no publication of the release before
[[nodiscard]] bool note_recorded(store::Transaction& transaction, const std::string& version,
                                 std::int64_t number, base::Seconds now,
                                 std::uint64_t unreadable);

// The release that is being forgotten, with all later ones; empty: none. No build gets a number meanwhile.
[[nodiscard]] std::string forgetting(store::Transaction& transaction);
// Returns the same, which stays so until the transaction ends, but for other nodes of a cluster.
[[nodiscard]] std::string share_forgetting(store::Transaction& transaction);
// Note the beginning and the end of that; need lock_builds(). The builds of these releases are deleted, so that
// nothing is recorded from them any more.
void begin_forgetting(store::Transaction& transaction, const std::string& version);
void end_forgetting(store::Transaction& transaction);

}  // namespace tables
