// SPDX-License-Identifier: MIT
#include "render/json.hpp"

#include <algorithm>

#include "base/date.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "tree/json.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using query::ObjectAt;
using Origin = ObjectAt::Origin;

base::JsonWriter& write_names(base::JsonWriter& json, const tree::ObjectName& object) {
    return json.field("class", object.class_name).field("name", object.name);
}

// Writes the members that say when a node was written, and by whom unless the site hides that.
void write_stamp(base::JsonWriter& json, std::string_view stamp, const Site& site) {
    if (!site.hide_curators) return tree::write_stamp_fields(json, stamp);
    const auto known = tree::parse_stamp(stamp);
    if (!known) return;
    auto at = base::format_rfc3339(known->at);
    at.pop_back();  // local time: the zone is unknown
    json.field("at", at);
}

// Writes nodes as tree::write_json() does, but for what may name a user.
//   leaves_out  bool(const Node&): asked of each node before it is written
//   write_more  void(): writes further members of a node
template <class LeavesOut, class WriteMore>
void write_nodes(base::JsonWriter& json, const std::vector<tree::Node>& nodes, const Site& site,
                 LeavesOut&& leaves_out, WriteMore&& write_more) {
    json.begin_array();
    for (const auto& node : nodes) {
        if (leaves_out(node)) continue;
        json.begin_object();
        tree::write_cell_fields(json, node.cell);
        write_stamp(json, node.stamp, site);
        write_more();
        if (!node.children.empty())
            write_nodes(json.key("children"), node.children, site, leaves_out, write_more);
        json.end_object();
    }
    json.end_array();
}

void write_nodes(base::JsonWriter& json, std::string_view key,
                 const std::vector<tree::Node>& nodes, const Site& site) {
    if (nodes.empty()) return;
    write_nodes(json.key(key), nodes, site, [](const auto&) { return false; }, [] {});
}

std::string_view kind_of(const query::Difference& difference) {
    if (!difference.was_there) return "created";
    if (!difference.is_there) return "vanished";
    return difference.changes.empty() ? "unchanged" : "changed";
}

void write_references(base::JsonWriter& json, const compare::References& references) {
    if (references.empty()) return;
    json.key("references").begin_array();
    for (const auto& [object, label, fate] : references) {
        write_names(json.begin_object(), object);
        if (!label.empty()) json.field("label", label);
        if (fate != compare::Reference::Fate::stays) json.field("fate", compare::name_of(fate));
        json.end_object();
    }
    json.end_array();
}

std::string row_json(const tables::Row& row, const HistoryView& view, const Site& site) {
    const auto counts = tables::count_changes(row.notes);
    std::string text;
    base::JsonWriter json(text);
    json.begin_object()
        .field("id", guid_of(row, site.authority))
        .field("url", page_of_row(row.object, row.release.version, site))
        .field("title", title_of(row))
        .field("release", row.release.version)
        .field("released_on", base::format_date(row.release.released_on))
        .field("since", row.since)
        .field("kind", tables::name_of(row.kind))
        .field("label", row.object.label_or_name(row.label));
    if (const auto& other = row.renamed_to)
        write_names(json.key("renamed_to").begin_object(), *other).end_object();
    if (const auto& other = row.renamed_from)
        write_names(json.key("renamed_from").begin_object(), *other).end_object();
    json.key("counts")
        .begin_object()
        .field("added", counts.added)
        .field("replaced", counts.replaced)
        .field("removed", counts.removed)
        .end_object();
    write_references(json, row.notes.references);
    write_changes(json, row.notes.changes, counts.all(), {}, site, {},
                  query::mass_places(row, view.history));
    json.end_object();
    return text;
}

// Writes an object that was found, without the end of the JSON object.
base::JsonWriter& begin_match(base::JsonWriter& json, const query::Match& match,
                              const Site& site) {
    return write_names(json.begin_object(), match.object)
        .field("label", match.label)
        .field("url", page_of(match.object, site));
}

void write_origin(base::JsonWriter& json, const Origin& origin) {
    switch (origin.kind) {
        case Origin::Kind::older: return;
        case Origin::Kind::ignored: json.field("ignored", true); return;
        case Origin::Kind::row:
        case Origin::Kind::reconstructed:
        case Origin::Kind::or_before: break;
    }
    json.field("since", origin.release.version);
    if (origin.kind == Origin::Kind::reconstructed) json.field("by_timestamp", true);
    if (origin.kind == Origin::Kind::or_before) json.field("or_before", true);
}

}  // namespace

std::string change_json(const compare::Change& change, const Site& site, bool is_shared) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("op", compare::name_of(change.op)).key("path").begin_array();
    for (const auto& cell : change.path) tree::write_json(json, cell);
    json.end_array();
    write_nodes(json, "before", change.before, site);
    write_nodes(json, "after", change.after, site);
    if (change.left_out > 0) json.field("left_out", change.left_out);
    if (is_shared) json.field("mass", true);
    json.end_object();
    return text;
}

void write_authors(base::JsonWriter& json, const std::vector<Author>& authors) {
    json.key("authors").begin_array();
    for (const auto& author : authors) {
        json.begin_object().field("name", author.name);
        if (!author.url.empty()) json.field("url", author.url);
        json.end_object();
    }
    json.end_array();
}

