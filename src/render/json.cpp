// SPDX-License-Identifier: MIT
#include "render/json.hpp"

#include <algorithm>

#include "base/date.hpp"
#include "base/utf8.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "tree/json.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using query::ObjectAt;
using Origin = ObjectAt::Origin;

// -- changes

void write_names(base::JsonWriter& json, const tree::ObjectName& object) {
    write_text(json, "class", object.class_name);
    write_text(json, "name", object.name);
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
void write_nodes(base::JsonWriter& json, const std::vector<tree::Node>& nodes, const Site& site) {
    json.begin_array();
    for (const auto& node : nodes) {
        json.begin_object();
        tree::write_cell_fields(json, node.cell);
        write_stamp(json, node.stamp, site);
        if (!node.children.empty()) write_nodes(json.key("children"), node.children, site);
        json.end_object();
    }
    json.end_array();
}

std::string_view kind_of(const query::Difference& difference) {
    if (!difference.was_there) return "created";
    if (!difference.is_there) return "vanished";
    return difference.changes.empty() ? "unchanged" : "changed";
}

// -- rows

void write_object(base::JsonWriter& json, std::string_view key, const tree::ObjectName& object) {
    json.key(key).begin_object();
    write_names(json, object);
    json.end_object();
}

void write_counts(base::JsonWriter& json, const compare::Counts& counts) {
    json.key("counts")
        .begin_object()
        .field("added", counts.added)
        .field("replaced", counts.replaced)
        .field("removed", counts.removed)
        .end_object();
}

void write_references(base::JsonWriter& json, const compare::References& references) {
    if (references.empty()) return;
    json.key("references").begin_array();
    for (const auto& [object, label, fate] : references) {
        json.begin_object();
        write_names(json, object);
        if (!label.empty()) write_text(json, "label", label);
        if (fate != compare::Reference::Fate::stays) json.field("fate", compare::name_of(fate));
        json.end_object();
    }
    json.end_array();
}

std::string row_json(const tables::Row& row, const HistoryView& view, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", guid_of(row, site.authority));
    write_text(json, "url", page_of_row(row.object, row.release.version, site));
    write_text(json, "title", title_of(row, view.history));
    write_text(json, "release", row.release.version);
    json.field("released_on", base::format_date(row.release.released_on));
    write_text(json, "since", row.since);
    json.field("kind", tables::name_of(row.kind));
    write_text(json, "label", row.object.label_or_name(row.label));
    if (const auto& other = row.renamed_to) write_object(json, "renamed_to", *other);
    if (const auto& other = row.renamed_from) write_object(json, "renamed_from", *other);
    write_counts(json, tables::count_changes(row.notes));
    write_references(json, row.notes.references);
    json.key("changes").begin_array();
    for (const auto& change : row.notes.changes) json.raw(change_json(change, site));
    json.end_array();
    if (const auto left_out = row.notes.left_out.all(); left_out > 0)
        json.field("left_out", left_out);
    json.end_object();
    return text;
}

// The newest mentions; nothing if there are none.
void write_mentions(base::JsonWriter& json, const query::History& history, const Site& site) {
    if (history.mentions.empty()) return;
    json.field("mentioned", history.mentioned).key("mentions").begin_array();
    for (const auto& mention : history.mentions) {
        json.begin_object();
        write_mention_fields(json, mention, site);
        json.end_object();
    }
    json.end_array();
}

std::string head_json(const HistoryView& view, const Site& site, bool more) {
    const auto& history = view.history;
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_names(json, history.object);
    write_text(json, "label", history.object.label_or_name(history.label));
    write_text(json, "current", history.current.version);
    json.field("vanished", history.vanished).field("rows_recorded", history.recorded);
    write_text(json, "page_url", page_of(history.object, site));
    if (more)
        write_text(json, "next_url",
                   page_of(history.object, site) + "&page=" + std::to_string(view.page + 1) +
                       "&format=json");
    write_mentions(json, history, site);
    return text + ",\"rows\":[\n";
}

// -- a search

// Writes the members of an object that was found, without the end of the object.
void begin_match(base::JsonWriter& json, const query::Match& match, const Site& site) {
    json.begin_object();
    write_names(json, match.object);
    write_text(json, "label", match.label);
    write_text(json, "url", page_of(match.object, site));
}

// -- a tree

class TreeWriter {
   public:
    TreeWriter(base::JsonWriter& json, const std::string& text, const ObjectAt& object,
               const Site& site, std::size_t most)
        : json_(json), text_(text), object_(object), site_(site), most_(most) {}

    void write(const std::vector<tree::Node>& nodes) {
        json_.begin_array();
        for (const auto& node : nodes) {
            if (text_.size() > most_) {
                skip(node);
                continue;
            }
            json_.begin_object();
            tree::write_cell_fields(json_, node.cell);
            write_stamp(json_, node.stamp, site_);
            write_origin(object_.origins[object_.origin_of[place_++]]);
            if (!node.children.empty()) {
                json_.key("children");
                write(node.children);
            }
            json_.end_object();
        }
        json_.end_array();
    }

    [[nodiscard]] std::size_t left_out() const { return left_out_; }

   private:
    void skip(const tree::Node& node) {
        const auto nodes = 1 + tree::count_nodes(node.children);
        place_ += nodes;
        left_out_ += nodes;
    }

    void write_origin(const Origin& origin) {
        switch (origin.kind) {
            case Origin::Kind::older: return;
            case Origin::Kind::ignored: json_.field("ignored", true); return;
            case Origin::Kind::row:
            case Origin::Kind::reconstructed:
            case Origin::Kind::or_before: break;
        }
        write_text(json_, "since", origin.release.version);
        if (origin.kind == Origin::Kind::reconstructed) json_.field("by_timestamp", true);
        if (origin.kind == Origin::Kind::or_before) json_.field("or_before", true);
    }

    base::JsonWriter& json_;
    const std::string& text_;
    const ObjectAt& object_;
    const Site& site_;
    const std::size_t most_;
    std::size_t place_ = 0, left_out_ = 0;
};

}  // namespace

