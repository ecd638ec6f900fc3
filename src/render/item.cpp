// SPDX-License-Identifier: MIT
#include "render/item.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "render/text.hpp"
#include "tree/json.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

constexpr std::size_t most_curators = 20;

// Collects users in the order of the nodes; a stamp equal to the one before it is not parsed.
class Curators {
   public:
    Curators(const query::People& people, const Site& site) : people_(people), site_(site) {}

    void collect(const std::vector<tree::Node>& nodes) {
        for (const auto& node : nodes) {
            if (curators_.size() == most_curators) return;
            note(node.stamp);
            collect(node.children);
        }
    }
    std::vector<Curator> take() && { return std::move(curators_); }

   private:
    void note(std::string_view stamp) {
        if (stamp.empty() || stamp == last_) return;
        last_ = stamp;
        const auto known = tree::parse_stamp(stamp);
        if (!known) return;
        auto curator = curator_of(known->by, people_, site_);
        if (curator.name.empty() || std::ranges::find(curators_, curator) != curators_.end())
            return;
        curators_.push_back(std::move(curator));
    }

    const query::People& people_;
    const Site& site_;
    std::string_view last_;
    std::vector<Curator> curators_;
};

// A node as tree::append_json writes it, less what may tell a user.
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

}  // namespace

Curator curator_of(std::string_view user, const query::People& people, const Site& site) {
    const auto found = people.find(user);
    if (found == people.end()) return {one_line(user), {}};
    return {one_line(found->second.label), object_url_of(found->second.object, site)};
}

std::vector<Curator> curators_of(const tables::Row& row, const query::HistoryPage& excerpt,
                                 const Site& site) {
    if (site.hide_curators) return {};
    Curators curators(excerpt.people, site);
    for (const auto& change : row.notes.changes)
        if (!excerpt.narrowing.is_set() || excerpt.narrowing.shows(change))
            curators.collect(change.after);
    return std::move(curators).take();
}

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
    // Text is made legal at the door of the store; whatever got past it ends here. All of JSON's
    // own characters are ASCII, so none is lost or made.
    if (!base::is_legal_text(std::string_view(json).substr(from)))
        json.replace(from, std::string::npos, base::legal_text(json.substr(from)));
}

void append_json_text(std::string& json, std::string_view text) {
    if (base::is_legal_text(text))
        tree::append_json_string(json, text);
    else
        tree::append_json_string(json, base::legal_text(text));
}

}  // namespace render
