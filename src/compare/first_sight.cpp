// SPDX-License-Identifier: MIT
#include "compare/first_sight.hpp"

#include <algorithm>
#include <optional>

#include "tree/stamp.hpp"

namespace compare {
namespace {

using tree::Node;
using Nodes = std::vector<Node>;

// Index of a release in Evidence::releases; nullopt for old.
using When = std::optional<std::size_t>;

// A node with the release it is assigned to, in the same shape as the tree.
struct Dated {
    const Node* node;
    When when;
    // The earliest of the values here and below; nullopt when there is none.
    std::optional<When> earliest;
    std::vector<Dated> children;
};

void take_earlier(std::optional<When>& earliest, const std::optional<When>& other) {
    if (other && (!earliest || *other < *earliest)) earliest = other;
}

class Dating {
   public:
    explicit Dating(const Evidence& evidence) : evidence_(evidence) {}

    Dated of(const Node& node) {
        Dated dated{&node, {}, {}, {}};
        dated.children.reserve(node.children.size());
        for (const auto& child : node.children) {
            dated.children.push_back(of(child));
            take_earlier(dated.earliest, dated.children.back().earliest);
        }
        const bool value = tree::is_value(node.cell.kind);
        dated.when = value || !dated.earliest ? by_stamp(node.stamp) : *dated.earliest;
        if (value) take_earlier(dated.earliest, dated.when);
        return dated;
    }

   private:
    // Most nodes of an object have the timestamp of the one before.
    const When& by_stamp(const std::string& text) {
        if (text != last_stamp_) {
            last_ = release_of(text);
            last_stamp_ = text;
        }
        return last_;
    }

    // Returns the release of a timestamp. Only the day counts.
    [[nodiscard]] When release_of(const std::string& text) const {
        const auto stamp = tree::parse_stamp(text);
        if (!stamp) return std::nullopt;
        const auto day = std::chrono::floor<std::chrono::days>(stamp->at);
        if (day <= evidence_.after || evidence_.is_loading(text)) return std::nullopt;
        const auto& releases = evidence_.releases;
        const auto first = std::partition_point(
            releases.begin(), releases.end(),
            [day](const base::Release& release) { return release.released_on < day; });
        const auto place = static_cast<std::size_t>(first - releases.begin());
        return std::min(place, releases.size() - 1);
    }

    const Evidence& evidence_;
    std::string last_stamp_;
    When last_;
};

bool is_comment(const Node& node) { return node.cell.kind == tree::CellKind::comment; }

// Returns the node with those below it that came in the same release.
Node pruned(const Dated& dated) {
    Node node{dated.node->cell, dated.node->stamp, {}};
    for (const auto& child : dated.children) {
        if (is_comment(*child.node))
            node.children.push_back(*child.node);
        else if (child.when == dated.when)
            node.children.push_back(pruned(child));
    }
    return node;
}

class Laying {
   public:
    explicit Laying(std::size_t releases) : changes(releases) {}

    void lay(const std::vector<Dated>& siblings, const When& above) {
        for (const auto& dated : siblings) {
            if (is_comment(*dated.node)) continue;
            if (dated.when && dated.when != above)
                changes[*dated.when].push_back({Op::added, path(), {}, {pruned(dated)}});
            path_.push_back(dated.node->cell);
            lay(dated.children, dated.when);
            path_.pop_back();
        }
    }

    std::vector<std::vector<Change>> changes;  // by index of the release

   private:
    // Where all paths together would be too long, only the first cells of this one.
    [[nodiscard]] std::vector<tree::Cell> path() {
        if (limit_.admits(path_.size())) return path_;
        const auto cells = std::min(path_.size(), PathLimit::short_path);
        return {path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(cells)};
    }

    std::vector<tree::Cell> path_;
    PathLimit limit_;
};

}  // namespace

std::vector<Sighting> read_timestamps(const Nodes& nodes, const Evidence& evidence) {
    if (evidence.releases.empty()) return {};
    Dating dating(evidence);
    std::vector<Dated> dated;
    dated.reserve(nodes.size());
    for (const auto& node : nodes) dated.push_back(dating.of(node));
    Laying laying(evidence.releases.size());
    laying.lay(dated, std::nullopt);
    std::vector<Sighting> sightings;
    for (std::size_t place = 0; place < evidence.releases.size(); ++place)
        if (!laying.changes[place].empty())
            sightings.push_back({evidence.releases[place], std::move(laying.changes[place])});
    return sightings;
}

}  // namespace compare
