// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "render/adopted.hpp"
#include "render/change_list.hpp"
#include "render/item.hpp"
#include "render/html.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using history::Kind;

constexpr std::size_t most_bytes = 32 << 10;

void append_link(std::string& html, const std::string& url, std::string_view text) {
    html += "<a href=\"";
    append_html(html, url);
    html += "\">";
    append_html(html, text);
    html += "</a>";
}

void add_renamed(Html& html, std::string_view words,
                 const std::optional<history::ObjectName>& other, const Site& site) {
    if (!other) return;
    std::string line = "<p>";
    line += words;
    append_link(line, page_of(*other, site), other->class_name + " " + other->name);
    html.add(line + ".</p>");
}

// One sentence where the changes alone would leave open what happened; legal text, not HTML.
std::string sentence_of(const history::Row& row) {
    const auto& version = row.release.version;
    switch (row.kind) {
        case Kind::created: return "New in " + version + ".";
        case Kind::vanished: return "No longer in " + version + ".";
        case Kind::reappeared: return "Back in " + version + ".";
        case Kind::withdrawn:
            return version + " was published again: what was told of it before is no longer "
                             "in it.";
        case Kind::reconstructed:
            return "Read from the timestamps: no release before it has been recorded.";
        case Kind::adopted: return {};
        case Kind::changed: break;
    }
    return skipped_releases(row) ? "Compared with " + row.since + "." : std::string();
}

std::string rest_link(const history::Row& row, const Site& site) {
    const auto count = row.notes.changes.size();
    std::string html = "<p>Cut here. ";
    append_link(html, page_of(row, site),
                count > 1 ? "All " + std::to_string(count) + " changes" : "The whole of it");
    return html + "</p>";
}

bool has_details(const history::Row& row) {
    return !row.notes.changes.empty() || row.notes.renamed_to || row.notes.renamed_from;
}

bool add_body(Html& html, const history::Row& row, const Site& site,
              const std::vector<history::MassChange>& mass_changes) {
    const bool adopted = row.kind == Kind::adopted;
    if (adopted ? row.notes.adopted_html.empty() : sentence_of(row).empty() && !has_details(row))
        return html.add("<p>No details are recorded.</p>");
    if (!adopted) return add_changes(html, row, site, set_aside(row, mass_changes));
    if (!html.open("p", "<p>")) return false;
    add_allowed(html, row.notes.adopted_html);
    html.close();
    return !html.full();
}

}  // namespace

std::string content_of(const history::Row& row, const history::Excerpt& excerpt,
                       const Site& site) {
    const auto rest = rest_link(row, site);
    Html html(most_bytes - std::min(rest.size(), most_bytes));
    if (const auto sentence = sentence_of(row); !sentence.empty()) {
        std::string line = "<p>";
        append_html(line, sentence);
        html.add(line + "</p>");
    }
    add_renamed(html, "Most likely renamed to ", row.notes.renamed_to, site);
    add_renamed(html, "Most likely renamed from ", row.notes.renamed_from, site);
    const bool whole = add_body(html, row, site, excerpt.mass_changes);
    auto content = std::move(html).take();
    return whole ? content : content + rest;
}

}  // namespace render
