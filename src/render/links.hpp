// render/links.hpp -- the addresses of pages and feeds, and the ids of items and feeds.
// Links to this site begin with link_base() (render/site.hpp). Nothing here escapes.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// "class=Gene&name=WBGene00006763"
[[nodiscard]] std::string query_of(const tree::ObjectName& object);
// "object=Gene:WBGene00006763&object=…": the query of the addresses of a watch list. The colon is
// as people type it, because validators compare addresses byte for byte.
[[nodiscard]] std::string watch_query_of(const std::vector<tree::ObjectName>& objects);

// …/history?class=…&name=…
[[nodiscard]] std::string page_of(const tree::ObjectName& object, const Site& site);
// … &at=VERSION: the history with the row of this release alone. A parameter, because some readers drop
// fragments and take items with equal links for one.
[[nodiscard]] std::string page_of_row(const tree::ObjectName& object, std::string_view version,
                                      const Site& site);
// …/object?class=…&name=…&release=VERSION
[[nodiscard]] std::string object_at_url(const tree::ObjectName& object, std::string_view version,
                                        const Site& site);
// …/diff?class=…&name=…&from=VERSION&to=VERSION: two whole trees compared.
[[nodiscard]] std::string diff_url(const tree::ObjectName& object, std::string_view from,
                                   std::string_view to, const Site& site);
// "/release/WS187", below base_url; and the link to it
[[nodiscard]] std::string release_path(std::string_view version);
[[nodiscard]] std::string release_url(std::string_view version, const Site& site);
// …/feeds?feed=3: the page of a source feed.
[[nodiscard]] std::string page_of_feed(std::int64_t feed, const Site& site);

// True for http: and https: URLs with something after "//". Nothing else becomes a link.
[[nodiscard]] bool is_web_url(std::string_view url);
// The address of the object, by object_url; empty if there is no template for it or the result
// would not be http(s).
[[nodiscard]] std::string object_url_of(const tree::ObjectName& object, const Site& site);

// Returns the id "tag:AUTHORITY:A/B/C" of these parts, each percent-encoded.
[[nodiscard]] std::string tag_uri(std::string_view authority,
                                  std::initializer_list<std::string_view> parts);

}  // namespace render
