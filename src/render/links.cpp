// SPDX-License-Identifier: MIT
#include "render/links.hpp"

#include <utility>

#include "base/text.hpp"

namespace render {
namespace {

// Fills in {name}, {class} and {class_lower}. Other braces stay.
std::string with_names(std::string url, const tree::ObjectName& object) {
    const std::pair<std::string_view, std::string> names[] = {
        {"{name}", base::percent_encode(object.name)},
        {"{class}", base::percent_encode(object.class_name)},
        {"{class_lower}", base::percent_encode(base::fold_ascii(object.class_name))}};
    for (const auto& [name, text] : names)
        for (auto at = url.find(name); at != std::string::npos; at = url.find(name, at))
            url.replace(at, name.size(), text);
    return url;
}

}  // namespace

std::string query_of(const tree::ObjectName& object) {
    return "class=" + base::percent_encode(object.class_name) +
           "&name=" + base::percent_encode(object.name);
}

std::string watch_query_of(const std::vector<tree::ObjectName>& objects) {
    std::string query;
    for (const auto& object : objects) {
        query += query.empty() ? "object=" : "&object=";
        query +=
            base::percent_encode(object.class_name) + ":" + base::percent_encode(object.name);
    }
    return query;
}

std::string page_of(const tree::ObjectName& object, const Site& site) {
    return site.link("/history?") + query_of(object);
}

std::string page_of_row(const tree::ObjectName& object, std::string_view version,
                        const Site& site) {
    return page_of(object, site) + "&at=" + base::percent_encode(version);
}

std::string object_at_url(const tree::ObjectName& object, std::string_view version,
                          const Site& site) {
    return site.link("/object?") + query_of(object) + "&release=" + base::percent_encode(version);
}

std::string diff_url(const tree::ObjectName& object, std::string_view from, std::string_view to,
                     const Site& site) {
    return site.link("/diff?") + query_of(object) + "&from=" + base::percent_encode(from) +
           "&to=" + base::percent_encode(to);
}

std::string release_path(std::string_view version) {
    return "/release/" + base::percent_encode(version);
}

std::string release_url(std::string_view version, const Site& site) {
    return site.link(release_path(version));
}

std::string page_of_feed(std::int64_t feed, const Site& site) {
    return site.link("/feeds?feed=") + std::to_string(feed);
}

bool is_web_url(std::string_view url) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (url.size() > scheme.size() &&
            base::equal_ignoring_case(url.substr(0, scheme.size()), scheme))
            return true;
    return false;
}

std::string object_url_of(const tree::ObjectName& object, const Site& site) {
    if (object.class_name.empty() || object.name.empty()) return {};
    const auto own = site.object_url_of_class.find(object.class_name);
    const auto& pattern = own == site.object_url_of_class.end() ? site.object_url : own->second;
    auto url = with_names(pattern, object);
    return is_web_url(url) ? url : std::string();
}

std::string tag_uri(std::string_view authority, std::initializer_list<std::string_view> parts) {
    std::string uri = "tag:";
    uri += authority;
    char before = ':';
    for (const auto part : parts) {
        base::append_percent_encoded(uri += before, part);
        before = '/';
    }
    return uri;
}

}  // namespace render
