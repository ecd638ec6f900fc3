// query/history_page.hpp -- what feeds and pages show of the history, as plain values, and which
// rows a page has. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/change.hpp"
#include "tables/mass_changes.hpp"
#include "tables/mentions.hpp"
#include "tables/rows.hpp"
#include "tree/model.hpp"

namespace query {

using base::Release;
using tree::ObjectName;

// Places that one release changed in most objects of a class: views into the mass changes.
using MassPlaces = std::unordered_map<std::string_view, const tables::MassChange*>;

// Which rows and which of their changes are shown. When nothing is set, all changes and also rows
// without any.
struct ChangeFilter {
    std::string tag;                // a tag on the way to the change or in it; ignores ASCII case
    std::vector<compare::Op> only;  // in their order, each once; empty: all
    bool mass = true;  // also rows of which nothing is shown but what most objects share

    // True if some changes of a row may be hidden.
    [[nodiscard]] bool is_set() const { return !tag.empty() || !only.empty(); }
    // True if some rows may be.
    [[nodiscard]] bool chooses_rows() const { return is_set() || !mass; }
    [[nodiscard]] bool shows(const compare::Change& change) const;
    //   places  of the row's class and release
    [[nodiscard]] bool shows_row(tables::RowKind kind, const tables::Notes& notes,
                                 const MassPlaces& places) const;
    bool operator==(const ChangeFilter&) const = default;
};

// Returns whether a row has changes that the filter shows, and all of these are at places that the
// release changed in most objects of the class. A created or vanished object has its own changes, and so has a
// row that is not whole.
[[nodiscard]] bool is_mass_change(tables::RowKind kind, const tables::Notes& notes,
                                  const MassPlaces& places, const ChangeFilter& filter = {});

// Fills in what the changes of a row say in a line or two. What most objects of the class share is left out where there
// is anything else. An object that came is introduced by its description.
//   places  of the row's class and release
//   cost    O(nodes of the changes)
void add_headline(tables::Row& row, const compare::ClassRules& rules, const MassPlaces& places);

// Leaves out rows of objects that vanished because they were renamed, where the row of the new name is among them too: it
// says both.
void join_renames(std::vector<tables::Row>& rows);

// Items of one page of the archive (RFC 5005 section 4).
inline constexpr std::size_t archive_page = 50;

// A filter reads at most so many bytes of notes.
inline constexpr std::size_t most_filtered_bytes = 32 << 20;

// Tests lower them.
struct PageLimits {
    // A filter that chooses rows is applied to this many of them: the newest of an object or a watch
    // list, the first of a class or release in the order of a feed.
    std::size_t filtered = 20'000, filtered_of_many = 2'000;
    bool operator==(const PageLimits&) const = default;
};

// Which rows a feed or page shows, of those up to the current release.
struct PageRequest {
    std::size_t most = 50;  // the newest this many, 1 … serve.max_items
    std::string since;      // only rows of releases after this version; empty: all
    ChangeFilter filter = {};
    // 0 asks for the newest rows. Otherwise for a page of the archive, whatever `most` is: the rows
    // that since and filter leave are numbered from 0 for the oldest, and the page has those from
    // before - archive_page to before - 1. A multiple of archive_page.
    std::size_t before = 0;
    // Not empty: of these rows only that of this release, as it is recorded.
    std::string at = {};
    // Of this row, counted from the newest, and the archive_page - 1 behind it the changes are read, of all others only
    // what else a row says; nullopt: the changes of as many as have room.
    std::optional<std::size_t> changes_from = {};
    // So many of the newest mentions of the objects are read with the rows.
    std::size_t mentions = 0;
    PageLimits limits = {};
    bool operator==(const PageRequest&) const = default;
};

// The rows from .. to - 1, counted from the newest.
struct Slice {
    std::size_t from = 0, to = 0;
    [[nodiscard]] std::size_t size() const { return to - from; }
};
// Returns which of `rows` rows the request asks for.
[[nodiscard]] Slice slice_of(const PageRequest& request, std::size_t rows);

// Whom the user of a timestamp stands for ([curators]), and what people call them.
struct Person {
    ObjectName object;
    std::string label;  // never empty
    bool operator==(const Person&) const = default;
};
using People = std::map<std::string, Person, std::less<>>;  // by user

// Rows of history of one object or of many, as one document shows them.
struct HistoryPage {
    Release current;                // the release currently being served
    std::vector<tables::Row> rows;  // newest release first, then class, name
    // The number of rows that since and filter leave; the page shows some of them.
    std::size_t recorded = 0;
    // Further rows were not looked at, because a filter is applied to the first ones and there are
    // more. `recorded` counts those that were found, and every new row moves where pages begin.
    // Such a feed is not complete and has no archive: serve answers 404 for a page of one.
    bool cut = false;
    // Pages of the archive are numbered by release and within a release by the order of recording,
    // as in feeds of classes and releases (histories.hpp). Otherwise in the order of `rows`,
    // from the last to the first.
    bool numbered_by_recording = false;
    // Of the objects, those first that were recorded last; and how many there are. Empty unless they were asked for.
    std::vector<tables::Mention> mentions = {};
    std::size_t mentioned = 0;
    base::Date last_modified{};  // without rows: when the subject of the page changed
    std::vector<tables::MassChange> mass_changes;     // of the rows' releases and classes
    std::shared_ptr<const tree::Models> models = {};  // of the build; nullptr: none is there
    People people;                                    // those of [curators]
    ChangeFilter filter;                              // of the request
    bool operator==(const HistoryPage&) const = default;
};

// Returns the places of the mass changes of a row's class and release, if the row is `changed`: everything that was
// created or vanished is its own. Views into the page.
[[nodiscard]] MassPlaces mass_places(const tables::Row& row, const HistoryPage& page);

// The history of one object as one feed or page shows it.
struct History : HistoryPage {
    ObjectName object;    // first recorded spelling
    ObjectName spelling;  // the current build's (object's own when it has vanished)
    std::string label;    // what people call it now; never empty
    std::int64_t oid = 0;
    bool vanished = false;  // not in the current release
    bool operator==(const History&) const = default;
};

// An object and what people call it.
struct Named {
    ObjectName object;
    std::string label;  // never empty
    bool operator==(const Named&) const = default;
};

// A watch list: rows of all of its objects, as one feed shows them.
struct WatchList : HistoryPage {
    // First recorded spellings, sorted, each once; unknown objects are left out. The labels are
    // those of the current release, whatever rows the page has.
    std::vector<Named> objects;
    std::vector<ObjectName>
        vanished;  // those of them that are not in the current release; sorted
    bool operator==(const WatchList&) const = default;
};

}  // namespace query
