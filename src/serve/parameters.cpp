// To add a parameter: a row in the table `parameters`, and if need be a rule in subject_of().
// SPDX-License-Identifier: MIT
#include "serve/parameters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/release.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "query/history_service.hpp"
#include "render/feed.hpp"
#include "render/source_feed.hpp"
#include "serve/routes.hpp"

namespace serve {

namespace {

using tree::longest_class;
using tree::longest_name;
using tree::ObjectName;

constexpr std::size_t most_parameters = 1000;
constexpr std::size_t longest_logged = 1000;                    // bytes
constexpr std::size_t longest_search = 512, longest_tag = 128;  // bytes
constexpr std::size_t longest_pasted = longest_class + 1 + longest_name;
constexpr std::size_t most_pasted = 50, most_left_out = 1'000'000, most_pages = 1'000'000;
constexpr std::size_t last_row = 1'000'000'000;  // more than any store, and any release, has
constexpr std::size_t last_feed = std::numeric_limits<std::int64_t>::max();
// Of the address of a watch list, besides its objects and the names: class, q and left_out.
constexpr std::size_t spare_of_list_query = 2300;

// ---- checks: each normalises a value, or returns what is wrong with it: " is empty." ----

struct Given {
    std::string& value;
    std::size_t most_items;  // the largest n
};

std::string in_bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

template <std::size_t longest>
std::string text(Given given) {
    return given.value.size() > longest ? " is longer than " + in_bytes(longest) + "." : "";
}

std::string search_text(Given given) {
    auto fault = text<longest_search>(given);
    given.value = std::string(base::trim(given.value));
    return fault;
}

std::string tag(Given given) {
    return given.value.empty() ? " is empty." : text<longest_tag>(given);
}

std::string number_between(std::size_t least, std::size_t most, std::string& value) {
    const auto number = base::parse_count(value);
    if (!number || *number < least || *number > most)
        return " must be a number from " + std::to_string(least) + " to " + std::to_string(most) +
               ".";
    value = std::to_string(*number);
    return {};
}

template <std::size_t least, std::size_t most>
std::string number(Given given) {
    return number_between(least, most, given.value);
}

// The least number is what an address without the parameter means.
template <std::size_t least, std::size_t most>
std::string number_or_none(Given given) {
    auto fault = number<least, most>(given);
    if (given.value == std::to_string(least)) given.value.clear();
    return fault;
}

std::string number_of_items(Given given) {
    return number_between(1, given.most_items, given.value);
}

std::string multiple_of_archive_page(Given given) {
    constexpr auto page = query::archive_page;
    if (auto fault = number<page, last_row>(given); !fault.empty()) return fault;
    return *base::parse_count(given.value) % page == 0
               ? ""
               : " must be a multiple of " + std::to_string(page) + ".";
}

std::string release(Given given) {
    return base::is_version(given.value) ? "" : " is not a valid release version.";
}

std::string list_id(Given given) {
    return query::is_watch_list_id(given.value) ? "" : " is not the id of a watch list.";
}

std::string listed_object(Given given) {
    const auto [class_name, name] = object_of(given.value);
    if (class_name.empty() || name.empty())
        return std::string(base::cut_at(given.value, 80)) + " is not of the form CLASS:NAME.";
    if (class_name.size() > longest_class)
        return " contains a class name longer than " + in_bytes(longest_class) + ".";
    if (name.size() > longest_name)
        return " contains an object name longer than " + in_bytes(longest_name) + ".";
    return {};
}

std::string pasted_name(Given given) {
    if (given.value.empty()) return " is empty.";
    return given.value.size() > longest_pasted
               ? " is longer than a name: at most " + in_bytes(longest_class) +
                     " of a class, and " + std::to_string(longest_name) + " of a name."
               : "";
}

// In one order, each once.
std::string changes(Given given) {
    const auto words = base::split(given.value, ',');
    std::vector<std::string> ordered;
    for (const auto* word : {"added", "removed", "replaced"})
        if (std::ranges::find(words, word) != words.end()) ordered.emplace_back(word);
    for (const auto word : words)
        if (std::ranges::find(ordered, word) == ordered.end())
            return " must be a comma-separated list of added, removed and replaced.";
    given.value = base::join(ordered, ",");
    return {};
}

// Every format of render::formats() can be asked for: a new one needs no change here.
std::string feed_format(Given given) {
    std::vector<std::string> names;
    for (const auto& known : render::formats()) names.emplace_back(known.name);
    return render::format_named(given.value) != nullptr
               ? ""
               : " must be one of " + base::join(names, ", ") + ".";
}

std::string json(Given given) { return given.value == "json" ? "" : " must be json."; }

std::string json_or_opml(Given given) {
    return given.value == "json" || given.value == "opml" ? "" : " must be json or opml.";
}

std::string no(Given given) { return given.value == "no" ? "" : " must be no."; }

std::string mentions(Given given) {
    return given.value == "mentions" ? "" : " must be mentions.";
}

std::string item_position(Given given) {
    return render::parse_position(given.value) ? "" : " must be a value from a link in the feed.";
}

std::string readers(Given given) {
    return given.value.empty() || given.value == "readers" ? ""
                                                           : " must be readers, or be left out.";
}

// ---- the table of parameters ----

using Routes = std::uint32_t;
static_assert(route_count <= 32);
constexpr Routes on(auto... routes) {
    return ((Routes{1} << static_cast<unsigned>(routes)) | ... | Routes{0});
}
constexpr auto rss = on(Route::feed, Route::archive);
constexpr auto narrowed = rss | on(Route::release_feed, Route::release_archive);
constexpr auto any_feed = narrowed | on(Route::releases_feed);
constexpr auto pages_of_object = on(Route::history, Route::object, Route::difference);
constexpr auto searches = on(Route::home, Route::suggest, Route::watch, Route::release);
constexpr auto long_lists = on(Route::home, Route::release, Route::releases, Route::sources);

struct Parameter {
    std::string_view name;
    std::string (*check)(Given);
    Routes routes;
    // How often it may be given, and what it then names.
    struct Repeats {
        std::size_t most = 1;
        std::string_view what = {};
    } repeats = {};
};

// In canonical order. A name with several rows has another meaning on other routes.
constexpr auto parameters = std::to_array<Parameter>({
    {"feed", number<1, last_feed>, rss | on(Route::sources)},
    {"class", text<longest_class>, rss | pages_of_object | searches},
    {"name", text<longest_name>, rss | pages_of_object},
    // The search form of the first system, and people who edit a URL, use name= instead of q=.
    {"name", search_text, on(Route::home)},
    {"q", search_text, searches | on(Route::sources)},
    {"watch", list_id, rss | on(Route::opml)},
    {"object", listed_object, rss | on(Route::opml, Route::watch), {most_objects, "objects"}},
    {"pasted", pasted_name, on(Route::watch), {most_pasted, "names"}},
    {"left_out", number_or_none<0, most_left_out>, on(Route::watch)},
    {"at", release, on(Route::history)},
    {"release", release, on(Route::object)},
    {"from", release, on(Route::difference)},
    {"to", release, on(Route::difference)},
    {"page", number_or_none<1, most_pages>, pages_of_object | long_lists},
    {"number", number<1, last_row>, on(Route::history)},
    {"n", number_of_items, on(Route::feed, Route::release_feed)},
    {"since", release, rss},
    {"tag", tag, narrowed},
    {"change", changes, narrowed},
    {"mass", no, narrowed},
    {"include", mentions, on(Route::feed)},
    {"format", feed_format, any_feed},
    {"format", json, pages_of_object | on(Route::home)},
    {"format", json_or_opml, on(Route::sources)},
    {"older", item_position, on(Route::feed)},
    {"before", multiple_of_archive_page, on(Route::archive, Route::release_archive)},
    {"for", readers, on(Route::health)},
});

// Returns the row of a parameter; nullptr: the route does not know it.
const Parameter* find_parameter(Route route, std::string_view name) {
    const auto* found = std::ranges::find_if(parameters, [&](const Parameter& each) {
        return each.name == name && (each.routes & on(route)) != 0;
    });
    return found == parameters.end() ? nullptr : found;
}

// Returns the place of a parameter in canonical order.
std::ptrdiff_t order_of(std::string_view name) {
    return std::ranges::find(parameters, name, &Parameter::name) - parameters.begin();
}
constexpr auto order_of_value = [](const auto& value) { return order_of(value.name); };

tl::unexpected<HttpError> wrong(std::string_view name, const std::string& fault) {
    return fail(400, std::string(name) + "=" + fault);
}

// ---- the rules across parameters ----

// Finds out what a query is about. Refuses what is missing or does not go together, and drops what means nothing
// beside the others.
Result<Query::Subject> subject_of(Query& query, Route route) {
    using Subject = Query::Subject;
    const auto is = [&](auto... routes) { return ((route == routes) || ...); };
    const auto has = [&](auto... names) { return (query.has(names) || ...); };
    const auto lacks = [&](std::string_view name) { return query.get(name).empty(); };
    const auto drop = [&](std::string_view name) { query = query.without(name); };
    const bool is_rss = is(Route::feed, Route::archive);
    const bool is_json = query.get("format") == "json", is_opml = query.get("format") == "opml";

    auto subject = Subject::object;
    if (is(Route::release, Route::release_feed, Route::release_archive))
        subject = Subject::release;
    else if (is(Route::releases, Route::releases_feed))
        subject = Subject::all_releases;
    else if (is(Route::sources) || (is_rss && has("feed")))
        subject = Subject::source_feed;
    else if (is(Route::opml, Route::watch) || has("object", "watch"))
        subject = Subject::watch_list;
    else if (is_rss && has("class") && !has("name"))
        subject = Subject::whole_class;

    if (is(Route::archive) && subject == Subject::source_feed)
        return fail(400,
                    "A source feed has no archive. Its copy links to older items with older=.");
    if (is(Route::feed) && subject == Subject::source_feed)
        for (const auto* other :
             {"class", "name", "watch", "since", "tag", "change", "mass", "include", "object"})
            if (has(other))
                return fail(400,
                            "feed= cannot be combined with " + std::string(other) +
                                "=. Only n=, format= and older= can be combined with feed=.");
    if (is_rss && has("object", "watch") && has("class", "name"))
        return fail(400, "Use either object= or watch=, or class= and name=, not both.");
    if (has("watch") && has("object"))
        return fail(400, "Use either object= or watch=, not both.");
    if (is(Route::opml) && !has("watch", "object")) return fail(400, "object= is missing.");
    const bool needs_object = is(Route::history, Route::object, Route::difference) ||
                              (is_rss && subject == Subject::object);
    if (needs_object && lacks("class") && lacks("name"))
        return fail(400, "class= and name= are missing.");
    if ((needs_object || subject == Subject::whole_class) && lacks("class"))
        return fail(400, "class= is missing.");
    if (needs_object && lacks("name")) return fail(400, "name= is missing.");
    for (const auto* bound : {"from", "to"})
        if (is(Route::difference) && !has(bound))
            return fail(400, std::string(bound) + "= is missing. It must name a release.");
    if (has("include") && subject == Subject::whole_class)
        return fail(400, "include=mentions needs an object or a watch list.");
    if (is(Route::archive, Route::release_archive) && !has("before"))
        return fail(400, "before= is missing.");
    if (is(Route::sources) && has("feed") && is_opml)
        return fail(400, "format= of one feed must be json.");

    if (is(Route::home) && lacks("q")) query = query.with("q", query.get("name"));
    if (is(Route::home)) drop("name");
    if (subject != Subject::source_feed) drop("older");
    // Only changes of one release have numbers. JSON has all that takes several pages of HTML.
    if (is(Route::history) && (is_json || !has("at"))) drop("number");
    if (is(Route::object, Route::difference) ? is_json : has("number")) drop("page");
    // The list under a short address is in the store.
    if (is(Route::watch) && query.path() != "/watch") drop("object");
    if (is(Route::sources) && has("feed")) drop("q");
    // A list of feeds for other programs has all of them.
    if (is(Route::sources) && (has("feed") || is_opml)) drop("page");
    return subject;
}

// ---- queries as they are sent ----

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

Result<std::string> decode_value(std::string_view name, std::string_view raw) {
    auto value = base::percent_decode(raw, base::Plus::is_space);
    if (!value) return wrong(name, " has an invalid percent escape.");
    // The name of an object may have several lines, and so may the text by which it is searched for.
    const bool is_name = name == "name" || name == "q" || name == "object" || name == "pasted";
    const bool is_legal = base::is_legal_text(*value);
    if (has_control_character(*value) && !(is_name && is_legal))
        return wrong(name, " contains a control character.");
    if (!is_legal) return wrong(name, " is not valid UTF-8.");
    return std::move(*value);
}

// Removes the first "name=value" from a query and returns it.
std::string_view next_parameter(std::string_view& query) {
    const auto end = query.find_first_of("&;");
    const auto part = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    return part;
}

// Returns the decoded name of a parameter; empty: it is longer than any that is known.
std::string name_in(std::string_view part) {
    constexpr std::size_t longest_escaped = 3 * 16;
    const auto raw = halves_of(part, '=').first;
    if (raw.size() > longest_escaped) return {};
    return base::percent_decode(raw, base::Plus::is_space).value_or("");
}

// Decodes valid escapes and leaves the others as they are.
std::string decoded_loosely(std::string_view text) {
    std::string decoded;
    while (!text.empty()) {
        const auto count = text.front() == '%' ? std::min<std::size_t>(3, text.size()) : 1;
        const auto part = text.substr(0, count);
        const auto byte = base::percent_decode(part, base::Plus::is_space);
        decoded += byte ? *byte : std::string(1, text.front());
        text.remove_prefix(byte ? count : 1);
    }
    return decoded;
}

// Finds "token" in the name of a parameter, and in what may be the name of another one in its value.
bool may_hold_token(std::string_view parameter) {
    const auto once = decoded_loosely(parameter);
    const auto text = base::fold_ascii(decoded_loosely(once));
    const auto token = text.find("token");
    if (token == std::string::npos) return false;
    return text.find('=') == std::string::npos || text.find('=', token) != std::string::npos;
}

}  // namespace

// ---- class Query ----

Result<Query> Query::parse(Route route, std::string path, std::string_view text,
                           std::size_t most_items) {
    const auto longest = find_parameter(route, "object") ? longest_list_query : longest_query;
    if (text.size() > longest)
        return fail(414, "The query is longer than " + in_bytes(longest) + ".");
    Query query(std::move(path));
    std::size_t count = 0;
    while (!text.empty()) {
        const auto part = next_parameter(text);
        if (part.empty()) continue;
        if (++count > most_parameters)
            return fail(400, "The query has more than " + std::to_string(most_parameters) +
                                 " parameters.");
        const auto* parameter = find_parameter(route, name_in(part));
        if (parameter == nullptr) continue;
        auto value = decode_value(parameter->name, halves_of(part, '=').second);
        if (!value) return fail(std::move(value.error()));
        if (parameter->repeats.most == 1 && query.has(parameter->name))
            return wrong(parameter->name, " is given more than once.");
        query.values_.push_back({std::string(parameter->name), *std::move(value)});
    }
    std::ranges::stable_sort(query.values_, {}, order_of_value);
    for (auto& [name, value] : query.values_) {
        const auto fault = find_parameter(route, name)->check({value, most_items});
        if (!fault.empty()) return wrong(name, fault);
    }
    if (query.has("object")) query = query.with(query.objects());
    for (const auto& [name, check, routes, repeats] : parameters) {
        const auto given = query.all(name).size();
        if (given > repeats.most && (routes & on(route)) != 0)
            return wrong(name, " is given for " + std::to_string(given) + " " +
                                   std::string(repeats.what) + ". The limit is " +
                                   std::to_string(repeats.most) + ".");
    }
    const auto subject = subject_of(query, route);
    if (!subject) return fail(subject.error());
    query.subject_ = *subject;
    std::erase_if(query.values_, [](const Value& each) { return each.value.empty(); });
    return query;
}

bool Query::has(std::string_view name) const {
    return std::ranges::find(values_, name, &Value::name) != values_.end();
}

const std::string& Query::get(std::string_view name) const {
    static const std::string none;
    const auto found = std::ranges::find(values_, name, &Value::name);
    return found == values_.end() ? none : found->value;
}

std::vector<std::string> Query::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& each : values_)
        if (each.name == name) values.push_back(each.value);
    return values;
}