std::string change_json(const compare::Change& change, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("op", compare::name_of(change.op)).key("path").begin_array();
    for (const auto& cell : change.path) tree::write_json(json, cell);
    json.end_array();
    if (!change.before.empty()) write_nodes(json.key("before"), change.before, site);
    if (!change.after.empty()) write_nodes(json.key("after"), change.after, site);
    if (change.left_out > 0) json.field("left_out", change.left_out);
    json.end_object();
    // The store makes text legal when it is written; whatever got past it ends here. JSON's own
    // characters are ASCII, so this neither adds nor removes any.
    return base::is_legal_text(text) ? text : base::legal_text(text);
}

void write_text(base::JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    if (base::is_legal_text(text))
        json.value(text);
    else
        json.value(base::legal_text(text));
}

void write_authors(base::JsonWriter& json, const std::vector<Author>& authors) {
    json.key("authors").begin_array();
    for (const auto& author : authors) {
        json.begin_object();
        write_text(json, "name", author.name);
        if (!author.url.empty()) write_text(json, "url", author.url);
        json.end_object();
    }
    json.end_array();
}

void write_changes(base::JsonWriter& json, std::span<const compare::Change> changes,
                   std::size_t all, const query::ChangeFilter& filter, const Site& site) {
    // Data for programs; the content has them for people.
    constexpr std::size_t most_changes = 200, most_bytes = 32 << 10;
    json.key("changes").begin_array();
    std::size_t written = 0, bytes = 0;
    for (const auto& change : changes) {
        if (filter.is_set() && !filter.shows(change)) continue;
        if (written == most_changes) break;
        const auto text = change_json(change, site);
        bytes += text.size() + (written > 0 ? 1 : 0);
        if (bytes > most_bytes) break;
        json.raw(text);
        ++written;
    }
    json.end_array();
    if (written < all) json.field("left_out", all - written);
}

void write_row_fields(base::JsonWriter& json, const tables::Row& row,
                      const query::HistoryPage& page, const Site& site) {
    write_names(json, row.object);
    write_text(json, "release", row.release.version);
    write_text(json, "since", row.since);
    json.field("kind", tables::name_of(row.kind));
    write_changes(json, row.notes.changes, tables::count_changes(row.notes).all(), page.filter,
                  site);
}

