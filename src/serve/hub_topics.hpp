// serve/hub_topics.hpp -- the feeds of a site as topics of its hub: which feed a URL names, and what of it is
// new.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "hub/topic.hpp"
#include "net/url.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"
#include "serve/parameters.hpp"

namespace serve {

// A URL that has the form of a topic.
struct ParsedTopic {
    Query feed;
    hub::Topic topic;
    std::vector<std::string> tokens = {};  // that the URL had
};
// Parses the address of a feed as its self link has it, or another spelling of it: parameters in another
// order, escapes that are not needed, the default port. Whether there is such a feed is not looked at.
//   error  400 with a text that names hub.topic: another site, a page, an archive, a narrowed feed that is no
//          topic, bad parameters
[[nodiscard]] Result<ParsedTopic> parse_topic(const SiteContext& context, const net::Url& url);

// Reads what is new, as hub::ReadNews says. RSS and Atom have the new items alone; JSON Feed has all that the
// feed has. Where only some of the rows can be told apart, all of them come again (feed_position.hpp).
//   throws  store::Failure; query::Busy
[[nodiscard]] base::Result<std::optional<hub::FeedNews>> read_news(SiteContext& context,
                                                                   const hub::Topic& topic,
                                                                   std::string_view since);

}  // namespace serve
