// Views for the tests of the pages.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/sample.hpp"

namespace sample {

inline const render::Templates& templates() {
    static const auto made = render::Templates::make().value();
    return made;
}

// Return a page, which keeps the rules of pages. Names of the most bytes that there may be, in each of its links,
// make it large, but not without a limit.
inline std::string checked(std::string page) {
    INFO(page.substr(0, 3000));
    CHECK(support::findings_in_page(page) == none);
    CHECK(page.size() <= 8'000'000);
    return page;
}
inline std::string page_of(const render::HomeView& view, const render::Site& look = site()) {
    return checked(render::home_page(view, render::PageSite(look), templates()));
}
inline std::string page_of(const render::WatchView& view, const render::Site& look = site()) {
    return checked(render::watch_page(view, render::PageSite(look), templates()));
}
inline std::string page_of(const render::HistoryView& view, const render::Site& look = site()) {
    return checked(render::history_page(view, render::PageSite(look), templates()).value());
}
inline std::string page_of(const render::DiffView& view, const render::Site& look = site()) {
    return checked(render::diff_page(view, render::PageSite(look), templates()).value());
}
inline std::string page_of(const render::ReleaseView& view, const render::Site& look = site()) {
    return checked(render::release_page(view, render::PageSite(look), templates()));
}
inline std::string page_of(const render::ReleasesView& view, const render::Site& look = site()) {
    return checked(render::releases_page(view, render::PageSite(look), templates()).value());
}
inline std::string page_of(const render::SourcesView& view, const render::Site& look = site()) {
    return checked(render::sources_page(view, render::PageSite(look), templates()));
}
inline std::string page_of(const render::SourceView& view, const render::Site& look = site()) {
    return checked(render::source_page(view, render::PageSite(look), templates()));
}

inline std::string text_of(std::size_t size, std::string_view piece) {
    std::string text;
    while (text.size() < size) text += piece;
    text.resize(size);
    return text;
}

inline render::HomeView home_view() {
    render::HomeView view;
    view.class_name = "Gene";
    view.text = "unc";
    view.found = {{{"Gene", "WBGene00006763"}, "unc-26"}, {{"Gene", "WBGene00006764"}, "unc-27"}};
    view.classes = {"Gene", "Paper", "Person"};
    query::ReleaseList releases(2);
    releases[0].summary = {{"WS188", day(2008, 3, 22)},
                           {{RowKind::changed, 1200}, {RowKind::created, 3}}};
    releases[1].summary = {{"WS187", day(2008, 2, 15)}, {{RowKind::changed, 300}}};
    for (auto& each : releases)
        each.details = std::make_shared<const query::ReleaseDetails>(
            query::ReleaseDetails{{{"Gene", 300, {{RowKind::changed, 300}}}},
                                  {{{"Gene", "WBGene00006763"},
                                    "unc-26",
                                    RowKind::changed,
                                    {1, 0, 0},
                                    "Remark added"}}});
    view.releases = std::make_shared<const query::ReleaseList>(std::move(releases));
    return view;
}

inline render::WatchView watch_view(std::vector<Row> rows) {
    render::WatchView view;
    view.classes = {"Gene", "Paper", "Person"};
    view.changes = history_of(std::move(rows));
    view.objects = {{{{"Gene", "WBGene00006763"}, "unc-26"}},
                    {{{"Paper", "WBPaper00000001"}, "A"}}};
    return view;
}

inline render::HistoryView history_view(std::vector<Row> rows) {
    render::HistoryView view{.history = history_of(std::move(rows)), .at = {}};
    // As if each release of the site changed the object.
    for (const auto& row : view.history.rows) view.followed.releases.push_back(row.release);
    return view;
}

inline render::DiffView diff_view(std::vector<Change> changes) {
    query::Difference difference;
    difference.object = {"Gene", "WBGene00006763"};
    difference.label = "unc-26";
    difference.from = {"WS186", day(2008, 1, 15)};
    difference.to = {"WS188", day(2008, 3, 22)};
    difference.changes = std::move(changes);
    return {.difference = difference};
}

inline render::ReleaseView release_view() {
    render::ReleaseView view;
    auto& contents = view.contents;
    contents.summary = {{"WS187", day(2008, 2, 15)},
                        {{RowKind::changed, 120}, {RowKind::created, 2}}};
    contents.before = base::Release{"WS186", day(2008, 1, 15)};
    contents.after = base::Release{"WS188", day(2008, 3, 22)};
    contents.classes = {{"Gene", 100, {{RowKind::changed, 98}, {RowKind::created, 2}}},
                        {"Paper", 22, {{RowKind::changed, 22}}}};
    contents.entries = {
        {{"Gene", "WBGene00006763"}, "unc-26", RowKind::changed, {3, 1, 1}},
        {{"Paper", "WBPaper00000001"}, "WBPaper00000001", RowKind::created, {7, 0, 0}}};
    contents.matching = 122;
    contents.mass_changes = {{"WS187", "Gene", "Identity > Checked", 30'123, 45'000}};
    return view;
}

}  // namespace sample
