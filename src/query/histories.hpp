// query/histories.hpp -- what is recorded of objects, watch lists, classes and releases, read as pages: first which
// rows there are, then those that are shown. Nothing is loaded from the build. Rows that cannot be read are
// left out and logged. Safe from any thread. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"

namespace query {

// -- objects

// Returns the history of an object.
//   identity  has a row
//   error     absent: it is known only from a newer release; refused: the page begins after a release that is
//             not known
//   cost      a covering index of all its rows, then the rows shown; a filter reads all rows
[[nodiscard]] base::Result<History> load_history(const ReadView& now,
                                                 const history::Identity& identity,
                                                 const PageRequest& request);

// Returns the histories of several objects, merged. Leaves out objects that are known only from a
// newer release.
//   identities  as above, each object once
//   error       absent: no object is left; otherwise as above
[[nodiscard]] base::Result<WatchList> load_list(const ReadView& now,
                                                std::span<const history::Identity> identities,
                                                const PageRequest& request);

// The releases over which an object is followed: from the first of which something is known to the one
// that is shown.
struct FollowedReleases {
    std::vector<Release> releases;  // newest first
    // The version of the first release of which a build was recorded: what is older was read from
    // timestamps. Empty: none was.
    std::string first_seen;
};
// Returns those of a history, none if it has no rows.
//   cost  a look-up in an index
[[nodiscard]] FollowedReleases followed_releases(const ReadContext& context,
                                                 const History& history);

// -- classes and releases

// Returns true when the build has the class, or a row of a shown release does, or an object that was
// compared in one: what only a later release has is not shown.
//   class_name  as it is spelled
//   cost        counts (CountedRowsCache); without any of the class, up to 1,000 objects
[[nodiscard]] bool is_shown_class(const ReadView& now, const std::string& class_name);

// Returns what is recorded in a class, in releases up to the current one. Leaves out rows that were
// reconstructed from timestamps.
//   class_name  exactly as it is spelled
//   error  absent: not shown; refused: request.since is not known;
//          malformed: notes that are no notes
//   cost   counts of all releases (CountedRowsCache), and the rows of the page. Pages of the archive: a
//          walk in an index over at most half of the rows of a release.
//          A filter reads the notes of up to 2,000 rows, and 32 MB of notes: where there are more, the
//          page is `cut`. The server keeps the result for a minute
//   archive     pages go by release and within it by the order of recording: a switch to a
//               newer release only adds rows behind the last, whatever was prewarmed before, and a
//               rollback takes whole releases off the end. A row that an older release gains
//               after the switch (by a host that has not switched yet, by a job on an older
//               build) moves the pages behind it, and so does a row that a re-publication replaces: it
//               comes last then
[[nodiscard]] base::Result<HistoryPage> class_history(const ReadContext& context,
                                                      const std::string& class_name,
                                                      const PageRequest& request);

// Returns what a release changed, without reconstructed rows. Ignores request.since.
//   error  absent: no such release is known, or it is newer than the current one; malformed as
//          above
//   cost   as a class
[[nodiscard]] base::Result<HistoryPage> release_history(const ReadContext& context,
                                                        const std::string& version,
                                                        const PageRequest& request);

// Returns the rows of these numbers (sid), in their order; without renames.
//   limits  when so many bytes of notes were read, no further row is, but a page of the archive is always whole;
//           rows that have more are shortened
//   throws  tables::NotesTooLong
//   cost    a query for 64 rows, fewer where notes are long: 1 MB or one row is held at once
[[nodiscard]] std::vector<tables::Row> rows_in_order(const ReadView& now,
                                                     std::span<const std::int64_t> sids,
                                                     tables::NotesLimits limits = {
                                                         longest_page, longest_shown});

}  // namespace query
