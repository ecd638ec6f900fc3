// SPDX-License-Identifier: MIT
#include "render/templates.hpp"

#include <algorithm>
#include <array>
#include <kainjow/mustache.hpp>
#include <optional>
#include <set>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/markup.hpp"

namespace render {

// Returns the files of templates/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& template_files();

namespace {

namespace mustache = kainjow::mustache;

constexpr auto everywhere = std::to_array<std::string_view>(
    {"language",          "title",        "site_title",    "home_url",       "releases_url",
     "watch_list_url",    "contact",      "contact_url",   "style_url",      "script_url",
     "suggest_url",       "noindex",      "private",       "search_text",    "feeds",
     "feed_url",          "feed_address", "feed_type",     "feed_title",     "feed_format",
     "hub_url",           "topic_url",    "subscribe_url", "subscribe_type", "subscribe_format",
     "subscribe_address", "more_feeds"});
constexpr auto in_layout = std::to_array<std::string_view>({"content"});
constexpr auto in_home = std::to_array<std::string_view>(
    {"class_feed_url", "class_options", "class_name",     "searched",   "results",
     "results_count",  "results_cut",   "more_url",       "releases",   "found",
     "class_alone",    "of_releases",   "releases_count", "newest",     "newest_url",
     "newest_date",    "newest_words",  "newest_count",   "leading",    "bars",
     "heat_map",       "pictured",      "has_stamps",     "sources_url"});
constexpr auto in_watch = std::to_array<std::string_view>(
    {"watching", "count",        "summary",       "short_url",     "short_address", "feeds_cut",
     "opml_url", "changes",      "older",         "watched",       "watched_cut",   "left_out",
     "unclear",  "unclear_left", "unknown_names", "class_options", "class_name",    "searched",
     "found",    "results",      "results_count", "results_cut"});
constexpr auto in_history = std::to_array<std::string_view>(
    {"last_headline",   "next_url",    "mentioned",  "count",         "current_url",
     "release_options", "rows",        "pictured",   "successor_id",  "watch_url",
     "vanished_in_url", "current",     "other_name", "diff_to",       "mentioned_more",
     "last_words",      "diff_from",   "form_url",   "vanished_on",   "mentions_feed_url",
     "previous_url",    "label",       "mentions",   "successor_url", "track",
     "successor_words", "last",        "has_stamps", "vanished_in",   "successor",
     "all_url",         "older",       "watch_name", "class_name",    "name",
     "last_url",        "one_release", "part",       "vanished",      "strip",
     "object_url"});
constexpr auto in_diff = std::to_array<std::string_view>(
    {"label",    "name",    "class_name", "other_name", "object_url", "history_url",
     "form_url", "from",    "from_date",  "to",         "to_date",    "json_url",
     "changes",  "summary", "same",       "created",    "vanished",   "previous_url",
     "next_url", "part",    "from_url",   "to_url"});
constexpr auto in_object = std::to_array<std::string_view>(
    {"later_url",    "release_url", "date",        "successor",       "summary",
     "history_url",  "earlier_url", "changes_url", "has_it_url",      "successor_url",
     "vanished_on",  "absent",      "other_name",  "vanished_in_url", "name",
     "later",        "vanished_in", "next_url",    "previous_url",    "lines",
     "diff_url",     "part",        "label",       "release_options", "successor_words",
     "form_url",     "earlier",     "has_it",      "json_url",        "object_url",
     "successor_id", "class_name",  "first_seen",  "release",         "had_it_url",
     "had_it",       "current"});
constexpr auto in_release = std::to_array<std::string_view>(
    {"summary",   "version",      "date",      "before",         "before_url", "after",
     "after_url", "mass_changes", "classes",   "form_url",       "class_name", "text",
     "narrowed",  "release_url",  "entries",   "matching",       "shown",      "previous_url",
     "next_url",  "empty",        "following", "following_count"});
constexpr auto in_releases = std::to_array<std::string_view>(
    {"count", "newest", "newest_url", "date", "summary", "bars", "heat_map", "pictured",
     "has_stamps", "rows", "previous_url", "next_url"});
constexpr auto in_feeds =
    std::to_array<std::string_view>({"count", "narrowed", "text", "form_url", "shown", "rows",
                                     "previous_url", "next_url", "opml_url", "json_url"});
constexpr auto in_feed = std::to_array<std::string_view>(
    {"name", "state", "description", "home_page_url", "source_url", "list_url", "json_url",
     "next_fetch", "picture", "events", "entries"});
constexpr auto in_error = std::to_array<std::string_view>(
    {"status", "reason", "explanation", "has_choices", "choices", "text", "url"});

constexpr std::array<PageTemplate, 11> pages = {{{"layout.mustache", in_layout},
                                                 {"home.mustache", in_home},
                                                 {"watch.mustache", in_watch},
                                                 {"history.mustache", in_history},
                                                 {"diff.mustache", in_diff},
                                                 {"object.mustache", in_object},
                                                 {"release.mustache", in_release},
                                                 {"releases.mustache", in_releases},
                                                 {"feeds.mustache", in_feeds},
                                                 {"feed.mustache", in_feed},
                                                 {"error.mustache", in_error}}};

constexpr auto partials =
    std::to_array<std::string_view>({"search.mustache", "subscribe.mustache", "parts.mustache"});
constexpr auto files =
    std::to_array<std::string_view>({"style.css", "feed.css", "varve.js", "json-feed.txt"});

template <class List>
bool holds(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

bool is_template(std::string_view file) {
    return std::ranges::find(pages, file, &PageTemplate::file) != pages.end() ||
           holds(partials, file) || holds(files, file);
}

// One {{…}}.
struct Tag {
    char sigil = ' ';  // '#', '^', '/', '>', '!', '=' or '&'; ' ': a variable
    std::string_view name;
    std::size_t from = 0, end = 0;  // in the text; end is npos if the tag is never closed
};

std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
    Tag tag;
    tag.from = text.find("{{", from);
    if (tag.from == std::string_view::npos) return std::nullopt;
    const std::string_view end = text.substr(tag.from).starts_with("{{{") ? "}}}" : "}}";
    const auto start = tag.from + end.size();
    tag.end = text.find(end, start);
    if (tag.end == std::string_view::npos) return tag;
    tag.name = base::trim(text.substr(start, tag.end - start));
    tag.end += end.size();
    if (!tag.name.empty() &&
        std::string_view("#^/>&!=").find(tag.name.front()) != std::string::npos) {
        tag.sigil = tag.name.front();
        tag.name = base::trim(tag.name.substr(1));
    }
    return tag;
}

// Says what is wrong with a tag of `file`; nullopt: nothing.
std::optional<std::string> mistake_in(const Tag& tag, std::string_view file,
                                      const PageTemplate& page) {
    const auto quoted = [&tag] { return " \"" + std::string(tag.name) + "\""; };
    if (tag.end == std::string_view::npos) return "{{ is never closed";
    if (tag.sigil == '!') return std::nullopt;
    if (tag.sigil == '=') return "set-delimiter tags are not supported";
    if (tag.sigil == '>') {
        if (holds(partials, file)) return "a partial cannot include another one";
        if (!holds(partials, std::string(tag.name) + ".mustache"))
            return "there is no partial" + quoted();
        return std::nullopt;
    }
    if (holds(page.variables, tag.name) || holds(everywhere, tag.name)) return std::nullopt;
    return "there is no variable" + quoted();
}

// Checks a page or one of its partials, and calls `found` with each partial that it includes.
//   returns  "history.mustache:12: there is no variable "lable""
template <class Found>
std::optional<std::string> check(std::string_view file, std::string_view text,
                                 const PageTemplate& page, Found found) {
    std::size_t at = 0;
    while (const auto tag = next_tag(text, at)) {
        if (const auto mistake = mistake_in(*tag, file, page)) {
            const auto before = text.substr(0, tag->from);
            const auto line = 1 + std::ranges::count(before, '\n');
            return std::string(file) + ":" + std::to_string(line) + ": " + *mistake;
        }
        if (tag->sigil == '>') found(*tag);
        at = tag->end;
    }
    return std::nullopt;
}

// Returns the text of a page with its partials inserted: the library would parse them again for
// each page.
base::Result<std::string> whole_text(const PageTemplate& page, const TemplateTexts& texts) {
    const std::string_view text = texts.find(page.file)->second;
    std::string whole;
    std::size_t copied = 0;
    std::optional<std::string> mistake_in_partial;
    const auto insert = [&](const Tag& tag) {
        const auto& [file, partial] = *texts.find(std::string(tag.name) + ".mustache");
        if (!mistake_in_partial)
            mistake_in_partial = check(file, partial, page, [](const Tag&) {});
        whole.append(text, copied, tag.from - copied) += partial;
        copied = tag.end;
    };
    const auto mistake = check(page.file, text, page, insert);
    if (mistake_in_partial) return base::fail(base::ErrorKind::malformed, *mistake_in_partial);
    if (mistake) return base::fail(base::ErrorKind::malformed, *mistake);
    return whole.append(text, copied);
}

std::string escaped(const std::string& text) {
    std::string html;
    html.reserve(text.size() + 16);
    append_html(html, text);
    return html;
}

using Fields = std::set<std::string, std::less<>>;

// A template as the library gets it. It escapes a variable wherever it is in the same way, but what is
// the value of a form's field comes back to the server, and is escaped for that.
struct Prepared {
    std::string text;
    Fields fields;  // variables that are values of form fields
};

std::string name_of_field(const std::string& variable) { return "value of " + variable; }

Prepared prepared(std::string_view text) {
    constexpr std::string_view before = "value=\"";
    Prepared result;
    std::size_t copied = 0;
    for (auto tag = next_tag(text, 0); tag; tag = next_tag(text, tag->end)) {
        const bool is_escaped = tag->sigil == ' ' && !text.substr(tag->from).starts_with("{{{");
        if (!is_escaped || !text.substr(0, tag->from).ends_with(before)) continue;
        const auto& variable = *result.fields.emplace(tag->name).first;
        result.text.append(text, copied, tag->from - copied) +=
            "{{{" + name_of_field(variable) + "}}}";
        copied = tag->end;
    }
    result.text.append(text, copied);
    return result;
}

mustache::data data_of(const Variables& variables, const Fields& fields);

mustache::data data_of(const Variables::Value& value, const Fields& fields) {
    // If an empty value were left out, a section would find one of this name around it.
    if (value.is_section ? value.items.empty() : value.text.empty()) return mustache::data(false);
    if (!value.is_section) return mustache::data(value.text);
    mustache::data list(mustache::data::type::list);
    for (const auto& item : value.items) list.push_back(data_of(item, fields));
    return list;
}

mustache::data data_of(const Variables& variables, const Fields& fields) {
    mustache::data data;
    for (const auto& [name, value] : variables.values()) {
        data[name] = data_of(value, fields);
        if (!fields.contains(name) || value.is_section) continue;
        std::string html;
        append_html_value(html, value.text);
        data[name_of_field(name)] = mustache::data(html);
    }
    return data;
}

base::Result<TemplateTexts> merged(const TemplateTexts& own) {
    TemplateTexts texts(template_files().begin(), template_files().end());
    for (const auto& [name, text] : own) {
        if (!is_template(name))
            return base::fail(base::ErrorKind::malformed,
                              name + ": there is no template with this name");
        texts[name] = text;
    }
    return texts;
}

std::string digest_of(const TemplateTexts& texts) {
    base::Digest digest(base::Algorithm::sha256);
    for (const auto& [name, text] : texts) {
        digest.update(name + ":" + std::to_string(text.size()) + ":");
        digest.update(text);
    }
    return digest.hex().substr(0, 32);
}

}  // namespace

struct Templates::State {
    TemplateTexts texts;
    std::string digest;
    // render() is not const, because partials and lambdas that fail leave a message. There are
    // none of either, so threads may share these.
    struct Page {
        std::unique_ptr<mustache::mustache> compiled;
        Fields fields;  // Prepared::fields
    };
    std::map<std::string, Page, std::less<>> pages;
};

std::span<const PageTemplate> page_templates() { return pages; }

std::span<const std::string_view> common_variables() { return everywhere; }

base::Result<Templates> Templates::make(const TemplateTexts& own) {
    auto texts = merged(own);
    if (!texts) return tl::unexpected(texts.error());
    auto state = std::make_shared<State>();
    state->texts = std::move(*texts);
    state->digest = digest_of(state->texts);
    for (const auto& page : pages) {
        const auto text = whole_text(page, state->texts);
        if (!text) return tl::unexpected(text.error());
        auto [for_library, fields] = prepared(*text);
        auto compiled = std::make_unique<mustache::mustache>(for_library);
        if (!compiled->is_valid())
            return base::fail(base::ErrorKind::malformed,
                              std::string(page.file) + ": " + compiled->error_message());
        compiled->set_custom_escape(escaped);
        state->pages.emplace(page.file, State::Page{std::move(compiled), std::move(fields)});
    }
    return Templates(std::move(state));
}

const std::string& Templates::file(std::string_view name) const {
    return state_->texts.find(name)->second;
}

const std::string& Templates::digest() const { return state_->digest; }

std::string Templates::fill(std::string_view file, const Variables& variables) const {
    std::string page;
    const auto& [compiled, fields] = state_->pages.find(file)->second;
    const mustache::mustache::render_handler take = [&page](const std::string& piece) {
        page += piece;
    };
    compiled->render(data_of(variables, fields), take);
    return page;
}

}  // namespace render
