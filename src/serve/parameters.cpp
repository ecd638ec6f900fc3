// To add a parameter: a row in the table `parameters`, and if need be a rule in subject_of(). /openapi.json follows.
// SPDX-License-Identifier: MIT
#include "serve/parameters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/json.hpp"
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
constexpr std::size_t most_changes = last_row, archive_page = query::archive_page;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();  // but that of the site
constexpr std::size_t last_feed = std::numeric_limits<std::int64_t>::max();
// Of the address of a watch list, besides its objects and the names: class, q and left_out.
constexpr std::size_t spare_of_list_query = 2300;

// ---- what a value must be ----

std::string in_bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

// What a value must be: queries are checked by it, and /openapi.json says it.
struct ValueRule {
    // Normalises a value, or returns what is wrong with it: " is empty."
    std::string (*check)(const ValueRule& rule, std::string& value);
    std::size_t least = 0, most = 0;  // of a number; of a text: bytes
    std::size_t step = 1;             // of a number
    // The least number is what an address without the parameter means.
    bool has_default = false;
    std::string_view words = {};  // of which a value is one; empty: the formats of feeds
    // What `check` accepts besides the number of bytes, for /openapi.json; empty: anything.
    std::string_view pattern = {};
};

std::string check_text(const ValueRule& rule, std::string& value) {
    return value.size() > rule.most ? " is longer than " + in_bytes(rule.most) + "." : "";
}

std::string check_search(const ValueRule& rule, std::string& value) {
    auto fault = check_text(rule, value);
    value = std::string(base::trim(value));
    return fault;
}

std::string check_tag(const ValueRule& rule, std::string& value) {
    return value.empty() ? " is empty." : check_text(rule, value);
}

std::string check_number(const ValueRule& rule, std::string& value) {
    const auto number = base::parse_count(value);
    if (!number || *number < rule.least || *number > rule.most)
        return " must be a number from " + std::to_string(rule.least) + " to " +
               std::to_string(rule.most) + ".";
    if (*number % rule.step != 0)
        return " must be a multiple of " + std::to_string(rule.step) + ".";
    value = rule.has_default && *number == rule.least ? "" : std::to_string(*number);
    return {};
}

// Every format of render::formats() can be asked for: a new one needs no change here.
std::vector<std::string_view> words_of(const ValueRule& rule) {
    if (!rule.words.empty()) return base::split(rule.words, ' ');
    std::vector<std::string_view> names;
    for (const auto& known : render::formats()) names.push_back(known.name);
    return names;
}

std::string check_word(const ValueRule& rule, std::string& value) {
    const auto words = words_of(rule);
    if (std::ranges::find(words, value) != words.end()) return {};
    return (words.size() == 1 ? " must be " : " must be one of ") +
           base::join({words.begin(), words.end()}, ", ") + ".";
}

std::string check_release(const ValueRule&, std::string& value) {
    return base::is_version(value) ? "" : " is not a valid release version.";
}

std::string check_list_id(const ValueRule&, std::string& value) {
    return query::is_watch_list_id(value) ? "" : " is not the id of a watch list.";
}

std::string check_object(const ValueRule&, std::string& value) {
    const auto [class_name, name] = object_of(value);
    if (class_name.empty() || name.empty())
        return std::string(base::cut_at(value, 80)) + " is not of the form CLASS:NAME.";
    if (class_name.size() > longest_class)
        return " contains a class name longer than " + in_bytes(longest_class) + ".";
    if (name.size() > longest_name)
        return " contains an object name longer than " + in_bytes(longest_name) + ".";
    return {};
}

std::string check_pasted(const ValueRule& rule, std::string& value) {
    if (value.empty()) return " is empty.";
    return value.size() > rule.most
               ? " is longer than a name: at most " + in_bytes(longest_class) +
                     " of a class, and " + std::to_string(longest_name) + " of a name."
               : "";
}

// In one order, each once.
std::string check_changes(const ValueRule&, std::string& value) {
    const auto words = base::split(value, ',');
    std::vector<std::string> ordered;
    for (const auto* word : {"added", "removed", "replaced"})
        if (std::ranges::find(words, word) != words.end()) ordered.emplace_back(word);
    for (const auto word : words)
        if (std::ranges::find(ordered, word) == ordered.end())
            return " must be a comma-separated list of added, removed and replaced.";
    value = base::join(ordered, ",");
    return {};
}

std::string check_position(const ValueRule&, std::string& value) {
    return render::parse_position(value) ? "" : " must be a value from a link in the feed.";
}

constexpr ValueRule text_up_to(std::size_t bytes) { return {check_text, 0, bytes}; }
constexpr ValueRule search_text{check_search, 0, longest_search};
constexpr ValueRule release_version{.check = check_release,
                                    .most = base::longest_version,
                                    .pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]*$"};
