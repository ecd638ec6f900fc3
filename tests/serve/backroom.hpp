// What stands behind the routes in the tests of serve/: objects with a history in memory, and
// switches.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/site.hpp"
#include "support/catch.hpp"

namespace backroom {

using Fields = std::map<std::string, std::string, std::less<>>;
using base::Kind;
using serve::Request;
using serve::Response;
using tree::ObjectName;

inline const ObjectName unc26{"Gene", "WBGene00006763"};
inline const ObjectName daf16{"Gene", "WBGene00000912"};
inline const ObjectName paper{"Paper", "WBPaper00031000"};
inline const std::string plain = "class=Gene&name=WBGene00006763";

// Releases of these tests: WS1 of 2008-01-01, WS2 a day later, and so on.
inline base::Release release(int number) {
    return {"WS" + std::to_string(number),
            *base::parse_date("2008-01-01") + std::chrono::days(number - 1)};
}

inline tables::Row row(const ObjectName& object, int number) {
    tables::Row made;
    made.object = object;
    made.release = release(number);
    made.recorded_at = base::Seconds(made.release.released_on);
    made.label = object.name;
    made.signature = "s" + std::to_string(number);
    compare::Change change;
    change.op = compare::Op::added;
    change.after = {{.cell = {.kind = tree::Kind::tag, .text = "Live", .class_name = ""},
                     .stamp = "2008-01-01_09:15:20_sylvia",
                     .children = {}}};
    made.notes.changes = {change};
    return made;
}

struct Backroom {
    query::CacheVersion moment{.version = "WS187", .build_digest = "d187", .generation = 1};
    std::optional<base::Error> error;  // of all that is asked
    bool up_to_date = true;
    std::string refused_build;
    std::vector<ObjectName> objects = {unc26};  // all that are known
    std::vector<tables::Row> rows;              // newest first
    std::function<void()> on_load = [] {};
    std::atomic<int> loads = 0, hits = 0;
    query::PageRequest window;
    query::ContentsQuery contents_query;
    std::map<std::string, std::string> tokens;  // to who holds them
    std::vector<query::Named> named;
    std::optional<query::Difference> difference;
    std::string schema_fault;
    query::StoreCounts counts;
    int schema_asked = 0, counts_asked = 0, frames = 0, searches = 0;
    std::function<void()> on_look = [] {};  // at the store, for operators
    base::Seconds now = *base::parse_rfc3339("2008-03-01T12:00:00Z");
    std::chrono::steady_clock::time_point tick{};

    // Rows of these objects that the window shows.
    query::HistoryPage excerpt(const std::function<bool(const tables::Row&)>& belongs,
                               const query::PageRequest& wanted) {
        query::HistoryPage shown;
        shown.current = {moment.version, *base::parse_date("2008-02-15")};
        shown.last_modified = *base::parse_date("2008-02-15");
        shown.narrowing = wanted.narrowing;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(shown.rows), belongs);
        auto& all = shown.rows;
        shown.recorded = all.size();
        if (wanted.before > 0) {
            const auto end = std::min(wanted.before, all.size());
            const auto begin = std::min(wanted.before - query::archive_page, all.size());
            all = {all.end() - static_cast<std::ptrdiff_t>(end),
                   all.end() - static_cast<std::ptrdiff_t>(begin)};
        } else if (all.size() > wanted.most) {
            all.resize(wanted.most);
        }
        return shown;
    }

    // The recorded spelling.
    [[nodiscard]] std::optional<ObjectName> known(const ObjectName& asked) const {
        for (const auto& each : objects)
            if (base::equal_ignoring_case(each.class_name, asked.class_name) &&
                base::equal_ignoring_case(each.name, asked.name))
                return each;
        return std::nullopt;
    }

    void load(const query::PageRequest& wanted) {
        ++loads;
        window = wanted;
        on_load();
    }

