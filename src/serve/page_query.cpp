// SPDX-License-Identifier: MIT
#include "serve/page_query.hpp"

#include <array>

#include "serve/query.hpp"

namespace serve {

namespace {

constexpr Range parts{1, 1'000'000};
constexpr Range entries{0, 1'000'000'000};

std::string with_query(std::string path, const std::string& query) {
    return query.empty() ? path : path + "?" + query;
}

void append_object(std::string& query, const history::ObjectName& object) {
    append_parameter(query, "class", object.class_name);
    append_parameter(query, "name", object.name);
}

void append_part(std::string& query, std::size_t part) {
    if (part > 1) append_parameter(query, "part", std::to_string(part));
}

Answered<std::string> needed_version_in(const Parameters& parameters, std::string_view name) {
    if (parameters.find(name) == nullptr)
        return refuse(400, std::string(name) + "= is missing: it names a release.");
    return version_in(parameters, name);
}

// class= where it need not be said.
Answered<std::string> any_class_in(const Parameters& parameters) {
    if (parameters.value("class").empty()) return std::string();
    return class_in(parameters);
}

// The page unless another form is named.
Answered<DiffQuery::As> form_in(const Parameters& parameters) {
    const auto* format = parameters.find("format");
    if (format == nullptr) return DiffQuery::As::page;
    if (*format == "json") return DiffQuery::As::json;
    return refuse(400, "format= is none of the formats known here: json.");
}

}  // namespace

Answered<HistoryQuery> parse_history_query(std::string_view query) {
    constexpr std::array<std::string_view, 4> known = {"class", "name", "at", "part"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    const auto object = object_in(*parameters);
    if (!object) return refuse(object.error());
    const auto at = version_in(*parameters, "at");
    if (!at) return refuse(at.error());
    const auto part = number_in(*parameters, "part", parts, 1);
    if (!part) return refuse(part.error());
    return HistoryQuery{*object, *at, *part};
}

std::string address_of(const HistoryQuery& query) {
    std::string text;
    append_object(text, query.object);
    if (!query.at.empty()) append_parameter(text, "at", query.at);
    append_part(text, query.part);
    return with_query("/history", text);
}

Answered<DiffQuery> parse_diff_query(std::string_view query) {
    constexpr std::array<std::string_view, 6> known = {"class", "name",   "from",
                                                       "to",    "format", "part"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    const auto object = object_in(*parameters);
    if (!object) return refuse(object.error());
    const auto from = needed_version_in(*parameters, "from");
    if (!from) return refuse(from.error());
    const auto to = needed_version_in(*parameters, "to");
    if (!to) return refuse(to.error());
    const auto form = form_in(*parameters);
    if (!form) return refuse(form.error());
    const auto part = number_in(*parameters, "part", parts, 1);
    if (!part) return refuse(part.error());
    return DiffQuery{*object, *from, *to, *form, *part};
}

std::string address_of(const DiffQuery& query) {
    std::string text;
    append_object(text, query.object);
    append_parameter(text, "from", query.from);
    append_parameter(text, "to", query.to);
    append_part(text, query.part);
    if (query.as == DiffQuery::As::json) append_parameter(text, "format", "json");
    return with_query("/diff", text);
}

Answered<HomeQuery> parse_home_query(std::string_view query) {
    constexpr std::array<std::string_view, 4> known = {"q", "class", "name", "object"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    HomeQuery home;
    auto class_name = any_class_in(*parameters);
    if (!class_name) return refuse(std::move(class_name.error()));
    home.class_name = std::move(*class_name);
    // The old site's form and hand-written addresses say name= for what is looked for.
    for (const auto* name : {"name", "q"}) {
        auto text = text_in(*parameters, name);
        if (!text) return refuse(std::move(text.error()));
        if (!text->empty()) home.text = std::move(*text);
    }
    if (parameters->objects.empty()) return home;
    auto objects = objects_in(*parameters);
    if (!objects) return refuse(std::move(objects.error()));
    home.objects = std::move(*objects);
    return home;
}

std::string address_of(const HomeQuery& query) {
    std::string text;
    if (!query.class_name.empty()) append_parameter(text, "class", query.class_name);
    if (!query.text.empty()) append_parameter(text, "q", query.text);
    append_objects(text, query.objects);
    return with_query("/", text);
}

Answered<HomeQuery> parse_suggest_query(std::string_view query) {
    constexpr std::array<std::string_view, 2> known = {"q", "class"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    auto class_name = any_class_in(*parameters);
    if (!class_name) return refuse(std::move(class_name.error()));
    auto text = text_in(*parameters, "q");
    if (!text) return refuse(std::move(text.error()));
    return HomeQuery{std::move(*class_name), std::move(*text), {}};
}

Answered<std::vector<history::ObjectName>> parse_opml_query(std::string_view query) {
    constexpr std::array<std::string_view, 1> known = {"object"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    return objects_in(*parameters);
}

std::string opml_address_of(const std::vector<history::ObjectName>& objects) {
    std::string text;
    append_objects(text, objects);
    return with_query("/opml", text);
}

Answered<history::ContentsQuery> parse_contents_query(std::string_view query) {
    constexpr std::array<std::string_view, 3> known = {"class", "q", "from"};
    const auto parameters = parse_query(query, known);
    if (!parameters) return refuse(parameters.error());
    history::ContentsQuery contents;
    auto class_name = any_class_in(*parameters);
    if (!class_name) return refuse(std::move(class_name.error()));
    auto text = text_in(*parameters, "q");
    if (!text) return refuse(std::move(text.error()));
    const auto from = number_in(*parameters, "from", entries, 0);
    if (!from) return refuse(from.error());
    contents.class_name = std::move(*class_name);
    contents.text = std::move(*text);
    contents.from = *from;
    return contents;
}

std::string contents_address_of(const std::string& version, const history::ContentsQuery& query) {
    std::string text;
    if (!query.class_name.empty()) append_parameter(text, "class", query.class_name);
    if (!query.text.empty()) append_parameter(text, "q", query.text);
    if (query.from > 0) append_parameter(text, "from", std::to_string(query.from));
    return with_query("/release/" + version, text);
}

}  // namespace serve