constexpr ValueRule number_between(std::size_t least, std::size_t most, std::size_t step = 1) {
    return {check_number, least, most, step};
}
constexpr ValueRule number_from(std::size_t least, std::size_t most) {
    return {.check = check_number, .least = least, .most = most, .has_default = true};
}
constexpr ValueRule one_of(std::string_view words) {
    return {.check = check_word, .words = words};
}
constexpr ValueRule pasted_name{check_pasted, 0, longest_pasted};
constexpr ValueRule number_of_items{check_number, 1, no_limit};

// ---- the table of parameters ----

using Routes = std::uint32_t;
static_assert(route_count <= 32);
constexpr Routes on(auto... routes) {
    return ((Routes{1} << static_cast<unsigned>(routes)) | ... | Routes{0});
}
constexpr auto rss = on(Route::feed, Route::archive);
constexpr auto archives = on(Route::archive, Route::release_archive);
constexpr auto narrowed = rss | on(Route::release_feed, Route::release_archive);
constexpr auto any_feed = narrowed | on(Route::releases_feed);
constexpr auto pages_of_object = on(Route::history, Route::object, Route::difference);
constexpr auto searches = on(Route::home, Route::suggest, Route::watch, Route::release);
constexpr auto long_lists = on(Route::home, Route::release, Route::releases, Route::sources);

struct Parameter {
    std::string_view name;
    ValueRule rule;
    Routes routes;
    std::string_view about;  // for /openapi.json
    Routes required = 0;     // other rules may require it too: subject_of()
    // How often it may be given, and what it then names.
    struct Repeats {
        std::size_t most = 1;
        std::string_view what = {};
    } repeats = {};
};

