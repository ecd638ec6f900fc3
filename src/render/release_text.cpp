// SPDX-License-Identifier: MIT
#include "render/release_text.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/page.hpp"

namespace render {
namespace {

constexpr std::size_t most_listed_classes = 20;

// What became of the objects of a row of this kind.
std::string_view participle_of(tables::RowKind kind) {
    switch (kind) {
        case tables::RowKind::created: return "created";
        case tables::RowKind::vanished: return "vanished";
        case tables::RowKind::reappeared: return "reappeared";
        case tables::RowKind::withdrawn: return "withdrawn";
        case tables::RowKind::changed:
        case tables::RowKind::reconstructed: break;
    }
    return "changed";
}

//   noun  follows the first number: "objects "
std::string counts_in_words(const std::vector<tables::KindCount>& kinds, bool with_noun) {
    std::string text;
    for (const auto& [kind, objects] : kinds) {
        const bool first = text.empty();
        if (!first) text += ", ";
        text +=
            first && with_noun ? counted(objects, "object", "objects") : with_separators(objects);
        text += " ";
        text += participle_of(kind);
    }
    return text;
}

}  // namespace

std::string first_sight_of(const query::ReleaseSummary& summary) {
    std::string text = summary.is_first_seen ? "first release seen" : "";
    if (summary.reconstructed > 0)
        text += (text.empty() ? "" : ", ") +
                counted(summary.reconstructed, "history", "histories") + " read from timestamps";
    return text;
}

std::string words_of(const query::ReleaseSummary& summary) {
    const auto counts = counts_in_words(summary.kinds, true);
    const auto first = first_sight_of(summary);
    if (counts.empty() && first.empty()) return "no change recorded";
    return counts + (counts.empty() || first.empty() ? "" : ", ") + first;
}

std::string words_of_change(const query::ReleaseContents::Entry& entry, const Site& site) {
    const auto renamed = [&](std::string_view words, const tree::ObjectName& other) {
        auto html = kind_html(entry.kind);
        html.append(", probably renamed ").append(words) += ' ';
        html += "<a href=\"" + as_html(page_of(other, site)) + "\">";
        append_shortened(html, other.name);
        return html + "</a>";
    };
    if (entry.renamed_from) return renamed("from", *entry.renamed_from);
    if (entry.renamed_to) return renamed("to", *entry.renamed_to);
    return what_happened_html(entry.kind, entry.headline, entry.counts);
}

std::string title_of(const query::ListedRelease& release) {
    return release.summary.release.version + ": " + words_of(release.summary);
}

std::string guid_of(const query::ListedRelease& release, const Site& site) {
    return "tag:" + site.authority + ":/releases/" +
           base::percent_encode(release.summary.release.version);
}

std::string content_of(const query::ListedRelease& release, const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    const auto& classes = release.details->classes;
    const auto& leading = release.details->leading;
    std::string html = "<p>" + as_html(version) + ", released on " +
                       base::format_date(released_on) + ": " + words_of(release.summary) +
                       ".</p>";
    if (!classes.empty()) {
        html += "<p><b>Objects by class</b></p><ul>";
        const auto listed = std::min(classes.size(), most_listed_classes);
        for (std::size_t i = 0; i < listed; ++i)
            html += "<li>" + as_html(classes[i].class_name) + ": " +
                    counts_in_words(classes[i].kinds, false) + "</li>";
        if (listed < classes.size())
            html +=
                "<li>" + counted(classes.size() - listed, "more class", "more classes") + "</li>";
        html += "</ul>";
    }
    if (!leading.empty()) {
        html += "<p><b>Most important</b></p><ul>";
        for (const auto& entry : leading) {
            html +=
                "<li>" + as_html(entry.object.class_name) + " <a href=\"" +
                as_html(page_of(entry.object, site) + "&at=" + base::percent_encode(version)) +
                "\">";
            append_shortened(html, entry.object.label_or_name(entry.label));
            html += "</a></li>";
        }
        html += "</ul>";
    }
    return html + "<p>" + link_html(release_url(version, site), "All changes in " + version) +
           "</p>";
}

}  // namespace render
