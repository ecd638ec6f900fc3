// A small re-publication: the previous release, the first publication and the second one,
// with an object for everything that can happen to one.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "release/job_site.hpp"
#include "support/watched_connection.hpp"

namespace release_tests {

inline support::Nodes restamped(const std::string& words) {
    return {support::tag("Remark",
                         {support::stamped(support::text(words), "2008-02-01_09:15:20_sylvia")})};
}

struct Before : SmallBuild {
    Before() : SmallBuild("WS187", "2008-02-15") {
        for (const auto* name :
             {"same", "differs", "restamped", "none_left", "new_row", "gone_now", "back_again"})
            with("Gene", name, remark("one"));
        with("Gene", "renamed", remark("long-winded"));
    }
};
struct First : SmallBuild {
    First() : SmallBuild("WS188", "2008-03-22") {
        with("Gene", "same", remark("one"));
        with("Gene", "differs", remark("two"));
        with("Gene", "restamped", remark("two"));
        with("Gene", "none_left", remark("two"));
        with("Gene", "new_row", remark("one"));
        with("Gene", "gone_now", remark("two"));
        with("Gene", "created", remark("new"));
        with("Gene", "dropped", remark("a slip"));
        with("Gene", "name_1", remark("long-winded"));
    }
};
struct Again : SmallBuild {
    Again() : SmallBuild("WS188", "2008-03-22") {
        with("Gene", "same", remark("one"));
        with("Gene", "differs", remark("three"));
        with("Gene", "restamped", restamped("two"));
        with("Gene", "none_left", remark("one"));
        with("Gene", "new_row", remark("two"));
        with("Gene", "back_again", remark("one"));
        with("Gene", "created", remark("newer"));
        with("Gene", "added", remark("in the second only"));
        with("Gene", "name_2", remark("long-winded"));
    }
};

struct Builds {
    Before before;
    First first;
    Again again;
};

// A store into which the first publication was recorded; tests copy it.
struct Published : support::FreshStore {
    Published(store::Engine engine, const Builds& builds) : FreshStore(engine) {
        JobSite site(connect());
        site.prewarm(builds.before);
        site.prewarm(builds.first, &builds.before);
    }
};

// Publishes again, and dies behind the first commit after which `is_time`.
inline void republish_until(const store::Connect& connect, const Builds& builds,
                            const std::function<bool()>& is_time) {
    JobSite site(support::watched(connect, [&](support::Statement statement, std::string_view) {
        if (statement == support::Statement::commit && is_time())
            throw store::Failure("killed (by the test)", {}, 0);
    }));
    REQUIRE_FALSE(site.try_republish(builds.again, &builds.before, &builds.first));
}

inline bool is_replacing(JobSite& site) {
    return !site.query("SELECT version FROM releases WHERE replacing <> 0").empty();
}

inline void check_is_ended(JobSite& site) {
    CHECK(site.query("SELECT oid FROM replacements").empty());
    CHECK_FALSE(is_replacing(site));
}

// Returns what an undisturbed job makes of a copy of the store.
inline std::string republished_alone(const Published& published, const Builds& builds) {
    const auto calm = support::FreshStore::copy_of(published);
    JobSite alone(calm.connect());
    alone.republish(builds.again, &builds.before, &builds.first);
    return alone.contents();
}

}  // namespace release_tests
