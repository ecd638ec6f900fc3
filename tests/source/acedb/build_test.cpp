// Builds in a running AceDB, compared with the dump of the same release.
// SPDX-License-Identifier: MIT
#include "source/acedb/build.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "source/acedb/queries.hpp"
#include "source/files_build.hpp"
#include "source/index/index_folder.hpp"
#include "source/live.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using source::Build;
using support::AceFault;
using tree::ObjectName;

namespace {

std::set<ObjectName> names_in(const source::Source& build) {
    std::set<ObjectName> names;
    source::each_object(build, [&](const source::Listed& listed) {
        CHECK(names.insert(listed.id()).second);
        return true;
    });
    return names;
}

std::string signature_of(const source::Source& build, const ObjectName& name) {
    const auto object = build.load(name);
    INFO((object ? "" : object.error().text));
    REQUIRE(object);
    CHECK(object->id == name);
    return tree::signature_of(object->nodes);
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A server and the dump of its release have the same objects and loading timestamps") {
    const live::Site site(live::dump_of("WS188"));
    const auto live = site.open();
    const auto dump = live::dumped(site, live::dump_of("WS188")->dump());
    CHECK(live->release() == dump->release());
    CHECK(live->models().class_count() > 20);
    const auto names = names_in(*live);
    CHECK(names == names_in(*dump));
    std::set<std::string> stamps{"", "2008-01-25_10:00:00.1_wormpub"}, loading;
    for (const auto& name : names) {
        INFO(name.class_name << " " << name.name);
        const auto of_server = live->load(name), of_dump = dump->load(name);
        REQUIRE(of_server);
        REQUIRE(of_dump);
        CHECK(*of_server == *of_dump);
        for (const auto& node : of_dump->nodes) stamps.insert(node.stamp);
    }
    for (const auto& stamp : stamps) {
        CHECK(live->is_loading_stamp(stamp) == dump->is_loading_stamp(stamp));
        if (live->is_loading_stamp(stamp).value()) loading.insert(stamp);
    }
    CHECK(loading.size() == 1);
    auto counts = live->class_counts(), counts_of_dump = dump->class_counts();
    std::ranges::sort(counts, {}, &source::ClassCount::class_name);
    std::ranges::sort(counts_of_dump, {}, &source::ClassCount::class_name);
    CHECK(counts == counts_of_dump);
}

TEST_CASE("A server and a dump of its release keep an index each, which is made once") {
    const auto contents = live::dump_of("WS188");
    const live::Site site(contents);
    const auto index = (site.folder.path() / "index").string();
    const auto of_server = site.open()->digest();
    CHECK(of_server.starts_with("server:"));
    const auto of_dump = live::dumped(site, contents->dump())->digest();
    const auto made = std::filesystem::last_write_time(index + "/WS188.index");
    const auto asked = site.server.commands().size();
    CHECK(site.open()->digest() == of_server);
    const auto commands = site.server.commands();
    CHECK(std::all_of(commands.begin() + static_cast<std::ptrdiff_t>(asked), commands.end(),
                      [](const auto& command) { return command == "status"; }));
    const source::FilesSettings settings{(site.folder.path() / "dumped").string(), index, 64};
    CHECK(source::open_files(settings).value()->digest() == of_dump);
    CHECK(std::filesystem::last_write_time(index + "/WS188.index") == made);
    CHECK(source::kept_indexes(index).size() == 2);
}

TEST_CASE("Only the operator can say which classes are marked -XREF or -Protected") {
    auto contents = *live::text_of(live::one_class("Gene", {{"abc", live::remark("x")}}) +
                                   live::one_class("Word", {{"muscle", ""}}) +
                                   live::one_class("Jade", {{"table", ""}}) +
                                   live::one_class("Lock", {{"one", ""}}));
    contents.add_options("// classes\n_VGene -V\n_VWord -H -XREF\n_VLock -Prot\n");
    const live::Site site(std::make_shared<support::AceContents>(contents));
    const auto dump = live::dumped(site, contents.dump()), live = site.open();
    CHECK(names_in(*dump) == std::set<ObjectName>{{"Gene", "abc"}, {"Jade", "table"}});
    CHECK(names_in(*live).contains({"Word", "muscle"}));
    CHECK(dump->kind() == "AceDB's dumps");
    CHECK(live->kind() == "a running AceDB");

    auto settings = site.settings();
    settings.skip_classes = {"word", "Lock"};
    const auto skipping = source::acedb::open_build(settings);
    REQUIRE(skipping);
    CHECK(names_in(**skipping) == names_in(*dump));
    CHECK((*skipping)->digest() == live->digest());
}

TEST_CASE("No name is sent as a wildcard, a comment or another command") {
    // As in a dump: a backslash before each of \ " / % ;
    const auto listed =
        base::split("*|?|a*|ab|aab|a?|\\%1|\\\"q\\\"|\\\"|\\\\|\\\\\\\"|http:\\/\\/x|"
                    "back\\\\slash|two\\n\\\nlines|x\\; y|caf\xc3\xa9|caf??|"
                    "\xe2\x80\xae|-T|Answer_1|@file|$PATH| |'|a b|\\\\n",
                    '|');
    const std::vector<std::string> escaped(listed.begin(), listed.end());
    const live::Site site(live::genes(escaped));
    const auto build = site.open();
    const auto names = names_in(*build);
    CHECK(names.size() == escaped.size());
    std::set<std::string> signatures;
    for (const auto& name : names) {
        INFO("\"" << name.name << "\"");
        const auto object = build->load(name);
        INFO((object ? "" : object.error().text));
        REQUIRE(object);
        CHECK(object->id == name);
        CHECK(signatures.insert(tree::signature_of(object->nodes)).second);
    }
    for (const auto& command : site.server.commands())
        CHECK(std::all_of(command.begin(), command.end(),
                          [](char c) { return c >= 0x20 && c < 0x7f; }));
}

TEST_CASE("Digests of two databases' objects differ, and the index of the superseded one is "
          "swept") {
    live::Site site(live::genes({"a", "b"}));
    const auto index = (site.folder.path() / "index").string();
    const auto before = site.open();
    site.server.publish(live::genes({"a", "b"}), "WS188", "2008-04-01_10:00:00");
    const auto after = site.open();
    CHECK(before->digest() != after->digest());
    CHECK(base::contradict(before->digest(), after->digest()));
    CHECK(before->digest_of({"Gene", "a"}).value() != after->digest_of({"Gene", "a"}).value());
    const auto kept = source::kept_indexes(index);
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].release == kept[1].release);
    for (const auto& one : kept)
        CHECK(names_in(*source::open_kept_index(one.path).value()) == names_in(*after));
    source::sweep_indexes(index, [&](const base::Release& release, const std::string& digest) {
        return release.version == "WS188" && digest == before->digest();
    });
    const auto left = source::kept_indexes(index);
    REQUIRE(left.size() == 1);
    CHECK(source::open_kept_index(left[0].path).value()->digest() == after->digest());
    // And VERSION.lock.
    CHECK(std::distance(std::filesystem::directory_iterator(index), {}) == 2);
}

