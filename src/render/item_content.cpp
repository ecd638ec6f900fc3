// The content of an item: what a release did to an object, as HTML for feed readers. It makes sense
// without its tags, because many readers drop them: what replaced what, and who entered it, is text.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <span>

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/change_lines.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "render/page_changes.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::Rank;
using tables::RowKind;
using tree::CellKind;
using tree::Node;

constexpr std::size_t most_content_bytes = 32 << 10;  // of the whole content
constexpr std::size_t most_in_paragraph = 20;         // fields
constexpr std::size_t most_first_seen = 20;           // changes read from timestamps, the newest

// Objects that were created, vanished or reappeared have no verbs beside their fields.
bool came_or_went(RowKind kind) {
    return kind == RowKind::created || kind == RowKind::vanished || kind == RowKind::reappeared;
}

// Returns whether the changes of a row may take several pages: then a link to one has to say on which it is.
bool may_take_pages(const tables::Row& row) {
    std::size_t nodes = 0;  // at least as many as values
    for (const auto& change : row.notes.changes)
        nodes += tree::count_nodes(change.before) + tree::count_nodes(change.after);
    return nodes > values_on_page;
}

// Writes the lines of a document, a list under each first tag:
//   <p><b>Gene info</b></p><ul><li><a href="PAGE#WS187-c1">GO term</a> added: …</li>…</ul>
//   <p>Minor: <a href="PAGE#WS187-c2">Version</a>: 1 → 2.</p>
class ContentWriter {
   public:
    //   most  bytes of `html`: a line that would exceed them is left out, with all that follow
    ContentWriter(std::string& html, std::size_t most, LineStyle style)
        : html_(html), most_(most), lines_(std::move(style)) {}

    // Returns whether all of the document was written.
    bool write(const FieldDocument& document) {
        for (const auto& section : document.sections) {
            const auto& fields = section.fields;
            const bool has_room =
                section.rank == Rank::minor ? write_paragraph("Minor: ", fields)
                : section.rank == Rank::echo
                    ? write_paragraph("Follows from changes to other objects: ", fields)
                    : write_list(compare::words_of_tag(section.tag), fields);
            if (!has_room) return false;
        }
        return write_list({}, document.mass_changes) && whole_ && lines_.is_whole();
    }

