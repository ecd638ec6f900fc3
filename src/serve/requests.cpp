// SPDX-License-Identifier: MIT
#include "serve/requests.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/release.hpp"
#include "base/text.hpp"
#include "query/history_service.hpp"
#include "render/feed.hpp"
#include "serve/parameters.hpp"

namespace serve {

namespace {

using compare::Op;
constexpr std::array all_ops = {Op::added, Op::removed, Op::replaced};
constexpr std::size_t most_mentions = 200;          // in a feed
constexpr std::size_t longest_tag = 128;            // bytes
constexpr std::size_t last_before = 1'000'000'000;  // more rows than any store has
constexpr Range feed_range{1, static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())};
constexpr Range part_range{1, 1'000'000};        // of the changes of one release
constexpr Range number_range{1, 1'000'000'000};  // of its changes
constexpr Range entry_range{0, 1'000'000'000};   // of the objects of a release

constexpr Range pasted_range{0, 1'000'000};  // names left out
constexpr std::size_t longest_pasted = tree::longest_class + 1 + tree::longest_name;  // bytes
// Of the address of a watch list, besides its objects and the names: class, q and left_out.
constexpr std::size_t spare_of_list_query = 2300;

// The parameters of feeds; others are ignored. n= means nothing to an archive, whose pages always have
// the same size.
constexpr auto feed_parameters =
    std::to_array<std::string_view>({"class", "name", "object", "watch", "feed", "n", "since",
                                     "tag", "change", "mass", "include", "format", "older"});
// Those that mean nothing to a feed that the harvester copies.
constexpr auto not_of_source_feeds = std::to_array<std::string_view>(
    {"class", "name", "watch", "since", "tag", "change", "mass", "include"});
constexpr auto archive_parameters =
    std::to_array<std::string_view>({"class", "name", "object", "watch", "feed", "since", "tag",
                                     "change", "mass", "format", "before"});
constexpr auto release_parameters =
    std::to_array<std::string_view>({"n", "tag", "change", "mass", "format"});
constexpr auto release_archive_parameters =
    std::to_array<std::string_view>({"tag", "change", "mass", "format", "before"});

// Reads the values of a query one after another, and keeps the first error.
class Reader {
   public:
    Reader(std::string_view query, std::span<const std::string_view> known)
        : given_(take(parse_query(query, known))) {}
    // The other parameters are ignored.
    Reader(std::string_view query, std::initializer_list<std::string_view> known)
        : Reader(query, std::span(known.begin(), known.size())) {}

    [[nodiscard]] const Parameters& given() const { return given_; }
    [[nodiscard]] bool has(std::string_view name) const { return given_.find(name) != nullptr; }

    void refuse(std::string text) {
        if (!error_) error_ = HttpError{400, std::move(text)};
    }
    // Returns the value, or an empty one instead of an error.
    template <class T>
    T take(Result<T> value) {
        if (value) return *std::move(value);
        if (!error_) error_ = std::move(value.error());
        return T();
    }
    std::size_t number(std::string_view name, Range range, std::size_t otherwise) {
        return take(number_in(given_, name, range, otherwise));
    }
    std::string version(std::string_view name) { return take(version_in(given_, name)); }
    std::string required_version(std::string_view name) {
        if (!has(name)) refuse(std::string(name) + "= is missing. It must name a release.");
        return version(name);
    }
    std::string text(std::string_view name) { return take(search_text_in(given_, name)); }
    tree::ObjectName object() { return take(object_in(given_)); }
    // class= where it is optional.
    std::string class_name() {
        return given_.value("class").empty() ? std::string() : take(class_in(given_));
    }
    PageFormat format() {
        if (!has("format")) return PageFormat::html;
        if (given_.value("format") != "json") refuse("format= must be json.");
        return PageFormat::json;
    }
    // Returns what was made of the values, or the first error.
    template <class T>
    [[nodiscard]] Result<T> result(T made) const {
        if (error_) return fail(*error_);
        return made;
    }

   private:
    std::optional<HttpError> error_;
    Parameters given_;
};

Result<std::string> tag_in(const Parameters& parameters) {
    const auto* tag = parameters.find("tag");
    if (tag == nullptr) return std::string();
    if (tag->empty()) return fail(400, "tag= is empty.");
    if (tag->size() > longest_tag) return too_long("tag", longest_tag);
    return *tag;
}

// Sorted in the order of Op, without duplicates.
Result<std::vector<Op>> ops_in(const Parameters& parameters) {
    const auto* change = parameters.find("change");
    std::vector<Op> ops;
    if (change == nullptr) return ops;
    for (const auto word : base::split(*change, ',')) {
        const auto* op = std::find_if(all_ops.begin(), all_ops.end(),
                                      [&](Op each) { return compare::name_of(each) == word; });
        if (op == all_ops.end())
            return fail(400,
                        "change= must be a comma-separated list of added, removed and replaced.");
        ops.push_back(*op);
    }
    std::sort(ops.begin(), ops.end());
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    return ops;
}

std::string text_of(const std::vector<Op>& ops, std::string_view separator) {
    std::vector<std::string> names;
    for (const auto op : ops) names.emplace_back(compare::name_of(op));
    return base::join(names, separator);
}

// Returns whether items with mass changes alone are wanted too.
Result<bool> mass_in(const Parameters& parameters) {
    const auto* mass = parameters.find("mass");
    if (mass != nullptr && *mass != "no") return fail(400, "mass= must be no.");
    return mass == nullptr;
}

Result<std::size_t> before_in(const Parameters& parameters, Document document) {
    if (document == Document::feed) return std::size_t{0};
    if (parameters.find("before") == nullptr) return fail(400, "before= is missing.");
    auto before = number_in(parameters, "before", {query::archive_page, last_before}, 0);
    if (before && *before % query::archive_page != 0)
        return fail(400,
                    "before= must be a multiple of " + std::to_string(query::archive_page) + ".");
    return before;
}

// Returns whether mentions of the objects are wanted too. The archive, and feeds of many objects, have none.
Result<bool> mentions_in(const Parameters& parameters, const FeedRequest& request) {
    const auto* include = parameters.find("include");
    if (include == nullptr) return false;
    if (*include != "mentions") return fail(400, "include= must be mentions.");
    if (request.is_of_many())
        return fail(400, "include=mentions needs an object or a watch list.");
    return true;
}

std::string format_names() {
    std::vector<std::string> names;
    for (const auto& format : render::formats()) names.emplace_back(format.name);
    return base::join(names, ", ");
}

// Every format of render::formats() can be requested: a new one needs no change here.
Result<std::string> feed_format_in(const Parameters& parameters) {
    const auto* format = parameters.find("format");
    if (format == nullptr) return std::string();
    if (render::format_named(*format) == nullptr)
        return fail(400, "format= must be one of " + format_names() + ".");
    return *format;
}

// Returns the list of object= or watch=, one of which is given.
Result<ListRequest> list_in(const Parameters& parameters) {
    if (parameters.find("watch") == nullptr) {
        auto objects = objects_in(parameters);
        if (!objects) return fail(std::move(objects.error()));
        return ListRequest{std::move(*objects), {}};
    }
    if (!parameters.objects.empty()) return fail(400, "Use either object= or watch=, not both.");
    auto id = list_id_in(parameters);
    if (!id) return fail(std::move(id.error()));
    return ListRequest{{}, std::move(*id)};
}

void append_list(std::string& query, const std::vector<tree::ObjectName>& objects,
                 const std::string& id) {
    if (id.empty())
        append_objects(query, objects);
    else
        append_parameter(query, "watch", id);
}

std::int64_t feed_id_in(Reader& reader) {
    return static_cast<std::int64_t>(reader.number("feed", feed_range, 0));
}

// Reads which of the feeds that the harvester copies is meant, and from which item on.
void read_source_feed(Reader& reader, FeedRequest& request) {
    const auto* other = std::ranges::find_if(
        not_of_source_feeds, [&](std::string_view name) { return reader.has(name); });
    if (other != not_of_source_feeds.end() || !reader.given().objects.empty())
        return reader.refuse(
            "feed= cannot be combined with " +
            (other == not_of_source_feeds.end() ? std::string("object") : std::string(*other)) +
            "=. Only n=, format= and older= can be combined with feed=.");
    request.subject = FeedRequest::Subject::source_feed;
    request.source_feed = feed_id_in(reader);
    if (!reader.has("older")) return;
    request.older = render::parse_position(reader.given().value("older"));
    if (!request.older) reader.refuse("older= must be a value from a link in the feed.");
}

// Reads what the feed is about.
void read_subject(Reader& reader, FeedRequest& request) {
    const auto& given = reader.given();
    if (reader.has("feed")) return read_source_feed(reader, request);
    if (!given.objects.empty() || reader.has("watch")) {
        if (reader.has("class") || reader.has("name"))
            reader.refuse("Use either object= or watch=, or class= and name=, not both.");
        auto list = reader.take(list_in(given));
        request.subject = FeedRequest::Subject::watch_list;
        request.objects = std::move(list.objects);
        request.list_id = std::move(list.id);
    } else if (reader.has("class") && !reader.has("name")) {
        request.subject = FeedRequest::Subject::whole_class;
        request.object.class_name = reader.take(class_in(given));
    } else {
        request.object = reader.object();
    }
}

// Reads which rows the feed shows, and its format.
void read_page(Reader& reader, std::size_t most_items, Document document, FeedRequest& request) {
    const auto& given = reader.given();
    auto& page = request.page;
    page.most = reader.number("n", {1, most_items}, std::min(default_items, most_items));
    page.since = reader.version("since");
    page.filter.tag = reader.take(tag_in(given));
    page.filter.only = reader.take(ops_in(given));
    page.filter.mass = reader.take(mass_in(given));
    page.before = reader.take(before_in(given, document));
    request.format = reader.take(feed_format_in(given));
    if (reader.take(mentions_in(given, request)))
        page.mentions = std::min(page.most, most_mentions);
    request.has_count = reader.has("n");
}

std::string with_query(std::string path, const std::string& query) {
    return query.empty() ? path : path + "?" + query;
}

void append_object(std::string& query, const tree::ObjectName& object) {
    append_parameter(query, "class", object.class_name);
    append_parameter(query, "name", object.name);
}

void append_part(std::string& query, std::size_t part) {
    if (part > 1) append_parameter(query, "part", std::to_string(part));
}

void append_format(std::string& query, PageFormat format) {
    if (format == PageFormat::json) append_parameter(query, "format", "json");
}

}  // namespace

Result<FeedRequest> parse_feed_request(std::string_view query, std::size_t most_items,
                                       Document document) {
    const std::span<const std::string_view> of_archive(archive_parameters);
    Reader reader(query, document == Document::feed ? feed_parameters : of_archive);
    if (document == Document::archive && reader.has("feed"))
        reader.refuse("A source feed has no archive. Its copy links to older items with older=.");
    FeedRequest request;
    read_subject(reader, request);
    read_page(reader, most_items, document, request);
    return reader.result(std::move(request));
}

Result<FeedRequest> parse_release_feed_request(const std::string& version, std::string_view query,
                                               std::size_t most_items, Document document) {
    const std::span<const std::string_view> of_archive(release_archive_parameters);
    Reader reader(query, document == Document::feed ? release_parameters : of_archive);
    FeedRequest request;
    request.subject = FeedRequest::Subject::release;
    request.version = version;
    read_page(reader, most_items, document, request);
    return reader.result(std::move(request));
}

Result<FeedRequest> parse_releases_feed_request(std::string_view query) {
    Reader reader(query, {"format"});
    FeedRequest request;
    request.subject = FeedRequest::Subject::all_releases;
    request.format = reader.take(feed_format_in(reader.given()));
    return reader.result(std::move(request));
}

std::string query_of(const FeedRequest& request) {
    std::string text;
    if (!request.object.class_name.empty())
        append_parameter(text, "class", request.object.class_name);
    if (!request.object.name.empty()) append_parameter(text, "name", request.object.name);
    append_list(text, request.objects, request.list_id);
    if (request.source_feed > 0)
        append_parameter(text, "feed", std::to_string(request.source_feed));
    const auto& page = request.page;
    if (request.has_count) append_parameter(text, "n", std::to_string(page.most));
    if (!page.since.empty()) append_parameter(text, "since", page.since);
    if (!page.filter.tag.empty()) append_parameter(text, "tag", page.filter.tag);
    // Commas need no escape in a query.
    if (const auto ops = text_of(page.filter.only, ","); !ops.empty())
        text.append(text.empty() ? "change=" : "&change=").append(ops);
    if (!page.filter.mass) append_parameter(text, "mass", "no");
    if (page.mentions > 0) append_parameter(text, "include", "mentions");
    if (!request.format.empty()) append_parameter(text, "format", request.format);
    if (request.older) append_parameter(text, "older", render::text_of(*request.older));
    if (page.before > 0) append_parameter(text, "before", std::to_string(page.before));
    return text;
}

std::string url_of(const FeedRequest& request) {
    std::string path = "/rss";
    if (request.subject == FeedRequest::Subject::release) path = "/release/" + request.version;
    if (request.subject == FeedRequest::Subject::all_releases) path = "/releases";
    if (request.is_archive()) path += "/archive";
    return with_query(std::move(path), query_of(request));
}

std::string archive_url_of(FeedRequest request, std::string_view format) {
    request.has_count = false;
    request.page.mentions = 0;
    request.page.before = query::archive_page;
    request.format = format;
    auto url = url_of(request);
    url.resize(url.rfind('=') + 1);
    return url;
}

std::string older_url_of(FeedRequest request) {
    request.older.reset();
    auto url = url_of(request);
    return url + (url.find('?') == std::string::npos ? "?older=" : "&older=");
}

std::string current_url_of(FeedRequest request) {
    request.page.before = 0;
    return url_of(request);
}

std::string filter_text_of(const FeedRequest& request) {
    const auto& page = request.page;
    std::string text;
    if (!page.since.empty()) text += ", since " + page.since;
    if (!page.filter.tag.empty()) text += ", at " + page.filter.tag;
    if (!page.filter.only.empty()) text += ", only what was " + text_of(page.filter.only, " or ");
    if (!page.filter.mass) text += ", without mass changes";
    if (page.mentions > 0) text += ", with mentions";
    if (request.has_count && page.most != default_items)
        text += ", newest " + std::to_string(page.most);
    return text;
}

Result<HistoryRequest> parse_history_request(std::string_view query) {
    Reader reader(query, {"class", "name", "at", "part", "number", "format"});
    HistoryRequest request{.object = reader.object(), .at = reader.version("at")};
    request.part = reader.number("part", part_range, 1);
    request.number = reader.number("number", number_range, 0);
    request.format = reader.format();
    // Only changes of one release have numbers, and JSON has all of them.
    if (request.at.empty() || request.format == PageFormat::json) request.number = 0;
    if (request.number > 0) request.part = 1;
    return reader.result(std::move(request));
}

std::string url_of(const HistoryRequest& request) {
    std::string query;
    append_object(query, request.object);
    if (!request.at.empty()) append_parameter(query, "at", request.at);
    append_part(query, request.part);
    if (request.number > 0) append_parameter(query, "number", std::to_string(request.number));
    append_format(query, request.format);
    return with_query("/history", query);
}

Result<ObjectRequest> parse_object_request(std::string_view query) {
    Reader reader(query, {"class", "name", "release", "format", "part"});
    ObjectRequest request{.object = reader.object(), .release = reader.version("release")};
    request.format = reader.format();
    request.part = reader.number("part", part_range, 1);
    // JSON has the whole tree, in no parts.
    if (request.format == PageFormat::json) request.part = 1;
    return reader.result(std::move(request));
}

std::string url_of(const ObjectRequest& request) {
    std::string query;
    append_object(query, request.object);
    if (!request.release.empty()) append_parameter(query, "release", request.release);
    append_part(query, request.part);
    append_format(query, request.format);
    return with_query("/object", query);
}

Result<DiffRequest> parse_diff_request(std::string_view query) {
    Reader reader(query, {"class", "name", "from", "to", "format", "part"});
    DiffRequest request{.object = reader.object(),
                        .from = reader.required_version("from"),
                        .to = reader.required_version("to")};
    request.format = reader.format();
    request.part = reader.number("part", part_range, 1);
    // JSON has all changes, in no parts.
    if (request.format == PageFormat::json) request.part = 1;
    return reader.result(std::move(request));
}

std::string url_of(const DiffRequest& request) {
    std::string query;
    append_object(query, request.object);
    append_parameter(query, "from", request.from);
    append_parameter(query, "to", request.to);
    append_part(query, request.part);
    append_format(query, request.format);
    return with_query("/diff", query);
}

Result<HomeRequest> parse_home_request(std::string_view query) {
    Reader reader(query, {"q", "class", "name", "from", "format"});
    HomeRequest request{.class_name = reader.class_name(), .text = reader.text("name")};
    // The search form of the first system, and people who edit a URL, use name= instead of q=.
    if (auto text = reader.text("q"); !text.empty()) request.text = std::move(text);
    request.from = reader.number("from", entry_range, 0);
    request.format = reader.format();
    return reader.result(std::move(request));
}

std::string url_of(const HomeRequest& request) {
    std::string query;
    if (!request.class_name.empty()) append_parameter(query, "class", request.class_name);
    if (!request.text.empty()) append_parameter(query, "q", request.text);
    if (request.from > 0) append_parameter(query, "from", std::to_string(request.from));
    append_format(query, request.format);
    return with_query("/", query);
}

Result<HomeRequest> parse_suggest_request(std::string_view query) {
    Reader reader(query, {"q", "class"});
    return reader.result(
        HomeRequest{.class_name = reader.class_name(), .text = reader.text("q")});
}

std::string suggest_url_of(const HomeRequest& request) { return "/suggest" + url_of(request); }

Result<SourcesRequest> parse_sources_request(std::string_view query) {
    using Format = SourcesRequest::Format;
    Reader reader(query, {"feed", "q", "from", "format"});
    SourcesRequest request;
    const auto format = reader.given().value("format");
    if (reader.has("format") && format != "json" && format != "opml")
        reader.refuse("format= must be json or opml.");
    if (reader.has("format")) request.format = format == "json" ? Format::json : Format::opml;
    if (reader.has("feed")) {
        request.feed = feed_id_in(reader);
        if (request.format == Format::opml) reader.refuse("format= of one feed must be json.");
        return reader.result(std::move(request));
    }
    request.text = reader.text("q");
    const auto from = reader.number("from", entry_range, 0);
    // A list of feeds for other programs has all of them.
    if (request.format != Format::opml) request.from = from;
    return reader.result(std::move(request));
}

std::string url_of(const SourcesRequest& request) {
    using Format = SourcesRequest::Format;
    std::string query;
    if (request.feed > 0) append_parameter(query, "feed", std::to_string(request.feed));
    if (!request.text.empty()) append_parameter(query, "q", request.text);
    if (request.from > 0) append_parameter(query, "from", std::to_string(request.from));
    if (request.format != Format::html)
        append_parameter(query, "format", request.format == Format::json ? "json" : "opml");
    return with_query("/feeds", query);
}

Result<ListRequest> parse_opml_request(std::string_view query) {
    Reader reader(query, {"object", "watch"});
    return reader.result(reader.take(list_in(reader.given())));
}

std::string opml_url_of(const ListRequest& list) {
    std::string query;
    append_list(query, list.objects, list.id);
    return with_query("/opml", query);
}

Result<WatchRequest> parse_watch_request(std::string_view query) {
    Reader reader(query, {"q", "class", "object", "pasted", "left_out"});
    WatchRequest request;
    request.class_name = reader.class_name();
    request.text = reader.text("q");
    request.left_out = reader.number("left_out", pasted_range, 0);
    request.pasted = reader.given().pasted;
    for (const auto& name : request.pasted) {
        if (name.empty()) reader.refuse("pasted= is empty.");
        if (name.size() > longest_pasted)
            reader.refuse("pasted= is longer than a name: at most " +
                          std::to_string(tree::longest_class) + " bytes of a class, and " +
                          std::to_string(tree::longest_name) + " of a name.");
    }
    if (request.pasted.size() > most_unclear)
        reader.refuse("pasted= is given more than " + std::to_string(most_unclear) + " times.");
    if (!reader.given().objects.empty())
        request.list.objects = reader.take(objects_in(reader.given()));
    return reader.result(std::move(request));
}

Result<WatchRequest> parse_kept_watch_request(std::string_view path, std::string_view query) {
    constexpr std::string_view prefix = "/watch/";
    const auto id = path.substr(std::min(prefix.size(), path.size()));
    if (!path.starts_with(prefix) || !::query::is_watch_list_id(id))
        return fail(404, "There is no watch list at this address.");
    auto request = parse_watch_request(query);
    if (request) request->list = {{}, std::string(id)};
    return request;
}

std::string url_of(const WatchRequest& request) {
    std::string query;
    if (!request.class_name.empty()) append_parameter(query, "class", request.class_name);
    if (!request.text.empty()) append_parameter(query, "q", request.text);
    append_objects(query, request.list.objects);
    for (const auto& name : request.pasted) append_parameter(query, "pasted", name);
    if (request.left_out > 0)
        append_parameter(query, "left_out", std::to_string(request.left_out));
    return with_query(request.list.id.empty() ? "/watch" : "/watch/" + request.list.id, query);
}

std::string fitting_url_of(WatchRequest request) {
    auto room = longest_list_query - spare_of_list_query;
    const auto keep = [&](auto& list, std::size_t most, const auto& size_of) {
        std::size_t kept = 0;
        for (; kept < std::min(list.size(), most); ++kept) {
            const auto size = size_of(list[kept]);
            if (size > room) break;
            room -= size;
        }
        request.left_out += list.size() - kept;
        list.resize(kept);
    };
    keep(request.list.objects, most_objects, [](const tree::ObjectName& object) {
        std::string query;
        append_objects(query, {object});
        return query.size() + 1;
    });
    keep(request.pasted, most_unclear, [&](const std::string& name) {
        std::string query;
        append_parameter(query, "pasted", name);
        return name.size() > longest_pasted ? longest_list_query : query.size() + 1;
    });
    request.left_out = std::min(request.left_out, pasted_range.most);
    std::ranges::sort(request.list.objects);
    return url_of(request);
}

Result<query::ContentsQuery> parse_release_request(std::string_view query) {
    Reader reader(query, {"class", "q", "from"});
    query::ContentsQuery contents;
    contents.class_name = reader.class_name();
    contents.text = reader.text("q");
    contents.from = reader.number("from", entry_range, 0);
    return reader.result(std::move(contents));
}

Result<std::size_t> parse_releases_request(std::string_view query) {
    Reader reader(query, {"from"});
    return reader.result(reader.number("from", entry_range, 0));
}

std::string releases_url_of(std::size_t from) {
    std::string query;
    if (from > 0) append_parameter(query, "from", std::to_string(from));
    return with_query("/releases", query);
}

std::string release_url_of(const std::string& version, const query::ContentsQuery& contents) {
    std::string query;
    if (!contents.class_name.empty()) append_parameter(query, "class", contents.class_name);
    if (!contents.text.empty()) append_parameter(query, "q", contents.text);
    if (contents.from > 0) append_parameter(query, "from", std::to_string(contents.from));
    return with_query("/release/" + version, query);
}

}  // namespace serve
