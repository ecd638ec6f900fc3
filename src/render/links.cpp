// SPDX-License-Identifier: MIT
#include "render/links.hpp"

#include "base/text.hpp"
#include "render/feed.hpp"

namespace render {
namespace {

// A template with {name}, {class} and {class_lower} filled in; other braces stay.
std::string filled(std::string_view pattern, const tree::ObjectName& object) {
    std::string url;
    while (!pattern.empty()) {
        const auto brace = pattern.find('{');
        url += pattern.substr(0, brace);
        if (brace == std::string_view::npos) break;
        pattern.remove_prefix(brace);
        if (pattern.starts_with("{name}")) {
            url += base::percent_encode(object.name);
        } else if (pattern.starts_with("{class}")) {
            url += base::percent_encode(object.class_name);
        } else if (pattern.starts_with("{class_lower}")) {
            url += base::percent_encode(base::fold_ascii(object.class_name));
        } else {
            url += '{';
            pattern.remove_prefix(1);
            continue;
        }
        pattern.remove_prefix(pattern.find('}') + 1);
    }
    return url;
}

}  // namespace

bool is_web_url(std::string_view url) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (url.size() > scheme.size() &&
            base::equal_ignoring_case(url.substr(0, scheme.size()), scheme))
            return true;
    return false;
}

std::string suffix_of(std::size_t number) { return "-c" + std::to_string(number); }

std::string guid_of(const tables::Row& row, std::string_view authority) {
    std::string guid = "tag:";
    guid += authority;
    guid += ':';
    guid += base::percent_encode(row.object.class_name);
    guid += '/';
    guid += base::percent_encode(row.object.name);
    guid += '/';
    guid += base::percent_encode(row.release.version);
    // The row as it was published first is the first: readers see /2 as a new item.
    if (row.revision > 0) guid += "/" + std::to_string(row.revision + 1);
    return guid;
}

std::string page_of(const tree::ObjectName& object, const Site& site) {
    return site.base_url + "/history?class=" + base::percent_encode(object.class_name) +
           "&name=" + base::percent_encode(object.name);
}

std::string page_of(const tables::Row& row, const Site& site) {
    return page_of(row.object, site) + "#" + base::percent_encode(row.release.version);
}

std::string page_of(const tables::Row& row, std::size_t number, const Site& site) {
    return page_of(row, site) + suffix_of(number);
}

std::string watch_query_of(const std::vector<tree::ObjectName>& objects) {
    std::string query;
    for (const auto& object : objects) {
        query += query.empty() ? "object=" : "&object=";
        query += base::percent_encode(object.class_name + ":" + object.name);
    }
    return query;
}

std::string object_url_of(const tree::ObjectName& object, const Site& site) {
    if (object.class_name.empty() || object.name.empty()) return {};
    const auto own = site.object_url_of_class.find(object.class_name);
    const auto& pattern = own == site.object_url_of_class.end() ? site.object_url : own->second;
    auto url = filled(pattern, object);
    return is_web_url(url) ? url : std::string();
}

}  // namespace render
