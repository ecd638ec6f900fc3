// Archives that are walked to their ends, by servers and documents that behave, and by those that do not.
// SPDX-License-Identifier: MIT
#include "harvest/workers.hpp"

#include <fcntl.h>

#include "archive_world.hpp"
#include "base/descriptor.hpp"
#include "base/log.hpp"
#include "feed/read_feed.hpp"
#include "harvest/harvester.hpp"
#include "support/temp_dir.hpp"

using namespace std::chrono_literals;
using support::archive_document;
using support::archived_entry;
using support::ArchiveWorld;
using support::list_index;
using support::list_message;
using support::PageServer;

namespace {

using Texts = std::vector<std::string>;

// A chain of three pages with two entries each.
void set_chain(PageServer& server) {
    server.set("/3", {archive_document(archived_entry("e6", 6) + archived_entry("e5", 5), "/2")});
    server.set("/2",
               {archive_document(archived_entry("e3", 3) + archived_entry("e4", 4), "2/../1")});
    server.set("/1", {archive_document(archived_entry("e2", 2) + archived_entry("e1", 1))});
}

// Records an entry as a fetch of the feed would.
void record_now(ArchiveWorld& world, const std::string& guid) {
    std::vector<feed::Entry> entries(1);
    entries[0].guid = entries[0].title = guid;
    feed::identify(entries);
    world.record({harvest::make_ready(entries[0])}, 1);
}

// A feed whose server has the chain.
struct ChainWorld : ArchiveWorld {
    explicit ChainWorld(store::Engine engine) : ArchiveWorld(engine) {
        set_chain(server);
        add_feed();
    }
};

void set_list(PageServer& server) {
    server.set("/list/", {list_index({"2008-April.txt", "2008-March.txt.gz", "2007-May.txt"})});
    server.set("/list/2008-April.txt", {list_message("a1", "Tue, 1 Apr 2008 10:00:00 +0000")});
    server.set("/list/2008-March.txt.gz", {list_message("m1", "Sat, 1 Mar 2008 10:00:00 +0000") +
                                           list_message("m2", "Sun, 2 Mar 2008 10:00:00 +0000")});
    server.set("/list/2007-May.txt", {list_message("y1", "Wed, 2 May 2007 10:00:00 +0000")});
}

// A feed whose server has the archive of a mailing list.
struct ListWorld : ArchiveWorld {
    explicit ListWorld(store::Engine engine) : ArchiveWorld(engine) {
        set_list(server);
        add_feed();
    }
    // What a fetch of the index does that finds it changed.
    void note_index(const Texts& months) {
        const auto url = server.url("/list/");
        call(harvest::note_list_index, 1, url,
             feed::read_list_index(list_index(months), "", url).value(), now);
    }
};

}  // namespace

TEST_CASE("A chain of documents is walked to its oldest page") {
    ChainWorld world(GENERATE(support::engines()));
    record_now(world, "live");
    world.start(1, world.server.url("/3"));
    CHECK(world.state() == "walking: ");
    world.run();
    CHECK(world.state() == "finished: no older page");
    const auto requests = world.server.take_requests();
    REQUIRE(requests.size() == 3);
    CHECK(support::target_in(requests[0]) == "/3");
    CHECK(support::field_in(requests[2], "User-Agent") == "Varve/1.0 (+https://x.org/changes)");
    const auto archive = world.archive();
    CHECK(archive.pages == 3);
    CHECK(archive.added == 6);
    CHECK(archive.finished_at);
    CHECK_FALSE(archive.next_attempt);
    CHECK(world.known_urls() == "0");
    CHECK(world.claims() == "0");
    // What was published long ago is no news.
    CHECK(world.guids() == Texts{"live", "e6", "e5", "e4", "e3", "e2", "e1"});
    CHECK(world.value("SELECT first_seen FROM entries WHERE guid = 'e3'") ==
          "2008-02-03T00:00:00Z");
    CHECK(world.value("SELECT last_seen FROM entries WHERE guid = 'e3'") == "2008-03-31");
    CHECK(world.value("SELECT SUM(number) FROM harvest_notes WHERE name LIKE 'count added%'") ==
          "6");
    world.run();
    CHECK(world.server.take_paths().empty());
}

