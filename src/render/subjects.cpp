// What a feed is about, of each kind.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/document.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using tree::ObjectName;

constexpr std::size_t most_named = 2;  // objects of a watch list that its title names

// "CLASS/NAME" as ids have it.
std::string path_of(const ObjectName& object) {
    return base::percent_encode(object.class_name) + "/" + base::percent_encode(object.name);
}

Subject subject(const std::string& title, const std::string& description, std::string page_url,
                const std::string& id, const Site& site) {
    return {plain_line(title + " - " + site.title), plain_line(description), std::move(page_url),
            "tag:" + site.authority + ":" + id};
}

// "Gene unc-26, Paper WBPaper00031000 and 3 others"
std::string names_of(const query::WatchList& list) {
    std::string names;
    const auto& objects = list.objects;
    const auto named =
        objects.size() == most_named + 1 ? objects.size() : std::min(objects.size(), most_named);
    for (std::size_t i = 0; i < named; ++i) {
        const bool last = i > 0 && i + 1 == objects.size();
        names += i == 0 ? "" : last ? " and " : ", ";
        names += shown_name(objects[i]);
    }
    if (named < objects.size())
        names += " and " + std::to_string(objects.size() - named) + " others";
    return names;
}

// By its newest row alone, which every window holds but one that is narrowed or goes back: so a
// description is the same however many rows are asked for.
std::optional<Successor> successor_in_description(const query::History& history,
                                                  const Site& site) {
    const bool tells = history.vanished && !history.narrowing.is_set() && !history.rows.empty() &&
                       history.rows.front().kind == tables::RowKind::vanished;
    return tells ? successor_of(history.rows.front(), site) : std::nullopt;
}

}  // namespace

std::string shown_name(const query::Named& named) {
    return named.object.class_name + " " +
           (named.label.empty() ? named.object.name : named.label);
}

std::string full_name_of(const query::History& history) {
    const auto& named = history.spelling.name.empty() ? history.object : history.spelling;
    if (history.label.empty() || history.label == named.name)
        return named.class_name + " " + named.name;
    return named.class_name + " " + history.label + " (" + named.name + ")";
}

Subject subject_of(const query::History& history, const Site& site) {
    auto description = "What each release changed in " + history.object.class_name + " " +
                       history.object.name + ".";
    if (history.vanished) description += " It is no longer in " + history.current.version + ".";
    if (const auto successor = successor_in_description(history, site))
        description += " " + successor->words + " " + successor->object.class_name + " " +
                       successor->object.name + ".";
    return subject(full_name_of(history), description, page_of(history.object, site),
                   path_of(history.object), site);
}

Subject subject_of(const query::WatchList& list, const Site& site) {
    std::string canonical;
    std::vector<ObjectName> objects;
    for (const auto& named : list.objects) {
        canonical += path_of(named.object) + "\n";
        objects.push_back(named.object);
    }
    const auto names = names_of(list);
    return subject(names, "What each release changed in " + names + ".",
                   site.base_url + "/?" + watch_query_of(objects),
                   "/list/" + base::sha256_hex(canonical).substr(0, 32), site);
}

Subject subject_of_class(std::string_view class_name, const Site& site) {
    const std::string name(class_name);
    const auto encoded = base::percent_encode(class_name);
    return subject("All " + name + " changes",
                   "What each release changed in the objects of class " + name + ".",
                   site.base_url + "/?class=" + encoded, encoded, site);
}

Subject subject_of_release(const base::Release& release, const Site& site) {
    const auto encoded = base::percent_encode(release.version);
    return subject("Changes in " + release.version,
                   "What " + release.version + " of " + base::format_date(release.released_on) +
                       " changed, object by object.",
                   site.base_url + "/release/" + encoded, "/release/" + encoded, site);
}

}  // namespace render
