// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "render/adopted.hpp"
#include "render/cells.hpp"
#include "render/change_list.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using tables::RowKind;

constexpr std::size_t most_bytes = 32 << 10;

// "<p>Merged into <a href="…">Gene WBGene00000002</a>.</p>"
void add_relation(Html& html, std::string_view words, const tree::ObjectName& other,
                  const Site& site) {
    std::string line = "<p>";
    append_html(line, words);
    append_link(line += ' ', page_of(other, site), other.class_name + " " + other.name);
    html.add(line + ".</p>");
}

void add_relations(Html& html, const tables::Row& row, const Site& site) {
    if (row.kind == RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            add_relation(html, successor->words, successor->object, site);
    if (row.notes.renamed_from)
        add_relation(html, "Most likely renamed from", *row.notes.renamed_from, site);
}

// One sentence where the changes alone would leave open what happened; legal text, not HTML.
std::string sentence_of(const tables::Row& row) {
    const auto& version = row.release.version;
    switch (row.kind) {
        case RowKind::created: return "New in " + version + ".";
        case RowKind::vanished: return "No longer in " + version + ".";
        case RowKind::reappeared: return "Back in " + version + ".";
        case RowKind::withdrawn:
            return version + " was published again: what was told of it before is no longer "
                             "in it.";
        case RowKind::reconstructed:
            return "Read from the timestamps: no release before it has been recorded.";
        case RowKind::adopted: return {};
        case RowKind::changed: break;
    }
    return skipped_releases(row) ? "Compared with " + row.since + "." : std::string();
}

std::string rest_link(const tables::Row& row, const Site& site) {
    const auto count = row.notes.changes.size();
    std::string html = "<p>Cut here. ";
    append_link(html, page_of(row, site),
                count > 1 ? "All " + std::to_string(count) + " changes" : "The whole of it");
    return html + "</p>";
}

bool has_details(const tables::Row& row) {
    return !row.notes.changes.empty() || row.notes.renamed_to || row.notes.renamed_from;
}

// What a narrower feed leaves out of the row.
void add_others(Html& html, std::size_t others, const tables::Row& row, const Site& site) {
    if (others == 0) return;
    std::string line = "<p>";
    append_link(line, page_of(row, site),
                others == 1 ? "1 other change" : std::to_string(others) + " other changes");
    html.add(line + " in this release.</p>");
}

bool add_body(Html& html, const tables::Row& row, const query::HistoryPage& excerpt,
              const Site& site) {
    const bool adopted = row.kind == RowKind::adopted;
    if (adopted ? row.notes.adopted_html.empty() : sentence_of(row).empty() && !has_details(row))
        return html.add("<p>No details are recorded.</p>");
    if (!adopted) {
        const auto aside = set_aside(row, excerpt);
        const bool whole = add_changes(html, row, aside, excerpt.people, site);
        add_others(html, aside.others, row, site);
        return whole;
    }
    if (!html.open("p", "<p>")) return false;
    add_adopted(html, row, site);
    html.close();
    return !html.full();
}

}  // namespace

std::string content_of(const tables::Row& row, const query::HistoryPage& excerpt,
                       const Site& site) {
    const auto rest = rest_link(row, site);
    Html html(most_bytes - std::min(rest.size(), most_bytes));
    if (const auto sentence = sentence_of(row); !sentence.empty()) {
        std::string line = "<p>";
        append_html(line, sentence);
        html.add(line + "</p>");
    }
    add_relations(html, row, site);
    const bool whole = add_body(html, row, excerpt, site);
    auto content = std::move(html).take();
    return whole ? content : content + rest;
}

}  // namespace render
