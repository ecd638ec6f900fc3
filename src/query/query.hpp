// query/query.hpp -- what is read from the recorded history beside the history of one object:
// what a class or a release changed, which objects are called so, two releases of an object.
// Nothing here loads objects from the build into the store. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "history/current.hpp"
#include "history/refresh.hpp"
#include "query/history_page.hpp"
#include "store/pool.hpp"

namespace query {

// Where is read, and as of which build. Rows of newer releases are not seen.
struct ReadContext {
    store::Pool& pool;
    const history::Settings& settings;
    history::Builds builds;
    People people = {};  // of what is read
};
// All of these throw store::Failure.

// What is recorded in a class, in releases up to the current one; reconstructed rows aside.
//   class_name  exactly as it is spelled
//   error  absent: neither recorded nor in the build; refused: window.since is not known
//          (of both: malformed: notes that are no notes)
//   cost   a class of up to 5,000 objects: an index look-up for each, and a read of its rows.
//          A larger one: a walk over the rows of all classes in an index (1.3 million a second
//          on SQLite, 0.3 on MariaDB), pages of the archive half as fast. A narrowing reads the
//          20,000 newest rows besides (0.2 s, 0.6 s), and finds nothing in older ones: the
//          excerpt is `cut`, then. What is shown is kept for a minute, then (serve).
//   archive     pages go by release and within it by the order of recording: a switch to a
//               newer release only adds rows behind the last, whatever was warmed before, and a
//               rollback takes whole releases off the end. A row that an older release gains
//               after the switch (by a host that has not switched yet, by a job on an older
//               build) moves the pages behind it
[[nodiscard]] base::Result<HistoryPage> class_history(const ReadContext& reading,
                                                      const std::string& class_name,
                                                      const PageRequest& window);

// What a release changed; reconstructed rows aside. window.since says nothing.
//   error  absent: no such release is known, or it is newer than the current one
//   cost   20,000 rows: 10 ms on SQLite, 100 on MariaDB, sorted by name; of more the first are
//          found by going through the names. Else as a class
[[nodiscard]] base::Result<HistoryPage> release_history(const ReadContext& reading,
                                                        const std::string& version,
                                                        const PageRequest& window);

// How many objects a release changed, created, …
struct KindCount {
    tables::RowKind kind;
    std::uint64_t objects;
};
struct ReleaseSummary {
    Release release;
    std::vector<KindCount> kinds;  // in the order of RowKind, none of 0, reconstructed aside
};
// Known releases up to the current one, newest first, at most `most`.
//   cost  a walk over their rows in an index (10 million a second on SQLite, 1 on MariaDB)
[[nodiscard]] std::vector<ReleaseSummary> newest_releases(const ReadContext& reading,
                                                          std::size_t most);

// What the page of a release shows.
struct ReleaseContents {
    ReleaseSummary summary;
    std::optional<Release> before, after;  // its neighbours among those that are shown
    struct ClassCount {
        std::string class_name;
        std::uint64_t objects = 0;  // with a row of this release
        std::vector<KindCount> kinds;
    };
    std::vector<ClassCount> classes;  // most objects first
    struct Entry {
        ObjectName object;
        std::string label;
        tables::RowKind kind;
        compare::Counts counts;  // of its changes
    };
    std::vector<Entry> entries;  // by class and name; one page of them
    std::uint64_t matching = 0;  // entries there are in all for what was asked
    std::vector<tables::MassChange> mass_changes;
};
struct ContentsQuery {
    std::string class_name;  // empty: all
    std::string text;        // what names and labels begin with, ASCII case aside; empty: all
    std::size_t from = 0, most = 100;
};
//   error  as release_history
//   cost   each object of the release is looked up (1 million a second on SQLite, 0.2 on MariaDB)
[[nodiscard]] base::Result<ReleaseContents> release_contents(const ReadContext& reading,
                                                             const std::string& version,
                                                             const ContentsQuery& query);

// Objects that people call `text`, then those whose name it is, then those whose label or name
// begins with it, ASCII case aside; recorded ones, and those of the build that have exactly this
// name. What only a newer release than the current one has is not seen.
//   class_name  ASCII case aside; empty: any
//   text        2 bytes at least for what begins with it; empty: nothing is found
//   most        1 … 100
//   cost        ranges of indexes, whatever the store holds; of one class at most 20,000 keys
//               that begin so are gone through (3 ms on SQLite), so that one far behind them may
//               be missed unless its name begins with the text as it is written. Up to 8 objects
//               of the build are loaded for their labels
[[nodiscard]] std::vector<Named> find_named(const ReadContext& reading,
                                            const std::string& class_name, std::string_view text,
                                            std::size_t most);

// Classes that the build has or that are recorded, sorted.
[[nodiscard]] std::vector<std::string> known_classes(const ReadContext& reading);

// Two releases of one object compared.
struct Difference {
    ObjectName object;  // first recorded spelling
    std::string label;
    Release from, to;
    bool was_there = true, is_there = true;
    std::vector<compare::Change> changes;
    People people;
};
//   object  has been brought up to date (HistoryService::history_of)
//   error   absent: nothing is known of it in one of the two, or it is in neither; the text is
//           for people and names the nearest that are known; refused: no such release is known,
//           the text names `from` or `to`
[[nodiscard]] base::Result<Difference> difference(const ReadContext& reading,
                                                  const ObjectName& object,
                                                  const std::string& from, const std::string& to);

// For operators.
//   cost  a walk over an index: 0.2 s for 10 million rows on SQLite, 5 s on MariaDB
struct StoreCounts {
    std::int64_t objects = 0, rows = 0;
};
[[nodiscard]] StoreCounts count_store(store::Pool& pool);

}  // namespace query
