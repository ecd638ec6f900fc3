// The page of an object as of one release: a line of its tree in each row of a table.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "compare/headline.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "render/pages.hpp"

namespace render {
namespace {

using query::ObjectAt;
using tree::Cell;
using tree::CellKind;
using tree::Node;
using Origin = ObjectAt::Origin;

constexpr std::size_t most_in_line = 8;    // values that follow each other on one line
constexpr std::size_t deepest_indent = 6;  // deeper lines are indented as these
constexpr std::size_t most_choices = 200;  // releases in the list to choose from
constexpr std::size_t most_objects = 500;  // that are looked up for one page
constexpr std::size_t lines_on_page = 500;
constexpr std::size_t longest_label = 100;  // bytes

// A value, or a tag without anything below it, and the only values below it that came with it.
struct Line {
    const Cell* field = nullptr;  // the innermost tag above; nullptr: none
    const Cell* group = nullptr;  // the first tag; nullptr: none
    std::vector<const Node*> nodes;
    std::size_t depth = 0;  // lines above it
    const Origin* origin = nullptr;
};

// Divides a tree into lines.
class LineWalk {
   public:
    explicit LineWalk(const ObjectAt& object) : object_(object) {}

    std::vector<Line> lines() {
        for (const auto& node : object_.past.tree.nodes) {
            group_ = node.cell.kind == CellKind::tag ? &node.cell : nullptr;
            walk(node, nullptr, 0);
        }
        return std::move(lines_);
    }

   private:
    void walk(const std::vector<Node>& nodes, const Cell* field, std::size_t depth) {
        for (const auto& node : nodes) walk(node, field, depth);
    }

    void walk(const Node& node, const Cell* field, std::size_t depth) {
        const bool is_tag = node.cell.kind == CellKind::tag;
        if (is_tag && !node.children.empty()) {
            ++place_;
            return walk(node.children, &node.cell, depth);
        }
        walk(add_line(node, field, depth).children, field, depth + 1);
    }

    // Returns the last node of the line.
    [[gnu::noinline]] const Node& add_line(const Node& node, const Cell* field,
                                           std::size_t depth) {
        const auto origin = object_.origin_of[place_++];
        auto& line =
            lines_.emplace_back(Line{field, group_, {&node}, depth, &object_.origins[origin]});
        const auto* last = &node;
        while (last->children.size() == 1 && line.nodes.size() < most_in_line) {
            const auto& next = last->children.front();
            const bool joins = next.cell.kind != CellKind::tag &&
                               object_.origin_of[place_] == origin && next.stamp == node.stamp;
            if (!joins) break;
            ++place_;
            line.nodes.push_back(last = &next);
        }
        return *last;
    }

