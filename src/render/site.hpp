// render/site.hpp -- what the configuration says about feeds and pages.
// Plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
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
    // The persons behind authors of entries, by author_key() (render/mention.hpp).
    std::map<std::string, tree::ObjectName> authors = {};
    compare::Ranking ranking;    // [important] and [minor]
    bool hide_curators = false;  // users of timestamps are shown nowhere
    bool is_private = false;     // readers need a token
    long max_age = 3600;         // seconds
    std::string hub_url =
        {};  // of the WebSub hub, "https://x.org/changes/hub"; empty: there is none
};

}  // namespace render