    serve::Asked<query::HistoryService::Answer> history_of(const ObjectName& asked,
                                                           const query::PageRequest& wanted) {
        load(wanted);
        if (error) return tl::unexpected<base::Error>(*error);
        const auto object = known(asked);
        if (!object) return base::fail(Kind::absent, "SELECT /secret/path");
        query::History past;
        static_cast<query::HistoryPage&>(past) =
            excerpt([&](const auto& each) { return each.object == *object; }, wanted);
        past.object = past.spelling = *object;
        past.label = "unc-26";
        return query::HistoryService::Answer{std::move(past), up_to_date};
    }

    serve::Asked<query::HistoryService::Listed> list_of(const std::vector<ObjectName>& asked,
                                                        const query::PageRequest& wanted) {
        load(wanted);
        if (error) return tl::unexpected<base::Error>(*error);
        query::WatchList list;
        for (const auto& each : asked)
            if (const auto object = known(each)) list.objects.push_back({*object, object->name});
        if (list.objects.empty()) return base::fail(Kind::absent, "SELECT /secret/path");
        std::ranges::sort(list.objects, {}, &query::Named::object);
        static_cast<query::HistoryPage&>(list) = excerpt(
            [&](const auto& each) {
                return std::ranges::count(list.objects, each.object, &query::Named::object) > 0;
            },
            wanted);
        return query::HistoryService::Listed{std::move(list), up_to_date};
    }

    template <class T>
    serve::Asked<T> unless_broken(T value) {
        ++loads;
        on_load();
        if (error) return tl::unexpected<base::Error>(*error);
        return value;
    }

    serve::ReadingDesk reading() {
        serve::ReadingDesk desk;
        desk.class_history = [this](const std::string& class_name,
                                    const query::PageRequest& wanted) {
            return class_history(class_name, wanted);
        };
        desk.release_history = [this](const std::string& version,
                                      const query::PageRequest& wanted) {
            return release_history(version, wanted);
        };
        desk.newest_releases = [this](std::size_t) {
            ++frames;
            return unless_broken(
                std::vector<query::ReleaseSummary>{{release(2), {}}, {release(1), {}}});
        };
        desk.release_contents =
            [this](const std::string& version,
                   const query::ContentsQuery& query) -> serve::Asked<query::ReleaseContents> {
            contents_query = query;
            if (version != "WS1" && version != "WS2")
                return base::fail(Kind::absent, "SELECT /secret/path");
            query::ReleaseContents contents;
            contents.summary.release = release(version == "WS1" ? 1 : 2);
            return unless_broken(std::move(contents));
        };
        desk.find_named = [this](const std::string&, const std::string&, std::size_t most) {
            ++searches;
            auto found = named;
            found.resize(std::min(most, found.size()));
            return unless_broken(std::move(found));
        };
        desk.labelled = [this](const std::vector<ObjectName>& asked) {
            std::vector<query::Named> labelled;
            for (const auto& object : asked) {
                const auto known =
                    std::find_if(named.begin(), named.end(), [&](const auto& each) {
                        return base::equal_ignoring_case(each.object.name, object.name);
                    });
                labelled.push_back(known == named.end() ? query::Named{object, object.name}
                                                        : *known);
            }
            return unless_broken(std::move(labelled));
        };
        desk.known_classes = [this] {
            return unless_broken(std::vector<std::string>{"Gene", "Paper"});
        };
        desk.difference = [this](const ObjectName&, const std::string&,
                                 const std::string&) -> serve::Asked<query::Difference> {
            if (difference) return *difference;
            return base::fail(Kind::absent, "WS1 is not known; the nearest is WS2.");
        };
        return desk;
    }

    serve::Asked<query::HistoryPage> class_history(const std::string& class_name,
                                                   const query::PageRequest& wanted) {
        load(wanted);
        if (error) return tl::unexpected<base::Error>(*error);
        if (class_name != "Gene" && class_name != "Paper")
            return base::fail(Kind::absent, "SELECT /secret/path");
        return excerpt([&](const auto& each) { return each.object.class_name == class_name; },
                       wanted);
    }