TEST_CASE("A walk ends at covered ground, but not at a first page that the feed had too") {
    ChainWorld world(GENERATE(support::engines()));
    for (const auto* guid : {"e6", "e5", "e4", "e3"}) record_now(world, guid);
    world.walk("/3");
    CHECK(world.state() == "finished: covered ground");
    CHECK(world.server.take_paths() == Texts{"/3", "/2"});
    CHECK(world.archive().added == 0);
}

TEST_CASE(
    "Entries of an archive are dated now at the latest, and without a time before the feed") {
    ChainWorld world(GENERATE(support::engines()));
    world.server.set("/1",
                     {"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>future</id>"
                      "<published>2040-01-01T00:00:00Z</published></entry><entry><id>none</id>"
                      "</entry><entry><id>updated</id><updated>2007-01-01T00:00:00Z</updated>"
                      "</entry></feed>"});
    world.pass(3600s);
    record_now(world, "live");
    world.pass(3600s);
    world.start(1, world.server.url("/1"));
    const auto began = world.now;
    world.run();
    CHECK(world.guids() == Texts{"future", "live", "none", "updated"});
    CHECK(world.value("SELECT first_seen FROM entries WHERE guid = 'future'") ==
          base::format_rfc3339(began));
    CHECK(world.value("SELECT first_seen FROM entries WHERE guid = 'none'") ==
          "2008-04-01T12:00:00Z");
}

TEST_CASE("A chain that leads back ends at the page that was seen before") {
    ChainWorld world(GENERATE(support::engines()));
    world.server.set("/1", {archive_document(archived_entry("e1", 1), "/3")});
    world.walk("/3");
    CHECK(world.state() == "finished: page seen before");
    CHECK(world.server.take_paths() == Texts{"/3", "/2", "/1"});
    world.server.set("/1", {archive_document(archived_entry("new", 1), "/1")});
    world.walk("/1");
    CHECK(world.state() == "finished: page seen before");
    CHECK(world.server.take_paths() == Texts{"/1"});
}

TEST_CASE("A chain without an end has one") {
    ChainWorld world(GENERATE(support::engines()));
    world.start(1, world.server.url("/3"));
    world.execute("UPDATE archives SET pages = " +
                  std::to_string(harvest::most_archive_pages - 2));
    world.run();
    CHECK(world.state() == "finished: too many pages");
    CHECK(world.server.take_paths() == Texts{"/3", "/2"});
    world.start(1, world.server.url("/1"));
    world.execute("UPDATE archives SET added = " +
                  std::to_string(harvest::most_archive_entries - 1));
    world.run();
    CHECK(world.state() == "finished: too many pages");
    CHECK(world.known_urls() == "0");
}

TEST_CASE("Logs have no query of a page, which may be a key") {
    ChainWorld world(GENERATE(support::engines()));
    const support::TempDir folder;
    const auto log = folder.write("log", "");
    const base::Descriptor file(::open(log.c_str(), O_WRONLY | O_CLOEXEC));
    base::log::send_to(file.number(), base::log::Level::info);
    world.walk("/nothing?key=secret");
    base::log::send_to(2, base::log::Level::info);
    CHECK_THAT(support::read_file(log), Catch::Contains("cannot be read") &&
                                            Catch::Contains("/nothing") &&
                                            !Catch::Contains("secret"));
}

TEST_CASE("Empty pages and those with a useless link are walked as far as they lead") {
    ChainWorld world(GENERATE(support::engines()));
    world.server.set("/2", {archive_document("", "/1#part")});
    world.walk("/3");
    CHECK(world.server.take_paths() == Texts{"/3", "/2", "/1"});
    for (const auto* link : {"http://[::1]/", "http://jo@x.org/", "ftp://x.org/", "http:///x",
                             "javascript:x", "http://127.0.0.1:0/"}) {
        INFO(link);
        world.server.set("/4", {archive_document(archived_entry("f", 1), link)});
        world.walk("/4");
        CHECK(world.state() == "finished: no older page");
    }
    CHECK(world.claims() == "0");
}

