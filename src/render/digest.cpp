// SPDX-License-Identifier: MIT
#include "render/digest.hpp"

#include <algorithm>
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
std::string outcome_of(const tables::Row& row) {
    if (row.kind != RowKind::changed && row.kind != RowKind::reconstructed)
        return std::string(participle_of(row.kind));
    return row.notes.headline.empty() ? "changed" : row.notes.headline;
}

bool follows_others(const tables::Row& row, const query::HistoryPage& page, const Site& site) {
    if (row.kind != RowKind::changed || row.notes.changes.empty() || !row.notes.is_whole())
        return false;
    const auto document = field_document(row, page, site);
    return document.groups.empty() && document.minor.empty() && document.filtered == 0;
}

// "2 of 12 objects changed, 1 vanished", "3 objects of class Gene created"
std::string counts_of(const Digest& digest) {
    const auto& counts = digest.counts;
    std::string text;
    const auto add = [&](std::size_t number, std::string_view what) {
        if (number == 0) return;
        if (!text.empty()) {
            text += ", " + with_separators(number);
        } else {
            text = digest.counts_all ? "" : "More than ";
            text += digest.objects > 1 ? with_separators(number) + " of " +
                                             with_separators(digest.objects) + " objects"
                                       : counted(number, "object", "objects");
            if (!digest.class_name.empty()) text += " of class " + digest.class_name;
        }
        text.append(" ").append(what);
    };
    add(counts.changed, "changed");
    add(counts.created, "created");
    add(counts.vanished, "vanished");
    add(counts.reappeared, "reappeared");
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

// Writes a digest block by block, a line each.
class DigestWriter {
   public:
    DigestWriter(const Digest& digest, const Site& site) : digest_(digest), site_(site) {}

    std::string write() && {
        const auto heading = heading_of(digest_);
        html_ = "<!DOCTYPE html>\n<html lang=\"" + as_html(site_.language) +
                "\"><head><meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
                as_html(heading) +
                "</title></head>\n<body style=\"font-family:sans-serif;line-height:1.45;"
                "max-width:48em;overflow-wrap:anywhere\">\n<h1 style=\"font-size:1.4em\">" +
                as_html(heading) + "</h1>\n";
        write_introduction();
        write_items();
        write_titles();
        write_end();
        return std::move(html_);
    }

   private:
    void write_introduction() {
        const bool is_list = digest_.class_name.empty();
        html_ += "<p>" +
                 as_html(std::string("This is what changed in ") +
                         (is_list ? "your " + counted(digest_.objects, "object", "objects")
                                  : "class " + digest_.class_name) +
                         " since " + digest_.since + ".") +
                 "</p>\n";
        if (digest_.is_incomplete)
            html_ += "<p><b>Some objects could not be read, so their newest changes may be "
                     "missing.</b></p>\n";
        if (!digest_.unknown.empty()) {
            constexpr std::size_t most_named = 20;
            const auto count = std::min(digest_.unknown.size(), most_named);
            const std::vector<std::string> named(digest_.unknown.begin(),
                                                 digest_.unknown.begin() +
                                                     static_cast<std::ptrdiff_t>(count));
            html_ += "<p><b>" +
                     counted(digest_.unknown.size(), "name in the list does not identify",
                             "names in the list do not identify") +
                     " a single object: " + as_html(base::join(named, ", ")) +
                     (count < digest_.unknown.size() ? ", …" : "") +
                     ". Names may have changed, or several objects may share one.</b></p>\n";
        }
        if (digest_.page_url.empty()) return;
        html_ += "<p>";
        append_link(html_, digest_.page_url,
                    (is_list ? "All of these objects" : "Class " + digest_.class_name) + " in " +
                        title());
        html_ += "</p>\n";
    }

    // Items without content, and those for which no room is left, are noted for write_titles().
    void write_items() {
        const base::Release* release = nullptr;
        std::size_t taken = 0;
        for (const auto& item : digest_.items) {
            const auto bytes = item.title.size() + item.url.size() + item.content.size() + 100;
            if (item.only_follows || taken + bytes > most_digest_bytes) {
                (item.only_follows ? following_ : shortened_).push_back(&item);
                continue;
            }
            taken += bytes;
            if (release == nullptr || *release != item.release)
                html_ += "<h2 style=\"font-size:1.2em\">" + as_html(item.release.version) + ", " +
                         base::format_date(item.release.released_on) + "</h2>\n";
            release = &item.release;
            html_ += "<h3 style=\"font-size:1em\">" + link_html(item.url, item.title) +
                     "</h3>\n" + item.content + "\n";
        }
    }

    void write_titles() {
        write_list("Also changed", shortened_);
        write_list("Changed only because others did", following_);
        const auto left_out = digest_.left_out + more_;
        if (left_out == 0) return;
        html_ += "<p>" +
                 as_html(counted(left_out, "more item is", "more items are") +
                         " not in this mail. See the pages of the releases:") +
                 "</p>\n<p>";
        constexpr std::size_t most_releases = 10;
        std::size_t listed = 0;
        for (auto it = digest_.releases.rbegin();
             it != digest_.releases.rend() && listed < most_releases; ++it, ++listed) {
            if (listed > 0) html_ += " | ";
            append_link(html_, site_.base_url + "/release/" + base::percent_encode(it->version),
                        "Changes in " + it->version);
        }
        html_ += "</p>\n";
    }

    void write_list(std::string_view heading, const std::vector<const DigestItem*>& items) {
        if (items.empty()) return;
        const auto room = most_titles - std::min(most_titles, titles_);
        const auto shown = std::min(room, items.size());
        titles_ += shown;
        more_ += items.size() - shown;
        if (shown == 0) return;
        html_ += "<h2 style=\"font-size:1.2em\">" + as_html(heading) + "</h2>\n<ul>\n";
        for (std::size_t i = 0; i < shown; ++i)
            html_ += "<li>" + link_html(items[i]->url, items[i]->title) + "</li>\n";
        html_ += "</ul>\n";
    }

    void write_end() {
        html_ += "<hr>\n<p>";
        append_link(html_, site_.base_url + "/", title());
        html_ += "</p>\n";
        if (!site_.contact.empty())
            html_ += "<p>Questions: " + as_html(one_line(site_.contact)) + "</p>\n";
        html_ += "</body></html>\n";
    }

    std::string title() const {
        auto title = plain_line(site_.title);
        return title.empty() ? site_.base_url : title;
    }

    const Digest& digest_;
    const Site& site_;
    std::string html_;
    std::vector<const DigestItem*> following_, shortened_;
    std::size_t titles_ = 0;  // that are written
    std::size_t more_ = 0;    // that were not
};

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
    return {row.release,
            row.object,
            row.kind,
            plain_line(row.object.label_or_name(row.label) + " " + outcome_of(row)),
            title_of(row, page),
            page_of_row(row.object, row.release.version, site),
            content_of(row, page, site),
            follows_others(row, page, site)};
}

