// The counts of releases are what was recorded of each.
// SPDX-License-Identifier: MIT
#include "tables/release_rows.hpp"

#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"

using support::SmallBuild;
using support::tag;
using support::text;
using tables::RowKind;

namespace {

base::Release made(const std::string& version, const std::string& day) {
    return {version, *base::parse_date(day)};
}

// An object that is in each build, and one that changes.
class OneOfTwo : public SmallBuild {
   public:
    OneOfTwo(const base::Release& release, const std::string& words)
        : SmallBuild(release.version, base::format_date(release.released_on)) {
        with("Gene", "same", {tag("Remark", {text("same")})});
        with("Gene", "changes", {tag("Remark", {text(words)})});
    }
};

const auto old_one = made("WS99", "2008-01-01"), new_one = made("WS100", "2008-01-01");

// Two releases, of which the second changed an object and lacks another.
void record_two(support::RecordingSite& site) {
    OneOfTwo a(old_one, "one");
    a.with("Gene", "goes", {tag("Remark")});
    const OneOfTwo b(new_one, "two");
    for (const auto* name : {"same", "changes", "goes"}) site.ask(a, nullptr, {"Gene", name});
    for (const auto* name : {"changes", "goes"}) site.ask(b, &a, {"Gene", name});
}

}  // namespace

TEST_CASE("Releases are counted, recorded or not, with what is recorded of each") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    record_two(site);
    store::perform(site.pool, store::Access::write, [](store::Transaction& transaction) {
        CHECK(tables::note_recorded(transaction, "WS99", 1, {}, 2));
    });
    const std::map<std::string, tables::ReleaseCounts> expected{
        {"WS99", {.has_build = true, .is_recorded = true, .unreadable = 2, .compared = 1}},
        {"WS100",
         {.has_build = true,
          .compared = 2,
          .rows = {{RowKind::changed, 1}, {RowKind::vanished, 1}}}}};
    CHECK(store::perform(site.pool, store::Access::read, tables::count_by_release) == expected);
}
