// A site in memory: a SQLite store, builds made by the test, and the history service over both.
// The base of tests of what is served, recorded and released.
//
//   support::SmallSite site;
//   site.set_object(gene, {support::tag("Live")});
//   site.publish("WS186", "2008-02-01");            // the current build; its objects are recorded
//   site.service.history_of(gene, {});
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "history/current.hpp"
#include "query/history_service.hpp"
#include "support/forwarding_connection.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

namespace support {

// Lets a test cut a connection off, and act before its statements.
struct StoreSwitch {
    std::atomic<bool> is_down = false;
    std::function<void()> before_statement;  // called by the thread of the statement
    std::function<void()> before_write;      // before INSERT, UPDATE and DELETE

    void apply() const {
        if (is_down)
            throw store::Failure("host secret is down (by the test)", {.lost_connection = true},
                                 2002);
        // A copy, because it may replace itself.
        if (const auto call = before_statement) call();
    }
};

class SwitchedConnection final : public ForwardingConnection {
   public:
    SwitchedConnection(std::unique_ptr<store::Connection> real, const StoreSwitch& control)
        : ForwardingConnection(std::move(real)), switch_(control) {}

    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        switch_.apply();
        return ForwardingConnection::query(sql, values);
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        switch_.apply();
        if (const auto call = switch_.before_write) call();
        return ForwardingConnection::execute(sql, values);
    }
    void begin(store::Access access) override {
        switch_.apply();
        ForwardingConnection::begin(access);
    }

   private:
    const StoreSwitch& switch_;
};

// The build that a test has put in place.
struct BuildInPlace {
    std::shared_ptr<SmallBuild> build;
    std::vector<source::Build> kept;  // the index of the one before
    int puts = 0;

    void put(std::shared_ptr<SmallBuild> next) {
        build = std::move(next);
        ++puts;
    }
    history::BuildOpener opener() {
        return {[this]() -> base::Result<std::string> {
                    if (!build)
                        return base::fail(base::ErrorKind::unavailable, "there is no build");
                    return std::to_string(puts);
                },
                [this](history::Wholeness) { return base::Result<source::Build>(build); },
                [this](const base::Release&, const history::WasServed&) { return kept; }};
    }
};

class SmallSite {
   public:
    explicit SmallSite(history::Settings settings = {}, base::Gate::Limits long_pages = {})
        : pool([this] { return connect(); }, 4, once()), current(in_place_.opener(), pool),
          service(pool, current, std::move(settings), [this] { return now; }, long_pages) {}

    // Sets or removes an object of the builds that are made from now on.
    void set_object(const tree::ObjectName& object, Nodes nodes) {
        objects_[object] = std::move(nodes);
    }
    void remove_object(const tree::ObjectName& object) { objects_.erase(object); }

    // Returns a build with the objects as they are now.
    [[nodiscard]] std::shared_ptr<SmallBuild> build(const std::string& version,
                                                    const std::string& day) const {
        auto made = std::make_shared<SmallBuild>(version, day);
        for (const auto& [object, nodes] : objects_)
            made->with(object.class_name, object.name, nodes);
        return made;
    }
    // Keeps the index of a build for those that are put from now on.
    void keep(source::Build before) { in_place_.kept = {std::move(before)}; }
    // Makes it the current build, unless it is refused. Nothing is recorded yet.
    void put(std::shared_ptr<SmallBuild> next) {
        in_place_.put(std::move(next));
        current.look();
    }
    // Makes a build, puts it, and records all objects, at the time of the release's date.
    void publish(const std::string& version, const std::string& day) {
        now = base::Seconds(*base::parse_date(day));
        put(build(version, day));
        for (const auto& [object, nodes] : objects_)
            if (!service.history_of(object, {}))
                throw std::runtime_error("not recorded: " + object.name);
    }

    // Cuts the store off or makes it reachable again, and moves the clock so that this is noticed.
    void set_store_down(bool is_down) {
        store_switch.is_down = is_down;
        now += std::chrono::seconds(1);
    }
    // Runs statements on the store beside the site.
    void execute(std::string_view sql, std::vector<store::Value> values = {}) {
        const auto connection = store_.connect()();
        store::Transaction transaction(*connection, store::Access::write);
        transaction.execute(sql, values);
        transaction.commit();
    }
    // Called when rows of history were written behind the program's back.
    void name_rows() { support::name_rows(*store_.connect()()); }
    [[nodiscard]] store::Rows query(std::string_view sql) {
        const auto connection = store_.connect()();
        store::Transaction transaction(*connection, store::Access::read);
        return transaction.query(sql);
    }

   private:
    FreshStore store_{store::Engine::sqlite};
    std::map<tree::ObjectName, Nodes> objects_;
    BuildInPlace in_place_;

   public:
    StoreSwitch store_switch;
    base::Seconds now{*base::parse_date("2008-01-01")};  // the service's clock
    store::Pool pool;
    history::CurrentBuild current;
    query::HistoryService service;

   private:
    [[nodiscard]] std::unique_ptr<store::Connection> connect() const {
        store_switch.apply();
        return std::make_unique<SwitchedConnection>(store_.connect()(), store_switch);
    }
    static store::RetryPolicy once() {
        store::RetryPolicy policy;
        policy.attempts = 1;
        return policy;
    }
};

}  // namespace support