std::size_t Query::number(std::string_view name, std::size_t otherwise) const {
    return base::parse_count(get(name)).value_or(otherwise);
}

std::vector<ObjectName> Query::objects() const {
    std::vector<ObjectName> objects;
    for (const auto& value : all("object")) objects.push_back(object_of(value));
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    return objects;
}

Query Query::with(std::string_view name, const std::vector<std::string>& values) const {
    auto changed = *this;
    std::erase_if(changed.values_, [&](const Value& each) { return each.name == name; });
    auto place = std::ranges::upper_bound(changed.values_, order_of(name), {}, order_of_value);
    for (const auto& value : values)
        if (!value.empty()) place = changed.values_.insert(place, {std::string(name), value}) + 1;
    return changed;
}

Query Query::with(const ObjectName& object) const {
    return with("class", object.class_name).with("name", object.name);
}

Query Query::with(const std::vector<ObjectName>& objects) const {
    std::vector<std::string> values;
    for (const auto& [class_name, name] : objects) values.push_back(class_name + ":" + name);
    return with("object", values);
}

Query Query::at(std::string path) const {
    auto changed = *this;
    changed.path_ = std::move(path);
    return changed;
}

std::string Query::canonical() const {
    std::string query;
    for (const auto& [name, value] : values_) {
        query.append(query.empty() ? "" : "&").append(name).append("=");
        if (name == "object") {
            const auto [class_name, object] = object_of(value);
            query += base::percent_encode(class_name) + ":" + base::percent_encode(object);
        } else {
            // Commas need no escape in a query.
            query += name == "change" ? value : base::percent_encode(value);
        }
    }
    return query;
}

