// The content of an item: what a release did to an object, as HTML for feed readers.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "render/adopted.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"
#include "render/text_difference.hpp"

namespace render {
namespace {

using compare::Op;
using tables::RowKind;
using tree::CellKind;
using tree::Node;

constexpr std::size_t most_content_bytes = 32 << 10;  // of the whole content
constexpr std::size_t most_nodes = 100;               // of one side of a change
constexpr std::size_t most_levels = 24;       // of lists: readers' parsers give up on more
constexpr std::size_t most_adopted = 28'000;  // bytes of HTML of the first system

// Writes a change document as a list under each first tag:
//   <p><b>Identity</b></p><ul><li>added <a href="PAGE#WS187-c1">Name &gt; Other_name</a>: synj-1
//   (sylvia, 2008-02-01) &gt; Person_evidence &gt; <a href="…">WBPerson1</a></li>…</ul>
//   <ul><li><a href="PAGE#WS187-c2">Identity &gt; Checked</a>: changed in 30,123 of 45,000
//   objects of class Gene in this release</li></ul>
class ContentWriter {
   public:
    //   most  bytes of `html`: a change that would exceed them is left out, with all that follow
    ContentWriter(std::string& html, std::size_t most, const tables::Row& row,
                  const query::People& people, const Site& site)
        : html_(html), most_(most), site_(site), people_(people),
          style_{people, site, false, most_nodes, most_levels} {
        append_html(page_, page_of(row, site));
    }

    // Returns whether all of the document was written.
    bool write(const ChangeDocument& document) {
        bool whole = !document.shortened;
        for (const auto& group : document.groups)
            if (!write_list(group.tag, group.changes)) return false;
        if (!write_list({}, document.mass_changes)) return false;
        return whole && whole_;
    }

   private:
    template <class Entry>
    bool write_list(std::string_view heading, const std::vector<Entry>& entries) {
        constexpr std::string_view end = "</ul>";
        if (entries.empty()) return true;
        const auto start = html_.size();
        if (!heading.empty()) {
            html_ += "<p><b>";
            append_shortened(html_, heading);
            html_ += "</b></p>";
        }
        html_ += "<ul>";
        for (const auto& entry : entries) {
            const auto from = html_.size();
            html_ += "<li>";
            write_entry(entry);
            html_ += "</li>";
            if (html_.size() + end.size() <= most_) continue;
            const bool is_first = &entry == &entries.front();
            html_.resize(is_first ? start : from);
            if (!is_first) html_ += end;
            return false;
        }
        html_ += end;
        return true;
    }

    void write_entry(const MassChangeLine& line) {
        start_page_link(line.number);
        append_mass_change(html_, *line.mass_change, "</a>");
    }

    void write_entry(const DocumentChange& change) {
        write_path(change);
        if (change.op == Op::replaced)
            write_replaced(change);
        else if (!change.ends_path())
            write_node(": ", change.node());
        else if (change.node().children.empty())
            append_stamp(html_, change.node().stamp, people_, site_);
        else
            write_below(change.node(), ": ");
    }

    // "<a href="PAGE#WS187-c3">"
    void start_page_link(std::size_t number) {
        html_ += "<a href=\"";
        html_ += page_;
        html_ += suffix_of(number);
        html_ += "\">";
    }

    // "added <a href="…">Name &gt; Other_name</a>". The link to the page ends before the first
    // cell that is a link itself. The first tag is left out, because it heads the group, unless
    // nothing would remain to link to the page.
    void write_path(const DocumentChange& change) {
        const auto size = change.path_size();
        const bool skips_first = size > 1 && change.path_cell(0).kind == CellKind::tag &&
                                 link_of(change.path_cell(1), site_).empty();
        const std::size_t first = skips_first ? 1 : 0;
        if (size > 0) html_.append(name_of(change.op)) += ' ';
        start_page_link(change.number);
        if (size == 0) html_ += name_of(change.op);
        bool in_link = true;
        for (auto i = first; i < size; ++i) {
            const auto& cell = change.path_cell(i);
            if (in_link && i > first && !link_of(cell, site_).empty()) {
                html_ += "</a>";
                in_link = false;
            }
            if (i > first) html_ += " &gt; ";
            if (in_link)
                append_cell_text(html_, cell);
            else
                append_cell(html_, cell, site_);
        }
        if (in_link) html_ += "</a>";
    }

    void write_replaced(const DocumentChange& change) {
        const auto& before = *change.before;
        const auto& after = *change.after;
        const bool differs_inside =
            change.replaces_text() && (is_long(before.cell.text) || is_long(after.cell.text));
        if (!differs_inside) {
            html_ += ": <del>";
            write_node({}, before);
            html_ += "</del> <ins>";
            write_node({}, after);
            html_ += "</ins>";
            return;
        }
        html_ += ':';
        append_stamp(html_, after.stamp, people_, site_);
        write_difference(difference_of(before.cell.text, after.cell.text));
        // Both sides' children describe a text that has changed; those of the new one are true.
        if (!after.children.empty()) write_below(after, " with ");
    }