TEST_CASE("A page that fails is read again after pauses, and in the end the archive fails") {
    ChainWorld world(GENERATE(support::engines()));
    world.server.set("/2", {"oh", "500 Internal Server Error"});
    world.walk("/3");
    CHECK(world.state() == "walking: HTTP 500 Internal Server Error");
    CHECK(world.archive().next_url == world.server.url("/2"));
    (void)world.server.take_paths();
    for (const auto pause : {10min, 60min, 360min, 1440min}) {
        world.pass(pause);
        world.run();
        CHECK(world.server.take_paths() == Texts{"/2"});
    }
    CHECK(world.state() == "failed: HTTP 500 Internal Server Error");
    CHECK_FALSE(world.archive().next_attempt);
    CHECK(world.archive().failures == 5);
    // An operator lets it go on.
    set_chain(world.server);
    world.start(1, world.archive().next_url);
    world.run();
    CHECK(world.state() == "finished: no older page");
    CHECK(world.guids().size() == 6);
}

TEST_CASE("A server that asks for a pause is left alone, with all that is on it") {
    ChainWorld world(GENERATE(support::engines()));
    world.server.set("/1", {"slower", "429 Too Many Requests", "Retry-After: 7200\r\n"});
    world.server.set("/2", {archive_document(archived_entry("e1", 1))});
    world.add_feed("https://a.example/other");
    world.walk("/1");
    CHECK(world.state() == "walking: HTTP 429 Too Many Requests");
    CHECK(*world.archive().next_attempt >= world.now + 7190s);
    world.start(2, world.server.url("/2"));
    for (int i = 0; i < 10; ++i) world.step(world.walker);
    CHECK(world.server.take_paths() == Texts{"/1"});
    world.pass(2h);
    world.run();
    CHECK(world.state(2) == "finished: no older page");
}

TEST_CASE("Hostile answers are failures with a status each") {
    ChainWorld world(GENERATE(support::engines()));
    const std::string large(harvest::ArchiveWalker::most_bytes + 1, ' ');
    for (const auto& [page, status] : std::vector<std::pair<support::SitePage, std::string>>{
             {{""}, "parse error; empty"},
             {{large}, "too large"},
             {{"x", "304 Not Modified"}, "HTTP 304 Not Modified; not asked for"},
             {{"x", "302 Found"}, "fetch error; a redirect without Location"},
             {{"x", "302 Found", "Location: /1\r\n"}, "too many redirects"},
             {{"x", "302 Found", "Location: http://10.0.0.1/\r\n"}, "refused address"},
             {{"x", "302 Found", "Location: file:///etc/passwd\r\n"},
              "fetch error; a redirect to an invalid URL"},
             {{std::string(100, 'x'), "200 OK", "Content-Encoding: gzip\r\n"},
              "parse error; no version"},
             {{"x", "410 Gone"}, "HTTP 410 Gone"}}) {
        INFO(status);
        world.server.set("/1", page);
        world.walk("/1");
        CHECK(world.state() == "walking: " + status);
        CHECK(world.claims() == "0");
    }
    for (const auto* url : {"http://10.0.0.1/", "http://127.0.0.1:1/", "http://no.invalid/"}) {
        INFO(url);
        world.start(1, url);
        world.run();
        CHECK(world.archive().failures == 1);
    }
}

TEST_CASE("Redirects are followed once the other server is free") {
    ChainWorld world(GENERATE(support::engines()));
    PageServer other;
    set_chain(other);
    world.server.set("/3", {"", "302 Found", "Location: " + other.url("/3") + "\r\n"});
    const auto base_url = other.url("");
    world.start(1, world.server.url("/3"));
    REQUIRE(world.call(harvest::claim_base_url, base_url, 77, world.now));
    for (int i = 0; i < 5; ++i) world.step(world.walker);
    CHECK(other.take_paths().empty());
    world.call(harvest::release_base_url, base_url, 77, world.now, std::nullopt);
    world.run();
    CHECK(other.take_paths() == Texts{"/3", "/2", "/1"});
    CHECK(world.state() == "finished: no older page");
    CHECK(world.claims() == "0");
}

