// SPDX-License-Identifier: MIT
#include "serve/requests.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "query/history_service.hpp"
#include "render/feed.hpp"
#include "serve/parameters.hpp"

namespace serve {

namespace {

using compare::Op;
using Subject = FeedRequest::Subject;
// Of the address of a watch list, besides its objects and the names: class, q and left_out.
constexpr std::size_t spare_of_list_query = 2300;
constexpr std::size_t longest_pasted = tree::longest_class + 1 + tree::longest_name;
constexpr std::size_t longest_tag = 128;  // bytes
constexpr std::size_t most_mentions = 200, most_parts = 1'000'000, most_left_out = 1'000'000;
constexpr std::size_t last_row = 1'000'000'000;  // more than any store, and any release, has
constexpr std::size_t last_feed = std::numeric_limits<std::int64_t>::max();

std::string text_of(const std::vector<Op>& ops, std::string_view separator) {
    std::vector<std::string> names;
    for (const auto op : ops) names.emplace_back(compare::name_of(op));
    return base::join(names, separator);
}

std::string with_query(std::string path, const std::string& query) {
    return query.empty() ? path : path + "?" + query;
}

// Reads the parameters of a request from a query, or writes them to its canonical query. For both, each request
// has one function list_parameters(), which calls a function of this class for each parameter, in canonical order.
// An address knows the parameters that are listed there. Of several errors, the first one is kept.
class QueryFields {
   public:
    template <class Request, class... Options>
    static Result<Request> read(std::string_view query, Request request, Options... options) {
        // Reading an empty query finds out which parameters the address knows.
        QueryFields names(Task::read);
        auto unused = request;
        list_parameters(names, unused, options...);
        auto given = parse_query(query, names.known_);
        if (!given) return fail(std::move(given.error()));
        QueryFields fields(Task::read);
        fields.given_ = std::move(*given);
        list_parameters(fields, request, options...);
        if (fields.error_) return fail(*std::move(fields.error_));
        return request;
    }
    // Returns the canonical query.
    template <class Request, class... Options>
    static std::string write(Request request, Options... options) {
        QueryFields fields(Task::write);
        list_parameters(fields, request, options...);
        return std::move(fields.query_);
    }

    [[nodiscard]] bool is_reading() const { return task_ == Task::read; }
    // Returns the values in the query that is read; none when writing.
    std::span<const std::string> all(std::string_view name) {
        if (is_reading()) known_.push_back(name);
        return given_.all(name);
    }
    bool has(std::string_view name) { return !all(name).empty(); }
    void refuse(std::string text) {
        if (!error_) error_ = HttpError{400, std::move(text)};
    }
    // Refuses a value that was given: "tag=" + " is empty."
    void check(std::string_view name, bool is_valid, const std::string& fault) {
        if (!is_valid && has(name)) refuse(std::string(name) + "=" + fault);
    }
    void check_length(std::string_view name, const std::string& value, std::size_t longest) {
        if (value.size() > longest && has(name)) refuse(too_long(name, longest).value().text);
    }

    // The functions below read a value if it was given, and write it if it is not the default.

