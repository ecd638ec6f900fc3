// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/page_changes.hpp"
#include "render/pages.hpp"

namespace render {
namespace {

Variables variables_of(const query::Difference& difference, const Site& site) {
    const auto& object = difference.object;
    const auto label = object.label_or_name(difference.label);
    const auto& from = difference.from.version;
    const auto& to = difference.to.version;
    Variables variables;
    add_object(variables, object, label, difference.is_there, site);
    variables.set("history_url", page_of(object, site))
        .set("from_url", object_at_url(object, from, site))
        .set("to_url", object_at_url(object, to, site))
        .set("form_url", site.link("/diff"))
        .set("from", from)
        .set("from_date", date_html(difference.from.released_on))
        .set("to", to)
        .set("to_date", date_html(difference.to.released_on))
        .set("json_url", diff_url(object, from, to, site) + "&format=json")
        .set("summary", counts_text(compare::count(difference.changes)))
        .flag("created", !difference.was_there && difference.is_there)
        .flag("vanished", difference.was_there && !difference.is_there)
        .flag("same", difference.changes.empty() && difference.was_there == difference.is_there);
    return variables;
}

}  // namespace

std::optional<std::string> diff_page(const DiffView& view, const PageSite& site,
                                     const Templates& templates) {
    const auto& difference = view.difference;
    const auto& object = difference.object;
    const auto& from = difference.from.version;
    const auto& to = difference.to.version;
    const auto document =
        field_document(difference.changes, object.class_name, site, difference.models.get());
    const auto pages = pages_of(count_values(document), values_on_page);
    if (view.page > pages) return std::nullopt;
    const ChangesView changes{.document = document,
                              .style = {.people = difference.people,
                                        .site = site,
                                        .references = difference.references,
                                        .page = PageLines{object, from, to}}};
    auto variables = variables_of(difference, site);
    variables.set("changes", changes_html(changes, (view.page - 1) * values_on_page));
    add_pager(variables, diff_url(object, from, to, site), view.page, pages);
    const auto title = display_name_of(object, difference.label);
    const Frame frame{.file = "diff.mustache",
                      .title = title + ": changes from " + from + " to " + to,
                      .feeds = feed_links("/rss?" + query_of(object), title, site),
                      .noindex = true};
    return framed(frame, std::move(variables), site, templates);
}

}  // namespace render
