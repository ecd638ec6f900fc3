// The content of an item: what a release did to an object, as HTML for feed readers. It makes sense
// without its tags, because many readers drop them: what replaced what, and who entered it, is text.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <span>

#include "compare/headline.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "render/page.hpp"
#include "render/successor.hpp"
#include "render/text_difference.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::FieldValue;
using compare::Op;
using tables::RowKind;
using tree::CellKind;
using tree::Node;

constexpr std::size_t most_content_bytes = 32 << 10;  // of the whole content
constexpr std::size_t most_nodes = 100;               // of one side of a change
constexpr std::size_t most_levels = 24;      // of lists: readers' parsers give up on more
constexpr std::size_t most_values = 20;      // of a field that are all listed
constexpr std::size_t some_values = 5;       // of a longer list
constexpr std::size_t most_first_seen = 20;  // changes read from timestamps, the newest

// Objects that were created, vanished or reappeared have no verbs beside their fields.
bool came_or_went(RowKind kind) {
    return kind == RowKind::created || kind == RowKind::vanished || kind == RowKind::reappeared;
}

// Adds up about how many bytes of a page nodes take, until that is more than `most`.
void add_sizes(const std::vector<tree::Node>& nodes, std::size_t& bytes, std::size_t most) {
    constexpr std::size_t markup = 150, times_in_html = 3;
    for (const auto& node : nodes) {
        if (bytes > most) return;
        bytes += markup + times_in_html * std::min(node.cell.text.size(), tree::longest_name);
        add_sizes(node.children, bytes, most);
    }
}

// Returns whether the page of a row probably has several parts: then a link to a change has to say
// in which of them it is.
bool may_take_parts(const tables::Row& row) {
    constexpr std::size_t markup = 400, most = most_of_page / 2;
    std::size_t bytes = 0;
    for (const auto& change : row.notes.changes) {
        bytes += markup;
        add_sizes(change.before, bytes, most);
        add_sizes(change.after, bytes, most);
        if (bytes > most) return true;
    }
    return false;
}

// Writes the fields of a row, a list under each first tag:
//   <p><b>Gene info</b></p><ul><li><a href="PAGE#WS187-c1">GO term</a> added: <a href="…">nucleus</a>
//   (GO:0005634), IEA. Entered by sylvia, 2008-02-01.</li>…</ul>
//   <p>Minor: <a href="PAGE#WS187-c2">Version</a>: 1 → 2.</p>
class ContentWriter {
   public:
    //   most      bytes of `html`: a line that would exceed them is left out, with all that follow
    //   row_page  its address, escaped; empty: it has none, and nothing links to it
    ContentWriter(std::string& html, std::size_t most, const tables::Row& row,
                  std::string_view row_page, const query::HistoryPage& page, const Site& site)
        : html_(html), most_(most), row_(row), site_(site), people_(page.people),
          style_{page.people, site,        row.notes.references, false,
                 most_nodes,  most_levels, row.since_on},
          page_(row_page) {
        append_html(place_, "#" + base::percent_encode(row.release.version));
        if (may_take_parts(row)) number_ = "&amp;number=";
    }

