// A server process over a store. Tests set its builds by hand and ask its service.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "query/histories.hpp"
#include "query/history_service.hpp"
#include "query/release_contents.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "store/dialect.hpp"
#include "support/catch.hpp"
#include "support/small_site.hpp"
#include "support/stores.hpp"

namespace processes {

using tree::ObjectName;
using Shared = std::shared_ptr<support::SmallBuild>;

inline const ObjectName gene{"Gene", "WBGene00006763"};
inline const ObjectName a{"Gene", "a"}, b{"Gene", "b"}, c{"Paper", "c"};

inline history::Settings with_names() {
    history::Settings settings;
    settings.names = {{"Gene", {{"Name"}}}};
    return settings;
}

class Process {
   public:
    explicit Process(store::Connect connect, history::Settings settings = {})
        : pool(
              [this, connect = std::move(connect)] {
                  if (is_cut_off_) throw store::Failure("cut off (by the test)", {}, 2002);
                  return connect();
              },
              4),
          current(in_place_.opener(), pool),
          service(pool, current, std::move(settings), [this] { return now; }) {}

    // Keeps the index of a build for those that are put from now on; nullptr: of none.
    void keep(source::Build before) {
        in_place_.kept.clear();
        if (before) in_place_.kept.push_back(std::move(before));
    }
    void put(Shared next) {
        in_place_.put(std::move(next));
        current.look();
    }
    // A release in which each object has one remark.
    void put(const std::string& version, const std::string& day,
             const std::vector<std::pair<ObjectName, std::string>>& remarks) {
        auto build = std::make_shared<support::SmallBuild>(version, day);
        for (const auto& [object, remark] : remarks)
            build->with(object.class_name, object.name,
                        {support::tag("Remark", {support::text(remark)})});
        put(std::move(build));
    }
    query::History history(const ObjectName& object, const query::PageRequest& request = {}) {
        const auto answer = service.history_of(object, request);
        INFO((answer ? "" : answer.error().text));
        REQUIRE(answer);
        return answer->history;
    }
    query::WatchList list(const std::vector<ObjectName>& objects,
                          const query::PageRequest& request = {}) {
        const auto answer = service.watch_list(objects, request);
        INFO((answer ? "" : answer.error().text));
        REQUIRE(answer);
        return answer->list;
    }
    [[nodiscard]] auto context() const { return service.read_context(); }
    // Puts the build, and records all of its objects.
    void record(const Shared& next) {
        put(next);
        (void)list(support::names_in(*next));
    }
    // Writes as other processes do.
    void write(const std::string& sql, const std::vector<store::Value>& values = {}) {
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            transaction.execute(sql, values);
        });
        now += std::chrono::seconds(1);
    }

    // Writes rows of a table behind the program's back.
    void insert(const store::Insert& into, const std::vector<store::Value>& values) {
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            store::insert_many(transaction, into, values);
        });
    }
    // Called when rows of history were written so.
    void name_rows() { support::name_rows(*pool.lease()); }

    // Cuts it off from the store.
    void cut_off() {
        is_cut_off_ = true;
        now += std::chrono::seconds{5};
    }

   private:
    std::atomic<bool> is_cut_off_ = false;
    support::BuildInPlace in_place_;

   public:
    base::Seconds now{*base::parse_date("2008-04-01")};
    store::Pool pool;
    history::CurrentBuild current;
    query::HistoryService service;
};

// A process over a store of its own.
class Server : private support::FreshStore, public Process {
   public:
    explicit Server(history::Settings settings = {})
        : FreshStore(GENERATE(support::engines())),
          Process(FreshStore::connect(), std::move(settings)) {}
    using FreshStore::connect;
};

// Returns what identifies a row: "WS187 Gene a".
inline std::string name_of(const tables::Row& row) {
    return row.release.version + ' ' + row.object.class_name + ' ' + row.object.name;
}
inline std::vector<std::string> names_of(const std::vector<tables::Row>& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(name_of(row));
    return names;
}

// Objects a, b and c in five releases, two of them of one day; WS188 changes
// nothing, in WS189 c has gone.
inline void fill(Process& process) {
    const auto look = [&] {
        (void)process.list({a, b, c});
        process.keep(process.current.build());
    };
    process.put("WS185", "2008-01-01", {{a, "1"}, {b, "1"}, {c, "1"}});
    look();
    process.put("WS186", "2008-02-01", {{a, "2"}, {b, "1"}, {c, "2"}});
    look();
    process.put("WS187", "2008-02-01", {{a, "3"}, {b, "3"}, {c, "3"}});
    look();
    process.put("WS188", "2008-03-01", {{a, "3"}, {b, "3"}, {c, "3"}});
    look();
    process.put("WS189", "2008-04-01", {{a, "5"}, {b, "3"}});
    look();
    process.keep(nullptr);
}

}  // namespace processes