bool comes_first(const DigestItem& a, const DigestItem& b) {
    if (a.release != b.release) return a.release > b.release;
    return std::tie(a.only_follows, a.object) < std::tie(b.only_follows, b.object);
}

void count(DigestCounts& counts, RowKind kind) {
    switch (kind) {
        case RowKind::created: ++counts.created; return;
        case RowKind::vanished: ++counts.vanished; return;
        case RowKind::reappeared: ++counts.reappeared; return;
        case RowKind::changed:
        case RowKind::reconstructed:
        case RowKind::withdrawn: break;
    }
    ++counts.changed;
}

std::string subject_of(const Digest& digest) {
    const auto only_one = digest.items.size() == 1 && digest.left_out == 0;
    if (only_one && digest.objects == 1)
        return std::string(base::cut_at(digest.items.front().title, longest_subject));
    auto subject = plain_line(heading_of(digest));
    std::set<tree::ObjectName> named;
    for (const auto& item : digest.items) {
        if (item.only_follows || named.contains(item.object)) continue;
        const auto between = named.empty() ? ": " : "; ";
        if (subject.size() + item.words.size() + 2 * ellipsis.size() > longest_subject) {
            const auto room = longest_subject - 2 * ellipsis.size();
            if (named.empty() && subject.size() + 2 < room)
                subject.append(between).append(
                    base::cut_at(item.words, room - subject.size() - 2));
            return subject.append(named.empty() ? "" : between).append(ellipsis);
        }
        subject.append(between).append(item.words);
        named.insert(item.object);
    }
    return digest.left_out > 0 ? subject.append("; ").append(ellipsis) : subject;
}

std::string html_of(const Digest& digest, const Site& site) {
    return DigestWriter(digest, site).write();
}

std::string message_id_of(const Digest& digest, const Site& site) {
    const auto& newest = digest.releases.empty() ? "" : digest.releases.rbegin()->version;
    const auto parts = std::vector<std::string>{digest.id, digest.since, newest};
    return "varve." + base::sha256_hex(base::join(parts, "\n")).substr(0, 32) + "@" +
           domain_of(site.authority);
}

}  // namespace render