    // Returns whether all of the document was written.
    bool write(const FieldDocument& document) {
        for (const auto& group : document.groups)
            if (!write_list(heading_of(group), group.fields)) return false;
        return write_paragraph("Minor: ", document.minor) &&
               write_paragraph("Follows from changes to other objects: ", document.echoes) &&
               write_list({}, document.mass_changes) && whole_;
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

    bool write_paragraph(std::string_view words, const std::vector<FieldChange>& fields) {
        if (fields.empty()) return true;
        const auto start = html_.size();
        const auto shown = std::span(fields).first(std::min(fields.size(), most_values));
        if (shown.size() < fields.size()) whole_ = false;
        html_.append("<p>").append(words);
        const auto first = html_.size();
        for (const auto& field : shown) {
            if (&field != &shown.front()) html_ += ' ';
            write_entry(field);
        }
        html_ += "</p>";
        // HTML allows no list in a paragraph.
        if (html_.find("<ul>", first) != std::string::npos) {
            html_.resize(first);
            html_ += "</p><ul>";
            for (const auto& field : shown) {
                html_ += "<li>";
                write_entry(field);
                html_ += "</li>";
            }
            html_ += "</ul>";
        }
        if (html_.size() <= most_) return true;
        html_.resize(start);
        return false;
    }

    void write_entry(const MassChangeLine& line) {
        start_page_link(line.number);
        append_mass_change(html_, *line.mass_change, end_of_page_link());
        html_ += '.';
    }

    void write_entry(const FieldChange& field) {
        write_field(field);
        if (field.op == Op::replaced)
            write_replaced(field.values.front());
        else if (!is_bare_tag(field))
            write_values(field);
        if (const auto bytes = left_out_of(field); bytes > 0)
            html_ += " (" + left_out_text(bytes) + ")";
        if (!html_.ends_with("</ul>") && !html_.ends_with('.')) html_ += '.';
        if (field.op != Op::removed) write_author(field);
    }

    // "<a href="…">"
    void start_page_link(std::size_t number) {
        if (page_.empty()) return;
        html_ += "<a href=\"";
        html_ += page_;
        if (!number_.empty()) html_.append(number_) += std::to_string(number);
        html_ += place_;
        html_ += suffix_of(number);
        html_ += "\">";
    }
    [[nodiscard]] std::string_view end_of_page_link() const {
        return page_.empty() ? "" : "</a>";
    }

    // "<a href="…">Paper evidence</a> of GO term <a href="…">nucleus</a> (GO:0005634) added: "
    void write_field(const FieldChange& field) {
        start_page_link(field.values.front().number);
        append_shortened(html_, compare::begins_sentence(words_for(field)));
        html_ += end_of_page_link();
        append_owner(html_, field, site_, row_.notes.references);
        if (field.op != Op::replaced && !came_or_went(row_.kind)) {
            html_ += ' ';
            html_ += name_of(field.op);
        }
        if (field.op == Op::replaced || is_bare_tag(field)) return;
        html_ += ": ";
    }

    std::string words_for(const FieldChange& field) const {
        const bool counts = field.values.size() > 1 && !is_bare_tag(field);
        const auto words = words_of(field);
        return counts ? compare::counted(field.values.size(), words) : words;
    }

    void write_values(const FieldChange& field) {
        const auto& values = field.values;
        const auto shown = values.size() > most_values ? some_values : values.size();
        const bool in_line = is_in_line(field);
        if (!in_line) html_ += "<ul>";
        for (std::size_t i = 0; i < shown; ++i) {
            if (!in_line) html_ += "<li>";
            if (in_line && i > 0) html_ += ", ";
            write_node(values[i].node());
            if (field.op != Op::removed && !has_one_stamp(field)) write_stamp(values[i].node());
            if (!in_line) html_ += "</li>";
        }
        if (shown < values.size()) {
            html_ += in_line ? ", and " : "<li>and ";
            start_page_link(values[shown].number);
            html_ += with_separators(values.size() - shown) + " more";
            html_ += end_of_page_link();
            if (!in_line) html_ += "</li>";
        }
        if (!in_line) html_ += "</ul>";
    }

    void write_replaced(const FieldValue& value) {
        const auto& before = *value.before;
        const auto& after = *value.after;
        if (is_rewording(value))
            return write_difference(difference_of(before.cell.text, after.cell.text));
        const bool differs_below = tree::same_content(before.cell, after.cell);
        html_ += ": <del>";
        if (differs_below)
            write_node(before);
        else
            append_cell(html_, before.cell, site_, row_.notes.references);
        html_.append("</del>").append(compare::became).append("<ins>");
        if (differs_below)
            write_node(after);
        else
            append_cell(html_, after.cell, site_, row_.notes.references);
        html_ += "</ins>";
        // What is below the old value was said of that; what is below the new one is true.
        if (!differs_below && !after.children.empty() && !append_below(html_, after, {}, style_))
            whole_ = false;
    }

    //   reworded:<ul><li>Line 3, before: the <del>quick</del> fox</li><li>Now: …</li></ul>
    void write_difference(const TextDifference& difference) {
        if (difference.white_space_only) {
            html_ += ": only white space differs";
            return;
        }
        html_ += " reworded:<ul>";
        for (const auto& place : difference.places) {
            if (place.white_space_only) continue;
            html_ += "<li>";
            if (place.line > 0) html_ += "Line " + with_separators(place.line) + ". ";
            if (place.character > 0)
                html_ += "From character " + with_separators(place.character) + " of " +
                         with_separators(place.characters) + ". ";
            html_ += "Before: ";
            append_runs(html_, place.runs, Sides::before);
            html_ += "</li><li>Now: ";
            append_runs(html_, place.runs, Sides::after);
            html_ += "</li>";
        }
        html_ += "</ul>";
        whole_ = whole_ && !difference.shortened;
    }

    void write_node(const Node& node) {
        if (!append_node(html_, node, style_)) whole_ = false;
    }

    // -- who entered it

    void write_stamp(const Node& node) {
        if (is_of_change(node.stamp, row_.since_on))
            append_stamp(html_, node.stamp, people_, site_);
    }

    void write_author(const FieldChange& field) {
        const auto& stamp = field.values.front().node().stamp;
        if (has_one_stamp(field) && is_of_change(stamp, row_.since_on))
            append_author(html_, stamp, people_, site_);
    }

    std::string& html_;
    std::size_t most_;
    const tables::Row& row_;
    const Site& site_;
    const query::People& people_;
    NodeStyle style_;
    std::string_view page_;         // of the row, escaped; empty: none
    std::string place_;             // its place there, escaped
    std::string_view number_ = {};  // names the change too, where the page has parts
    bool whole_ = true;             // nothing was left out inside of a line
};

// "Merged into <a href="…">unc-26</a> (Gene WBGene00000002)."
void append_relation(std::string& html, std::string_view words, const tree::ObjectName& other,
                     const tables::Row& row, const Site& site) {
    const tree::Cell cell{CellKind::reference, other.name, other.class_name};
    const auto* reference = compare::reference_of(row.notes.references, cell);
    const bool has_label = reference != nullptr && !reference->label.empty();
    const auto full = other.class_name + " " + other.name;
    html += ' ';
    append_html(html, words);
    html += ' ';
    append_link(html, page_of(other, site), has_label ? reference->label : full);
    if (has_label) append_html(html, " (" + full + ")");
    html += '.';
}

// Returns when a node was written: a tag by the earliest value below it (rule C4), empty if unknown.
std::string_view time_of(const Node& node) {
    if (node.cell.kind != CellKind::tag || node.children.empty()) return node.stamp;
    std::string_view earliest;
    for (const auto& child : node.children) {
        const auto time = time_of(child);
        if (!time.empty() && (earliest.empty() || time < earliest)) earliest = time;
    }
    return earliest;
}

// Returns the numbers of the changes that are left out of those that are shown: all but the newest, by
// their timestamps.
std::set<std::size_t> older_changes(const tables::Row& row, const query::HistoryPage& page) {
    std::set<std::size_t> older;
    if (row.kind != RowKind::reconstructed) return older;
    std::vector<std::pair<std::string_view, std::size_t>> by_age;
    std::size_t number = 0;
    for (const auto& change : row.notes.changes) {
        ++number;
        if (page.filter.is_set() && !page.filter.shows(change)) continue;
        by_age.emplace_back(
            change.after.empty() ? std::string_view() : time_of(change.after.front()), number);
    }
    std::ranges::stable_sort(by_age, std::ranges::greater(),
                             &std::pair<std::string_view, std::size_t>::first);
    for (std::size_t i = most_first_seen; i < by_age.size(); ++i) older.insert(by_age[i].second);
    return older;
}

// Says what happened, before the changes say more. Plain text.
std::string sentence_of(const tables::Row& row) {
    const auto& version = row.release.version;
    const auto headline = row.notes.headline.empty()
                              ? std::string()
                              : compare::begins_sentence(row.notes.headline) + ".";
    switch (row.kind) {
        case RowKind::created: return "New in " + version + ".";
        case RowKind::vanished: return "No longer in " + version + ".";
        case RowKind::reappeared: return "Back in " + version + ".";
        case RowKind::withdrawn:
            return version +
                   " was published again without the changes that were listed here before.";
        case RowKind::reconstructed: {
            const auto all = row.notes.changes.size();
            return (headline.empty() ? std::string() : headline + " ") +
                   (all > most_first_seen
                        ? with_separators(all) + " changes read from timestamps, the newest " +
                              std::to_string(most_first_seen) + " are shown; "
                        : std::string("Read from timestamps: ")) +
                   "no earlier release was recorded.";
        }
        case RowKind::changed: break;
    }
    if (!skipped_releases(row)) return headline;
    return (headline.empty() ? std::string() : headline + " ") + "Compared with " + row.since +
           ".";
}

// True if the only line says all that the sentence would.
bool is_one_line(const FieldDocument& document) {
    const auto lines = document.minor.size() + document.echoes.size();
    return lines == 0 && document.mass_changes.empty() && document.groups.size() == 1 &&
           document.groups.front().fields.size() == 1;
}

// Links to what is not in the item: changes that the filter hides, then all that was left out.
//   row_page  the address of the row, escaped
std::string filtered_link(std::size_t filtered, std::string_view row_page) {
    if (filtered == 0) return {};
    std::string html = "<p>";
    append_escaped_link(html, row_page,
                        filtered == 1 ? "1 other change"
                                      : std::to_string(filtered) + " other changes");
    return html + " in this release.</p>";
}

std::string rest_link(const tables::Row& row, std::string_view row_page, const Site& site) {
    const auto count = row.notes.changes.size();
    std::string html = "<p>This item is shortened. ";
    if (!row.notes.is_whole()) {
        html += "This release changed too much for one item. ";
        append_escaped_link(html, row_page, "See what is recorded");
        if (!row.since.empty()) {
            html += " or ";
            append_link(html, diff_url(row.object, row.since, row.release.version, site),
                        "compare " + row.since + " with " + row.release.version);
        }
        return html + ".</p>";
    }
    append_escaped_link(html, row_page,
                        count > 1 ? "See all " + with_separators(count) + " changes"
                                  : "See the whole change");
    return html + ".</p>";
}

// "History of unc-26 | Compare WS186 with WS187"
std::string links_of(const tables::Row& row, const Site& site) {
    std::string html = "<p>";
    append_link(html, page_of(row.object, site),
                "History of " + row.object.label_or_name(row.label));
    if (!row.since.empty() && !row.notes.changes.empty()) {
        html += " | ";
        append_link(html, diff_url(row.object, row.since, row.release.version, site),
                    "Compare " + row.since + " with " + row.release.version);
    }
    return html + "</p>";
}

void append_sentence(std::string& html, const tables::Row& row, const query::HistoryPage& page,
                     const FieldDocument& document, const Site& site) {
    std::string text;
    if (is_mass_change(row, page))
        text = "Nothing changed in " + row.object.label_or_name(row.label) + " alone.";
    else if (row.kind != RowKind::changed || !is_one_line(document) || skipped_releases(row))
        text = sentence_of(row);
    std::string relations;
    if (row.kind == RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            append_relation(relations, successor->words, successor->object, row, site);
    if (row.renamed_from)
        append_relation(relations, "Probably renamed from", *row.renamed_from, row, site);
    if (text.empty() && relations.empty()) return;
    html += relations.empty() ? "<p>" : "<p><b>";
    append_html(html, text);
    if (!relations.empty()) html += "</b>" + relations;
    html += "</p>";
    const auto& before = row.since.empty() ? row.notes.previous : row.since;
    if (row.kind != RowKind::vanished || document.groups.empty()) return;
    html += "<p>When it was last seen";
    if (!before.empty()) append_html(html, ", in " + before + ",");
    html += " it held:</p>";
}

bool has_details(const tables::Row& row) {
    return !row.notes.changes.empty() || !row.notes.is_whole() || row.renamed_to ||
           row.renamed_from || !sentence_of(row).empty();
}

}  // namespace

std::string summary_of(const tables::Row& row, const query::HistoryPage& page) {
    if (is_mass_change(row, page))
        return "Only a change that most objects of class " + row.object.class_name + " share.";
    return sentence_of(row);
}

std::string content_of(const tables::Row& row, const query::HistoryPage& page, const Site& site) {
    if (!has_details(row)) return "<p>No details were recorded.</p>";
    const auto older = older_changes(row, page);
    const auto document = field_document(row, page, site, older);
    std::string html;
    html.reserve(2'000);  // what most items take
    append_sentence(html, row, page, document, site);
    const auto row_page = as_html(page_of_row(row.object, row.release.version, site));
    const auto end = filtered_link(document.filtered, row_page);
    const auto rest = rest_link(row, row_page, site);
    const auto links = links_of(row, site);
    const auto taken = end.size() + rest.size() + links.size();
    const bool whole =
        ContentWriter(html, most_content_bytes - std::min(taken, most_content_bytes), row,
                      row_page, page, site)
            .write(document);
    html += end;
    if (!whole || !older.empty() || !row.notes.is_whole()) html += rest;
    return html + links;
}

std::string content_of(std::span<const compare::Change> changes, std::string_view url,
                       const Site& site) {
    const tables::Row row;  // it changed, and nothing else is known of it
    const query::HistoryPage page;
    std::string rest = "<p>This item is shortened.";
    if (!url.empty()) rest += " " + link_html(url, "See the whole text") + ".";
    rest += "</p>";
    std::string html;
    const bool whole =
        ContentWriter(html, most_content_bytes - std::min(rest.size(), most_content_bytes), row,
                      {}, page, site)
            .write(field_document(changes, row.object.class_name, site));
    if (!whole) html += rest;
    return html.empty() ? "<p>No details were recorded.</p>" : html;
}

}  // namespace render
