// query/object_history.hpp -- what is recorded of objects, read as histories and watch lists: first
// which rows there are, then those that are shown. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"
#include "tables/objects.hpp"

namespace query {

// Returns the history of an object.
//   identity  has a row
// Rows that cannot be read are left out and logged.
//   error     absent: it is known only from a newer release; refused: the page begins after a release that is
//             not known
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

// Rows that a page shows, newest release first, then by class and name.
struct ShownRows {
    std::vector<tables::Row> rows;
    std::size_t recorded = 0;                            // that since and filter leave, in all
    std::map<std::int64_t, std::size_t> of_object = {};  // rows up to the current release, by oid
    bool cut = false;                                    // as in HistoryPage
    std::vector<tables::UnreadableRow> unreadable = {};  // left out of `rows`
};

// Puts rows on a page with what belongs to them: the people, the filter and the mass changes. Logs
// the rows that cannot be read.
void fill_page(HistoryPage& page, const ReadView& now, ShownRows rows,
               const PageRequest& request);

// Returns the rows of objects together, up to the release `current`.
//   objects  each once
//   error    refused: the page begins after a release that is not known
//   throws   tables::NotesTooLong when those shown have more than most_note_bytes
//   cost     a covering index of all their rows, then the rows shown; a filter reads all rows. Few and
//            short rows of one object are one statement (tables::FewRows)
[[nodiscard]] base::Result<ShownRows> load_rows(store::Transaction& transaction,
                                                std::span<const tables::ObjectRow> objects,
                                                const Release& current,
                                                const PageRequest& request,
                                                const tables::Releases& releases,
                                                std::size_t most_note_bytes = tables::any_bytes);

// Returns the request without filters that would match every row, so that their notes need not be read.
[[nodiscard]] PageRequest looked_for(PageRequest request, const ReadView& now);

// Returns the rank of the first release that a page after `since` shows.
//   since    a version; empty: from the oldest
//   current  the newest that is shown
//   error    refused: it is not known, or newer than the current one
[[nodiscard]] base::Result<std::size_t> first_rank_after(const tables::Releases& releases,
                                                         const std::string& since,
                                                         const Release& current);

// Visits the notes of rows in their order, until most_filtered_bytes of them have been read.
//   visit          void(std::int64_t sid, const tables::Row&)
//   on_unreadable  gets the rows that cannot be read, which are not visited
//   returns        how many rows it looked at
//   throws         tables::NotesTooLong when one row has more than most_note_bytes
//   cost           up to 64 rows a query, fewer where notes are long: 1 MB or one row is held at once
using VisitNotes = std::function<void(std::int64_t sid, const tables::Row& row)>;
std::size_t visit_notes(store::Transaction& transaction, std::span<const std::int64_t> sids,
                        const VisitNotes& visit, const tables::OnUnreadable& on_unreadable,
                        std::size_t most_note_bytes);

// Reads the mass changes of classes and releases, each once.
class MassPlacesReader {
   public:
    explicit MassPlacesReader(store::Transaction& transaction) : transaction_(transaction) {}
    [[nodiscard]] const MassPlaces& of(const std::string& class_name, const std::string& version);

   private:
    struct Known {
        std::vector<tables::MassChange> changes;
        MassPlaces places;  // of these
    };
    store::Transaction& transaction_;
    std::map<std::pair<std::string, std::string>, Known> known_;
};

// Those rows that a filter shows, in the same order.
struct FilteredRows {
    std::vector<std::int64_t> sids;
    bool cut = false;  // some rows were not looked at
};
//   on_unreadable, throws, cost  as of visit_notes(); rows that cannot be read are left out. A query
//                                for each class and release, if rows of mass changes are
[[nodiscard]] FilteredRows filtered_rows(store::Transaction& transaction,
                                         std::span<const std::int64_t> sids,
                                         const ChangeFilter& filter,
                                         const tables::OnUnreadable& on_unreadable,
                                         std::size_t most_note_bytes);

}  // namespace query