TEST_CASE("Two harvesters never walk one archive, and none writes after its claim") {
    ChainWorld world(GENERATE(support::engines()));
    world.start(1, world.server.url("/3"));
    harvest::ArchiveWalker second(world.context, world.getter);
    for (int i = 0; i < 60 && world.archive().state == harvest::ArchiveState::walking; ++i) {
        world.walker.work();
        second.work();
        CHECK(world.walker.open() + second.open() <= 1);
        world.getter.receive(world.getter.is_waiting() ? 2000ms : 0ms);
        world.walker.write_results();
        second.write_results();
        world.pass(1s);
    }
    CHECK(world.server.take_paths() == Texts{"/3", "/2", "/1"});
    CHECK(world.archive().added == 6);
    CHECK(world.value("SELECT COUNT(*) FROM harvest_notes WHERE name LIKE 'count second%'") ==
          "0");

    world.execute("DELETE FROM entries");
    world.start(1, world.server.url("/3"));
    world.pass(5s);
    world.walker.work();
    REQUIRE(world.walker.open() == 1);
    world.pass(store::claim_lasts);  // as if the first one had been suspended
    world.run(second);
    CHECK(world.archive().added == 6);
    world.execute("DELETE FROM entries");
    while (world.walker.open() > 0) world.step(world.walker);
    CHECK(world.guids().empty());
    CHECK(world.state() == "finished: no older page");
}

TEST_CASE("Archives of feeds that are disabled or gone are not walked") {
    ChainWorld world(GENERATE(support::engines()));
    world.start(1, world.server.url("/3"));
    world.call(harvest::set_enabled, 1, false, world.now);
    world.run();
    CHECK(world.server.take_paths().empty());
    world.call(harvest::set_enabled, 1, true, world.now);
    world.walker.work();
    harvest::remove_feed(world.pool, 1);
    world.run();
    CHECK(world.value("SELECT COUNT(*) FROM entries") == "0");
    CHECK(world.value("SELECT COUNT(*) FROM archives") == "0");
    CHECK(world.known_urls() == "0");
}

TEST_CASE("A fault at any statement leaves a walk that comes to the same end") {
    const auto engine = GENERATE(support::engines());
    const auto walk = [&](const std::shared_ptr<support::FaultPlan>& plan) {
        ChainWorld seen(engine);
        seen.start(1, seen.server.url("/2"));
        ArchiveWorld world(support::faulty(seen.fresh->connect(), plan));
        // A claim whose commit is in doubt ends by itself.
        for (int i = 0; i < 100 && seen.archive().next_attempt; ++i) {
            world.step(world.walker);
            world.pass(harvest::page_spacing);
        }
        INFO(support::name_of(engine));
        CHECK(seen.state() == "finished: no older page");
        CHECK(seen.guids() == Texts{"e4", "e3", "e2", "e1"});
        CHECK(seen.archive().pages == 2);
        CHECK(seen.archive().added == 4);
        CHECK(seen.known_urls() == "0");
        CHECK(seen.claims() == "0");
    };
    for (const auto fault :
         {support::Fault::lost, support::Fault::lost_commit, support::Fault::undone_commit})
        support::sweep(fault, walk);
}

