// SPDX-License-Identifier: MIT
#include "render/object_lists.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"

namespace render {

std::string key_of(const tree::ObjectName& object) {
    return object.class_name + ":" + object.name;
}

void append_named(std::string& html, const query::Named& named, const Site& site) {
    const auto label = named.object.label_or_name(named.label);
    html += "<span class=\"class\">" + as_html(named.object.class_name) + "</span> ";
    html += link_html(page_of(named.object, site), label);
    if (label != named.object.name)
        html += " <span class=\"id\">" + as_html(named.object.name) + "</span>";
}

void append_named_text(std::string& html, const query::Named& named) {
    const auto label = named.object.label_or_name(named.label);
    append_html(html, named.object.class_name + " " + label);
    if (label != named.object.name) append_html(html, " " + named.object.name);
}

std::string unseen_name(std::string_view words, const query::Named& named) {
    constexpr std::size_t longest = 80;
    const auto name = named.object.label_or_name(named.label);
    return "<span class=\"unseen\">" + std::string(words) + as_html(base::cut_at(name, longest)) +
           "</span>";
}

std::string class_options(const std::vector<std::string>& classes, const std::string& chosen) {
    constexpr std::size_t most_of_options = 6'000;
    const auto items = items_within(most_of_options, classes,
                                    [&chosen](std::string& html, const std::string& name) {
                                        html += name == chosen ? "<option selected>" : "<option>";
                                        append_html(html, name);
                                        html += "</option>\n";
                                    });
    // If there are too many to choose from, the page has a text field instead.
    if (items.left_out > 0) return {};
    if (chosen.empty() || std::ranges::find(classes, chosen) != classes.end()) return items.html;
    return items.html + "<option selected>" + as_html(chosen) + "</option>\n";
}

ListedItems search_results(std::span<const query::Match> found,
                           std::span<const tree::ObjectName> watched, std::size_t room,
                           const Site& site) {
    const auto list_url = as_html(site.base_url + "/watch");
    return items_within(room, found, [&](std::string& html, const query::Match& match) {
        const query::Named named{match.object, match.label};
        html += "<li><span>";
        append_named(html, named, site);
        if (match.vanished) html += " <span class=\"gone\">vanished</span>";
        if (!match.vanished_in.empty()) html += " in " + as_html(match.vanished_in);
        html += "</span> <a href=\"" + as_html(site.base_url + "/rss?" + query_of(named.object)) +
                "\">Feed" + unseen_name(" of ", named) + "</a>";
        if (std::ranges::binary_search(watched, named.object))
            html += " <span class=\"id\">on watch list</span>";
        else
            html += " <button name=\"object\" formaction=\"" + list_url + "\" value=\"" +
                    as_html_value(key_of(named.object)) + "\">Watch" + unseen_name(" ", named) +
                    "</button>";
        html += "</li>\n";
    });
}

}  // namespace render