    void text(std::string_view name, std::string& value,
              std::size_t longest = longest_list_query) {
        if (!is_reading() && !value.empty()) append(name, base::percent_encode(value));
        if (has(name)) value = all(name).front();
        check_length(name, value, longest);
    }
    void version(std::string_view name, std::string& value) {
        text(name, value);
        check(name, base::is_version(value), " is not a valid release version.");
    }
    void required_version(std::string_view name, std::string& value) {
        if (!has(name)) refuse(std::string(name) + "= is missing. It must name a release.");
        version(name, value);
    }
    // A decimal number from `least` to `most`.
    template <class Number>
    void number(std::string_view name, Number& value, std::size_t least, std::size_t most,
                Number otherwise = 0) {
        if (!is_reading() && value > otherwise) append(name, std::to_string(value));
        if (!has(name)) return;
        const auto given = base::parse_integer(all(name).front()).value_or(-1);
        const auto count = static_cast<std::size_t>(given);
        check(name, given >= 0 && count >= least && count <= most,
              " must be a number from " + std::to_string(least) + " to " + std::to_string(most) +
                  ".");
        value = static_cast<Number>(given);
    }
    // A parameter that has only one value. Returns whether it was given, or else `is_set`.
    bool word(std::string_view name, const std::string& only, bool is_set) {
        auto value = is_set ? only : std::string();
        text(name, value);
        check(name, value == only, " must be " + only + ".");
        return !value.empty();
    }
    // class= and name=, both required.
    void object(tree::ObjectName& object) {
        text("class", object.class_name);
        text("name", object.name);
        if (object.class_name.empty() && object.name.empty())
            refuse("class= and name= are missing.");
        if (object.class_name.empty()) refuse("class= is missing.");
        if (object.name.empty()) refuse("name= is missing.");
        check_length("class", object.class_name, tree::longest_class);
        check_length("name", object.name, tree::longest_name);
    }
    // object=: sorted, without duplicates.
    void objects(std::vector<tree::ObjectName>& objects) {
        if (!is_reading() && !objects.empty()) append(render::watch_query_of(objects));
        for (const auto& text : all("object")) {
            auto object = parse_object(text);
            if (!object) return refuse(std::move(object.error().text));
            objects.push_back(std::move(*object));
        }
        if (is_reading()) objects = each_once(std::move(objects));
        check("object", objects.size() <= most_objects,
              " is given for " + std::to_string(objects.size()) + " objects. The limit is " +
                  std::to_string(most_objects) + ".");
    }
    // object= or watch=, one of which is required.
    void list(std::vector<tree::ObjectName>& objects, std::string& id) {
        if (has("watch") && has("object")) refuse("Use either object= or watch=, not both.");
        text("watch", id);
        check("watch", query::is_watch_list_id(id), " is not the id of a watch list.");
        if (!id.empty()) return;
        if (!has("object")) refuse("object= is missing.");
        this->objects(objects);
    }
    void pasted(std::vector<std::string>& names) {
        for (const auto& name : names) append("pasted", base::percent_encode(name));
        for (const auto& name : all("pasted")) {
            check("pasted", !name.empty(), " is empty.");
            check("pasted", name.size() <= longest_pasted,
                  " is longer than a name: at most " + std::to_string(tree::longest_class) +
                      " bytes of a class, and " + std::to_string(tree::longest_name) +
                      " of a name.");
            names.push_back(name);
        }
        check("pasted", names.size() <= most_unclear,
              " is given more than " + std::to_string(most_unclear) + " times.");
    }
    // change=: in the order of Op, each once. Commas need no escape in a query.
    void changes(std::vector<Op>& ops) {
        if (!is_reading() && !ops.empty()) append("change", text_of(ops, ","));
        constexpr std::array known = {Op::added, Op::removed, Op::replaced};
        if (!has("change")) return;
        for (const auto word : base::split(all("change").front(), ',')) {
            const auto op = std::ranges::find_if(
                known, [&](Op each) { return compare::name_of(each) == word; });
            check("change", op != known.end(),
                  " must be a comma-separated list of added, removed and replaced.");
            if (op != known.end()) ops.push_back(*op);
        }
        ops = each_once(std::move(ops));
    }
    // Every format of render::formats() can be requested: a new one needs no change here.
    void feed_format(std::string& format) {
        std::vector<std::string> names;
        for (const auto& known : render::formats()) names.emplace_back(known.name);
        text("format", format);
        check("format", render::format_named(format) != nullptr,
              " must be one of " + base::join(names, ", ") + ".");
    }
    // JSON has all that a page has in several parts.
    void part_and_format(std::size_t& part, PageFormat& format) {
        number("part", part, 1, most_parts, std::size_t{1});
        page_format(format);
        if (format == PageFormat::json) part = 1;
    }
    void page_format(PageFormat& format) {
        const bool is_json = word("format", "json", format == PageFormat::json);
        format = is_json ? PageFormat::json : PageFormat::html;
    }
    // class= and q=, both optional.
    void search(std::string& class_name, std::string& text) {
        this->text("class", class_name, tree::longest_class);
        search_text("q", text);
    }
    void search_text(std::string_view name, std::string& value) {
        text(name, value, longest_search);
        if (is_reading()) value = std::string(base::trim(value));
    }

   private:
    enum class Task : unsigned char { read, write };
    explicit QueryFields(Task task) : task_(task) {}

    template <class T>
    static std::vector<T> each_once(std::vector<T> values) {
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return values;
    }
    void append(const std::string& text) { query_ += (query_.empty() ? "" : "&") + text; }
    void append(std::string_view name, const std::string& encoded) {
        append(std::string(name) + "=" + encoded);
    }

