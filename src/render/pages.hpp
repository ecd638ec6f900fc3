// render/pages.hpp -- the pages for people: values in, HTML 5 out, through mustache templates.
// Pure: no clock, no I/O. All data is escaped. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/histories.hpp"
#include "query/history_page.hpp"
#include "query/pasted_names.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/site.hpp"
#include "render/source_feed.hpp"
#include "render/templates.hpp"

namespace render {

// Pages and the files that they load are below site.base_url: /style.css, /feed.css, /varve.js,
// /json-feed.txt. Pages link to the site by path alone (PageSite).
// Long lists are cut by counts. The pages of one are numbered from 1; there is no page past the last.

struct HomeView {
    std::string class_name, text;  // what the reader searched for; both empty: nothing
    std::vector<query::Match> found;
    std::size_t page = 1;              // of all that were found
    bool has_more = false;             // another page follows
    bool is_complete = true;           // as in query::SearchAnswer
    std::string next_url;              // of that, below base_url
    std::vector<std::string> classes;  // to choose from
    // All releases, of which the newest are shown; nullptr: none is known.
    std::shared_ptr<const query::ReleaseList> releases = {};
    bool has_sources = false;  // there are source feeds, whose page is linked
};
// A GET form has the search, `q` and `class`. The button of a result sends it to the page of the watch
// list, with `object`.
[[nodiscard]] std::string home_page(const HomeView& view, const PageSite& site,
                                    const Templates& templates);

// An object of a watch list.
struct WatchedObject {
    query::Named named;
    enum class State : unsigned char {
        present,
        vanished,
        unreadable,
        unknown
    } state = State::present;
    std::string vanished_in = {};  // a version; empty: not recorded
    // What may be watched instead: the successor of an object that vanished, or what people call by
    // the name of one that is unknown.
    std::string words = {};  // before them: "Merged into"
    std::vector<query::Named> instead = {};
};

struct WatchView {
    std::string id;                      // of the short address; empty: it has none
    std::vector<WatchedObject> objects;  // in the order of the list
    query::HistoryPage changes;          // the newest rows of the objects
    std::vector<query::PastedName> unclear;
    std::size_t left_out = 0;      // pasted names that the list has no room for
    std::string class_name, text;  // of a search
    std::vector<query::Match> found;
    bool has_more = false;             // was found behind them
    std::vector<std::string> classes;  // to choose from
};
// One POST form has the list and what is added to it; docs/protocols.md lists its fields.
[[nodiscard]] std::string watch_page(const WatchView& view, const PageSite& site,
                                     const Templates& templates);

struct HistoryView {
    query::History history;  // as many rows as may be shown, newest first
    std::string at;          // version of the only release to show; empty: all
    std::size_t page = 1;    // of the changes of that release, or of the rows
    std::size_t number = 0;  // of a change of that release: the page that has its place, if not 0
    query::FollowedReleases followed = {};  // of the history; needed without `at`
};
inline constexpr std::size_t most_mentions_on_page = 200;  // that are read for it
inline constexpr std::size_t rows_on_page = 50;
// The first page shows the mentions that the history has: a track and a list of the newest ones.
// Every row has an element with the id VERSION. Changes on the page have the ids VERSION-cN.
//   returns  nullopt: there is no such page; so do the functions below
[[nodiscard]] std::optional<std::string> history_page(const HistoryView& view,
                                                      const PageSite& site,
                                                      const Templates& templates);

struct DiffView {
    query::Difference difference;
    std::size_t page = 1;
};
[[nodiscard]] std::optional<std::string> diff_page(const DiffView& view, const PageSite& site,
                                                   const Templates& templates);

struct ObjectView {
    query::ObjectAt object;
    std::size_t page = 1;
    compare::References references = {};  // what people call the objects that the lines name
};
// A line of the tree in each row of a table.
[[nodiscard]] std::optional<std::string> object_page(const ObjectView& view, const PageSite& site,
                                                     const Templates& templates);
// Returns the objects that the lines of the page name, sorted, each once: at most 500.
[[nodiscard]] std::vector<tree::ObjectName> objects_on_page(const ObjectView& view);

struct ReleaseView {
    query::ReleaseContents contents;
    query::ContentsQuery query;
    std::size_t page = 1;  // of the objects
};
[[nodiscard]] std::string release_page(const ReleaseView& view, const PageSite& site,
                                       const Templates& templates);

struct ReleasesView {
    std::shared_ptr<const query::ReleaseList> list;
    std::size_t page = 1;  // the first has pictures
};
[[nodiscard]] std::optional<std::string> releases_page(const ReleasesView& view,
                                                       const PageSite& site,
                                                       const Templates& templates);

// A source feed and how its fetches go, of which the last ones are known.
struct SourceStatus {
    std::int64_t id = 0;
    std::string name, url;                        // never empty
    bool is_url_cut = false;                      // its query is not shown
    std::string home_url = {}, description = {};  // may be empty
    bool is_enabled = true;
    bool is_queued = false;     // it is being fetched
    std::string status = {};    // "Working", "HTTP 404 Not Found"; empty: it was never fetched
    std::string failures = {};  // since the last success: "0", "1.25"
    std::int64_t poll_minutes = 0;  // 0: not known
    std::optional<base::Seconds> last_fetch = {}, next_fetch = {}, last_news = {};
    std::optional<base::Seconds> held_until = {};  // its server asked for a pause
};
inline constexpr std::size_t sources_on_page = 100;
struct SourcesView {
    std::vector<SourceStatus> feeds;  // those of the page
    std::size_t count = 0;            // of all that the search found
    std::size_t page = 1;
    std::string text;  // of the search; may be empty
};
[[nodiscard]] std::string sources_page(const SourcesView& view, const PageSite& site,
                                       const Templates& templates);

// What happened to a source feed.
struct FetchEvent {
    enum class Outcome : unsigned char {
        news,
        nothing_new,
        failed,
        begun  // a harvester began to fetch it
    };
    base::Seconds at{};
    Outcome outcome = Outcome::begun;
    std::string name;  // "fetch_succeeded"
    std::string note;  // "3 skipped / 2 added"; may be empty
};
struct SourceView {
    SourceStatus status;
    std::vector<FetchEvent> events;  // newest first
    SourceFeed copy;                 // with the newest items
};
[[nodiscard]] std::string source_page(const SourceView& view, const PageSite& site,
                                      const Templates& templates);

// The page for an error status.
//   title, text  the status in words, "Not Found"; one sentence for people. Any bytes
//   choices      up to 20 pages, a link each
[[nodiscard]] std::string error_page(int status, std::string_view title, std::string_view text,
                                     const PageSite& site, const Templates& templates,
                                     std::span<const PageChoice> choices = {});
// The same as JSON: {"status","reason","error","choices":[{"text","url"},…]}.
[[nodiscard]] std::string error_json(int status, std::string_view title, std::string_view text,
                                     const Site& site, std::span<const PageChoice> choices = {});
// The same as plain text: "404 Not Found", an empty line, the sentence; two lines for each choice.
[[nodiscard]] std::string error_text(int status, std::string_view title, std::string_view text,
                                     const Site& site, std::span<const PageChoice> choices = {});

}  // namespace render
