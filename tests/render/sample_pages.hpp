// Views for the tests of the pages.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "render/pages.hpp"
#include "render/sample.hpp"

namespace sample {

inline render::Templates templates() { return render::Templates::make().value(); }

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
    view.recent = {
        {{"WS188", day(2008, 3, 22)}, {{RowKind::changed, 1200}, {RowKind::created, 3}}},
        {{"WS187", day(2008, 2, 15)}, {{RowKind::changed, 300}}}};
    view.watched = {{{"Gene", "WBGene00006763"}, "unc-26"}, {{"Paper", "WBPaper00000001"}, "A"}};
    return view;
}

inline render::HistoryView history_view(std::vector<Row> rows) {
    return {.history = history_of(std::move(rows)), .at = {}, .part = 1};
}

inline render::DiffView diff_view(std::vector<Change> changes) {
    query::Difference difference;
    difference.object = {"Gene", "WBGene00006763"};
    difference.label = "unc-26";
    difference.from = {"WS186", day(2008, 1, 15)};
    difference.to = {"WS188", day(2008, 3, 22)};
    difference.changes = std::move(changes);
    return {.difference = difference, .part = 1};
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