void write_changes(base::JsonWriter& json, std::span<const compare::Change> changes,
                   std::size_t all, const query::ChangeFilter& filter, const Site& site,
                   MostChanges most, const query::MassPlaces& shared) {
    json.key("changes").begin_array();
    std::size_t written = 0, bytes = 0;
    for (const auto& change : changes) {
        if (filter.is_set() && !filter.shows(change)) continue;
        if (written == most.changes) break;
        const bool is_shared = !shared.empty() && compare::has_sides(change) &&
                               shared.contains(compare::place_of(change));
        const auto text = change_json(change, site, is_shared);
        bytes += text.size() + (written > 0 ? 1 : 0);
        if (bytes > most.bytes) break;
        json.raw(text);
        ++written;
    }
    json.end_array();
    if (written < all) json.field("left_out", all - written);
}

void write_row_fields(base::JsonWriter& json, const tables::Row& row,
                      const query::HistoryPage& page, const Site& site) {
    write_names(json, row.object)
        .field("release", row.release.version)
        .field("since", row.since)
        .field("kind", tables::name_of(row.kind));
    write_changes(json, row.notes.changes, tables::count_changes(row.notes).all(), page.filter,
                  site, most_of_item, query::mass_places(row, page));
}

void write_mention_fields(base::JsonWriter& json, const tables::Mention& mention,
                          const Site& site) {
    json.field("entry", mention.entry)
        .field("feed", mention.feed)
        .field("feed_name", mention.feed_name)
        .field("title", mention.title)
        .field("link", mention.link);
    if (mention.published) json.field("published", base::format_rfc3339(*mention.published));
    json.field("first_seen", base::format_rfc3339(mention.first_seen));
    write_authors(json, authors_of(mention, site));
}

std::string difference_json(const query::Difference& difference, const Site& site,
                            std::size_t most_bytes) {
    std::string text;
    base::JsonWriter json(text);
    write_names(json.begin_object(), difference.object)
        .field("from", difference.from.version)
        .field("to", difference.to.version)
        .field("kind", kind_of(difference));
    write_changes(json, difference.changes, difference.changes.size(), {}, site,
                  {.bytes = most_bytes});
    json.end_object();
    return text + "\n";
}

std::optional<std::string> history_json(const HistoryView& view, const Site& site) {
    const auto& history = view.history;
    const auto& rows = history.rows;
    const auto pages = view.at.empty() ? pages_of(rows.size(), rows_on_page) : 1;
    if (view.page > pages) return std::nullopt;
    const auto page_url = page_of(history.object, site);
    std::string text;
    base::JsonWriter json(text);
    write_names(json.begin_object(), history.object)
        .field("label", history.object.label_or_name(history.label))
        .field("current", history.current.version)
        .field("vanished", history.vanished)
        .field("rows_recorded", history.recorded)
        .field("page_url", page_url);
    if (view.page < pages)
        json.field("next_url",
                   page_url + "&page=" + std::to_string(view.page + 1) + "&format=json");
    if (!history.mentions.empty()) {
        json.field("mentioned", history.mentioned).key("mentions").begin_array();
        for (const auto& mention : history.mentions) {
            write_mention_fields(json.begin_object(), mention, site);
            json.end_object();
        }
        json.end_array();
    }
    json.key("rows").begin_array();
    const auto from = (view.page - 1) * rows_on_page;
    const auto end = std::min(rows.size(), from + rows_on_page);
    // A line for each row.
    for (auto i = from; i < end; ++i) json.raw("\n" + row_json(rows[i], view, site));
    text += '\n';
    json.end_array().end_object();
    return text + "\n";
}

std::string object_json(const ObjectAt& object, const Site& site, std::size_t most_bytes) {
    const auto& own = object.history.object;
    std::string text;
    base::JsonWriter json(text);
    write_names(json.begin_object(), own)
        .field("label", own.label_or_name(object.label))
        .field("release", object.release().version)
        .field("released_on", base::format_date(object.release().released_on))
        .field("there", object.there());
    if (object.there()) json.field("first_seen", object.first_seen.version);
    json.field("page_url", object_at_url(own, object.release().version, site)).key("nodes");
    std::size_t place = 0, left_out = 0;
    const auto leaves_out = [&](const tree::Node& node) {
        if (text.size() <= most_bytes) return false;
        const auto nodes = 1 + tree::count_nodes(node.children);
        place += nodes;
        left_out += nodes;
        return true;
    };
    write_nodes(json, object.past.tree.nodes, site, leaves_out,
                [&] { write_origin(json, object.origins[object.origin_of[place++]]); });
    if (left_out > 0) json.field("left_out", left_out);
    json.end_object();
    return text + "\n";
}

std::string search_json(const HomeView& view, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("query", view.text).field("class", view.class_name);
    json.key("objects").begin_array();
    for (const auto& match : view.found) {
        begin_match(json, match, site)
            .field("feed_url", site.base_url + "/rss?" + query_of(match.object))
            .field("vanished", match.vanished);
        if (!match.vanished_in.empty()) json.field("vanished_in", match.vanished_in);
        json.end_object();
    }
    json.end_array().field("complete", view.is_complete);
    if (view.has_more) json.field("next", site.link(view.next_url));
    json.end_object();
    return text + "\n";
}

std::string error_json(int status, std::string_view title, std::string_view text,
                       const Site& site, std::span<const PageChoice> choices) {
    std::string json_text;
    base::JsonWriter json(json_text);
    json.begin_object().field("status", status).field("reason", title).field("error", text);
    if (!choices.empty()) {
        json.key("choices").begin_array();
        for (const auto& choice : choices)
            json.begin_object()
                .field("text", choice.text)
                .field("url", site.base_url + choice.url)
                .end_object();
        json.end_array();
    }
    json.end_object();
    return json_text + "\n";
}

std::string suggestions_json(std::span<const query::Match> found, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_array();
    for (const auto& match : found) begin_match(json, match, site).end_object();
    json.end_array();
    return text + "\n";
}

}  // namespace render