void write_mention_fields(base::JsonWriter& json, const tables::Mention& mention,
                          const Site& site) {
    json.field("entry", mention.entry).field("feed", mention.feed);
    write_text(json, "feed_name", mention.feed_name);
    write_text(json, "title", mention.title);
    write_text(json, "link", mention.link);
    if (mention.published) json.field("published", base::format_rfc3339(*mention.published));
    json.field("first_seen", base::format_rfc3339(mention.first_seen));
    write_authors(json, authors_of(mention, site));
}

std::string difference_json(const query::Difference& difference, const Site& site,
                            std::size_t most_bytes) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_names(json, difference.object);
    write_text(json, "from", difference.from.version);
    write_text(json, "to", difference.to.version);
    json.field("kind", kind_of(difference)).key("changes").begin_array();
    std::size_t written = 0;
    for (const auto& change : difference.changes) {
        const auto change_text = change_json(change, site);
        if (change_text.size() > most_bytes - std::min(most_bytes, text.size())) break;
        json.raw(change_text);
        ++written;
    }
    json.end_array();
    if (written < difference.changes.size())
        json.field("left_out", difference.changes.size() - written);
    json.end_object();
    return text + "\n";
}

std::optional<std::string> history_json(const HistoryView& view, const Site& site) {
    const auto& all = view.history.rows;
    const auto pages = view.at.empty() ? pages_of(all.size(), rows_on_page) : 1;
    if (view.page > pages) return std::nullopt;
    const auto from = (view.page - 1) * rows_on_page;
    std::string rows;
    for (auto i = from; i < std::min(all.size(), from + rows_on_page); ++i)
        rows += (rows.empty() ? "" : ",\n") + row_json(all[i], view, site);
    return head_json(view, site, view.page < pages) + rows + "\n]}\n";
}

std::string object_json(const ObjectAt& object, const Site& site, std::size_t most_bytes) {
    const auto& own = object.history.object;
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_names(json, own);
    write_text(json, "label", own.label_or_name(object.label));
    write_text(json, "release", object.release().version);
    json.field("released_on", base::format_date(object.release().released_on))
        .field("there", object.there());
    if (object.there()) write_text(json, "first_seen", object.first_seen.version);
    write_text(json, "page_url", object_at_url(own, object.release().version, site));
    json.key("nodes");
    TreeWriter writer(json, text, object, site, most_bytes);
    writer.write(object.past.tree.nodes);
    if (writer.left_out() > 0) json.field("left_out", writer.left_out());
    json.end_object();
    return (base::is_legal_text(text) ? text : base::legal_text(text)) + "\n";
}

std::string search_json(const HomeView& view, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "query", view.text);
    write_text(json, "class", view.class_name);
    json.key("objects").begin_array();
    for (const auto& match : view.found) {
        begin_match(json, match, site);
        write_text(json, "feed_url", site.base_url + "/rss?" + query_of(match.object));
        json.field("vanished", match.vanished);
        if (!match.vanished_in.empty()) write_text(json, "vanished_in", match.vanished_in);
        json.end_object();
    }
    json.end_array().field("complete", view.is_complete);
    if (view.has_more) write_text(json, "next", next_results_url(view, site));
    json.end_object();
    return text + "\n";
}

std::string error_json(int status, std::string_view title, std::string_view text,
                       const Site& site, std::span<const PageChoice> choices) {
    std::string json_text;
    base::JsonWriter json(json_text);
    json.begin_object().field("status", status);
    write_text(json, "reason", title);
    write_text(json, "error", text);
    if (!choices.empty()) {
        json.key("choices").begin_array();
        for (const auto& choice : choices) {
            json.begin_object();
            write_text(json, "text", choice.text);
            write_text(json, "url", site.base_url + choice.url);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
    return json_text + "\n";
}

std::string suggestions_json(std::span<const query::Match> found, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_array();
    for (const auto& match : found) {
        begin_match(json, match, site);
        json.end_object();
    }
    json.end_array();
    return text + "\n";
}

}  // namespace render