   private:
    template <class Entry>
    bool write_list(std::string_view heading, const std::vector<Entry>& entries) {
        constexpr std::string_view end = "</ul>";
        if (entries.empty()) return true;
        const auto start = html_.size();
        if (!heading.empty()) html_ += "<p><b>" + shortened_html(heading) + "</b></p>";
        html_ += "<ul>";
        for (const auto& entry : entries) {
            const auto from = html_.size();
            lines_.append(html_, entry);
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
        const auto start = html_.size();
        const auto shown = std::span(fields).first(std::min(fields.size(), most_in_paragraph));
        if (shown.size() < fields.size()) whole_ = false;
        html_.append("<p>").append(words);
        const auto first = html_.size();
        for (const auto& field : shown) {
            if (&field != &shown.front()) html_ += ' ';
            lines_.append_words(html_, field);
        }
        html_ += "</p>";
        // HTML allows no list in a paragraph.
        if (html_.find("<ul>", first) != std::string::npos) {
            html_.resize(first);
            html_ += "</p><ul>";
            for (const auto& field : shown) lines_.append(html_, field);
            html_ += "</ul>";
        }
        if (html_.size() <= most_) return true;
        html_.resize(start);
        return false;
    }

    std::string& html_;
    std::size_t most_;
    ChangeWriter lines_;
    bool whole_ = true;  // no line was left out
};

// "Merged into <a href="…">unc-26</a> (Gene WBGene00000002)."
void append_relation(std::string& html, std::string_view words, const tree::ObjectName& other,
                     const tables::Row& row, const Site& site) {
    const tree::Cell cell{CellKind::reference, other.name, other.class_name};
    const auto* reference = compare::reference_of(row.notes.references, cell);
    const bool has_label = reference != nullptr && !reference->label.empty();
    const auto full = other.class_name + " " + other.name;
    html += " " + as_html(words) + " " +
            link_html(page_of(other, site), has_label ? reference->label : full) +
            (has_label ? as_html(" (" + full + ")") : "") + ".";
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

// Says what happened where the changes below do not. Plain text.
std::string sentence_of(const tables::Row& row) {
    const auto& version = row.release.version;
    switch (row.kind) {
        case RowKind::created: return "New in " + version + ".";
        case RowKind::vanished: return "No longer in " + version + ".";
        case RowKind::reappeared: return "Back in " + version + ".";
        case RowKind::withdrawn:
            return version +
                   " was published again without the changes that were listed here before.";
        case RowKind::reconstructed: {
            const auto all = row.notes.changes.size();
            return (all > most_first_seen
                        ? with_separators(all) + " changes read from timestamps, the newest " +
                              std::to_string(most_first_seen) + " are shown; "
                        : std::string("Read from timestamps: ")) +
                   "no earlier release was recorded.";
        }
        case RowKind::changed: break;
    }
    return skipped_releases(row) ? "Compared with " + row.since + "." : std::string();
}

// Links to what is not in the item: changes that the filter hides, then all that was left out.
std::string filtered_link(std::size_t filtered, const std::string& row_page) {
    if (filtered == 0) return {};
    return "<p>" +
           link_html(row_page, filtered == 1 ? "1 other change"
                                             : std::to_string(filtered) + " other changes") +
           " in this release.</p>";
}

// "Compare WS186 with WS187"
std::string comparison_link(std::string_view compare, const tables::Row& row, const Site& site) {
    const auto& version = row.release.version;
    return link_html(diff_url(row.object, row.since, version, site),
                     std::string(compare) + " " + row.since + " with " + version);
}

std::string rest_link(const tables::Row& row, const std::string& row_page, const Site& site) {
    const std::string start = "<p>This item is shortened. ";
    if (!row.notes.is_whole())
        return start + "This release changed too much for one item. " +
               link_html(row_page, "See what is recorded") +
               (row.since.empty() ? "" : " or " + comparison_link("compare", row, site)) +
               ".</p>";
    const auto count = row.notes.changes.size();
    return start +
           link_html(row_page, count > 1 ? "See all " + with_separators(count) + " changes"
                                         : "See the whole change") +
           ".</p>";
}

// "History of unc-26 | Compare WS186 with WS187"
std::string links_of(const tables::Row& row, const Site& site) {
    const bool has_comparison = !row.since.empty() && !row.notes.changes.empty();
    return "<p>" +
           link_html(page_of(row.object, site),
                     "History of " + isolated_line(row.object.label_or_name(row.label))) +
           (has_comparison ? " | " + comparison_link("Compare", row, site) : "") + "</p>";
}

void append_sentence(std::string& html, const tables::Row& row, const FieldDocument& document,
                     const Site& site) {
    const auto text = sentence_of(row);
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
    if (row.kind != RowKind::vanished || document.sections.empty() ||
        document.sections.front().rank != Rank::ordinary)
        return;
    html += "<p>When it was last seen";
    if (!before.empty()) append_html(html, ", in " + before + ",");
    html += " it held:</p>";
}

bool has_details(const tables::Row& row) {
    return !row.notes.changes.empty() || !row.notes.is_whole() || row.renamed_to ||
           row.renamed_from || !sentence_of(row).empty();
}

}  // namespace

std::string summary_of(const tables::Row& row) {
    auto more = row.headline.more;
    const auto said = std::string_view(more).substr(
        0,
        more.size() - (more.ends_with(base::end_of_isolate) ? base::end_of_isolate.size() : 0));
    if (!more.empty() && !said.ends_with('.') && !said.ends_with(ellipsis)) more += '.';
    const auto sentence = sentence_of(row);
    if (more.empty() || sentence.empty()) return more + sentence;
    const bool has_come = row.kind == RowKind::created || row.kind == RowKind::reappeared;
    return has_come ? sentence + " " + more : more + " " + sentence;
}

std::string content_of(const tables::Row& row, const query::HistoryPage& page, const Site& site) {
    if (!has_details(row)) return "<p>No details were recorded.</p>";
    const auto older = older_changes(row, page);
    const auto document = field_document(row, page, site, older);
    std::string html;
    html.reserve(2'000);  // what most items take
    append_sentence(html, row, document, site);
    const auto row_page = page_of_row(row.object, row.release.version, site);
    const auto escaped_page = as_attribute(row_page);
    const auto end = filtered_link(document.filtered, row_page);
    const auto rest = rest_link(row, row_page, site);
    const auto links = links_of(row, site);
    const auto taken = end.size() + rest.size() + links.size();
    const LineStyle style{.people = page.people,
                          .site = site,
                          .references = row.notes.references,
                          .stamps_since = row.since_on,
                          .has_verbs = !came_or_went(row.kind),
                          .id = as_attribute(base::percent_encode(row.release.version)),
                          .row_page = escaped_page,
                          .has_numbers = may_take_pages(row)};
    const bool whole =
        ContentWriter(html, most_content_bytes - std::min(taken, most_content_bytes), style)
            .write(document);
    html += end;
    if (!whole || !older.empty() || !row.notes.is_whole()) html += rest;
    return html + links;
}

std::string content_of(std::span<const compare::Change> changes, std::string_view url,
                       const Site& site) {
    const query::People people;
    std::string rest = "<p>This item is shortened.";
    if (!url.empty()) rest += " " + link_html(url, "See the whole text") + ".";
    rest += "</p>";
    std::string html;
    const bool whole =
        ContentWriter(html, most_content_bytes - std::min(rest.size(), most_content_bytes),
                      {.people = people, .site = site})
            .write(field_document(changes, {}, site));
    if (!whole) html += rest;
    return html.empty() ? "<p>No details were recorded.</p>" : html;
}

}  // namespace render