TEST_CASE(
    "After another release appears, loads are unavailable until the build is opened again") {
    live::Site site(live::dump_of("WS187"), {.name = "WS187"});
    const auto settings = site.settings();
    const auto before = source::acedb::open_build(settings);
    REQUIRE(before);
    const auto identity = source::acedb::identity_of(settings);
    site.server.publish(live::dump_of("WS188"), "WS188", "2008-03-22_10:00:00");
    CHECK(source::acedb::identity_of(settings).value() != identity.value());
    const auto loaded = (*before)->load({"Gene", "WBGene00006763"});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::unavailable);
    CHECK(says(loaded.error().text, "WS188"));
    CHECK((*before)->find({"Gene", "WBGene00006763"}).value());
    const auto after = source::acedb::open_build(settings);
    REQUIRE(after);
    CHECK((*after)->release().version == "WS188");
    CHECK((*after)->load({"Gene", "WBGene00006763"}));
}

TEST_CASE("While its server is down, loads are unavailable and the list still answers") {
    live::Site site(live::genes({"a"}));
    const auto build = site.open();
    site.server.stop();
    const auto loaded = build->load({"Gene", "a"});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::unavailable);
    CHECK(says(loaded.error().text, "Gene a"));
    CHECK(build->find({"Gene", "a"}).value());
    CHECK(build->is_loading_stamp("x").has_value());
    CHECK(site.try_open().error().kind == ErrorKind::unavailable);
    site.server.start();
    CHECK(build->load({"Gene", "a"}));
}

TEST_CASE("An object larger than max_object_mb is too large, and the next one is not") {
    const std::string long_line = "Remark\t \"" + std::string(1 << 20, 'x') + "\"\n";
    const live::Site site(live::text_of(
        live::one_class("Gene", {{"big", long_line}, {"small", live::remark("one")}})));
    auto settings = site.settings();
    settings.max_object_mb = 1;
    const auto build = source::acedb::open_build(settings);
    REQUIRE(build);
    const auto big = (*build)->load({"Gene", "big"});
    REQUIRE_FALSE(big);
    CHECK(big.error().kind == ErrorKind::too_large);
    CHECK(says(big.error().text, "max_object_mb = 1"));
    CHECK((*build)->load({"Gene", "small"}));
}

