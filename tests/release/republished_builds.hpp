// A release that is published again, small: the release before, the build as it was recorded,
// and as it is published again, with an object for each thing that may become of one.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "query/history_service.hpp"
#include "release/replace.hpp"
#include "support/catch.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

namespace replacing {

using release::ObjectName;
using support::SmallBuild;

inline support::Nodes remark(const std::string& words) {
    return {support::tag("Remark", {support::text(words)})};
}
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

inline source::Build held(const SmallBuild& build) {
    return {&build, [](const source::Source*) {}};
}

struct Builds {
    Before before;
    First first;
    Again again;
};

// One process's way into the store.
struct Office {
    explicit Office(store::Connect connect, store::RetryPolicy retry_policy = {})
        : pool(std::move(connect), 4, std::move(retry_policy)) {}

    history::Context desk() { return {pool, settings, clock, renames}; }
    void warm(const SmallBuild& build, const SmallBuild* previous = nullptr) {
        release::Warming warming{desk(), held(build),
                                 previous == nullptr ? nullptr : held(*previous),
                                 release::Everything{}};
        release::Progress progress;
        const auto done = release::warm(warming, progress, {});
        if (!done) FAIL(done.error().text);
    }
    void ask(const SmallBuild& build, const SmallBuild* previous, const std::string& name) {
        const auto done = history::refresh(desk(), build, previous, {"Gene", name});
        if (!done) FAIL(done.error().text);
    }
    // `kept`: whose index lies there.
    base::Result<release::Replaced> replace(const SmallBuild& with, const SmallBuild* previous,
                                            const SmallBuild* kept,
                                            const std::stop_token& stop = {}) {
        release::Replacing replacing{desk(), held(with),
                                     previous == nullptr ? nullptr : held(*previous)};
        replacing.kept = [kept](const std::string&, const std::string& digest) {
            return kept != nullptr && kept->digest() == digest ? held(*kept) : nullptr;
        };
        replacing.part_rows = 4;
        replacing.is_gone = [](const std::string&) { return true; };
        release::Progress progress;
        return release::replace(replacing, progress, stop);
    }
    release::Replaced replaced(const SmallBuild& with, const SmallBuild* previous,
                               const SmallBuild* kept) {
        auto done = replace(with, previous, kept);
        if (!done) FAIL(done.error().text);
        CHECK(done->finished);
        return std::move(*done);
    }
    [[nodiscard]] store::Rows query(std::string_view sql) {
        return store::perform(pool, store::Access::read,
                              [&](auto& transaction) { return transaction.query(sql); });
    }
    // Rows of the release by object: "KIND REVISION SINCE" and the notes.
    std::map<std::string, std::string> rows(const std::string& version = "WS188") {
        std::map<std::string, std::string> found;
        for (const auto& row :
             query("SELECT o.name, h.kind, CAST(h.revision AS CHAR), h.since, h.notes, h.version"
                   " FROM history h JOIN objects o ON o.oid = h.oid"))
            if (row.text(5) == version)
                found[row.text(0)] =
                    row.text(1) + ' ' + row.text(2) + ' ' + row.text(3) + ' ' + row.text(4);
        return found;
    }
    // "KIND REVISION SINCE"
    std::map<std::string, std::string> kinds(const std::string& version = "WS188") {
        auto found = rows(version);
        for (auto& [name, row] : found) row = row.substr(0, row.find(" {"));
        return found;
    }

    store::Pool pool;
    history::Settings settings;
    base::Clock clock = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    history::CreatedObjects renames;
};

}  // namespace replacing
