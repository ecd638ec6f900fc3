// SPDX-License-Identifier: MIT
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
        .set("from_date", base::format_date(difference.from.released_on))
        .set("to", to)
        .set("to_date", base::format_date(difference.to.released_on))
        .set("json_url", diff_url(object, from, to, site) + "&format=json")
        .set("summary", counts_text(compare::count(difference.changes)))
        .flag("created", !difference.was_there && difference.is_there)
        .flag("vanished", difference.was_there && !difference.is_there)
        .flag("same", difference.changes.empty() && difference.was_there == difference.is_there);
    return variables;
}

}  // namespace

PageOfPart diff_part(const DiffView& view, const PageSite& site, const Templates& templates) {
    const auto& difference = view.difference;
    const auto base =
        diff_url(difference.object, difference.from.version, difference.to.version, site);
    const auto document = field_document(difference.changes, difference.object.class_name, site);
    const auto& object = difference.object;
    const ChangesView changes{
        .document = document,
        .style = {.people = difference.people,
                  .site = site,
                  .references = difference.references,
                  .page = PageLines{object, difference.from.version, difference.to.version}}};
    const auto title = object.class_name + " " + object.label_or_name(difference.label);
    const Frame frame{.file = "diff.mustache",
                      .title = title + ": changes from " + difference.from.version + " to " +
                               difference.to.version,
                      .feeds = feed_links("/rss?" + query_of(difference.object), title, site),
                      .noindex = true};
    return framed_part(frame, variables_of(difference, site), "changes", base,
                       part_of_changes(changes, most_of_list, view.part), site, templates);
}

}  // namespace render