    const ObjectAt& object_;
    std::vector<Line> lines_;
    const Cell* group_ = nullptr;
    std::size_t place_ = 0;
};

// Returns the lines of a page.
std::span<const Line> lines_of_page(std::span<const Line> lines, std::size_t page) {
    const auto from = std::min((page - 1) * lines_on_page, lines.size());
    return lines.subspan(from, std::min(lines_on_page, lines.size() - from));
}

bool is_new(const Line& line, const ObjectAt& object) {
    return line.origin->kind == Origin::Kind::row && line.origin->release == object.release();
}

// Relative to the page, because it has some hundred of these.
std::string address_of_row(const ObjectAt& object, const std::string& version) {
    return "history?" + query_of(object.history.object) + "&at=" + base::percent_encode(version);
}

// Returns the field of a line.
std::string field_of(const Line& line) {
    const auto& first = line.nodes.front()->cell;
    if (line.field != nullptr) return compare::words_of_tag(line.field->text);
    if (first.kind == CellKind::tag) return compare::words_of_tag(first.text);
    return is_plain_text(first) ? "Text" : "Member";
}

std::string since_html(const Origin& origin, const ObjectAt& object) {
    const auto& version = origin.release.version;
    switch (origin.kind) {
        case Origin::Kind::older: return "older";
        case Origin::Kind::ignored: return "not compared";
        case Origin::Kind::row: return link_html(address_of_row(object, version), version);
        case Origin::Kind::or_before:
            return link_html(address_of_row(object, version), version) + " or before";
        case Origin::Kind::reconstructed: break;
    }
    return link_html(address_of_row(object, version), version) + " by timestamp";
}

Variables variables_of(const Line& line, const ObjectAt& object,
                       const compare::References& references, const Site& site) {
    std::string values, curator;
    // A tag that stands alone is its own line.
    const bool is_alone = line.field == nullptr && line.nodes.front()->cell.kind == CellKind::tag;
    for (const auto* node : line.nodes) {
        if (is_alone) break;
        if (node != line.nodes.front()) values += ", ";
        append_cell(values, node->cell, site, references, Ids::in_small);
    }
    append_stamp_words(curator, line.nodes.front()->stamp, object.history.people, site);
    return Variables()
        .set("depth", std::to_string(std::min(line.depth, deepest_indent)))
        .flag("new", is_new(line, object))
        .set("field", shortened_html(field_of(line)))
        .set("values", values)
        .set("since", since_html(*line.origin, object))
        .set("entered_by", curator);
}

// Returns the lines, below headings.
std::vector<Variables> groups_of(std::span<const Line> lines, const ObjectAt& object,
                                 const compare::References& references, const Site& site) {
    std::vector<Variables> groups;
    for (auto first = lines.begin(); first != lines.end();) {
        const auto end = std::find_if(
            first, lines.end(), [&](const Line& line) { return line.group != first->group; });
        const bool has_heading = first->group != nullptr && first->field != nullptr;
        const auto heading =
            has_heading ? shortened_html(compare::words_of_tag(first->group->text)) : "";
        std::vector<Variables> of_group;
        for (; first != end; ++first)
            of_group.push_back(variables_of(*first, object, references, site));
        groups.emplace_back().set("heading", heading).list("lines", of_group);
    }
    return groups;
}

// "12 lines, 3 of them new"
std::string summary_of(const ObjectAt& object, std::span<const Line> lines) {
    const auto fresh =
        std::ranges::count_if(lines, [&](const Line& line) { return is_new(line, object); });
    auto words = counted(lines.size(), "line", "lines");
    if (fresh > 0)
        words += ", " + with_separators(static_cast<std::size_t>(fresh)) + " of them new";
    return words;
}

// The releases to choose from, and those before and after this one.
void add_releases(Variables& variables, const ObjectAt& object, const Site& site) {
    const auto& known = object.past.releases;
    const auto here =
        std::ranges::find(known, object.release(), [](const auto& each) { return each.release; });
    if (here != known.end() && here != known.begin()) {
        const auto& earlier = std::prev(here)->release.version;
        variables.set("earlier", earlier)
            .set("earlier_url", object_at_url(object.history.object, earlier, site));
    }
    if (here != known.end() && std::next(here) != known.end()) {
        const auto& later = std::next(here)->release.version;
        variables.set("later", later)
            .set("later_url", object_at_url(object.history.object, later, site));
    }
    std::string options;
    const auto add = [&](const base::Release& release) {
        const bool is_this = release == object.release();
        options += is_this ? "<option selected>" : "<option>";
        options += as_attribute(release.version) + "</option>\n";
    };
    const auto listed = std::min(known.size(), most_choices);
    for (std::size_t i = 0; i < listed; ++i) add(known[known.size() - 1 - i].release);
    if (static_cast<std::size_t>(known.end() - here) > listed) add(object.release());
    variables.set("form_url", site.link("/object")).set("release_options", options);
}

// Where to look for an object that the release does not have.
void add_absence(Variables& variables, const ObjectAt& object, const Site& site) {
    const base::Release *before = nullptr, *after = nullptr;
    for (const auto& [release, there] : object.past.releases) {
        if (!there) continue;
        if (release < object.release()) before = &release;
        if (after == nullptr && object.release() < release) after = &release;
    }
    if (before != nullptr)
        variables.set("had_it", before->version)
            .set("had_it_url", object_at_url(object.history.object, before->version, site));
    if (after != nullptr)
        variables.set("has_it", after->version)
            .set("has_it_url", object_at_url(object.history.object, after->version, site));
    if (before != nullptr) add_fate(variables, object.history, site);
}

Variables variables_of(const ObjectAt& object, std::span<const Line> lines, const Site& site) {
    const auto& history = object.history;
    const auto label = history.object.label_or_name(object.label);
    const auto& release = object.release();
    Variables variables;
    add_object(variables, history.object, label, object.there(), site);
    variables.set("history_url", page_of(history.object, site))
        .set("json_url",
             object_at_url(object.history.object, release.version, site) + "&format=json")
        .set("release", release.version)
        .set("release_url", release_url(release.version, site))
        .set("date", date_html(release.released_on))
        .flag("absent", !object.there());
    if (object.there()) variables.set("summary", summary_of(object, lines));
    const auto is_older = [](const Origin& origin) { return origin.kind == Origin::Kind::older; };
    if (std::ranges::any_of(object.origins, is_older))
        variables.set("first_seen", object.first_seen.version);
    if (!history.rows.empty() && history.rows.front().release == release)
        variables.set("changes_url", page_of_row(history.object, release.version, site));
    if (release < history.current && (object.there() || !history.vanished))
        variables.set("current", history.current.version)
            .set("diff_url",
                 diff_url(history.object, release.version, history.current.version, site));
    add_releases(variables, object, site);
    if (!object.there()) add_absence(variables, object, site);
    return variables;
}

}  // namespace

std::optional<std::string> object_page(const ObjectView& view, const PageSite& site,
                                       const Templates& templates) {
    const auto& object = view.object;
    const auto lines = LineWalk(object).lines();
    const auto pages = pages_of(lines.size(), lines_on_page);
    if (view.page > pages) return std::nullopt;
    const auto& own = object.history.object;
    auto references = view.references;
    for (auto& each : references) each.label = shortened_to(one_line(each.label), longest_label);
    auto variables = variables_of(object, lines, site);
    variables.flag("has_lines", !lines.empty())
        .list("groups", groups_of(lines_of_page(lines, view.page), object, references, site));
    add_pager(variables, object_at_url(own, object.release().version, site), view.page, pages);
    const auto title = display_name_of(own, object.label);
    const Frame frame{.file = "object.mustache",
                      .title = title + " as of " + object.release().version,
                      .feeds = feed_links("/rss?" + query_of(own), title, site),
                      .noindex = true};
    return framed(frame, std::move(variables), site, templates);
}

std::vector<tree::ObjectName> objects_on_page(const ObjectView& view) {
    const auto lines = LineWalk(view.object).lines();
    std::set<tree::ObjectName> named;
    for (const auto& line : lines_of_page(lines, view.page))
        for (const auto* node : line.nodes)
            if (named.size() < most_objects && has_page(node->cell))
                named.insert({node->cell.class_name, node->cell.text});
    return {named.begin(), named.end()};
}

}  // namespace render
