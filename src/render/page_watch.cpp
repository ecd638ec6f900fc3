// The page of a watch list: the newest changes of its objects, the list, and what is added to it.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

using State = WatchedObject::State;

// Bytes of the lists of the page. They hold 200 objects with usual names; what is left of the page has
// the newest changes.
constexpr std::size_t most_of_found = 8'000;
constexpr std::size_t most_of_watched = 34'000;
constexpr std::size_t most_of_unclear = 7'000;
constexpr std::size_t most_of_addresses = 21'000;  // of the list's feeds
constexpr std::size_t most_with_links = 80;        // watched objects
constexpr std::size_t most_of_names = 2'000;       // that are to be corrected

constexpr std::size_t most_of_lists = 60'000;  // all these together

// The bytes that the lists of a page may still take.
class Room {
   public:
    [[nodiscard]] std::size_t left() const { return left_; }
    [[nodiscard]] std::size_t up_to(std::size_t most) const { return std::min(most, left_); }
    void take(std::size_t bytes) { left_ -= std::min(bytes, left_); }

   private:
    std::size_t left_ = most_of_lists;
};

bool has_links(const WatchView& view) { return view.objects.size() <= most_with_links; }

std::vector<tree::ObjectName> objects_of(const WatchView& view) {
    std::vector<tree::ObjectName> objects;
    for (const auto& each : view.objects) objects.push_back(each.named.object);
    return objects;
}

// The button that takes one object into the list in place of another.
std::string instead_button(const WatchedObject& watched, const query::Named& other) {
    const auto encoded = [](const tree::ObjectName& object) {
        return base::percent_encode(key_of(object));
    };
    return "<button name=\"instead\" value=\"" + encoded(watched.named.object) + " " +
           encoded(other.object) + "\">Watch" + unseen_name(" ", other) + " instead</button>";
}

void append_state(std::string& html, const WatchedObject& watched, bool linked,
                  const Site& site) {
    if (watched.state == State::present) return;
    html += " <span class=\"gone\">";
    html += watched.state == State::unknown      ? "unknown"
            : watched.state == State::unreadable ? "cannot be read"
                                                 : "vanished";
    html += "</span>";
    if (!watched.vanished_in.empty())
        html += " in " +
                (linked ? link_html(release_url(watched.vanished_in, site), watched.vanished_in)
                        : as_html(watched.vanished_in));
    if (!watched.words.empty()) html += ". " + as_html(watched.words);
    for (const auto& other : watched.instead) {
        html += " ";
        append_named(html, other, site);
        html += " " + instead_button(watched, other);
    }
}

std::string field_of(const tree::ObjectName& object, std::string_view attributes) {
    return "<input " + std::string(attributes) + " name=\"object\" value=\"" +
           as_html_value(key_of(object)) + "\">";
}

void append_watched(std::string& html, const WatchView& view, const WatchedObject& watched,
                    const Site& site) {
    const auto& named = watched.named;
    html += "<li><label>" + field_of(named.object, "type=\"checkbox\" checked") + " ";
    if (has_links(view)) {
        html += unseen_name("Keep ", named) + "</label> <span>";
        append_named(html, named, site);
        append_state(html, watched, true, site);
        html += "</span></li>\n";
    } else {
        append_named_text(html, named);
        html += "</label>";
        append_state(html, watched, false, site);
        html += "</li>\n";
    }
}

