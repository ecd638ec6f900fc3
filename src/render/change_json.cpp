// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"

#include <algorithm>

#include "base/date.hpp"
#include "base/utf8.hpp"
#include "tree/json.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

// Writes when, and not by whom.
void write_day(base::JsonWriter& json, std::string_view stamp) {
    const auto known = tree::parse_stamp(stamp);
    if (!known) return;
    auto at = base::format_rfc3339(known->at);
    at.pop_back();  // local time: the zone is unknown
    json.field("at", at);
}

// Writes nodes as tree::write_json does, without what may name a user.
void write_without_users(base::JsonWriter& json, const std::vector<tree::Node>& nodes) {
    json.begin_array();
    for (const auto& node : nodes) {
        json.begin_object();
        tree::write_cell_fields(json, node.cell);
        write_day(json, node.stamp);
        if (!node.children.empty()) write_without_users(json.key("children"), node.children);
        json.end_object();
    }
    json.end_array();
}

void write_side(base::JsonWriter& json, std::string_view key,
                const std::vector<tree::Node>& nodes, const Site& site) {
    if (nodes.empty()) return;
    json.key(key);
    if (site.hide_curators)
        write_without_users(json, nodes);
    else
        tree::write_json(json, nodes);
}

std::string_view kind_of(const query::Difference& difference) {
    if (!difference.was_there) return "created";
    if (!difference.is_there) return "vanished";
    return difference.changes.empty() ? "unchanged" : "changed";
}

}  // namespace

std::string change_json(const compare::Change& change, const Site& site) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("op", compare::name_of(change.op)).key("path").begin_array();
    for (const auto& cell : change.path) tree::write_json(json, cell);
    json.end_array();
    write_side(json, "before", change.before, site);
    write_side(json, "after", change.after, site);
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

void write_stamp(base::JsonWriter& json, std::string_view stamp, const Site& site) {
    if (site.hide_curators)
        write_day(json, stamp);
    else
        tree::write_stamp_fields(json, stamp);
}

std::string difference_json(const query::Difference& difference, const Site& site,
                            std::size_t most_bytes) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "class", difference.object.class_name);
    write_text(json, "name", difference.object.name);
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

}  // namespace render
