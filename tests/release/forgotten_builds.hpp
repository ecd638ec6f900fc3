// Three releases of genes for the tests of forgetting, and requests that record
// them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "release/job_site.hpp"

namespace release_tests {

inline support::Nodes named(const std::string& name) {
    return {tag("Public_name", {text(name)})};
}

// Genes that do everything that a gene can do in the three releases 186, 187 and 188.
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

struct Three {
    Genes a{186}, b{187}, c{188};
};

// Asks for every object seen so far, and for `late` only in the third release.
inline void ask_for_all(JobSite& site, const SmallBuild& build, const SmallBuild* previous) {
    const auto names = support::names_in(build);
    site.seen.insert(names.begin(), names.end());
    for (const auto& name : site.seen)
        if (build.release().version == "WS188" || name.name != "late")
            site.ask(build, previous, name);
}
inline void ask_for_all(JobSite& site, const Three& builds) {
    ask_for_all(site, builds.a, nullptr);
    ask_for_all(site, builds.b, &builds.a);
    ask_for_all(site, builds.c, &builds.b);
}

}  // namespace release_tests