    //   <ul><li>line 3: the <del>quick</del> <ins>slow</ins> fox</li>…</ul>
    void write_difference(const TextDifference& difference) {
        if (difference.white_space_only) {
            html_ += "only white space differs";
            return;
        }
        html_ += "<ul>";
        for (const auto& place : difference.places) {
            if (place.white_space_only) continue;
            html_ += "<li>";
            if (place.line > 0) html_ += "line " + std::to_string(place.line) + ": ";
            if (place.character > 0)
                html_ += "from character " + std::to_string(place.character) + ": ";
            append_runs(html_, place.runs, Sides::both);
            if (place.character > 0)
                html_ += " (" + std::to_string(place.characters) + " characters)";
            html_ += "</li>";
        }
        html_ += "</ul>";
        whole_ = whole_ && !difference.shortened;
    }

    void write_node(std::string_view before, const Node& node) {
        html_ += before;
        if (!append_node(html_, node, style_)) whole_ = false;
    }
    void write_below(const Node& node, std::string_view before) {
        if (!append_below(html_, node, before, style_)) whole_ = false;
    }

    std::string& html_;
    std::size_t most_;
    const Site& site_;
    const query::People& people_;
    NodeStyle style_;
    std::string page_;   // of the row, escaped
    bool whole_ = true;  // nothing was left out inside of a change
};

// "<p>Merged into <a href="…">Gene WBGene00000002</a>.</p>"
void append_relation(std::string& html, std::string_view words, const tree::ObjectName& other,
                     const Site& site) {
    html += "<p>";
    append_html(html, words);
    html += ' ';
    append_link(html, page_of(other, site), other.class_name + " " + other.name);
    html += ".</p>";
}

void append_relations(std::string& html, const tables::Row& row, const Site& site) {
    if (row.kind == RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            append_relation(html, successor->words, successor->object, site);
    if (row.notes.renamed_from)
        append_relation(html, "Probably renamed from", *row.notes.renamed_from, site);
}

// Says what happened where the changes alone would leave it open. Plain text.
std::string sentence_of(const tables::Row& row) {
    const auto& version = row.release.version;
    switch (row.kind) {
        case RowKind::created: return "New in " + version + ".";
        case RowKind::vanished: return "No longer in " + version + ".";
        case RowKind::reappeared: return "Back in " + version + ".";
        case RowKind::withdrawn:
            return version +
                   " was published again without the changes that were listed here before.";
        case RowKind::reconstructed:
            return "Reconstructed from timestamps, because no earlier release was recorded.";
        case RowKind::adopted: return {};
        case RowKind::changed: break;
    }
    return skipped_releases(row) ? "Compared with " + row.since + "." : std::string();
}

// Links to what is not in the item: changes that the filter hides, then all that was left out.
std::string filtered_link(std::size_t filtered, const tables::Row& row, const Site& site) {
    if (filtered == 0) return {};
    std::string html = "<p>";
    append_link(html, page_of(row, site),
                filtered == 1 ? "1 other change" : std::to_string(filtered) + " other changes");
    return html + " in this release.</p>";
}

std::string rest_link(const tables::Row& row, const Site& site) {
    const auto count = row.notes.changes.size();
    std::string html = "<p>This item is shortened. ";
    append_link(html, page_of(row, site),
                count > 1 ? "See all " + std::to_string(count) + " changes"
                          : "See the whole change");
    return html + ".</p>";
}

bool has_details(const tables::Row& row) {
    if (row.kind == RowKind::adopted) return !row.notes.adopted_html.empty();
    return !row.notes.changes.empty() || row.notes.renamed_to || row.notes.renamed_from ||
           !sentence_of(row).empty();
}

}  // namespace

std::string content_of(const tables::Row& row, const query::HistoryPage& page, const Site& site) {
    if (!has_details(row)) return "<p>No details were recorded.</p>";
    std::string html;
    html.reserve(2'000);  // what most items take
    if (const auto sentence = sentence_of(row); !sentence.empty()) {
        html += "<p>";
        append_html(html, sentence);
        html += "</p>";
    }
    append_relations(html, row, site);
    const auto rest = rest_link(row, site);
    if (row.kind == RowKind::adopted) {
        html += "<p>";
        const bool whole = append_adopted(html, row, most_adopted, site);
        html += "</p>";
        return whole ? html : html + rest;
    }
    const auto document = change_document(row, page, most_changes);
    const auto others = filtered_link(document.filtered, row, site);
    const auto taken = others.size() + rest.size();
    const bool whole =
        ContentWriter(html, most_content_bytes - std::min(taken, most_content_bytes), row,
                      page.people, site)
            .write(document);
    html += others;
    return whole ? html : html + rest;
}

}  // namespace render
