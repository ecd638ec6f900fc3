// SPDX-License-Identifier: MIT
#include "render/page.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "render/pages.hpp"
#include "render/successor.hpp"

namespace render {
namespace {

// The digest makes browsers load the file again after the templates changed.
std::string file_url(std::string_view name, const Site& site, const Templates& templates) {
    return site.link("/") + std::string(name) + "?v=" + templates.digest().substr(0, 8);
}

std::string mail_url(std::string_view contact) {
    if (contact.empty()) return {};
    const auto at = contact.rfind('@');
    if (at == std::string_view::npos) return "mailto:" + base::percent_encode(contact);
    return "mailto:" + base::percent_encode(contact.substr(0, at)) + "@" +
           base::percent_encode(contact.substr(at + 1));
}

// A page has its title several times, and the longest names take 3 KB in HTML.
std::string short_title(std::string_view title) {
    return base::isolated(shortened_to(one_line(title), 200));
}

// Twenty choices of the longest names must fit on a page.
std::string text_of_choice(const PageChoice& choice) {
    return shortened_to(one_line(choice.text), 120);
}

// Returns what a row says that people call an object that it names; empty: nothing.
std::string label_in(const query::History& history, const tree::ObjectName& object) {
    const tree::Cell cell{tree::CellKind::reference, object.name, object.class_name};
    for (const auto& row : history.rows)
        if (const auto* found = compare::reference_of(row.notes.references, cell))
            return found->label;
    return {};
}

}  // namespace

std::vector<Variables> feed_links(const std::string& path, std::string_view title,
                                  const Site& site, First first) {
    // A longer address, of a watch list, takes too much of the page to be there once more.
    constexpr std::size_t longest_shown = 2'000;
    const auto mark = path.find('?') == std::string::npos ? "?" : "&";
    std::vector<Variables> links;
    for (const auto& format : formats()) {
        auto url = path;
        if (!links.empty() || first == First::named)
            url += mark + ("format=" + std::string(format.name));
        const auto address = site.base_url + url;
        const bool is_topic = !site.hub_url.empty() && address.size() <= longest_topic;
        links.emplace_back()
            .set("feed_url", site.link(url))
            .set("feed_address", address)
            .set("copied_address", address.size() <= longest_shown ? address : "")
            .set("topic_url", is_topic ? address : "")
            .set("feed_type", std::string(format.media_type))
            .set("feed_format", std::string(format.title))
            .set("feed_title", short_title(title) + " (" + std::string(format.title) + ")");
    }
    return links;
}

std::vector<std::pair<std::size_t, std::string_view>> numbers_of(const compare::Counts& counts) {
    std::vector<std::pair<std::size_t, std::string_view>> numbers = {
        {counts.added, "added"}, {counts.replaced, "replaced"}, {counts.removed, "removed"}};
    std::erase_if(numbers, [](const auto& each) { return each.first == 0; });
    return numbers;
}

std::string counts_text(const compare::Counts& counts) {
    std::string text;
    for (const auto& [number, what] : numbers_of(counts))
        text.append(text.empty() ? "" : ", ").append(with_separators(number) + " ").append(what);
    return text;
}

std::string counts_html(const compare::Counts& counts) {
    std::string html;
    for (const auto& [number, what] : numbers_of(counts))
        html += (html.empty() ? "<span class=\"" : ", <span class=\"") + std::string(what) +
                "\">" + with_separators(number) + " " + std::string(what) + "</span>";
    return html;
}

std::string_view participle_of(tables::RowKind kind) {
    return kind == tables::RowKind::reconstructed ? "changed" : tables::name_of(kind);
}

std::string_view word_of(tables::RowKind kind) {
    return kind == tables::RowKind::reconstructed ? "read from timestamps"
                                                  : tables::name_of(kind);
}

bool says_enough(tables::RowKind kind) {
    return kind == tables::RowKind::created || kind == tables::RowKind::vanished;
}

std::string kind_html(tables::RowKind kind, std::string_view words) {
    return "<span class=\"kind " + std::string(tables::name_of(kind)) + "\">" +
           std::string(words) + "</span>";
}

std::string what_happened_html(tables::RowKind kind, const std::string& headline,
                               const compare::Counts& counts) {
    const bool tells = kind != tables::RowKind::vanished && !headline.empty();
    // That it changed goes without saying where its changes follow.
    if (tells && kind == tables::RowKind::changed) return as_html(headline);
    auto html = kind_html(kind, word_of(kind));
    if (tells) return html + ": " + as_html(headline);
    if (says_enough(kind)) return html;
    const auto in_numbers = counts_html(counts);
    return in_numbers.empty() ? html : html + ": " + in_numbers;
}

// " (241 only as most of their class, 3 only because others did)"; of all that changed, " only because others did".
std::string words_of(const tables::QuietCount& quiet, std::uint64_t changed) {
    constexpr const char *mass = " only as most of their class",
                         *echoes = " only because others did";
    if (changed > 0 && quiet.mass == changed) return mass;
    if (changed > 0 && quiet.echoes == changed) return echoes;
    std::string words;
    if (quiet.mass > 0) words = with_separators(quiet.mass) + mass;
    if (quiet.echoes > 0)
        words += (words.empty() ? "" : ", ") + with_separators(quiet.echoes) + echoes;
    return words.empty() ? words : " (" + words + ")";
}

std::string words_of(const std::vector<tables::KindCount>& kinds,
                     const tables::QuietCount& quiet) {
    std::string text;
    for (const auto& [kind, objects] : kinds) {
        text += (text.empty() ? "" : ", ") + with_separators(objects) + " ";
        text += participle_of(kind);
        if (kind == tables::RowKind::changed) text += words_of(quiet, objects);
    }
    return text;
}

std::string words_of(const query::ReleaseSummary& summary) {
    auto text = words_of(summary.kinds, summary.quiet);
    if (!text.empty()) {
        text.insert(text.find(' '), summary.kinds.front().objects == 1 ? " object" : " objects");
        if (!summary.is_compared) text += " so far";
    }
    const auto add = [&text](const std::string& words) {
        text += (text.empty() ? "" : ", ") + words;
    };
    if (summary.is_first_seen) add("first release seen");
    if (summary.reconstructed > 0)
        add(counted(summary.reconstructed, "history", "histories") + " read from timestamps");
    if (!text.empty()) return text;
    return summary.is_compared ? "no change recorded" : "not compared yet";
}

std::string words_of_change(const query::ReleaseContents::Entry& entry, const Site& site) {
    const auto link = [&](const tree::ObjectName& other) {
        return "<a href=\"" + as_attribute(page_of(other, site)) + "\">" +
               shortened_html(other.name) + "</a>";
    };
    if (const auto& old_name = entry.renamed_from)
        return kind_html(entry.kind, "renamed") + ", was " + link(*old_name);
    if (const auto& new_name = entry.renamed_to)
        return kind_html(entry.kind, "renamed") + ", now " + link(*new_name);
    return what_happened_html(entry.kind, entry.headline, entry.counts);
}

std::string relation_html(std::string_view words, const tree::ObjectName& other,
                          const Site& site) {
    return as_html(words) + " " +
           link_html(page_of(other, site), other.class_name + " " + other.name);
}

void add_object(Variables& variables, const tree::ObjectName& object, const std::string& label,
                bool is_there, const Site& site) {
    variables.set("class_name", object.class_name)
        .set("name", object.name)
        .set("label", label)
        .set("other_name", label == object.name ? "" : object.name)
        .set("object_url", is_there ? object_url_of(object, site) : "");
}

void add_fate(Variables& variables, const query::History& history, const Site& site) {
    const bool has_row = history.vanished && !history.rows.empty() &&
                         history.rows.front().kind == tables::RowKind::vanished;
    if (has_row) {
        const auto& release = history.rows.front().release;
        variables.set("vanished_in", release.version)
            .set("vanished_in_url", release_url(release.version, site))
            .set("vanished_on", date_html(release.released_on));
    }
    const auto successor = successor_of(history, site);
    if (!successor) return;
    const auto& other = successor->object;
    const auto full = other.class_name + " " + other.name;
    const auto called = label_in(history, other);
    variables.set("successor", called.empty() ? full : called)
        .set("successor_id", called.empty() ? "" : full)
        .set("successor_words", successor->words)
        .set("successor_url", page_of(other, site));
}

std::string framed(const Frame& frame, Variables variables, const PageSite& site,
                   const Templates& templates) {
    const auto& feeds = frame.feeds;
    const auto first = feeds.begin(), second = feeds.empty() ? first : first + 1;
    variables.set("language", site.language)
        .set("title", short_title(frame.title))
        .set("site_title", one_line(site.title))
        .set("home_url", site.link("/"))
        .set("releases_url", site.link("/releases"))
        .set("watch_list_url", site.link("/watch"))
        .set("contact", site.contact)
        .set("contact_url", mail_url(site.contact))
        .set("style_url", file_url("style.css", site, templates))
        .set("script_url", file_url("varve.js", site, templates))
        .set("suggest_url", site.link("/suggest"))
        .flag("noindex", frame.noindex)
        .flag("private", site.is_private)
        .set("search_text", frame.search_text)
        .set("hub_url", site.hub_url)
        .list("feeds", feeds)
        .list("first_feed", {first, second})
        .list("more_feeds", {second, feeds.end()});
    variables.set("content", templates.fill(frame.file, variables));
    return templates.fill("layout.mustache", variables);
}

void add_pager(Variables& variables, const std::string& base, std::size_t page,
               std::size_t pages) {
    if (pages == 1) return;
    const auto url = [&base](std::size_t number) {
        const auto mark = base.find('?') == std::string::npos ? "?page=" : "&page=";
        return number == 1 ? base : base + mark + std::to_string(number);
    };
    if (page > 1) variables.set("previous_url", url(page - 1));
    if (page < pages) variables.set("next_url", url(page + 1));
    variables.set("page", "Page " + with_separators(page) + " of " + with_separators(pages));
}

std::string key_of(const tree::ObjectName& object) {
    return object.class_name + ":" + object.name;
}

std::string named_html(const query::Named& named, std::string_view url) {
    const auto& [class_name, name] = named.object;
    const auto label = named.object.label_or_name(named.label);
    return "<span class=\"class\">" + as_html(class_name) + "</span> <a href=\"" +
           as_attribute(url) + "\">" + shortened_html(label) + "</a>" +
           (label == name ? "" : " <span class=\"id\">" + shortened_html(name) + "</span>");
}

Variables variables_of(const query::Named& named, const Site& site) {
    constexpr std::size_t longest = 80;
    return Variables()
        .set("object", named_html(named, page_of(named.object, site)))
        .set("object_key", key_of(named.object))
        .set("short_name",
             std::string(base::cut_at(named.object.label_or_name(named.label), longest)));
}

std::string class_options(const std::vector<std::string>& classes, const std::string& chosen) {
    constexpr std::size_t most = 200;
    // If there are too many to choose from, the page has a text field instead.
    if (classes.size() > most) return {};
    std::string options;
    const auto add = [&](const std::string& name) {
        options += (name == chosen ? "<option selected>" : "<option>") + as_attribute(name) +
                   "</option>\n";
    };
    for (const auto& name : classes) add(name);
    if (!chosen.empty() && std::ranges::find(classes, chosen) == classes.end()) add(chosen);
    return options;
}

void add_results(Variables& variables, std::span<const query::Match> found,
                 std::span<const tree::ObjectName> watched, const Site& site) {
    std::vector<Variables> results;
    for (const auto& match : found)
        results.push_back(
            variables_of(query::Named{match.object, match.label}, site)
                .flag("gone", match.vanished)
                .set("gone_in", match.vanished_in)
                .set("object_feed", site.link("/rss?") + query_of(match.object))
                .flag("is_watched", std::ranges::binary_search(watched, match.object)));
    variables.flag("found", !results.empty()).list("results", results);
}

std::string error_page(int status, std::string_view title, std::string_view text,
                       const PageSite& site, const Templates& templates,
                       std::span<const PageChoice> choices) {
    std::vector<Variables> links;
    for (const auto& choice : choices)
        links.emplace_back()
            .set("text", text_of_choice(choice))
            .set("url", site.link(choice.url));
    Variables variables;
    variables.set("status", std::to_string(status))
        .set("reason", plain_line(title))
        .set("explanation", std::string(text))
        .flag("has_choices", !links.empty())
        .list("choices", std::move(links));
    const Frame frame{.file = "error.mustache",
                      .title = std::to_string(status) + " " + std::string(title),
                      .noindex = true};
    return framed(frame, std::move(variables), site, templates);
}

std::string error_text(int status, std::string_view title, std::string_view text,
                       const Site& site, std::span<const PageChoice> choices) {
    auto lines = std::to_string(status) + " " + plain_line(title) + "\n\n" +
                 base::without_directions(base::legal_text(text)) + "\n";
    for (const auto& choice : choices)
        lines += "\n" + text_of_choice(choice) + "\n" + site.base_url + choice.url + "\n";
    return lines;
}

}  // namespace render