    Task task_;
    std::vector<std::string_view> known_;
    Parameters given_;
    std::optional<HttpError> error_;
    std::string query_;
};

// Returns what a feed of /rss is about, by which parameters were given. Few go together with feed=.
Subject subject_of(QueryFields& fields, Document document) {
    const bool is_list = fields.has("object") || fields.has("watch");
    if (fields.has("feed")) {
        if (document == Document::archive)
            fields.refuse(
                "A source feed has no archive. Its copy links to older items with older=.");
        for (const auto* other :
             {"class", "name", "watch", "since", "tag", "change", "mass", "include", "object"})
            if (fields.has(other))
                fields.refuse("feed= cannot be combined with " + std::string(other) +
                              "=. Only n=, format= and older= can be combined with feed=.");
        return Subject::source_feed;
    }
    if (is_list && (fields.has("class") || fields.has("name")))
        fields.refuse("Use either object= or watch=, or class= and name=, not both.");
    if (is_list) return Subject::watch_list;
    return fields.has("class") && !fields.has("name") ? Subject::whole_class : Subject::object;
}

void list_subject(QueryFields& fields, FeedRequest& request, Document document) {
    if (fields.is_reading()) request.subject = subject_of(fields, document);
    if (request.subject == Subject::watch_list) fields.list(request.objects, request.list_id);
    if (request.subject == Subject::source_feed)
        fields.number("feed", request.source_feed, 1, last_feed);
    if (request.subject == Subject::object) fields.object(request.object);
    if (request.subject != Subject::whole_class) return;
    auto& class_name = request.object.class_name;
    fields.text("class", class_name, tree::longest_class);
    fields.check("class", !class_name.empty(), " is missing.");
}

// Feeds of a release know fewer parameters than those of /rss, and the feed of all releases only format=.
//   most_items  the largest n that can be read
void list_parameters(QueryFields& fields, FeedRequest& request, Document document,
                     std::size_t most_items) {
    if (request.subject == Subject::all_releases) return fields.feed_format(request.format);
    const bool is_of_release = request.subject == Subject::release;
    const bool is_archive = document == Document::archive;
    const bool is_rss = !is_of_release && !is_archive;
    auto& page = request.page;
    if (!is_of_release) list_subject(fields, request, document);
    // n= means nothing to an archive, whose pages always have the same size.
    if (!is_archive) {
        request.has_count = request.has_count || fields.has("n");
        fields.number("n", page.most, 1, most_items, request.has_count ? 0 : page.most);
    }
    if (!is_of_release) fields.version("since", page.since);
    fields.text("tag", page.filter.tag, longest_tag);
    fields.check("tag", !page.filter.tag.empty(), " is empty.");
    fields.changes(page.filter.only);
    page.filter.mass = !fields.word("mass", "no", !page.filter.mass);
    if (is_rss && fields.word("include", "mentions", page.mentions > 0)) {
        if (request.is_of_many())
            fields.refuse("include=mentions needs an object or a watch list.");
        page.mentions = std::min(page.most, most_mentions);
    }
    fields.feed_format(request.format);
    if (is_rss) {
        auto older = request.older ? render::text_of(*request.older) : std::string();
        fields.text("older", older);
        if (request.subject == Subject::source_feed) {
            if (!older.empty()) request.older = render::parse_position(older);
            fields.check("older", request.older.has_value(),
                         " must be a value from a link in the feed.");
        }
    }
    if (!is_archive) return;
    if (!fields.has("before")) fields.refuse("before= is missing.");
    fields.number("before", page.before, query::archive_page, last_row);
    fields.check("before", page.before % query::archive_page == 0,
                 " must be a multiple of " + std::to_string(query::archive_page) + ".");
}

void list_parameters(QueryFields& fields, HistoryRequest& request) {
    fields.object(request.object);
    fields.version("at", request.at);
    fields.number("part", request.part, 1, most_parts, std::size_t{1});
    fields.number("number", request.number, 1, last_row);
    fields.page_format(request.format);
    // Only changes of one release have numbers, and JSON has all of them.
    if (request.at.empty() || request.format == PageFormat::json) request.number = 0;
    if (request.number > 0) request.part = 1;
}

void list_parameters(QueryFields& fields, ObjectRequest& request) {
    fields.object(request.object);
    fields.version("release", request.release);
    fields.part_and_format(request.part, request.format);
}

void list_parameters(QueryFields& fields, DiffRequest& request) {
    fields.object(request.object);
    fields.required_version("from", request.from);
    fields.required_version("to", request.to);
    fields.part_and_format(request.part, request.format);
}

void list_parameters(QueryFields& fields, HomeRequest& request) {
    fields.search(request.class_name, request.text);
    // The search form of the first system, and people who edit a URL, use name= instead of q=.
    std::string name;
    fields.search_text("name", name);
    if (request.text.empty()) request.text = name;
    fields.number("from", request.from, 0, last_row);
    fields.page_format(request.format);
}

void list_parameters(QueryFields& fields, SuggestRequest& request) {
    fields.search(request.class_name, request.text);
}

void list_parameters(QueryFields& fields, SourcesRequest& request) {
    using Format = SourcesRequest::Format;
    constexpr std::array<std::string_view, 3> formats = {"", "json", "opml"};
    std::string format(formats.at(static_cast<std::size_t>(request.format)));
    fields.number("feed", request.feed, 1, last_feed);
    if (request.feed == 0) {
        fields.search_text("q", request.text);
        fields.number("from", request.from, 0, last_row);
    }
    fields.text("format", format);
    fields.check("format", format == "json" || format == "opml", " must be json or opml.");
    if (!format.empty()) request.format = format == "json" ? Format::json : Format::opml;
    if (request.feed > 0 && format == "opml") fields.refuse("format= of one feed must be json.");
    // A list of feeds for other programs has all of them.
    if (format == "opml") request.from = 0;
}

void list_parameters(QueryFields& fields, ListRequest& request) {
    fields.list(request.objects, request.id);
}

void list_parameters(QueryFields& fields, WatchRequest& request) {
    fields.search(request.class_name, request.text);
    fields.objects(request.list.objects);
    fields.pasted(request.pasted);
    fields.number("left_out", request.left_out, 0, most_left_out);
}

void list_parameters(QueryFields& fields, query::ContentsQuery& contents) {
    fields.search(contents.class_name, contents.text);
    fields.number("from", contents.from, 0, last_row);
}

void list_parameters(QueryFields& fields, ReleasesRequest& request) {
    fields.number("from", request.from, 0, last_row);
}

Result<FeedRequest> read_feed(std::string_view query, FeedRequest request, std::size_t most_items,
                              Document document) {
    request.page.most = std::min(default_items, most_items);
    return QueryFields::read(query, std::move(request), document, most_items);
}

}  // namespace

template <class Request>
Result<Request> parse_request(std::string_view query) {
    return QueryFields::read(query, Request());
}
template Result<HistoryRequest> parse_request(std::string_view);
template Result<ObjectRequest> parse_request(std::string_view);
template Result<DiffRequest> parse_request(std::string_view);
template Result<HomeRequest> parse_request(std::string_view);
template Result<SuggestRequest> parse_request(std::string_view);
template Result<SourcesRequest> parse_request(std::string_view);
template Result<ListRequest> parse_request(std::string_view);
template Result<WatchRequest> parse_request(std::string_view);
template Result<query::ContentsQuery> parse_request(std::string_view);
template Result<ReleasesRequest> parse_request(std::string_view);

template <class Request>
std::string url_of(const Request& request) {
    return with_query(std::string(Request::path), QueryFields::write(request));
}
template std::string url_of(const HistoryRequest&);
template std::string url_of(const ObjectRequest&);
template std::string url_of(const DiffRequest&);
template std::string url_of(const HomeRequest&);
template std::string url_of(const SuggestRequest&);
template std::string url_of(const SourcesRequest&);
template std::string url_of(const ListRequest&);
template std::string url_of(const ReleasesRequest&);

Result<FeedRequest> parse_feed_request(std::string_view query, std::size_t most_items,
                                       Document document) {
    return read_feed(query, {}, most_items, document);
}

Result<FeedRequest> parse_release_feed_request(const std::string& version, std::string_view query,
                                               std::size_t most_items, Document document) {
    FeedRequest request;
    request.subject = Subject::release;
    request.version = version;
    return read_feed(query, std::move(request), most_items, document);
}

Result<FeedRequest> parse_releases_feed_request(std::string_view query) {
    FeedRequest request;
    request.subject = Subject::all_releases;
    return read_feed(query, std::move(request), default_items, Document::feed);
}

std::string url_of(const FeedRequest& request) {
    std::string path = "/rss";
    if (request.subject == FeedRequest::Subject::release) path = "/release/" + request.version;
    if (request.subject == FeedRequest::Subject::all_releases) path = "/releases";
    if (request.is_archive()) path += "/archive";
    const auto document = request.is_archive() ? Document::archive : Document::feed;
    return with_query(std::move(path), QueryFields::write(request, document, default_items));
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

Result<WatchRequest> parse_kept_watch_request(std::string_view path, std::string_view query) {
    constexpr std::string_view prefix = "/watch/";
    const auto id = path.substr(std::min(prefix.size(), path.size()));
    if (!path.starts_with(prefix) || !::query::is_watch_list_id(id))
        return fail(404, "There is no watch list at this address.");
    auto request = parse_request<WatchRequest>(query);
    if (request) request->list = {{}, std::string(id)};
    return request;
}

std::string url_of(const WatchRequest& request) {
    return with_query(request.list.id.empty() ? "/watch" : "/watch/" + request.list.id,
                      QueryFields::write(request));
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
        return render::watch_query_of({object}).size() + 1;
    });
    keep(request.pasted, most_unclear, [](const std::string& name) {
        return name.size() > longest_pasted ? longest_list_query
                                            : ("&pasted=" + base::percent_encode(name)).size();
    });
    request.left_out = std::min(request.left_out, most_left_out);
    std::ranges::sort(request.list.objects);
    return url_of(request);
}

std::string release_url_of(const std::string& version, const query::ContentsQuery& contents) {
    return with_query("/release/" + version, QueryFields::write(contents));
}

}  // namespace serve
