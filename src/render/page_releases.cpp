// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>

#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/pictures.hpp"

namespace render {
namespace {

using tables::RowKind;

constexpr std::size_t releases_on_page = 100;

// What the columns do not have: "2 reappeared, first release seen, 15 histories read from timestamps".
std::string others_of(const query::ReleaseSummary& summary) {
    auto rest = summary;
    std::erase_if(rest.kinds, [](const auto& each) {
        return each.kind == RowKind::created || each.kind == RowKind::changed ||
               each.kind == RowKind::vanished;
    });
    const bool has_rest = !rest.kinds.empty() || rest.reconstructed > 0 || rest.is_first_seen ||
                          summary.kinds.empty();
    return has_rest ? words_of(rest) : std::string();
}

Variables row_of_release(const query::ReleaseSummary& summary, const Site& site) {
    const auto& [version, released_on] = summary.release;
    const auto number = [&](RowKind kind) {
        const auto objects = summary.objects(kind);
        return objects > 0 ? with_separators(objects) : "";
    };
    return Variables()
        .set("version", version)
        .set("release_url", release_url(version, site))
        .set("released_on", date_html(released_on))
        .set("others", others_of(summary))
        .set("changed", number(RowKind::changed))
        .set("created", number(RowKind::created))
        .set("vanished", number(RowKind::vanished));
}

}  // namespace

std::optional<std::string> releases_page(const ReleasesView& view, const PageSite& site,
                                         const Templates& templates) {
    const auto& list = *view.list;
    const auto pages = pages_of(list.size(), releases_on_page);
    if (view.page > pages) return std::nullopt;
    Variables variables;
    if (!list.empty()) {
        const auto& newest = list.front().summary;
        variables.set("count", counted(list.size(), "release", "releases"))
            .set("newest", newest.release.version)
            .set("newest_url", release_url(newest.release.version, site))
            .set("date", date_html(newest.release.released_on))
            .set("summary", words_of(newest));
    }
    if (view.page == 1)
        add_release_pictures(variables, list, query::detailed_releases, false, site);
    std::vector<Variables> rows;
    const auto from = (view.page - 1) * releases_on_page;
    for (auto at = from; at < std::min(list.size(), from + releases_on_page); ++at)
        rows.push_back(row_of_release(list[at].summary, site));
    variables.flag("has_rows", !rows.empty()).list("rows", rows);
    add_pager(variables, site.link("/releases"), view.page, pages);
    const Frame frame{.file = "releases.mustache",
                      .title = "Releases",
                      .feeds = feed_links("/releases", "All releases", site, First::named),
                      .noindex = view.page > 1};
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
