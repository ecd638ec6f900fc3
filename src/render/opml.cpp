// OPML 2.0, which feed readers import. Source: http://opml.org/spec2.opml
// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

void append_outline(std::string& xml, const query::Named& named, const Site& site) {
    const auto& object = named.object;
    const auto name = plain_line(display_name_of(named));
    const auto feed = site.base_url + "/rss?class=" + base::percent_encode(object.class_name) +
                      "&name=" + base::percent_encode(object.name);
    append_empty(xml, 2, "outline",
                 {{"type", "rss"},
                  {"text", name},
                  {"title", name},
                  {"xmlUrl", feed},
                  {"htmlUrl", page_of(object, site)}});
}

}  // namespace

std::string opml(const query::WatchList& list, const Site& site) {
    std::string xml;
    append_declaration(xml, {});
    append_start(xml, 0, "opml", {{"version", "2.0"}});
    append_start(xml, 1, "head");
    append_element(xml, 2, "title", subject_of(list, site).title);
    append_element(xml, 2, "dateModified", base::format_http_date(last_modified(list)));
    append_end(xml, 1, "head");
    append_start(xml, 1, "body");
    for (const auto& named : list.objects) append_outline(xml, named, site);
    append_end(xml, 1, "body");
    append_end(xml, 0, "opml");
    return xml;
}

}  // namespace render
