// Which build is served, and which is refused.
// SPDX-License-Identifier: MIT
#include "history/current.hpp"

#include "support/catch.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "tables/tables.hpp"

using namespace tables;
using namespace history;
using support::SmallBuild;

namespace {

using Shared = std::shared_ptr<SmallBuild>;

Shared build(const std::string& version, const std::string& day, int objects,
             const std::string& word = "x") {
    auto made = std::make_shared<SmallBuild>(version, day);
    for (int i = 0; i < objects; ++i)
        made->with("Gene", "g" + std::to_string(i), {support::text(word)});
    return made;
}

// The builds that lie there, by hand.
struct Shelf {
    Shared now;
    std::vector<Shared> kept;
    std::string identity = "1";
    std::optional<base::Error> flaw;  // of `now`

    BuildOpener opener() {
        return {
            [this]() -> base::Result<std::string> {
                if (!now) return base::fail(base::Kind::unavailable, "the folder has gone");
                return identity;
            },
            [this](Wholeness wholeness) -> base::Result<source::Build> {
                if (flaw && wholeness == Wholeness::required) return tl::unexpected(*flaw);
                return source::Build(now);
            },
            [this](const base::Release& release, const WasServed& was_served) -> source::Build {
                for (const auto& each : kept)
                    if (each->release() < release && was_served(each->release(), each->digest()))
                        return each;
                return nullptr;
            }};
    }
    void put(Shared next) {
        if (now) kept.insert(kept.begin(), now);
        now = std::move(next);
        identity += '1';
    }
};

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

base::Seconds some_time() { return base::Seconds{*base::parse_date("2008-04-01")}; }

}  // namespace

TEST_CASE("a build is taken over when it lies there, and the next one after it") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    CHECK(current.build() == nullptr);
    CHECK(contains(current.why(), "has gone"));

    shelf.put(build("WS186", "2008-02-01", 30));
    current.look();
    REQUIRE(current.build());
    CHECK(current.build()->release().version == "WS186");
    CHECK(current.builds().previous == nullptr);
    CHECK(current.why().empty());

    shelf.put(build("WS187", "2008-02-15", 30, "y"));
    current.look();
    CHECK(current.build()->release().version == "WS187");
    REQUIRE(current.builds().previous);
    CHECK(current.builds().previous->release().version == "WS186");
}

TEST_CASE("a folder that vanished leaves the build before to serve on") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    shelf.now = nullptr;
    current.look();
    REQUIRE(current.build());
    CHECK(contains(current.why(), "has gone"));
}

TEST_CASE("a build in which a class lost most of its objects is refused until it is accepted") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    shelf.put(build("WS187", "2008-02-15", 14, "y"));
    current.look();
    CHECK(current.build()->release().version == "WS186");
    CHECK(contains(current.why(), "class Gene has 14 of the 30 objects it had in WS186"));
    CHECK(contains(current.why(), "varve accept WS187"));
    REQUIRE(current.candidate());
    CHECK(current.candidate()->release().version == "WS187");

    accept(pool, "WS187", current.candidate()->digest(), some_time());
    current.look();
    CHECK(current.build()->release().version == "WS187");
    CHECK(current.why().empty());
}

TEST_CASE("half of a class may go, and small classes may lose everything") {
    const auto before = build("WS186", "2008-02-01", 30);
    CHECK(lost_classes(*build("WS187", "2008-02-15", 15), *before).empty());
    CHECK_FALSE(lost_classes(*build("WS187", "2008-02-15", 0), *before).empty());
    const auto small = build("WS186", "2008-02-01", 19);
    CHECK(lost_classes(*build("WS187", "2008-02-15", 0), *small).empty());
}

TEST_CASE("a recorded version of another date is refused") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    shelf.put(build("WS186", "2008-01-31", 30));
    current.look();
    CHECK(contains(current.why(), "WS186 is recorded as of 2008-02-01"));
}

TEST_CASE("a build that can't be read is read once, until it is another one") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    int opened = 0;
    auto opener = shelf.opener();
    opener.open = [&](Wholeness) -> base::Result<source::Build> {
        ++opened;
        return base::fail(base::Kind::malformed, "dump.ace:3: a line that belongs to no object");
    };
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(opener, pool);
    current.look();
    current.look();
    CHECK(opened == 1);
    shelf.put(build("WS186", "2008-02-01", 30));
    current.look();
    CHECK(opened == 2);
    CHECK(contains(current.why(), "dump.ace:3"));
}