TEST_CASE("What a harvester fetches tells it which archives there are") {
    ArchiveWorld world(GENERATE(support::engines()));
    set_chain(world.server);
    Texts live, older{"e6", "e5", "e4", "e3", "e2", "e1"};
    std::string entries;
    for (int day = 28; day > 6; --day) {  // more than a fetch looks at
        live.push_back("live" + std::to_string(day));
        entries += archived_entry(live.back(), day);
    }
    live.insert(live.end(), older.begin(), older.end());
    world.server.set("/feed", {archive_document(entries, "/3#x")});
    world.server.set("/list/", {list_index({"2008-April.txt", "2008-January.txt"})});
    world.server.set("/list/2008-April.txt",
                     {list_message("m1", "Tue, 1 Apr 2008 10:00:00 +0000")});
    world.add_feed(world.server.url("/feed"));
    world.add_feed(world.server.url("/list/"));
    auto harvester = harvest::Harvester::make(world.pool, world.options).value();
    const auto run = [&] {
        support::repeat_until([&] { return harvester.is_done(); },
                              [&] {
                                  const bool waits = harvester.is_fetching();
                                  harvester.step(waits ? 2ms : 0ms);
                                  if (!waits) world.pass(1s);
                              });
    };
    run();
    CHECK(world.state(1) == "finished: no older page");
    CHECK(world.guids(1) == live);
    CHECK(world.state(2) == "finished: no older page");
    CHECK(world.guids(2) == Texts{"<m1>"});
    CHECK(world.value("SELECT rss_title FROM feeds WHERE id = 2") == "The worm Archives");
    CHECK(world.value("SELECT system_status FROM feeds WHERE id = 2") == "Working");
    CHECK(world.value("SELECT note FROM fetch_events WHERE feed = 2 AND event = "
                      "'fetch_succeeded'") == "0 skipped / 0 added; archive of a mailing list");

    // The index is the same, and so is its time: nothing is walked.
    const auto index_at = [&](const std::string& time) {
        world.server.set("/list/", {list_index({"2008-April.txt", "2008-January.txt"}), "200 OK",
                                    "Last-Modified: " + time + "\r\n"});
        (void)world.server.take_paths();
        world.pass(std::chrono::days(2));
        run();
        auto paths = world.server.take_paths();
        std::ranges::sort(paths);
        return paths;
    };
    index_at("Tue, 01 Apr 2008 10:00:00 GMT");
    CHECK(index_at("Tue, 01 Apr 2008 10:00:00 GMT") == Texts{"/feed", "/list/"});
    // A short mail that changes no byte of the index. Then it has changed.
    world.server.set("/list/2008-April.txt",
                     {list_message("m1", "Tue, 1 Apr 2008 10:00:00 +0000") +
                      list_message("m2", "Wed, 2 Apr 2008 10:00:00 +0000")});
    index_at("Wed, 02 Apr 2008 10:00:00 GMT");
    CHECK(world.guids(2) == Texts{"<m2>", "<m1>"});
    world.server.set("/list/",
                     {list_index({"2008-May.txt", "2008-April.txt", "2008-January.txt"})});
    world.server.set("/list/2008-May.txt",
                     {list_message("a1", "Fri, 2 May 2008 10:00:00 +0000")});
    world.pass(std::chrono::days(2));
    run();
    CHECK(world.guids(2) == Texts{"<a1>", "<m2>", "<m1>"});
    CHECK(world.archive(1).pages == 4);
    CHECK(world.claims() == "0");
}

// ---- Mailing lists ----

TEST_CASE("A list is walked month by month, and the index is looked at again at its end") {
    ListWorld world(GENERATE(support::engines()));
    world.walk("/list/");
    CHECK(world.state() == "finished: no older page");
    CHECK(world.server.take_paths() == Texts{"/list/", "/list/2008-April.txt",
                                             "/list/2008-March.txt.gz", "/list/2007-May.txt",
                                             "/list/"});
    CHECK(world.guids() == Texts{"<a1>", "<m2>", "<m1>", "<y1>"});
    const auto archive = world.archive();
    CHECK(archive.is_list);
    CHECK(archive.pages == 3);
    CHECK(archive.added == 4);
    CHECK(world.known_urls() == "0");
    CHECK(world.value("SELECT link FROM entries WHERE guid = '<m1>'") ==
          world.server.url("/list/2008-March/thread.html"));
}

TEST_CASE("A list whose index has changed is read from the month of the last walk on") {
    ListWorld world(GENERATE(support::engines()));
    const Texts months{"2008-April.txt", "2008-March.txt.gz", "2007-May.txt"};
    world.pass(std::chrono::days(2));
    world.note_index(months);
    world.run();
    CHECK(world.archive().added == 4);
    (void)world.server.take_paths();

    world.pass(std::chrono::days(3));
    world.server.set("/list/2008-April.txt",
                     {list_message("a1", "Tue, 1 Apr 2008 10:00:00 +0000") +
                      list_message("a2", "Fri, 4 Apr 2008 10:00:00 +0000")});
    world.note_index(months);
    CHECK(world.archive().finished_at);
    world.run();
    CHECK(world.server.take_paths() == Texts{"/list/", "/list/2008-April.txt", "/list/"});
    CHECK(world.archive().added == 1);
    // A message of the month that was read again is still in the window.
    CHECK(world.value("SELECT last_seen FROM entries WHERE guid LIKE '%a1%'") ==
          base::format_date(std::chrono::floor<std::chrono::days>(world.now)));

    world.pass(std::chrono::days(60));
    world.server.set("/list/", {list_index({"2008-June.txt", "2008-May.txt", "2008-April.txt.gz",
                                            "2008-March.txt.gz", "2007-May.txt"})});
    world.server.set("/list/2008-June.txt",
                     {list_message("j1", "Sun, 1 Jun 2008 10:00:00 +0000")});
    world.server.set("/list/2008-April.txt.gz",
                     {list_message("a3", "Wed, 30 Apr 2008 10:00:00 +0000")});
    world.note_index({"2008-June.txt"});
    world.run();
    CHECK(world.server.take_paths() == Texts{"/list/", "/list/2008-June.txt",
                                             "/list/2008-May.txt", "/list/2008-April.txt.gz",
                                             "/list/"});
    CHECK(world.state() == "finished: no older page");
    CHECK(world.guids().size() == 7);
}

