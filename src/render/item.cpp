// SPDX-License-Identifier: MIT
#include "render/item.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/markup.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using compare::Change;
using compare::Op;
using tables::Row;
using tables::RowKind;
using tree::ObjectName;
using Path = std::vector<std::string>;

// Fills in {name}, {class} and {class_lower}. Other braces stay.
std::string with_names(std::string_view pattern, const tree::ObjectName& object) {
    std::string url;
    while (!pattern.empty()) {
        const auto brace = pattern.find('{');
        url += pattern.substr(0, brace);
        if (brace == std::string_view::npos) break;
        pattern.remove_prefix(brace);
        if (pattern.starts_with("{name}")) {
            url += base::percent_encode(object.name);
        } else if (pattern.starts_with("{class}")) {
            url += base::percent_encode(object.class_name);
        } else if (pattern.starts_with("{class_lower}")) {
            url += base::percent_encode(base::fold_ascii(object.class_name));
        } else {
            url += '{';
            pattern.remove_prefix(1);
            continue;
        }
        pattern.remove_prefix(pattern.find('}') + 1);
    }
    return url;
}

constexpr std::string_view history_page = "/history";

// The title of an item is not stored, but for its headline: participle_of, period_of, counts_of, details_of and title_of
// make it each time from what the row holds. Readers have seen it, so these functions must never give another text for a
// row (docs/design.md, "Identity").
std::string period_of(const tables::Row& row) {
    return skipped_releases(row) ? " between " + row.since + " and " + row.release.version
                                 : " in " + row.release.version;
}

std::string counts_of(const tables::Notes& notes) {
    const auto counts = tables::count_changes(notes);
    std::string text;
    const auto add = [&text](std::size_t number, std::string_view what) {
        if (number == 0) return;
        text += (text.empty() ? "" : ", ") + std::to_string(number) + " ";
        text += what;
    };
    add(counts.added, "added");
    add(counts.replaced, "replaced");
    add(counts.removed, "removed");
    return text;
}

// What follows the release. For a created, vanished or reappeared object the verb says enough.
std::string details_of(const tables::Row& row) {
    if (row.kind == RowKind::withdrawn) return ": withdrawn";
    if (row.kind != RowKind::changed && row.kind != RowKind::reconstructed) return {};
    const auto counts = counts_of(row.notes);
    const std::string details = row.kind == RowKind::reconstructed ? ", by its timestamps" : "";
    return counts.empty() ? details : details + ": " + counts;
}

bool is_tag(const tree::Cell& cell, const std::string& name) {
    return cell.kind == tree::CellKind::tag && base::equal_ignoring_case(cell.text, name);
}

std::optional<ObjectName> object_in(const tree::Cell& cell) {
    if (cell.kind != tree::CellKind::reference || cell.class_name.empty() || cell.text.empty())
        return std::nullopt;
    return ObjectName{cell.class_name, cell.text};
}

// Returns the first reference below the tags path[from …] under `nodes`.
std::optional<ObjectName> found_below(const std::vector<tree::Node>& nodes, const Path& path,
                                      std::size_t from) {
    for (const auto& node : nodes) {
        if (from == path.size()) {
            if (auto object = object_in(node.cell)) return object;
        } else if (is_tag(node.cell, path[from])) {
            if (auto object = found_below(node.children, path, from + 1)) return object;
        }
    }
    return std::nullopt;
}

// Returns the object that one side of a change has at this path, above the change or in it.
std::optional<ObjectName> found_in(const Change& change, const std::vector<tree::Node>& side,
                                   const Path& path) {
    if (side.empty()) return std::nullopt;
    const auto shared = std::min(change.path.size(), path.size());
    for (std::size_t i = 0; i < shared; ++i)
        if (!is_tag(change.path[i], path[i])) return std::nullopt;
    if (change.path.size() > path.size()) return object_in(change.path[path.size()]);
    return found_below(side, path, shared);
}

// "Merged_into" as people read it.
std::string text_of_path(const Path& path) {
    auto words = path.back();
    std::ranges::replace(words, '_', ' ');
    return one_line(words);
}

