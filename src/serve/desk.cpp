// SPDX-License-Identifier: MIT
#include "serve/desk.hpp"

#include "base/log.hpp"
#include "query/labelled.hpp"

namespace serve {

namespace {

// Only here and in the loop of requests is store::Failure caught (docs/design.md): readings
// throw it, routes decide on a kind.
template <class F>
auto reached(F&& read) -> decltype(read()) {
    try {
        return read();
    } catch (const store::Failure& failure) {
        base::log::error("store not reachable", {{"error", failure.what()}});
        return base::fail(base::Kind::unavailable, failure.what());
    }
}

ReadingDesk reading_desk(query::HistoryService& ledger) {
    using namespace query;
    ReadingDesk desk;
    desk.class_history = [&](const std::string& class_name, const PageRequest& window) {
        return reached([&] { return class_history(ledger.read_context(), class_name, window); });
    };
    desk.release_history = [&](const std::string& version, const PageRequest& window) {
        return reached([&] { return release_history(ledger.read_context(), version, window); });
    };
    desk.newest_releases = [&](std::size_t most) {
        return reached([&]() -> Asked<std::vector<ReleaseSummary>> {
            return newest_releases(ledger.read_context(), most);
        });
    };
    desk.release_contents = [&](const std::string& version, const ContentsQuery& query) {
        return reached([&] { return release_contents(ledger.read_context(), version, query); });
    };
    desk.find_named = [&](const std::string& class_name, const std::string& text,
                          std::size_t most) {
        return reached([&]() -> Asked<std::vector<Named>> {
            return find_named(ledger.read_context(), class_name, text, most);
        });
    };
    desk.labelled = [&](const std::vector<ObjectName>& objects) {
        return reached([&]() -> Asked<std::vector<Named>> {
            return labelled(ledger.read_context(), objects);
        });
    };
    desk.known_classes = [&] {
        return reached([&]() -> Asked<std::vector<std::string>> {
            return known_classes(ledger.read_context());
        });
    };
    desk.difference = [&](const ObjectName& object, const std::string& from,
                          const std::string& to) {
        return reached([&] { return difference(ledger.read_context(), object, from, to); });
    };
    return desk;
}

OperatorDesk operator_desk(const history::CurrentBuild& current) {
    OperatorDesk desk;
    desk.refused_build = [&] { return current.why(); };
    desk.current_release = [&]() -> std::optional<base::Release> {
        const auto build = current.build();
        if (!build) return std::nullopt;
        return build->release();
    };
    desk.schema_fault = []() -> Asked<std::string> { return std::string(); };
    desk.store_counts = []() -> Asked<query::StoreCounts> { return query::StoreCounts{}; };
    desk.effort = [] { return Effort{}; };
    return desk;
}

}  // namespace

Desk desk_over(query::HistoryService& ledger, const history::CurrentBuild& current) {
    Desk desk;
    desk.moment = [&] { return ledger.cache_version(); };
    desk.history_of = [&](const tree::ObjectName& object, const query::PageRequest& window) {
        return ledger.history_of(object, window);
    };
    desk.watch_list = [&](const std::vector<tree::ObjectName>& objects,
                          const query::PageRequest& window) {
        return ledger.watch_list(objects, window);
    };
    desk.note_hit = [&](const tree::ObjectName& object) { ledger.note_hit(object); };
    desk.reading = reading_desk(ledger);
    desk.operators = operator_desk(current);
    return desk;
}

}  // namespace serve
