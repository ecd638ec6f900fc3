// history/history.hpp -- the recorded changes of objects, as plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "compare/change.hpp"
#include "tree/object.hpp"

namespace history {

using base::Release;
using tree::ObjectName;

enum class Kind : unsigned char {
    changed,        // compared with the tree known before
    created,        // the kept index of the previous build did not have it
    vanished,       // was recorded, is not in this release
    reappeared,     // had vanished; compared with the empty tree
    reconstructed,  // first sight: read from timestamps (rule C4), since is empty
    withdrawn,      // a re-spun release has no changes left here
    adopted,        // of the first system; html instead of changes
};
[[nodiscard]] std::string_view name_of(Kind kind);
[[nodiscard]] std::optional<Kind> kind_named(std::string_view name);

// What the column `notes` holds, as JSON (docs/schema.md).
struct Notes {
    std::vector<compare::Change> changes;
    std::string adopted_html;  // kind adopted only: HTML of the first system, never shown raw
    std::optional<ObjectName> renamed_to, renamed_from;  // rule C9
    std::string previous;  // version of the release just before, as known when recorded
    bool operator==(const Notes&) const = default;
};
[[nodiscard]] std::string to_json(const Notes& notes);
[[nodiscard]] std::string changes_to_json(const std::vector<compare::Change>& changes);
[[nodiscard]] base::Result<Notes> notes_from_json(std::string_view text);

// One row of the table: what one release did to one object. One item of a feed.
struct Row {
    std::int64_t oid = 0;
    ObjectName object;  // the spelling first recorded: ids are made of it, for ever
    Release release;    // in which the change was found
    int of_day = 0;     // so many known releases of the same date come before that one
    int revision = 0;   // > 0: the release was published again with other content
    std::string since;  // version that was compared with; empty: none (kind tells)
    base::Seconds recorded_at{};
    std::string signature;  // of the object in this release; empty: vanished
    Kind kind = Kind::changed;
    std::string label;  // what people called the object then; never empty
    Notes notes;        // notes.previous other than since: releases were skipped
    bool operator==(const Row&) const = default;
};

// A place that a release changed in most objects of a class, as a change of the models does.
struct MassChange {
    std::string version;
    std::string class_name;
    std::string place;          // compare::place_of, never empty
    std::uint64_t objects = 0;  // that changed there
    std::uint64_t of = 0;       // that the class has in that release
    bool operator==(const MassChange&) const = default;
};

// Which changes of a row are shown. Nothing set: all of them, and rows that have none too.
struct Narrowing {
    std::string tag;                // a tag on the way to the change, or in it; ASCII case aside
    std::vector<compare::Op> only;  // in their order, each once; empty: all

    [[nodiscard]] bool is_set() const { return !tag.empty() || !only.empty(); }
    [[nodiscard]] bool shows(const compare::Change& change) const;
    // Whether any of its changes is shown.
    [[nodiscard]] bool shows(const Row& row) const;
    bool operator==(const Narrowing&) const = default;
};

// Items of one page of the archive (RFC 5005 section 4).
inline constexpr std::size_t archive_page = 50;

// Of a narrowed reading so many of the newest rows are looked at; older ones are not found.
inline constexpr std::size_t most_narrowed = 20'000;

// Which rows a feed shows, of those up to the current release.
struct Window {
    std::size_t most = 50;  // newest this many, 1 … serve.max_items
    std::string since;      // only rows of releases after this version; empty: all
    Narrowing narrowing = {};
    // 0: the newest. Else a page of the archive: of the rows that since and narrowing leave,
    // numbered from 0 for the oldest, those from before - archive_page to before - 1; `most`
    // says nothing then. A multiple of archive_page.
    std::size_t before = 0;
    bool operator==(const Window&) const = default;
};

// Whom the user of a stamp stands for ([curators]), and what people call them.
struct Person {
    ObjectName object;
    std::string label;  // never empty
    bool operator==(const Person&) const = default;
};
using People = std::map<std::string, Person, std::less<>>;  // by user

// Some rows of history, as one document shows them: of one object or of many.
struct Excerpt {
    Release current;        // the release answered from
    std::vector<Row> rows;  // newest release first, then class, name
    // Rows there are in all that since and narrowing leave: the window shows some of them.
    std::size_t recorded = 0;
    // Older rows were not looked at: a narrowing looks at the newest 20,000 and there are more.
    // `recorded` is what was found in those, and any new row moves where pages begin. Such a
    // feed is not complete, and has no archive: serve answers 404 for a page of one.
    bool cut = false;
    // Pages of the archive are numbered by release and in it by the order of recording: class and
    // release feeds (reading.hpp tells what moves them). Else from the last of `rows`' order to
    // the first.
    bool numbered_by_recording = false;
    base::Date last_modified{};  // where there are no rows: when what it is about changed
    std::vector<MassChange> mass_changes;  // of the rows' releases and classes
    People people;                         // those of [curators]
    Narrowing narrowing;                   // the window's
    bool operator==(const Excerpt&) const = default;
};

// The history of one object as one feed or page shows it.
struct History : Excerpt {
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
struct WatchList : Excerpt {
    // First recorded spellings, sorted, each once; unknown ones are left out. Called as in the
    // current release, whatever rows the window has.
    std::vector<Named> objects;
    bool operator==(const WatchList&) const = default;
};

}  // namespace history