    serve::Asked<query::HistoryPage> release_history(const std::string& version,
                                                     const query::PageRequest& wanted) {
        load(wanted);
        if (error) return tl::unexpected<base::Error>(*error);
        if (version != "WS1" && version != "WS2")
            return base::fail(Kind::absent, "SELECT /secret/path");
        return excerpt([&](const auto& each) { return each.release.version == version; }, wanted);
    }

    serve::OperatorDesk operators() {
        serve::OperatorDesk desk;
        desk.refused_build = [this] { return refused_build; };
        desk.current_release = [this]() -> std::optional<base::Release> {
            if (moment.version.empty()) return std::nullopt;
            return base::Release{moment.version, *base::parse_date("2008-02-15")};
        };
        desk.schema_fault = [this]() -> serve::Asked<std::string> {
            ++schema_asked;
            on_look();
            if (!moment.store_reachable) return base::fail(Kind::unavailable, "away");
            return schema_fault;
        };
        desk.store_counts = [this]() -> serve::Asked<query::StoreCounts> {
            ++counts_asked;
            on_look();
            if (!moment.store_reachable) return base::fail(Kind::unavailable, "away");
            return counts;
        };
        desk.effort = [] { return serve::Effort{.computations = 7, .store_retries = 3}; };
        desk.token_holder =
            [this](const std::string& token) -> serve::Asked<std::optional<std::string>> {
            if (!moment.store_reachable) return base::fail(Kind::unavailable, "secret host");
            const auto holder = tokens.find(token);
            if (holder == tokens.end()) return std::optional<std::string>();
            return holder->second;
        };
        return desk;
    }

    serve::Desk desk() {
        serve::Desk desk;
        desk.moment = [this] { return moment; };
        desk.history_of = [this](const ObjectName& asked, const query::PageRequest& wanted) {
            return history_of(asked, wanted);
        };
        desk.watch_list = [this](const std::vector<ObjectName>& asked,
                                 const query::PageRequest& wanted) {
            return list_of(asked, wanted);
        };
        desk.note_hit = [this](const ObjectName&) { ++hits; };
        desk.reading = reading();
        desk.operators = operators();
        return desk;
    }
};

inline serve::Settings settings_with(const std::string& configuration_digest = "c",
                                     std::size_t cache_bytes = 1 << 20) {
    serve::Settings settings;
    settings.cache_bytes = cache_bytes;
    settings.configuration_digest = configuration_digest;
    return settings;
}

struct World {
    Backroom back;
    serve::Site site;

    explicit World(serve::Settings settings = settings_with(),
                   const std::string& base_url = "https://example.org/changes")
        : site(back.desk(), look(base_url), *render::Templates::make(),
               stopped(std::move(settings))) {}

    // Its clocks stand still until a test moves them.
    serve::Settings stopped(serve::Settings settings) {
        settings.clock = [this] { return back.now; };
        settings.steady_clock = [this] { return back.tick; };
        return settings;
    }

    static render::Site look(const std::string& base_url) {
        render::Site look;
        look.title = "Changes";
        look.base_url = base_url;
        look.authority = "example.org,2007";
        return look;
    }

    Response get(const std::string& query, Fields fields = {}) {
        return ask("GET", "/rss", query, std::move(fields));
    }
    // A path, and a query behind it.
    Response open(const std::string& address, Fields fields = {}) {
        const auto question = address.find('?');
        return ask("GET", address.substr(0, question),
                   question == std::string::npos ? "" : address.substr(question + 1),
                   std::move(fields));
    }
    Response ask(const std::string& method, const std::string& path,
                 const std::string& query = "", Fields fields = {},
                 const std::string& client_address = "192.0.2.1") {
        Request request;
        request.method = method;
        request.path = path;
        request.query = query;
        request.fields = std::move(fields);
        request.client_address = client_address;
        return site.answer(request);
    }
};

inline bool says(const Response& response, std::string_view text) {
    return response.body && response.body->find(text) != std::string::npos;
}

inline std::string body_of(const Response& response) {
    return response.body ? *response.body : std::string();
}

}  // namespace backroom
