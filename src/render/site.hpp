// render/site.hpp -- what the configuration says about feeds and pages.
// Plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/tag_paths.hpp"
#include "tree/object.hpp"

namespace render {

// [site], [object_url], [successor] and what feeds need of [serve].
struct Site {
    std::string title;
    std::string base_url;   // http(s), no slash at its end: "https://x.org/changes"
    std::string authority;  // for tag: URIs, "wormbase.org,2007"
    std::string contact;    // mail address; may be empty
    std::string language = "en";
    std::string object_url;  // {name} {class} {class_lower}; empty: no links to objects
    std::map<std::string, std::string> object_url_of_class;
    // By class, the paths of tags to the object that took the place of another:
    // Identity > Merged_into.
    std::map<std::string, std::vector<std::vector<std::string>>> successor_of_class;
    // The persons behind authors of entries, by author_key() (render/item.hpp).
    std::map<std::string, tree::ObjectName> authors = {};
    compare::Ranking ranking;    // [important] and [minor]
    bool hide_curators = false;  // users of timestamps are shown nowhere
    bool is_private = false;     // readers need a token
    long max_age = 3600;         // seconds
    std::string hub_url =
        {};  // of the WebSub hub, "https://x.org/changes/hub"; empty: there is none
    std::size_t links_from = 0;  // where in base_url links to this site begin: PageSite says

    // What links to this site begin with: base_url in what leaves it (feeds, mails, JSON), "/changes" in its pages.
    [[nodiscard]] std::string_view link_base() const {
        return std::string_view(base_url).substr(links_from);
    }
    // Returns the link to what is below base_url: "/releases".
    [[nodiscard]] std::string link(std::string_view path) const {
        return std::string(link_base()).append(path);
    }
};

// The same site for those who write its pages. Browsers reach a page under several names (localhost, a tunnel, a
// second host name), so a page links to the site by path alone: its style sheet then comes from where it does.
struct PageSite : Site {
    explicit PageSite(Site site) : Site(std::move(site)) {
        const auto host = base_url.find("://");
        if (host != std::string::npos)
            links_from = std::min(base_url.find('/', host + 3), base_url.size());
    }
};

// One of several pages that a reader may have meant.
struct PageChoice {
    std::string text;  // any bytes; shown on one line, cut after 120 bytes
    std::string url;   // below base_url: "/history?class=…"
    bool operator==(const PageChoice&) const = default;
};

}  // namespace render