std::optional<Successor> found_at(const Row& row, const Path& path) {
    if (path.empty()) return std::nullopt;
    for (const auto& change : row.notes.changes) {
        const auto& side = row.kind == RowKind::vanished ? change.before : change.after;
        if (auto object = found_in(change, side, path); object && *object != row.object)
            return Successor{text_of_path(path), std::move(*object)};
    }
    return std::nullopt;
}

// True if the row removed the object at one of the paths.
bool takes_back(const Row& row, const std::vector<Path>& paths) {
    return std::ranges::any_of(row.notes.changes, [&](const Change& change) {
        return change.op == Op::removed && std::ranges::any_of(paths, [&](const Path& path) {
                   return change.path.size() <= path.size() &&
                          found_in(change, change.before, path);
               });
    });
}

std::vector<std::string> categories_of(const Row& row) {
    constexpr std::size_t most_categories = 7;
    std::vector<std::string> categories = {plain_line(row.object.class_name),
                                           std::string(tables::name_of(row.kind))};
    for (const auto& change : row.notes.changes) {
        const auto& sides = change.before.empty() ? change.after : change.before;
        if (change.path.empty() && sides.empty()) continue;
        const auto& first = change.path.empty() ? sides.front().cell : change.path.front();
        if (first.kind != tree::CellKind::tag) continue;
        auto tag = plain_line(first.text);
        if (!tag.empty() && std::ranges::find(categories, tag) == categories.end())
            categories.push_back(std::move(tag));
        if (categories.size() == most_categories) break;
    }
    return categories;
}

constexpr std::size_t most_curators = 20;

// Collects users in the order of the nodes. A timestamp that equals the one before is not parsed.
class Curators {
   public:
    //   since  timestamps of earlier days do not count
    Curators(const query::People& people, const Site& site,
             const std::optional<base::Date>& since)
        : people_(people), site_(site), since_(since) {}

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
        if (!known || !is_of_change(stamp, since_)) return;
        auto curator = curator_of(known->by, people_, site_);
        if (curator.name.empty() || std::ranges::find(curators_, curator) != curators_.end())
            return;
        curators_.push_back(std::move(curator));
    }

    const query::People& people_;
    const Site& site_;
    const std::optional<base::Date>& since_;
    std::string_view last_;
    std::vector<Curator> curators_;
};

}  // namespace

std::string_view participle_of(RowKind kind) {
    return kind == RowKind::reconstructed ? "changed" : tables::name_of(kind);
}

bool is_web_url(std::string_view url) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (url.size() > scheme.size() &&
            base::equal_ignoring_case(url.substr(0, scheme.size()), scheme))
            return true;
    return false;
}

std::string suffix_of(std::size_t number) { return "-c" + std::to_string(number); }

std::string guid_of(const tables::Row& row, std::string_view authority) {
    std::string guid = "tag:";
    guid += authority;
    base::append_percent_encoded(guid += ':', row.object.class_name);
    base::append_percent_encoded(guid += '/', row.object.name);
    base::append_percent_encoded(guid += '/', row.release.version);
    // Readers see /2 as a new item.
    if (row.revision > 0) guid += "/" + std::to_string(row.revision + 1);
    return guid;
}

std::string page_of(const tree::ObjectName& object, const Site& site) {
    constexpr std::size_t parameters = 50;  // that may follow
    std::string url;
    url.reserve(site.link_base().size() + history_page.size() + object.class_name.size() +
                object.name.size() + parameters);
    url.append(site.link_base()).append(history_page).append("?class=");
    base::append_percent_encoded(url, object.class_name);
    base::append_percent_encoded(url += "&name=", object.name);
    return url;
}

void append_page_of(std::string& html, std::string_view class_name, std::string_view name,
                    const Site& site) {
    append_html(html, site.link_base());
    // What is percent-encoded needs no escape.
    base::append_percent_encoded(html.append(history_page).append("?class="), class_name);
    base::append_percent_encoded(html += "&amp;name=", name);
}

std::string item_url_of(const tables::Row& row, const Site& site) {
    auto url = page_of(row.object, site);
    base::append_percent_encoded(url += "&at=", row.release.version);
    return url;
}

