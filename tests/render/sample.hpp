// Rows and sites for the tests of render/, in a few words.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "render/feed.hpp"
#include "support/trees.hpp"

namespace sample {

using compare::Change;
using compare::Op;
using support::Nodes;
using tables::Row;
using tables::RowKind;
using tree::Cell;
using tree::Node;
using Cells = std::vector<Cell>;

inline base::Date day(int year, unsigned month, unsigned date) {
    return std::chrono::sys_days{std::chrono::year{year} / static_cast<int>(month) /
                                 static_cast<int>(date)};
}
inline base::Seconds now() { return day(2010, 1, 1); }

inline render::Site site() {
    render::Site site;
    site.title = "WormBase changes";
    site.base_url = "https://changes.example.org";
    site.authority = "wormbase.org,2007";
    site.contact = "help@wormbase.org";
    site.object_url = "https://wormbase.org/db/get?name={name};class={class}";
    site.object_url_of_class = {{"Paper", "https://wormbase.org/resources/{class_lower}/{name}"}};
    return site;
}

inline const std::string self_url =
    "https://changes.example.org/rss?class=Gene&name=WBGene00006763";

inline Cells tags(const std::vector<std::string>& names) {
    Cells cells;
    for (const auto& name : names) cells.push_back({tree::Kind::tag, name, {}});
    return cells;
}
inline Change added(Cells path, Node node) {
    return {Op::added, std::move(path), {}, {std::move(node)}};
}
inline Change removed(Cells path, Node node) {
    return {Op::removed, std::move(path), {std::move(node)}, {}};
}
inline Change replaced(Cells path, Node before, Node after) {
    return {Op::replaced, std::move(path), {std::move(before)}, {std::move(after)}};
}

inline Row row(std::string version, base::Date date, std::vector<Change> changes) {
    Row row;
    row.oid = 7;
    row.object = {"Gene", "WBGene00006763"};
    row.release = {std::move(version), date};
    row.since = "WS186";
    row.recorded_at = base::Seconds(date) + std::chrono::hours(30);
    row.label = "unc-26";
    row.notes.changes = std::move(changes);
    row.notes.previous = "WS186";
    return row;
}

inline query::History history_of(std::vector<Row> rows) {
    query::History history;
    history.object = history.spelling = {"Gene", "WBGene00006763"};
    history.label = "unc-26";
    history.oid = 7;
    history.current = {"WS188", day(2008, 3, 22)};
    history.last_modified = day(2008, 2, 1);
    history.recorded = rows.size();
    history.rows = std::move(rows);
    return history;
}

// The document that a feed of this history is, at self_url.
inline render::Channel channel_of(const query::History& history, const render::Site& look,
                                  std::string narrowing = {}) {
    render::Channel channel;
    channel.subject = render::subject_of(history, look);
    channel.narrowing = std::move(narrowing);
    channel.self_url = self_url;
    channel.archive_url =
        "https://changes.example.org/rss/archive?class=Gene&name=WBGene00006763&before=";
    return channel;
}

inline query::HistoryPage excerpt_of(const Row& row,
                                     std::vector<tables::MassChange> mass_changes = {}) {
    query::HistoryPage excerpt;
    excerpt.rows = {row};
    excerpt.recorded = 1;
    excerpt.mass_changes = std::move(mass_changes);
    return excerpt;
}
// Of a row that stands alone.
inline std::string content_of(const Row& row, const render::Site& look = site(),
                              std::vector<tables::MassChange> mass_changes = {}) {
    return render::content_of(row, excerpt_of(row, std::move(mass_changes)), look);
}

inline const std::string sylvia = "2008-02-01_09:15:20_sylvia";

// What WS187 changed in unc-26 of the sample builds.
inline Row unc_26_in_ws187() {
    using namespace support;
    const auto evidence =
        tag("Person_evidence", {stamped(reference("Person", "WBPerson1"), sylvia)});
    return row("WS187", day(2008, 2, 15),
               {removed({}, tag("Method", {reference("Method", "Gene")})),
                added(tags({"Gene_info", "GO_term"}),
                      stamped(reference("GO_term", "GO:0004439",
                                        {tag("ISS", {stamped(text("wormpub_GO"), sylvia)})}),
                              sylvia)),
                added(tags({"Identity", "Name"}),
                      tag("Other_name",
                          {stamped(reference("Gene_name", "synj-1", {evidence}), sylvia)})),
                replaced(tags({"Identity", "Version"}), node(tree::Kind::integer, "1"),
                         stamped(node(tree::Kind::integer, "2"), sylvia)),
                added({}, tag("Remark", {text("No stamps on this line")}))});
}

}  // namespace sample
