// Rows and sites for the tests of render/, and the checks of what is rendered.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "render/feed.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"
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
    for (const auto& name : names) cells.push_back({tree::CellKind::tag, name, {}});
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

// The models of the sample's genes, as far as tests need them.
inline std::shared_ptr<const tree::Models> models() {
    static const auto parsed = std::make_shared<const tree::Models>(tree::Models::parse(R"(
?Gene Identity Name Other_name ?Gene_name
               Version Int
               Checked Text
               Status Text
      Gene_info GO_term ?GO_term
      Reference ?Paper XREF Gene
      Method ?Method
      Remark ?Text
)"));
    return parsed;
}

// Returns the row as it is read, with its headline unless it has one.
inline Row told(Row row, const std::vector<tables::MassChange>& mass_changes = {}) {
    if (!row.headline.title.empty()) return row;
    static const compare::Ranking none;
    query::MassPlaces places;
    for (const auto& each : mass_changes) places.emplace(each.place, &each);
    query::add_headline(row, compare::ClassRules(none, row.object.class_name, models().get()),
                        places);
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
    for (auto& row : rows) history.rows.push_back(told(std::move(row)));
    history.models = models();
    return history;
}

// Returns the feed of this history at self_url as a document.
inline render::Channel channel_of(const query::History& history, const render::Site& look,
                                  std::string filter_text = {}) {
    render::Channel channel;
    channel.subject = render::subject_of(history, look);
    channel.filter_text = std::move(filter_text);
    channel.self_url = self_url;
    channel.archive_url =
        "https://changes.example.org/rss/archive?class=Gene&name=WBGene00006763&before=";
    return channel;
}

inline std::string rss(const query::HistoryPage& page, const render::Channel& channel,
                       const render::Site& look) {
    return render::format_named("rss")->render(page, channel, look);
}
inline std::string atom(const query::HistoryPage& page, const render::Channel& channel,
                        const render::Site& look) {
    return render::format_named("atom")->render(page, channel, look);
}

inline query::HistoryPage excerpt_of(const Row& row,
                                     std::vector<tables::MassChange> mass_changes = {}) {
    query::HistoryPage excerpt;
    excerpt.rows = {told(row, mass_changes)};
    excerpt.models = models();
    excerpt.recorded = 1;
    excerpt.mass_changes = std::move(mass_changes);
    return excerpt;
}
// Returns the title of a row by itself.
inline std::string title_of(const Row& row) { return render::title_of(told(row)); }
// Returns the content of a row by itself.
inline std::string content_of(const Row& row, const render::Site& look = site(),
                              std::vector<tables::MassChange> mass_changes = {}) {
    const auto excerpt = excerpt_of(row, std::move(mass_changes));
    return render::content_of(excerpt.rows.front(), excerpt, look);
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
                replaced(tags({"Identity", "Version"}), node(tree::CellKind::integer, "1"),
                         stamped(node(tree::CellKind::integer, "2"), sylvia)),
                added({}, tag("Remark", {text("No stamps on this line")}))});
}

// ---- Judging what is rendered ----

inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}
inline bool holds(std::string_view text, std::string_view part) { return count(text, part) > 0; }
inline const std::vector<std::string> none;  // findings of a correct document
inline void check_html(const std::string& html) {
    INFO(html.substr(0, 2000));
    CHECK(support::findings_in_html(html) == none);
    CHECK(html.size() <= 32 * 1024);
}

// Compares whole documents with tests/render/golden/NAME, which VARVE_BLESS=1 writes.
inline void check_golden(const std::string& name, const std::string& bytes) {
    const auto path = "tests/render/golden/" + name;
    if (const char* bless = std::getenv("VARVE_BLESS"); bless != nullptr && *bless == '1')
        std::ofstream(path, std::ios::binary) << bytes;
    std::ifstream in(path, std::ios::binary);
    INFO(path << ": VARVE_BLESS=1 writes it again");
    CHECK(bytes == std::string(std::istreambuf_iterator<char>(in), {}));
}

// A gene that vanished, changed, and was seen first, by curators of whom one is known.
inline query::History gene() {
    auto vanished = row("WS188", day(2008, 3, 22), {removed({}, support::tag("Identity"))});
    vanished.kind = RowKind::vanished;
    vanished.since = vanished.notes.previous = "WS187";
    vanished.renamed_to = {{"Gene", "WBGene00000001"}};
    auto seen = row("WS186", day(2008, 2, 1), {added(tags({"A"}), support::text("a < b & c"))});
    seen.kind = RowKind::reconstructed;
    seen.since.clear();
    seen.notes.previous.clear();
    auto history = history_of({vanished, unc_26_in_ws187(), seen});
    history.vanished = true;
    return history;
}
inline query::People people() {
    return {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia Martinelli"}}};
}

}  // namespace sample