// In canonical order. A name with several rows has another meaning on other routes.
constexpr auto parameters = std::to_array<Parameter>({
    {"feed", number_between(1, last_feed), rss | on(Route::sources), "A source feed."},
    {"class", text_up_to(longest_class), rss | pages_of_object | searches, "A class.",
     pages_of_object},
    {"name", text_up_to(longest_name), rss | pages_of_object, "An object of the class.",
     pages_of_object},
    // The search form of the first system, and people who edit a URL, use name= instead of q=.
    {"name", search_text, on(Route::home), "The same as q."},
    {"q", search_text, searches | on(Route::sources), "What to look for."},
    {"watch",
     {.check = check_list_id, .pattern = "^[a-z2-7]{16}$"},
     rss | on(Route::opml),
     "A watch list by its id."},
    {"object",
     {.check = check_object, .most = longest_pasted, .pattern = "^[^:]+:[\\s\\S]+$"},
     rss | on(Route::opml, Route::watch),
     "One of a list, CLASS:NAME.",
     0,
     {most_objects, "objects"}},
    {"pasted",
     pasted_name,
     on(Route::watch),
     "What means no object, or several.",
     0,
     {most_pasted, "names"}},
    {"left_out", number_from(0, most_left_out), on(Route::watch), "How many names had no room."},
    {"at", release_version, on(Route::history), "Only the changes of this release."},
    {"release", release_version, on(Route::object), "The release; without it the current one."},
    {"from", release_version, on(Route::difference), "A release.", on(Route::difference)},
    {"to", release_version, on(Route::difference), "Another release.", on(Route::difference)},
    {"page", number_from(1, most_pages), pages_of_object | long_lists, "A page of a long list."},
    {"number", number_between(1, most_changes), on(Route::history),
     "The page with this change of the release in at."},
    {"n", number_of_items, on(Route::feed, Route::release_feed), "How many items."},
    {"since", release_version, rss, "Only items of releases after this one."},
    {"tag", {check_tag, 0, longest_tag}, narrowed, "Only changes with this tag."},
    {"change",
     {.check = check_changes,
      .pattern = "^(added|removed|replaced)(,(added|removed|replaced))*$"},
     narrowed,
     "Only these kinds of changes."},
    {"mass", one_of("no"), narrowed, "no: without changes that most objects of the class share."},
    {"include", one_of("mentions"), on(Route::feed), "Also entries that mention the objects."},
    {"format", one_of(""), any_feed, "The format; without it what Accept prefers."},
    {"format", one_of("json"), pages_of_object | on(Route::home), "The page as JSON."},
    {"format", one_of("json opml"), on(Route::sources), "The page as JSON or OPML."},
    {"older",
     {.check = check_position, .pattern = "^[0-9]+-[0-9]+-[0-9]+$"},
     on(Route::feed),
     "From a link in the copy of a source feed."},
    {"before", number_between(archive_page, last_row, archive_page), archives,
     "A page of the archive.", archives},
    {"for", one_of("readers"), on(Route::health), "Only whether readers can be served."},
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

// Returns the rule of a parameter as it is for a site.
ValueRule rule_of(const Parameter& parameter, std::size_t most_items) {
    auto rule = parameter.rule;
    if (rule.most == no_limit) rule.most = most_items;
    return rule;
}

// Normalises a value, or returns what is wrong with it.
std::string fault_of(const Parameter& parameter, std::string& value, std::size_t most_items) {
    const auto rule = rule_of(parameter, most_items);
    return rule.check(rule, value);
}

tl::unexpected<HttpError> wrong(std::string_view name, const std::string& fault) {
    return fail(400, std::string(name) + "=" + fault);
}

// ---- the rules across parameters ----

// Returns a sentence that names the parameters that are missing; empty: none is.
//   subject  of a feed, which needs the object or the class that it is about
std::string missing_in(const Query& query, Route route, Query::Subject subject) {
    using Subject = Query::Subject;
    std::vector<std::string> missing;
    for (const auto& [name, rule, routes, about, required, repeats] : parameters) {
        const bool names_object = name == "class" || name == "name";
        const bool is_needed = (required & on(route)) != 0 ||
                               (subject == Subject::object && names_object) ||
                               (subject == Subject::whole_class && name == "class");
        if (is_needed && (routes & on(route)) != 0 && query.get(name).empty())
            missing.push_back(std::string(name) + "=");
    }
    if (missing.empty()) return {};
    return base::join(missing, " and ") +
           (missing.size() == 1 ? " is missing." : " are missing.");
}

// Finds out what a query is about. Refuses what is missing or does not go together, and drops what means nothing
// beside the others.
Result<Query::Subject> subject_of(Query& query, Route route) {
    using Subject = Query::Subject;
    const auto is = [&](auto... routes) { return ((route == routes) || ...); };
    const auto has = [&](auto... names) { return (query.has(names) || ...); };
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
    if (auto missing = missing_in(query, route, is_rss ? subject : Subject::all_releases);
        !missing.empty())
        return fail(400, std::move(missing));
    if (has("include") && subject == Subject::whole_class)
        return fail(400, "include=mentions needs an object or a watch list.");
    if (is(Route::sources) && has("feed") && is_opml)
        return fail(400, "format= of one feed must be json.");

    if (is(Route::home) && query.get("q").empty()) query = query.with("q", query.get("name"));
    if (is(Route::home)) drop("name");
    if (is(Route::home) && query.get("q").empty()) drop("page");
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
        const auto fault = fault_of(*find_parameter(route, name), value, most_items);
        if (!fault.empty()) return wrong(name, fault);
    }
    if (query.has("object")) query = query.with(query.objects());
    for (const auto& parameter : parameters) {
        const auto& [most, what] = parameter.repeats;
        const auto given = query.all(parameter.name).size();
        if (given > most && (parameter.routes & on(route)) != 0)
            return wrong(parameter.name, " is given for " + std::to_string(given) + " " +
                                             std::string(what) + ". The limit is " +
                                             std::to_string(most) + ".");
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
    const auto fault = fault_of(*find_parameter(route, name), value, default_items);
    if (!fault.empty()) return wrong(name, fault);
    return value;
}

ObjectName object_of(std::string_view value) {
    const auto [class_name, name] = halves_of(value, ':');
    return {std::string(class_name), std::string(name)};
}

std::vector<std::string_view> formats_of(Route route) {
    const auto* format = find_parameter(route, "format");
    return format == nullptr ? std::vector<std::string_view>() : words_of(format->rule);
}

void write_parameters(base::JsonWriter& json, Route route, std::size_t most_items) {
    for (const auto& parameter : parameters) {
        if ((parameter.routes & on(route)) == 0) continue;
        const auto rule = rule_of(parameter, most_items);
        json.begin_object().field("name", parameter.name).field("in", "query");
        json.field("description", parameter.about);
        if ((parameter.required & on(route)) != 0) json.field("required", true);
        json.key("schema").begin_object();
        const bool is_list = parameter.repeats.most > 1;
        if (is_list)
            json.field("type", "array")
                .field("maxItems", parameter.repeats.most)
                .key("items")
                .begin_object();
        json.field("type", rule.check == check_number ? "integer" : "string");
        if (rule.check == check_number)
            json.field("minimum", rule.least).field("maximum", rule.most);
        else if (rule.most > 0)
            json.field("maxLength", rule.most);
        if (rule.step > 1) json.field("multipleOf", rule.step);
        if (!rule.pattern.empty()) json.field("pattern", rule.pattern);
        if (rule.check == check_word) {
            json.key("enum").begin_array();
            for (const auto word : words_of(rule)) json.value(word);
            json.end_array();
        }
        if (is_list) json.end_object();
        json.end_object().end_object();
    }
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