// The objects of the list, each with a box. Names that are too long for the form are listed without
// anything that would change the list, and some may be left out.
ListedItems watched_of(const WatchView& view, const Site& site) {
    std::vector<std::string> hidden;
    std::size_t left = 0;  // bytes of those that are not shown so far
    for (const auto& each : view.objects) {
        hidden.push_back(field_of(each.named.object, "type=\"hidden\"") + "\n");
        left += hidden.back().size();
    }
    if (left > most_of_watched)
        return items_within(most_of_watched, view.objects,
                            [](std::string& html, const WatchedObject& watched) {
                                html += "<li>";
                                append_named_text(html, watched.named);
                                html += "</li>\n";
                            });
    std::string html;
    std::size_t at = 0;
    for (; at < hidden.size(); ++at) {
        std::string row;
        append_watched(row, view, view.objects[at], site);
        if (html.size() + row.size() + left - hidden[at].size() > most_of_watched) break;
        html += row;
        left -= hidden[at].size();
    }
    if (at == hidden.size()) return {html};
    html += "<li>";
    const auto unshown = hidden.size() - at;
    for (; at < hidden.size(); ++at) html += hidden[at];
    html += "And " + counted(unshown, "more object", "more objects") +
            " that stay in the list.</li>\n";
    return {html};
}

// "2 vanished, 1 unknown"
std::string states_of(const WatchView& view) {
    const auto count = [&](State state) {
        return static_cast<std::size_t>(
            std::ranges::count(view.objects, state, &WatchedObject::state));
    };
    std::vector<std::string> words;
    if (const auto vanished = count(State::vanished); vanished > 0)
        words.push_back(with_separators(vanished) + " vanished");
    if (const auto unknown = count(State::unknown); unknown > 0)
        words.push_back(with_separators(unknown) + " unknown");
    return base::join(words, ", ");
}

// "In the newest release, WS188, 3 of them changed. In all, 2 vanished."
std::string summary_of_list(const WatchView& view) {
    const auto& current = view.changes.current;
    const auto& rows = view.changes.rows;
    if (current.version.empty()) return {};
    const auto changed = std::ranges::count_if(
        rows, [&](const auto& row) { return row.release.version == current.version; });
    auto text = "In the newest release, " + current.version + ", " +
                (changed == 0 ? "none" : with_separators(static_cast<std::size_t>(changed))) +
                " of them changed.";
    if (const auto states = states_of(view); !states.empty()) text += " In all, " + states + ".";
    return text;
}

// One line of the newest changes.
void append_change(std::string& html, const tables::Row& row, const Site& site) {
    const query::Named named{row.object, row.label};
    html += "<li>";
    append_named(html, named, page_of_row(row.object, row.release.version, site));
    html += " <span class=\"what\">" +
            what_happened_html(row.kind, row.notes.headline, tables::count_changes(row.notes));
    if (row.kind == tables::RowKind::vanished)
        if (const auto successor = successor_of(row, site))
            html += ". " + as_html(successor->words) + " " +
                    link_html(page_of(successor->object, site),
                              successor->object.class_name + " " + successor->object.name);
    html += "</span></li>\n";
}

// Sets the newest changes, a list for each release.
void add_changes(Variables& variables, const WatchView& view, std::size_t room,
                 const Site& site) {
    constexpr std::string_view end = "</ul>\n</section>\n";
    std::string html;
    const base::Release* open = nullptr;
    std::size_t shown = 0;
    for (const auto& row : view.changes.rows) {
        std::string more;
        if (open == nullptr || row.release != *open) {
            if (open != nullptr) more += end;
            more += "<section>\n<h3>" +
                    link_html(release_url(row.release.version, site), row.release.version) + " " +
                    date_html(row.release.released_on) + "</h3>\n<ul class=\"newest\">\n";
        }
        append_change(more, row, site);
        if (html.size() + more.size() + end.size() > room) break;
        html += more;
        open = &row.release;
        ++shown;
    }
    if (open != nullptr) html += end;
    variables.set("changes", html).flag("older", shown < view.changes.recorded);
}