TEST_CASE("A reply with another object is never accepted for the requested one") {
    live::Site site(live::genes({"a", "b"}));
    const auto build = site.open();
    site.server.strike(AceFault::another_object);
    CHECK(signature_of(*build, {"Gene", "a"}) != signature_of(*build, {"Gene", "b"}));
    // An object that the database confuses each time cannot be read, unlike the next one.
    site.server.strike(AceFault::another_object, 2);
    const auto loaded = build->load({"Gene", "a"});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::malformed);
    CHECK(says(loaded.error().text, "answered with another object, Gene b"));
    CHECK(build->load({"Gene", "a"}));
}

TEST_CASE(
    "A name that AceDB reads as another one does not keep its database from being indexed") {
    std::vector<std::string> names{"*", "?", "?*", "\\\\", "\\\""};
    for (int i = 0; i < 1000; ++i) names.push_back("g" + std::to_string(i));
    const live::Site site(live::genes(names));
    const auto build = site.open();
    const auto loaded = build->load({"Gene", "*"});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::malformed);
    CHECK_FALSE(signature_of(*build, {"Gene", "?*"}).empty());
}

TEST_CASE("The release is given by the operator or the database, and a missing one is reported") {
    live::Site site(live::genes({"a"}), {.name = "WS999"});
    auto settings = site.settings();
    auto none = source::acedb::open_build(settings);
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::refused);
    CHECK(says(none.error().text, "the date of release WS999 is unknown"));
    CHECK(says(none.error().text, "releases.tsv"));
    settings.date = *base::parse_date("2009-01-01");
    CHECK(source::acedb::release_of(settings).value() ==
          base::Release{"WS999", *base::parse_date("2009-01-01")});
    // A date in the configuration may be that of the release before.
    settings.version = "WS188";
    CHECK(source::acedb::release_of(settings).value().released_on ==
          *base::parse_date("2008-03-22"));
    settings.version = "spring";
    CHECK(source::acedb::open_build(settings).value()->release().version == "spring");
    for (const auto* name : {"", "a name of five words"}) {
        site.server.publish(live::genes({"a"}), name, "2008-03-15_08:05:09");
        settings.version.clear();
        none = source::acedb::open_build(settings);
        REQUIRE_FALSE(none);
        CHECK(none.error().kind == ErrorKind::refused);
        CHECK(says(none.error().text, "[source] release ="));
    }
}

TEST_CASE("While a server fails, 32 threads get the right object or an error") {
    live::Site site(live::dump_of("WS188"));
    const auto build = site.open();
    const auto dump = live::dumped(site, live::dump_of("WS188")->dump());
    std::vector<std::pair<ObjectName, std::string>> expected;
    for (const auto& name : names_in(*dump))
        expected.emplace_back(name, signature_of(*dump, name));
    std::atomic<std::size_t> right = 0, wrong = 0, unavailable = 0, other = 0;
    std::atomic<bool> ended = false;
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < 32; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; !ended || i < 50; ++i) {
                    const auto& [name, signature] =
                        expected[(i * 37 + t * 101) % expected.size()];
                    const auto object = build->load(name);
                    if (object)
                        ++(tree::signature_of(object->nodes) == signature ? right : wrong);
                    else
                        ++(object.error().kind == ErrorKind::unavailable ? unavailable : other);
                }
            });
        for (int i = 0; i < 20; ++i) {
            const auto before = right.load();
            i % 4 == 3 ? site.server.stop() : site.server.drop_clients();
            if (i % 4 == 3) site.server.start();
            CHECK(live::comes_true([&] { return right > before + 100; }));
        }
        ended = true;
    }
    CHECK(wrong == 0);
    CHECK(other == 0);
    CHECK(right > 2000);
    CHECK(live::comes_true([&] { return site.server.clients() <= 8; }));
}

TEST_CASE("Hash models are distinguished from comments and classes") {
    CHECK(source::acedb::hashes_in("?Gene Evidence #Evidence\n"
                                   "      Map ?Map #Map_position // not #This\n"
                                   "      Other #Evidence\n") ==
          std::vector<std::string>{"Evidence", "Map_position"});
    CHECK(source::acedb::hashes_in("# \n#\n//#a").empty());
}