TEST_CASE("A restart in the middle of a list reads no month again") {
    ListWorld world(GENERATE(support::engines()));
    world.start(1, world.server.url("/list/"));
    while (world.archive().pages < 1) world.step(world.walker);
    CHECK(world.known_urls() == "1");
    harvest::ArchiveWalker second(world.context, world.getter);
    while (world.archive().pages < 2) world.step(second);
    CHECK(world.server.take_paths() ==
          Texts{"/list/", "/list/2008-April.txt", "/list/2008-March.txt.gz"});
    harvest::ArchiveWalker third(world.context, world.getter);
    world.run(third);
    CHECK(world.server.take_paths() == Texts{"/list/", "/list/2007-May.txt", "/list/"});
    CHECK(world.state() == "finished: no older page");
    CHECK(world.archive().added == 4);
}

TEST_CASE("Messages that come during a walk are read at its end") {
    ListWorld world(GENERATE(support::engines()));
    world.start(1, world.server.url("/list/"));
    while (world.archive().pages < 2) world.step(world.walker);
    world.server.set("/list/2008-April.txt",
                     {list_message("a1", "Tue, 1 Apr 2008 10:00:00 +0000") +
                      list_message("a2", "Tue, 1 Apr 2008 11:00:00 +0000")});
    world.note_index({"2008-April.txt", "2008-March.txt.gz", "2007-May.txt"});
    world.run();
    CHECK(world.state() == "finished: no older page");
    CHECK(world.archive().added == 5);
}

TEST_CASE("A long month is recorded in parts, and counted once") {
    ListWorld world(GENERATE(support::engines()));
    world.server.set("/list/", {list_index({"2008-April.txt"})});
    std::string month;
    for (int i = 0; i < 1100; ++i)
        month += list_message("m" + std::to_string(i), "Tue, 1 Apr 2008 10:00:00 +0000");
    world.server.set("/list/2008-April.txt", {month});
    world.walk("/list/");
    CHECK(world.archive().added == 1100);
    CHECK(world.archive().pages == 1);
    CHECK(world.value("SELECT COUNT(*) FROM entries") == "1100");
}

TEST_CASE("Months that cannot be read are left out") {
    ListWorld world(GENERATE(support::engines()));
    world.server.set("/list/2008-March.txt.gz", {"\x1F\x8B damaged"});
    world.walk("/list/");
    CHECK(world.state() == "finished: no older page");
    CHECK(world.guids() == Texts{"<a1>", "<y1>"});

    // Others are asked for again first.
    world.execute("DELETE FROM entries");
    world.server.set("/list/2008-March.txt.gz", {"oh", "503 Service Unavailable"});
    world.walk("/list/");
    CHECK(world.state() == "walking: HTTP 503 Service Unavailable");
    for (int i = 0; i < 4; ++i) {
        world.pass(std::chrono::days(1));
        world.run();
    }
    CHECK(world.state() == "finished: no older page");
    CHECK(world.guids() == Texts{"<a1>", "<y1>"});

    // They count, because an index may name others each time.
    world.server.set("/list/", {list_index({"2008-April.txt"})});
    world.server.set("/list/2008-April.txt", {"oh", "404 Not Found"});
    world.start(1, world.server.url("/list/"));
    world.execute("UPDATE archives SET pages = " +
                  std::to_string(harvest::most_archive_pages - 1));
    world.run();
    CHECK(world.state() == "finished: too many pages");
}

TEST_CASE("An index that fails or lists itself in circles ends") {
    ListWorld world(GENERATE(support::engines()));
    world.server.set("/list/", {"oh", "404 Not Found"});
    world.walk("/list/");
    CHECK(world.state() == "walking: HTTP 404 Not Found");
    world.server.set("/list/", {list_index({"2008-April.txt", "2008-April.txt.gz"})});
    world.server.set("/list/2008-April.txt", {list_index({"2008-April.txt"})});
    world.walk("/list/");
    CHECK(world.state() == "finished: no older page");
}
