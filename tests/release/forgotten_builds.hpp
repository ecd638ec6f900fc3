// What the tests of forgetting share: three releases of genes that do all that genes can do, and
// a store into which they are recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "release/forget.hpp"
#include "release/warm.hpp"
#include "support/catch.hpp"
#include "support/contents.hpp"
#include "support/small_build.hpp"
#include "tables/tables.hpp"

namespace forgetting {

using namespace release;
using support::ComparedIn;
using support::SmallBuild;
using support::stamped;
using support::tag;
using support::text;
using tree::ObjectName;

inline base::Clock april() {
    return [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
}

inline support::Nodes remark(const std::string& words) { return {tag("Remark", {text(words)})}; }
inline support::Nodes named(const std::string& name) {
    return {tag("Public_name", {text(name)})};
}

// Genes that do in three releases, "186", "187" and "188", all that a gene can do.
class Genes : public SmallBuild {
   public:
    explicit Genes(int release)
        : SmallBuild("WS" + std::to_string(release),
                     "2008-0" + std::to_string(release - 185) + "-01") {
        const auto number = std::to_string(release);
        const bool b = release >= 187, c = release >= 188;
        with("Gene", "same", remark("same"));
        with("Gene", "in_each", remark(number));
        with("Gene", "in_second", remark(b ? "after" : "before"));
        with("Gene", "in_third", remark(c ? "after" : "before"));
        with("Gene", "renamed_for_people", named(c ? "unc-26" : "unc-1"));
        if (!b) with("Gene", "gone_in_second", named("gone"));
        if (!c) with("Gene", "gone_in_third", remark("gone in third"));
        if (release != 187) with("Gene", "back", named(c ? "new name" : "old name"));
        if (b) with("Gene", "new_in_second", remark("new in second"));
        if (c) with("Gene", "new_in_third", remark("new in third"));
        with("Gene", c ? "new_name" : "old_name", remark("moves"));
        with("Paper", "p1", remark(number));
        with("Paper", "p2", remark("same"));
        with("Person", "late",
             {tag("Name", {stamped(text("one"), "2008-01-20_10:00:00_sylvia"),
                           stamped(text("two"), "2008-02-20_10:00:00_sylvia")})});
    }
};

inline source::Build held(const SmallBuild& build) {
    return {&build, [](const source::Source*) {}};
}

struct Three {
    Genes a{186}, b{187}, c{188};
};

// One process's way into the store.
struct Office {
    explicit Office(store::Connect connect, store::RetryPolicy retry_policy = {})
        : pool(std::move(connect), 8, std::move(retry_policy)) {
        settings.names = {{"Gene", {{"Public_name"}}}};
    }

    void refresh(const SmallBuild& build, const SmallBuild* previous, const ObjectName& name) {
        const auto done =
            history::refresh({pool, settings, clock, renames}, build, previous, name);
        if (!done && done.error().kind != base::Kind::absent) FAIL(done.error().text);
    }
    // Every object that there was so far; `late` is asked for in the third release only.
    void ask_for_all(const SmallBuild& build, const SmallBuild* previous) {
        source::each_object(build, [&](const source::Listed& listed) {
            seen.insert(listed.id());
            return true;
        });
        for (const auto& name : seen)
            if (build.release().version == "WS188" || name.name != "late")
                refresh(build, previous, name);
    }
    void ask_for_all(const Three& builds) {
        ask_for_all(builds.a, nullptr);
        ask_for_all(builds.b, &builds.a);
        ask_for_all(builds.c, &builds.b);
    }
    Tally warm_all(const SmallBuild& build, const SmallBuild* previous) {
        Warming warming{{pool, settings, clock, renames},
                        held(build),
                        previous == nullptr ? nullptr : held(*previous),
                        Everything{}};
        warming.kept = [previous](const std::string& version, const std::string& digest) {
            const bool is_it = previous != nullptr && version == previous->release().version &&
                               digest == previous->digest();
            return is_it ? held(*previous) : nullptr;
        };
        Progress progress;
        const auto warmed = warm(warming, progress, {});
        if (!warmed) FAIL(warmed.error().text);
        return warmed->tally;
    }
    base::Result<Share> share(const Forgettable& what) { return share_of(pool, what, clock()); }
    Share forget(const Forgettable& what) {
        const auto expected = share(what);
        if (!expected) FAIL(expected.error().text);
        const auto gone = release::forget({pool, settings}, what);
        if (!gone) FAIL(gone.error().text);
        CHECK(*gone == *expected);
        return *gone;
    }
    std::string contents(ComparedIn compared_in = ComparedIn::counts) {
        return support::contents_of(pool, compared_in);
    }
    store::Rows query(std::string_view sql) {
        return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            return transaction.query(sql);
        });
    }
    std::int64_t count(std::string_view sql) { return query(sql).at(0).integer(0); }
    void execute(std::string_view sql) {
        store::perform(pool, store::Access::write,
                       [&](store::Transaction& transaction) { transaction.execute(sql); });
    }

    store::Pool pool;
    history::Settings settings;
    base::Clock clock = april();
    history::CreatedObjects renames;
    std::set<ObjectName> seen;
};

}  // namespace forgetting
