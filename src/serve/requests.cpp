// SPDX-License-Identifier: MIT
#include "serve/feed_query.hpp"

#include <algorithm>
#include <array>

#include "base/release.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"
#include "serve/query.hpp"

namespace serve {

namespace {

using compare::Op;
constexpr std::array all_ops = {Op::added, Op::removed, Op::replaced};
constexpr std::size_t longest_tag = 128;          // bytes
constexpr std::size_t last_page = 1'000'000'000;  // more rows than any store holds

// n= says nothing to an archive, whose pages are cut for ever: it is unknown there.
constexpr std::array<std::string_view, 8> feed_parameters = {"class", "name", "object", "n",
                                                             "since", "tag",  "change", "format"};
constexpr std::array<std::string_view, 8> archive_parameters = {
    "class", "name", "object", "since", "tag", "change", "format", "before"};
constexpr std::array<std::string_view, 4> release_parameters = {"n", "tag", "change", "format"};
constexpr std::array<std::string_view, 4> release_archive_parameters = {"tag", "change", "format",
                                                                        "before"};

Answered<std::string> tag_in(const Parameters& parameters) {
    const auto* tag = parameters.find("tag");
    if (tag == nullptr) return std::string();
    if (tag->empty()) return refuse(400, "tag= is empty.");
    if (tag->size() > longest_tag) return refuse(400, "tag= is longer than 128 bytes.");
    return *tag;
}

// In the order of Op, each once, whatever the order they came in.
Answered<std::vector<Op>> ops_in(const Parameters& parameters) {
    const auto* change = parameters.find("change");
    std::vector<Op> ops;
    if (change == nullptr) return ops;
    for (const auto word : base::split(*change, ',')) {
        const auto* op = std::find_if(all_ops.begin(), all_ops.end(),
                                      [&](Op each) { return compare::name_of(each) == word; });
        if (op == all_ops.end())
            return refuse(400, "change= is no list of added, removed and replaced.");
        ops.push_back(*op);
    }
    std::sort(ops.begin(), ops.end());
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    return ops;
}

std::string text_of(const std::vector<Op>& ops, std::string_view between) {
    std::vector<std::string> names;
    for (const auto op : ops) names.emplace_back(compare::name_of(op));
    return base::join(names, between);
}

Answered<std::size_t> before_in(const Parameters& parameters, Document document) {
    if (document == Document::feed) return std::size_t{0};
    if (parameters.find("before") == nullptr) return refuse(400, "before= is missing.");
    auto before = number_in(parameters, "before", {history::archive_page, last_page}, 0);
    if (before && *before % history::archive_page != 0)
        return refuse(400,
                      "before= is no multiple of " + std::to_string(history::archive_page) + ".");
    return before;
}

Answered<history::Window> window_in(const Parameters& parameters, std::size_t most_items,
                                    Document document) {
    const auto most =
        number_in(parameters, "n", {1, most_items}, std::min(default_items, most_items));
    if (!most) return refuse(most.error());
    const auto since = version_in(parameters, "since");
    if (!since) return refuse(since.error());
    const auto tag = tag_in(parameters);
    if (!tag) return refuse(tag.error());
    const auto ops = ops_in(parameters);
    if (!ops) return refuse(ops.error());
    const auto before = before_in(parameters, document);
    if (!before) return refuse(before.error());
    return history::Window{*most, *since, {*tag, *ops}, *before};
}

std::string format_names() {
    std::vector<std::string> names;
    for (const auto& format : render::formats()) names.emplace_back(format.name);
    return base::join(names, ", ");
}

Answered<std::string> format_in(const Parameters& parameters) {
    const auto* format = parameters.find("format");
    if (format == nullptr) return std::string();
    if (render::format_named(*format) == nullptr)
        return refuse(400, "format= is none of the formats known: " + format_names() + ".");
    return *format;
}

// What the feed is about, into `query`.
Answered<FeedQuery> with_subject(const Parameters& parameters, FeedQuery query) {
    if (!parameters.objects.empty()) {
        if (parameters.find("class") != nullptr || parameters.find("name") != nullptr)
            return refuse(400, "object= stands beside class= or name=; a feed has one of them.");
        auto objects = objects_in(parameters);
        if (!objects) return refuse(std::move(objects.error()));
        query.of = FeedQuery::Of::watch_list;
        query.objects = std::move(*objects);
        return query;
    }
    if (parameters.find("class") != nullptr && parameters.find("name") == nullptr) {
        auto class_name = class_in(parameters);
        if (!class_name) return refuse(std::move(class_name.error()));
        query.of = FeedQuery::Of::whole_class;
        query.object.class_name = std::move(*class_name);
        return query;
    }
    auto object = object_in(parameters);
    if (!object) return refuse(std::move(object.error()));
    query.object = std::move(*object);
    return query;
}

// What it shows of that, and how, into `query`.
Answered<FeedQuery> with_window(const Parameters& parameters, std::size_t most_items,
                                Document document, FeedQuery query) {
    auto window = window_in(parameters, most_items, document);
    if (!window) return refuse(std::move(window.error()));
    auto format = format_in(parameters);
    if (!format) return refuse(std::move(format.error()));
    query.window = std::move(*window);
    query.says_most = parameters.find("n") != nullptr;
    query.format = std::move(*format);
    return query;
}

}  // namespace

Answered<FeedQuery> parse_feed_query(std::string_view query, std::size_t most_items,
                                     Document document) {
    const auto parameters =
        parse_query(query, document == Document::feed ? feed_parameters : archive_parameters);
    if (!parameters) return refuse(parameters.error());
    auto parsed = with_subject(*parameters, {});
    if (!parsed) return parsed;
    return with_window(*parameters, most_items, document, std::move(*parsed));
}

Answered<FeedQuery> parse_release_feed_query(const std::string& version, std::string_view query,
                                             std::size_t most_items, Document document) {
    const auto parameters = parse_query(
        query, document == Document::feed ? release_parameters : release_archive_parameters);
    if (!parameters) return refuse(parameters.error());
    FeedQuery asked;
    asked.of = FeedQuery::Of::release;
    asked.version = version;
    return with_window(*parameters, most_items, document, std::move(asked));
}

std::string to_text(const FeedQuery& query) {
    std::string text;
    if (!query.object.class_name.empty())
        append_parameter(text, "class", query.object.class_name);
    if (!query.object.name.empty()) append_parameter(text, "name", query.object.name);
    append_objects(text, query.objects);
    const auto& window = query.window;
    if (query.says_most) append_parameter(text, "n", std::to_string(window.most));
    if (!window.since.empty()) append_parameter(text, "since", window.since);
    if (!window.narrowing.tag.empty()) append_parameter(text, "tag", window.narrowing.tag);
    // Commas need no escape in a query.
    if (const auto ops = text_of(window.narrowing.only, ","); !ops.empty())
        text.append(text.empty() ? "change=" : "&change=").append(ops);
    if (!query.format.empty()) append_parameter(text, "format", query.format);
    if (window.before > 0) append_parameter(text, "before", std::to_string(window.before));
    return text;
}

std::string address_of(const FeedQuery& query) {
    std::string address =
        query.of == FeedQuery::Of::release ? "/release/" + query.version : "/rss";
    if (query.is_archive()) address += "/archive";
    const auto text = to_text(query);
    return text.empty() ? address : address + "?" + text;
}

std::string archive_address_of(FeedQuery query, std::string_view format) {
    query.says_most = false;
    query.window.before = history::archive_page;
    query.format = format;
    auto address = address_of(query);
    address.resize(address.rfind('=') + 1);
    return address;
}

std::string current_address_of(FeedQuery query) {
    query.window.before = 0;
    return address_of(query);
}

std::string narrowing_of(const FeedQuery& query) {
    const auto& window = query.window;
    std::string narrowing;
    if (!window.since.empty()) narrowing += ", since " + window.since;
    if (!window.narrowing.tag.empty()) narrowing += ", at " + window.narrowing.tag;
    if (!window.narrowing.only.empty())
        narrowing += ", only what was " + text_of(window.narrowing.only, " or ");
    if (query.says_most && window.most != default_items)
        narrowing += ", newest " + std::to_string(window.most);
    return narrowing;
}

}  // namespace serve
