// The list of releases shows what the tables hold.
// SPDX-License-Identifier: MIT
#include "release/releases.hpp"

#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "tables/objects.hpp"

using namespace release;
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

void execute(store::Pool& pool, std::string_view sql) {
    store::perform(pool, store::Access::write,
                   [&](store::Transaction& transaction) { transaction.execute(sql); });
}

}  // namespace

TEST_CASE("Releases are listed oldest first, with what is recorded of each") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    record_two(site);
    const auto list = list_releases(site.pool, site.settings, std::nullopt);
    REQUIRE(list.size() == 2);
    const ListedRelease first{.release = old_one, .counts = {.has_digest = true, .compared = 1}};
    CHECK(list[0] == first);
    const ListedRelease second{
        .release = new_one,
        .counts = {.has_digest = true,
                   .compared = 2,
                   .rows = {{RowKind::changed, 1}, {RowKind::vanished, 1}}},
        .is_newest = true};
    CHECK(list[1] == second);
}

TEST_CASE("Configured and current releases are listed even when nothing is recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    history::Settings settings;
    settings.known_releases = {made("WS98", "2007-12-01")};
    const auto list = list_releases(pool, settings, new_one);
    REQUIRE(list.size() == 2);
    CHECK(list[0] == ListedRelease{settings.known_releases[0], {}});
    CHECK(list[1] == ListedRelease{new_one, {}, true, true});
}

TEST_CASE("A release shows which classes are prewarmed and which objects jobs could not read") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    support::RecordingSite site(fresh.connect());
    record_two(site);
    execute(site.pool, "INSERT INTO warmed (class, version, warmed_at, objects) VALUES"
                       " ('Gene', 'WS99', '2008-01-01T00:00:00Z', 3),"
                       " ('', 'WS99', '2008-01-01T00:00:00Z', 3),"
                       " ('Gene', 'WS100', '2008-01-01T00:00:00Z', 2)");
    execute(site.pool, "INSERT INTO failed (version, class, name, reason) VALUES"
                       " ('WS100', 'Gene', 'a', 'why'), ('WS100', 'Gene', 'b', 'why')");
    const auto list = list_releases(site.pool, site.settings, std::nullopt);
    REQUIRE(list.size() == 2);
    CHECK(list[0].counts.is_prewarmed);
    CHECK(list[0].counts.prewarmed_classes == 1);
    CHECK(list[0].counts.failed == 0);
    CHECK(!list[1].counts.is_prewarmed);
    CHECK(list[1].counts.prewarmed_classes == 1);
    CHECK(list[1].counts.failed == 2);
}