TEST_CASE("a build that is cut off is refused with its place until it is accepted") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    shelf.flaw = base::Error{base::Kind::refused, "dump.ace:17: the file ends too early"};
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    CHECK(current.build() == nullptr);
    CHECK(contains(current.why(), "dump.ace:17"));
    accept(pool, "WS186", current.candidate()->digest(), some_time());
    current.look();
    REQUIRE(current.build());
    CHECK(current.why().empty());
}

TEST_CASE("a recorded version with other content is refused, whatever is accepted") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    const auto first = current.build();
    shelf.put(build("WS186", "2008-02-01", 30, "other"));
    current.look();
    CHECK(current.build() == first);
    CHECK(contains(current.why(), "WS186 is recorded with other content"));
    accept(pool, "WS186", current.candidate()->digest(), some_time());
    current.look();
    CHECK(current.build() == first);
}

TEST_CASE("a refused build is no measure for the one after it") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    shelf.put(build("WS187", "2008-02-15", 2, "y"));
    current.look();
    shelf.put(build("WS188", "2008-03-22", 30, "z"));
    current.look();
    CHECK(current.build()->release().version == "WS188");
    CHECK(current.builds().previous->release().version == "WS186");
}

TEST_CASE("a site may be rolled back to an earlier build") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    const auto first = build("WS186", "2008-02-01", 30);
    shelf.put(first);
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    shelf.put(build("WS187", "2008-02-15", 30, "y"));
    current.look();
    shelf.put(first);
    current.look();
    CHECK(current.build() == first);
}

TEST_CASE("a release published again is taken when its content is the recorded one") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    const auto again = build("WS186", "2008-02-01", 30, "y");
    shelf.put(again);
    current.look();
    CHECK(contains(current.why(), "varve prewarm --replace WS186"));
    CHECK(current.build()->digest() != again->digest());
    // Whoever replaces it judges it by all else, and records nothing.
    CurrentBuild judge(shelf.opener(), pool, RepublicationPolicy::judged);
    judge.look();
    CHECK(judge.why().empty());
    CHECK(judge.build()->digest() == again->digest());
    current.look();
    CHECK(current.build()->digest() != again->digest());

    store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
        transaction.execute("UPDATE releases SET digest = ?, replacing = 1 WHERE version = ?",
                            {store::Value{again->digest()}, store::Value{std::string("WS186")}});
    });
    current.look();
    CHECK(current.why().empty());
    CHECK(current.build()->digest() == again->digest());
}

TEST_CASE("a build that is judged for a replacement is not recorded") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    Shelf shelf;
    shelf.put(build("WS186", "2008-02-01", 30));
    CurrentBuild judge(shelf.opener(), pool, RepublicationPolicy::judged);
    judge.look();
    CHECK(judge.build());
    CHECK(store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
              return transaction.query("SELECT version FROM releases");
          }).empty());
}

TEST_CASE("a release recorded from files is served by the server too, and the other way round") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    const auto files_first = GENERATE(true, false);
    auto first = build("WS186", "2008-02-01", 30), second = build("WS186", "2008-02-01", 30, "y");
    (files_first ? second : first)->of_server();
    Shelf shelf;
    shelf.put(first);
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    CHECK(current.build() == first);
    shelf.put(second);
    current.look();
    CHECK(current.why().empty());
    CHECK(current.build() == second);
    // From now on it is known by what is served, and another of that sort contradicts it.
    const auto recorded =
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            CHECK(record_release(transaction, second->release(), second->digest()));
            return recorded_release(transaction, "WS186");
        });
    REQUIRE(recorded);
    CHECK(recorded->digest == second->digest());
    auto third = build("WS186", "2008-02-01", 30, "z");
    if (files_first) third->of_server();
    shelf.put(third);
    current.look();
    CHECK(contains(current.why(), "recorded with other content"));
    CHECK(current.build() == second);
}

TEST_CASE("the index kept of a release is found, whichever sort it was recorded by") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    store::Pool pool(fresh.connect(), 2);
    auto files = build("WS186", "2008-02-01", 30), server = build("WS186", "2008-02-01", 30);
    server->of_server();
    Shelf shelf;
    shelf.put(files);
    CurrentBuild current(shelf.opener(), pool);
    current.look();
    // The folder has gone: what is kept was made of the server.
    shelf.now = server;
    shelf.put(build("WS187", "2008-02-15", 30));
    current.look();
    CHECK(current.builds().previous == server);
    CHECK(current.build()->release().version == "WS187");
}
