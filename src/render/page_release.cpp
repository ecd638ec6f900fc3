// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"

namespace render {
namespace {

using Contents = query::ReleaseContents;

constexpr std::size_t most_classes = 200, most_mass_changes = 50;  // that are listed
constexpr int bar_width = 240;

// Returns the address of the first page of a selection of the objects.
std::string address_of(const ReleaseView& view, const std::string& class_name, const Site& site) {
    const auto& text = view.query.text;
    auto url = release_url(view.contents.summary.release.version, site);
    if (!text.empty()) url += "?q=" + base::percent_encode(text);
    if (!class_name.empty())
        url += (text.empty() ? "?class=" : "&class=") + base::percent_encode(class_name);
    return url;
}

std::string counts_of(const query::ClassCount& of_class) {
    std::string html;
    for (const auto& count : of_class.kinds)
        html +=
            (html.empty() ? "" : ", ") + kind_html(count.kind, words_of({count}, of_class.quiet));
    return html;
}

std::string bar_of(std::uint64_t objects, std::uint64_t most) {
    const auto width =
        std::max<std::uint64_t>(1, objects * bar_width / std::max<std::uint64_t>(most, 1));
    return "<svg class=\"bar\" viewBox=\"0 0 240 10\" aria-hidden=\"true\"><rect width=\"" +
           std::to_string(std::min<std::uint64_t>(width, bar_width)) + "\" height=\"10\"/></svg>";
}

std::string classes_of(const ReleaseView& view, const Site& site) {
    const auto& classes = view.contents.classes;
    std::uint64_t most = 1;
    for (const auto& each : classes) most = std::max(most, each.objects);
    return first_of(classes, most_classes, [&](std::string& html, const query::ClassCount& each) {
        html += "<tr><th scope=\"row\">" +
                narrowing_link_html(address_of(view, each.class_name, site), each.class_name) +
                "</th><td>" + with_separators(each.objects) + "</td><td class=\"bars\">" +
                bar_of(each.objects, most) + "</td><td>" + counts_of(each) + "</td></tr>\n";
    });
}

std::string mass_changes_of(const Contents& contents) {
    const auto append = [](std::string& html, const tables::MassChange& each) {
        html += "<li>" + shortened_html(each.class_name) + ": <b>" + shortened_html(each.place) +
                "</b> changed in " + with_separators(each.objects) + " of " +
                counted(each.of, "object", "objects") + "</li>\n";
    };
    return first_of(contents.mass_changes, most_mass_changes, append);
}

struct Entries {
    std::string html;       // rows of the table of those that changed by themselves
    std::string following;  // of those that changed only because others did
    std::vector<std::string_view> following_headlines;  // without those that `shared` counts
    std::size_t shared = 0;  // of those, how many changed only as most of their class
};

// Returns what several objects say with one verb: "lost their reference to abc-1, which vanished"; empty
// for other headlines than those of references.
std::string of_several(std::string_view headline) {
    constexpr std::string_view lost = "lost its reference ", has = "has a reference ";
    if (headline.starts_with(lost))
        return "lost their reference " + std::string(headline.substr(lost.size()));
    if (headline.starts_with(has))
        return "have a reference " + std::string(headline.substr(has.size()));
    return {};
}

// Of one page; the words of the release count all. "8 objects lost their reference to abc-1, which vanished; 3 objects
// changed only because others did"
std::string words_for_following(const Entries& entries) {
    const auto& headlines = entries.following_headlines;
    constexpr std::size_t most_causes = 3;
    std::map<std::string_view, std::size_t> objects;
    for (const auto headline : headlines) ++objects[headline];
    std::vector<std::pair<std::string_view, std::size_t>> causes(objects.begin(), objects.end());
    std::erase_if(causes, [](const auto& cause) {
        return cause.second == 1 || of_several(cause.first).empty();
    });
    std::ranges::stable_sort(causes, std::greater(),
                             [](const auto& cause) { return cause.second; });
    if (causes.size() > most_causes) causes.resize(most_causes);
    std::string words = entries.shared == 0 ? ""
                                            : with_separators(entries.shared) +
                                                  " of these objects changed only as most of"
                                                  " their class";
    auto others = headlines.size();
    for (const auto& [headline, count] : causes) {
        words += (words.empty() ? "" : "; ") + counted(count, "object", "objects") + " " +
                 of_several(headline);
        others -= count;
    }
    if (others > 0)
        words += (words.empty() ? "" : "; ") + counted(others,
                                                       "object changed only because others did",
                                                       "objects changed only because others did");
    return words;
}

bool is_narrowed(const ReleaseView& view) {
    return !view.query.class_name.empty() || !view.query.text.empty();
}

// "23 objects"; of the first release, which is compared with none, nothing.
std::string words_for_matching(const ReleaseView& view) {
    const auto matching = view.contents.matching;
    if (matching > 0) return counted(matching, "object", "objects");
    if (is_narrowed(view)) return "No objects match";
    return view.contents.summary.is_first_seen
               ? "Nothing is known from before this release, so nothing changed in it"
               : "No objects changed";
}

std::string row_of(const Contents::Entry& entry, const std::string& version, const Site& site) {
    const auto url = page_of_row(entry.object, version, site);
    const auto label = entry.object.label_or_name(entry.label);
    std::string html = "<tr><td class=\"class\">" + as_html(entry.object.class_name) +
                       "</td><th scope=\"row\">" + link_html(url, label);
    if (label != entry.object.name)
        html += " <span class=\"id\">" + as_html(entry.object.name) + "</span>";
    return html + "</th><td>" + words_of_change(entry, site) + "</td></tr>\n";
}

Entries entries_of(const ReleaseView& view, const Site& site) {
    Entries entries;
    for (const auto& entry : view.contents.entries) {
        const auto row = row_of(entry, view.contents.summary.release.version, site);
        (entry.only_follows ? entries.following : entries.html) += row;
        if (entry.is_shared)
            ++entries.shared;
        else if (entry.only_follows)
            entries.following_headlines.emplace_back(entry.headline);
    }
    return entries;
}

Variables variables_of(const ReleaseView& view, const Site& site) {
    const auto& contents = view.contents;
    const auto& release = contents.summary.release;
    Variables variables;
    if (const auto& before = contents.before)
        variables.set("before", before->version)
            .set("before_url", release_url(before->version, site));
    if (const auto& after = contents.after)
        variables.set("after", after->version)
            .set("after_url", release_url(after->version, site));
    variables.set("version", release.version)
        .set("date", date_html(release.released_on))
        .set("summary", words_of(contents.summary))
        .set("mass_changes", mass_changes_of(contents))
        .set("classes", classes_of(view, site))
        .set("release_url", release_url(release.version, site))
        .set("form_url", release_url(release.version, site))
        .set("class_name", view.query.class_name)
        .set("text", view.query.text)
        .flag("narrowed", is_narrowed(view));
    return variables;
}

}  // namespace

std::string release_page(const ReleaseView& view, const PageSite& site,
                         const Templates& templates) {
    const auto& version = view.contents.summary.release.version;
    auto variables = variables_of(view, site);
    const auto entries = entries_of(view, site);
    variables.set("entries", entries.html)
        .set("following", entries.following)
        .set("following_count", words_for_following(entries))
        .set("matching", words_for_matching(view));
    add_pager(variables, address_of(view, view.query.class_name, site), view.page,
              pages_of(view.contents.matching, view.query.most));
    const Frame frame{
        .file = "release.mustache",
        .title = "Changes in " + version,
        .feeds = feed_links(release_path(version), "Changes in " + version, site, First::named),
        .noindex = view.page > 1 || !view.query.text.empty()};
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