// Names that mean several objects, with a box for each, and names that mean none.
ListedItems unclear_of(const WatchView& view, std::size_t room, const Site& site) {
    return items_within(
        room, view.unclear, [&](std::string& html, const query::PastedName& name) {
            html += "<li><b>";
            append_shortened(html, name.text);
            html += "</b> ";
            if (name.objects.empty()) {
                html += "no object has that name</li>\n";
                return;
            }
            const auto shown = std::min(name.objects.size(), query::most_meanings);
            html += (shown < name.objects.size() ? "more than " : "") +
                    counted(shown, "object:", "objects:") + "\n<ul>\n";
            for (const auto& named : std::span(name.objects).first(shown)) {
                html += "<li><label><input type=\"checkbox\" name=\"object\" value=\"" +
                        as_html_value(key_of(named.object)) + "\"> " +
                        unseen_name("Add ", named) + "</label> <span>";
                append_named(html, named, site);
                html += "</span></li>\n";
            }
            html += "</ul></li>\n";
        });
}

// The names that nobody has, to be corrected.
std::string unknown_names_of(const WatchView& view) {
    std::string names;
    for (const auto& name : view.unclear)
        if (name.objects.empty() && as_html(names + name.text).size() < most_of_names)
            names += name.text + "\n";
    return names;
}

// Sets the feeds of the list, unless their addresses leave no room for the list itself.
void add_feeds(Variables& variables, Frame& frame, const WatchView& view, Room& room,
               const Site& site) {
    if (view.objects.empty()) return;
    const auto query = view.id.empty() ? watch_query_of(objects_of(view)) : "watch=" + view.id;
    // The page has the address twice for each format, and once for OPML. If that is too much, it
    // has the first format only.
    const auto size = as_html(query).size() + site.base_url.size();
    frame.feeds = feed_links("/rss?" + query, "Watch list", site);
    const auto most = room.up_to(most_of_addresses);
    if (size * (2 * frame.feeds.size() + 1) > most) frame.feeds.resize(1);
    const bool fits = size * (2 * frame.feeds.size() + 1) <= most;
    if (fits) room.take(size * (2 * frame.feeds.size() + 1));
    if (!fits) frame.feeds.clear();
    variables.flag("feeds_cut", !fits);
    if (fits) variables.set("opml_url", site.link("/opml?") + query);
}

}  // namespace

std::string watch_page(const WatchView& view, const PageSite& site, const Templates& templates) {
    Frame frame{.file = "watch.mustache",
                .title = "Watch list",
                .noindex = true,
                .search_text = view.text};
    const auto short_path = "/watch/" + view.id;
    Variables variables;
    const auto watched = watched_of(view, site);
    Room room;
    room.take(watched.html.size());
    add_feeds(variables, frame, view, room, site);
    const auto unclear = unclear_of(view, room.up_to(most_of_unclear), site);
    room.take(unclear.html.size());
    const auto results =
        search_results(view.found, objects_of(view), room.up_to(most_of_found), site);
    variables.flag("watching", !view.objects.empty())
        .set("count", counted(view.objects.size(), "object", "objects"))
        .set("summary", summary_of_list(view))
        .set("watched", watched.html)
        .flag("watched_cut", watched.left_out > 0)
        .set("short_url", view.id.empty() ? "" : site.link(short_path))
        .set("short_address", view.id.empty() ? "" : site.base_url + short_path)
        .set("unclear", unclear.html)
        .set("unclear_left",
             unclear.left_out == 0 ? "" : counted(unclear.left_out, "more name", "more names"))
        .set("unknown_names", unknown_names_of(view))
        .set("left_out", view.left_out == 0 ? "" : counted(view.left_out, "name", "names"))
        .set("class_options", class_options(view.classes, view.class_name))
        .set("class_name", view.class_name)
        .flag("searched", !view.text.empty())
        .flag("found", !view.found.empty())
        .set("results", results.html)
        .set("results_count", counted(view.found.size(), "object", "objects"))
        .flag("results_cut", results.left_out > 0 || view.has_more);
    room.take(results.html.size());
    add_changes(variables, view, room.left(), site);
    return framed(frame, variables, site, templates);
}

}  // namespace render