std::string Query::url() const {
    auto query = canonical();
    return query.empty() ? path_ : path_ + "?" + query;
}

std::string Query::url_up_to(std::string_view name) const {
    const auto url = without(name).url();
    return url + (url.size() == path_.size() ? "?" : "&") + std::string(name) + "=";
}

Result<std::string> check_value(Route route, std::string_view name, std::string value) {
    const auto fault = find_parameter(route, name)->check({value, default_items});
    if (!fault.empty()) return wrong(name, fault);
    return value;
}

ObjectName object_of(std::string_view value) {
    const auto [class_name, name] = halves_of(value, ':');
    return {std::string(class_name), std::string(name)};
}

std::string fitting_url(const Query& list, std::vector<ObjectName> objects,
                        std::vector<std::string> pasted, std::size_t left_out) {
    auto room = longest_list_query - spare_of_list_query;
    const auto keep = [&](auto& values, std::size_t most, const auto& value_in) {
        std::size_t kept = 0;
        for (; kept < std::min(values.size(), most); ++kept) {
            const auto size = value_in(values[kept]);
            if (size > room) break;
            room -= size;
        }
        left_out += values.size() - kept;
        values.resize(kept);
    };
    keep(objects, most_objects, [](const ObjectName& object) {
        return std::string_view("&object=:").size() +
               base::percent_encode(object.class_name).size() +
               base::percent_encode(object.name).size();
    });
    keep(pasted, most_pasted, [](const std::string& name) {
        return name.size() > longest_pasted ? longest_list_query
                                            : ("&pasted=" + base::percent_encode(name)).size();
    });
    std::ranges::sort(objects);
    left_out = std::min(left_out, most_left_out);
    return list.with(objects)
        .with("pasted", pasted)
        .with("left_out", left_out == 0 ? "" : std::to_string(left_out))
        .url();
}

std::string without_token(std::string_view query) {
    std::string kept;
    while (!query.empty()) {
        const auto before = query;
        const auto part = next_parameter(query);
        if (!may_hold_token(part)) kept += before.substr(0, before.size() - query.size());
    }
    while (kept.ends_with('&') || kept.ends_with(';')) kept.pop_back();
    if (kept.size() > longest_logged) kept.resize(longest_logged);
    return kept;
}

Extracted extract_parameter(std::string_view query, std::string_view name) {
    Extracted extracted;
    while (!query.empty()) {
        const auto before = query;
        const auto part = next_parameter(query);
        if (name_in(part) == name) {
            extracted.values.push_back(
                base::percent_decode(halves_of(part, '=').second, base::Plus::is_space)
                    .value_or(""));
            continue;
        }
        extracted.rest += before.substr(0, before.size() - query.size());
    }
    // Without the separator of a last parameter that was removed.
    if (!extracted.values.empty() &&
        (extracted.rest.ends_with('&') || extracted.rest.ends_with(';')))
        extracted.rest.pop_back();
    return extracted;
}

}  // namespace serve