std::string object_url_of(const tree::ObjectName& object, const Site& site) {
    if (object.class_name.empty() || object.name.empty()) return {};
    const auto own = site.object_url_of_class.find(object.class_name);
    const auto& pattern = own == site.object_url_of_class.end() ? site.object_url : own->second;
    auto url = with_names(pattern, object);
    return is_web_url(url) ? url : std::string();
}

bool skipped_releases(const tables::Row& row) {
    return !row.since.empty() && !row.notes.previous.empty() && row.since != row.notes.previous;
}

std::string title_of(const tables::Row& row, const query::HistoryPage& page) {
    const auto& label = row.object.label_or_name(row.label);
    if (row.notes.headline.empty())
        return plain_line(
            row.object.class_name + " " + label + " " +
            std::string(row.kind == RowKind::withdrawn ? "changed" : participle_of(row.kind)) +
            period_of(row) + details_of(row));
    const std::string how = row.kind == RowKind::reconstructed ? ", by timestamps: " : ": ";
    const auto what =
        is_mass_change(row, page)
            ? "only a change shared by most objects of class " + row.object.class_name
            : row.notes.headline;
    return plain_line(label + period_of(row) + how + what);
}

std::optional<Successor> successor_of(const Row& row, const Site& site) {
    if (row.kind == RowKind::vanished && row.renamed_to)
        return Successor{"Probably renamed to", *row.renamed_to};
    const auto paths = site.successor_of_class.find(row.object.class_name);
    if (paths == site.successor_of_class.end()) return std::nullopt;
    for (const auto& path : paths->second)
        if (auto successor = found_at(row, path)) return successor;
    return std::nullopt;
}

std::optional<Successor> successor_of(const query::History& history, const Site& site) {
    const auto paths = site.successor_of_class.find(history.object.class_name);
    for (const auto& row : history.rows) {
        if (auto successor = successor_of(row, site)) return successor;
        // Older rows no longer apply.
        if (row.kind == RowKind::created || row.kind == RowKind::reappeared) break;
        if (row.kind != RowKind::vanished && paths != site.successor_of_class.end() &&
            takes_back(row, paths->second))
            break;
    }
    return std::nullopt;
}

Curator curator_of(std::string_view user, const query::People& people, const Site& site) {
    const auto found = people.find(user);
    if (found == people.end()) return {one_line(user), {}};
    return {one_line(found->second.label), object_url_of(found->second.object, site)};
}

bool is_of_change(std::string_view stamp, const std::optional<base::Date>& since) {
    if (!since) return true;
    const auto known = tree::parse_stamp(stamp);
    return !known || std::chrono::floor<std::chrono::days>(known->at) >= *since;
}

std::vector<Curator> curators_of(const tables::Row& row, const query::HistoryPage& page,
                                 const Site& site) {
    if (site.hide_curators) return {};
    Curators curators(page.people, site, row.since_on);
    for (const auto& change : row.notes.changes)
        if (!page.filter.is_set() || page.filter.shows(change)) curators.collect(change.after);
    return std::move(curators).take();
}

FeedItem feed_item_of(const Row& row, const query::HistoryPage& page, const Site& site) {
    // All items of a release have one date. The fraction differs by object, the second by release of that day.
    const auto time = time_with_fraction(
        base::Seconds(row.release.released_on) + std::chrono::seconds(row.of_day), row.oid);
    return {.guid = guid_of(row, site.authority),
            .url = item_url_of(row, site),
            .title = title_of(row, page),
            .content = content_of(row, page, site),
            .summary = plain_line(summary_of(row, page)),
            .published = row.release.released_on,
            .atom_published = time,
            .atom_updated = time,
            .authors = curators_of(row, page, site),
            .categories = categories_of(row)};
}

std::string time_with_fraction(base::Seconds second, std::int64_t number) {
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    auto time = base::format_rfc3339(second);
    const auto fraction = std::to_string(number % nanoseconds);
    time.back() = '.';  // replaces the Z
    return time + std::string(9 - fraction.size(), '0') + fraction + "Z";
}

}  // namespace render
