// SPDX-License-Identifier: MIT
#include "render/digest.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/page.hpp"

namespace render {
namespace {

using tables::RowKind;

constexpr std::size_t longest_subject = 250;         // bytes
constexpr std::size_t most_digest_bytes = 64 << 10;  // of the contents of items
constexpr std::size_t most_titles = 100;             // of items without content

// "vanished", or what its changes say.
std::string news_of(const tables::Row& row) {
    if (row.kind != RowKind::changed && row.kind != RowKind::reconstructed)
        return std::string(participle_of(row.kind));
    return row.headline.title.empty() ? "changed" : row.headline.title;
}

// "2 of 12 objects changed, 1 vanished", "3 objects of class Gene created"
std::string counts_of(const Digest& digest) {
    std::string text;
    for (const auto* what : {"changed", "created", "vanished", "reappeared"}) {
        const auto found = digest.outcomes.find(what);
        if (found == digest.outcomes.end()) continue;
        const auto number = found->second;
        if (!text.empty()) {
            text += ", " + with_separators(number);
        } else {
            text = digest.counts_all ? "" : "More than ";
            text += digest.objects > 1 ? with_separators(number) + " of " +
                                             with_separators(digest.objects) + " objects"
                                       : counted(number, "object", "objects");
            if (!digest.class_name.empty())
                text += " of class " + isolated_line(digest.class_name);
        }
        text.append(" ").append(what);
    }
    return text;
}

// " in WS188", " in WS187 and WS188", " since WS180"
std::string period_of(const Digest& digest) {
    const auto& releases = digest.counted_releases;
    if (releases.size() > 2) return " since " + digest.since;
    std::string text;
    for (const auto& release : releases)
        text += (text.empty() ? " in " : " and ") + release.version;
    return text;
}

// The heading: how much changed in which period, without the objects.
std::string heading_of(const Digest& digest) {
    const bool all_follow =
        digest.left_out == 0 && std::ranges::all_of(digest.items, &DigestItem::only_follows);
    return counts_of(digest) + period_of(digest) +
           (all_follow ? " (only because others changed)" : "");
}

// Returns the first titles of items as a list.
//   room  how many titles the mail still has room for; left_out  counts those that it has no room for
std::string titles_of(const std::vector<const DigestItem*>& items, std::size_t& room,
                      std::size_t& left_out) {
    const auto shown = std::min(room, items.size());
    room -= shown;
    left_out += items.size() - shown;
    return first_of(items, shown, [](std::string& html, const DigestItem* item) {
        html += (html.empty() ? "<li>" : "\n<li>") + link_html(item->url, item->title) + "</li>";
    });
}

// Sets the items. Those that only follow others, and those that the mail has no room for, have their titles alone.
void add_items(Variables& variables, const Digest& digest, const Site& site) {
    std::vector<const DigestItem*> following, shortened;
    std::vector<Variables> items;
    const base::Release* release = nullptr;
    std::size_t taken = 0;
    for (const auto& item : digest.items) {
        const auto bytes = item.title.size() + item.url.size() + item.content.size() + 100;
        if (item.only_follows || taken + bytes > most_digest_bytes) {
            (item.only_follows ? following : shortened).push_back(&item);
            continue;
        }
        taken += bytes;
        const bool begins = release == nullptr || *release != item.release;
        release = &item.release;
        items.emplace_back()
            .set("release", begins ? release->version : "")
            .set("date", date_html(release->released_on))
            .set("url", item.url)
            .set("title", item.title)
            .set("content", item.content);
    }
    auto room = most_titles, left_out = digest.left_out;
    variables.list("items", items)
        .set("shortened", titles_of(shortened, room, left_out))
        .set("following", titles_of(following, room, left_out));
    if (left_out == 0) return;
    constexpr std::size_t most_releases = 10;
    const std::vector<base::Release> newest(digest.releases.rbegin(), digest.releases.rend());
    variables.set("left_out", counted(left_out, "more item is", "more items are"))
        .set("releases",
             first_of(newest, most_releases, [&](std::string& html, const base::Release& each) {
                 html += html.empty() ? "" : " | ";
                 html += link_html(release_url(each.version, site), "Changes in " + each.version);
             }));
}

// Returns the domain of an authority such as "wormbase.org,2007" or "x@wormbase.org,2007", as the right
// side of a Message-ID takes it: without empty parts.
std::string domain_of(std::string_view authority) {
    const auto name = authority.substr(0, authority.find(','));
    std::string domain;
    for (const auto part : base::split(name.substr(name.rfind('@') + 1), '.')) {
        if (part.empty()) continue;
        domain += domain.empty() ? "" : ".";
        domain += part;
    }
    return domain.empty() ? "varve.invalid" : domain;
}

}  // namespace

DigestItem digest_item_of(const tables::Row& row, const query::HistoryPage& page,
                          const Site& site) {
    return {
        row.release,
        row.object,
        plain_sentence(isolated_line(row.object.label_or_name(row.label)) + " " + news_of(row)),
        title_of(row),
        page_of_row(row.object, row.release.version, site),
        content_of(row, page, site),
        row.headline.rank == compare::Rank::echo};
}

bool comes_first(const DigestItem& a, const DigestItem& b) {
    if (a.release != b.release) return a.release > b.release;
    return std::tie(a.only_follows, a.object) < std::tie(b.only_follows, b.object);
}

std::string_view outcome_of(RowKind kind) {
    const bool is_change = kind == RowKind::reconstructed || kind == RowKind::withdrawn;
    return is_change ? "changed" : tables::name_of(kind);
}

std::string subject_of(const Digest& digest) {
    const auto only_one = digest.items.size() == 1 && digest.left_out == 0;
    if (only_one && digest.objects == 1)
        return base::isolated(base::cut_at(digest.items.front().title, longest_subject));
    auto subject = plain_sentence(heading_of(digest));
    std::set<tree::ObjectName> named;
    for (const auto& item : digest.items) {
        if (item.only_follows || named.contains(item.object)) continue;
        const auto between = named.empty() ? ": " : "; ";
        if (subject.size() + item.words.size() + 2 * ellipsis.size() > longest_subject) {
            const auto room = longest_subject - 2 * ellipsis.size();
            if (named.empty() && subject.size() + 2 < room)
                subject.append(between).append(
                    base::isolated(base::cut_at(item.words, room - subject.size() - 2)));
            return subject.append(named.empty() ? "" : between).append(ellipsis);
        }
        subject.append(between).append(item.words);
        named.insert(item.object);
    }
    return digest.left_out > 0 ? subject.append("; ").append(ellipsis) : subject;
}

std::string html_of(const Digest& digest, const Site& site, const Templates& templates) {
    constexpr std::size_t most_named = 20;
    const bool is_list = digest.class_name.empty();
    std::vector<std::string> unknown;
    for (const auto& name : digest.unknown)
        if (unknown.size() < most_named) unknown.push_back(isolated_line(name));
    auto title = plain_line(site.title);
    Variables variables;
    variables.set("language", site.language)
        .set("site_title", title.empty() ? site.base_url : title)
        .set("home_url", site.link("/"))
        .set("contact", one_line(site.contact))
        .set("heading", heading_of(digest))
        .set("covered", is_list ? "your " + counted(digest.objects, "object", "objects")
                                : "class " + digest.class_name)
        .set("since", digest.since)
        .flag("incomplete", digest.is_incomplete)
        .set("unknown_names",
             base::join(unknown, ", ") + (digest.unknown.size() > most_named ? ", …" : ""))
        .set("page_url", digest.page_url)
        .set("page_words", is_list ? "All of these objects" : "Class " + digest.class_name);
    if (!unknown.empty())
        variables.set("unknown",
                      counted(digest.unknown.size(), "name in the list does not identify",
                              "names in the list do not identify"));
    add_items(variables, digest, site);
    return templates.fill("mail.mustache", variables);
}

std::string message_id_of(const Digest& digest, const Site& site) {
    const auto& newest = digest.releases.empty() ? "" : digest.releases.rbegin()->version;
    const auto parts = std::vector<std::string>{digest.id, digest.since, newest};
    return "varve." + base::sha256_hex(base::join(parts, "\n")).substr(0, 32) + "@" +
           domain_of(site.authority);
}

}  // namespace render
