// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"

#include "base/date.hpp"
#include "base/utf8.hpp"
#include "tree/json.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

// Appends a node as tree::append_json does, without what may name a user.
void append_without_users(std::string& json, const tree::Node& node);

void append_without_users(std::string& json, const std::vector<tree::Node>& nodes) {
    json += '[';
    for (const auto& node : nodes) {
        if (&node != &nodes.front()) json += ',';
        append_without_users(json, node);
    }
    json += ']';
}

void append_without_users(std::string& json, const tree::Node& node) {
    tree::append_json(json, node.cell);
    json.pop_back();  // the brace
    if (const auto known = tree::parse_stamp(node.stamp)) {
        auto at = base::format_rfc3339(known->at);
        at.pop_back();  // local time: no zone is known
        json += ",\"at\":\"" + at + '"';
    }
    if (!node.children.empty()) append_without_users(json += ",\"children\":", node.children);
    json += '}';
}

void append_side(std::string& json, std::string_view key, const std::vector<tree::Node>& nodes,
                 const Site& site) {
    if (nodes.empty()) return;
    json += ",\"";
    json += key;
    json += "\":";
    if (site.hide_curators)
        append_without_users(json, nodes);
    else
        tree::append_json(json, nodes);
}

std::string_view kind_of(const query::Difference& difference) {
    if (!difference.was_there) return "created";
    if (!difference.is_there) return "vanished";
    return difference.changes.empty() ? "unchanged" : "changed";
}

}  // namespace

void append_change_json(std::string& json, const compare::Change& change, const Site& site) {
    const auto from = json.size();
    json += "{\"op\":\"";
    json += compare::name_of(change.op);
    json += "\",\"path\":[";
    for (const auto& cell : change.path) {
        if (&cell != &change.path.front()) json += ',';
        tree::append_json(json, cell);
    }
    json += ']';
    append_side(json, "before", change.before, site);
    append_side(json, "after", change.after, site);
    json += '}';
    // The store makes text legal when it is written; whatever got past it ends here. JSON's own
    // characters are ASCII, so this neither adds nor removes any.
    if (!base::is_legal_text(std::string_view(json).substr(from)))
        json.replace(from, std::string::npos, base::legal_text(json.substr(from)));
}

void append_json_text(std::string& json, std::string_view text) {
    if (base::is_legal_text(text))
        tree::append_json_string(json, text);
    else
        tree::append_json_string(json, base::legal_text(text));
}

std::string difference_json(const query::Difference& difference, const Site& site) {
    std::string json = "{\"class\":";
    append_json_text(json, difference.object.class_name);
    append_json_text(json += ",\"name\":", difference.object.name);
    append_json_text(json += ",\"from\":", difference.from.version);
    append_json_text(json += ",\"to\":", difference.to.version);
    append_json_text(json += ",\"kind\":", kind_of(difference));
    json += ",\"changes\":[";
    for (const auto& change : difference.changes) {
        if (&change != &difference.changes.front()) json += ',';
        append_change_json(json, change, site);
    }
    return json + "]}\n";
}

}  // namespace render
