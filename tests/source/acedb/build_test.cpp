// Builds in a running AceDB, compared with the dump of the same release.
// SPDX-License-Identifier: MIT
#include "source/acedb/build.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

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

Build open_files(const live::Site& site, const std::string& version) {
    const auto build = source::open_files(
        {"examples/builds/" + version, (site.folder.path() / "of-dump").string(), 64});
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    return *build;
}

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

// Opens what `dump -T` writes of the contents, under the version of the test server.
Build dumped(const live::Site& site, const support::AceContents& contents) {
    site.folder.write("dumped/release.ini", "version = WS188\ndate = 2008-03-22\n");
    site.folder.write("dumped/dump.ace", contents.dump());
    const auto build = source::open_files({(site.folder.path() / "dumped").string(),
                                           (site.folder.path() / "of-dump").string(), 64});
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    return *build;
}

live::Contents genes(const std::vector<std::string>& escaped_names) {
    std::vector<std::pair<std::string, std::string>> objects;
    for (const auto& name : escaped_names) objects.emplace_back(name, live::remark("of " + name));
    return live::text_of(live::one_class("Gene", objects));
}

}  // namespace

TEST_CASE("A server and the dump of its release have the same objects") {
    const auto* version = GENERATE("WS186", "WS187", "WS188");
    support::AceServerSettings of_server;
    of_server.name = version;
    const live::Site site(live::dump_of(version), of_server);
    const auto live = site.open();
    const auto dump = open_files(site, version);
    CHECK(live->release() == dump->release());
    const auto names = names_in(*live);
    CHECK(names == names_in(*dump));
    for (const auto& name : names) {
        INFO(name.class_name << " " << name.name);
        const auto of_server_object = live->load(name), of_dump = dump->load(name);
        REQUIRE(of_server_object);
        REQUIRE(of_dump);
        CHECK(*of_server_object == *of_dump);
        CHECK(tree::signature_of(of_server_object->nodes) == tree::signature_of(of_dump->nodes));
    }
    auto counts = live->class_counts(), counts_of_dump = dump->class_counts();
    const auto by_name = [](const auto& a, const auto& b) { return a.class_name < b.class_name; };
    std::sort(counts.begin(), counts.end(), by_name);
    std::sort(counts_of_dump.begin(), counts_of_dump.end(), by_name);
    CHECK(counts == counts_of_dump);
}

TEST_CASE("The loading timestamps of a server are those of the dump") {
    support::AceServerSettings of_server;
    of_server.name = "WS186";
    const live::Site site(live::dump_of("WS186"), of_server);
    const auto live = site.open();
    const auto dump = open_files(site, "WS186");
    int loading = 0;
    std::set<std::string> stamps{"", "2008-01-25_10:00:00.1_wormpub"};
    for (const auto& name : names_in(*dump)) {
        const auto object = dump->load(name);
        REQUIRE(object);
        for (const auto& node : object->nodes) stamps.insert(node.stamp);
    }
    for (const auto& stamp : stamps) {
        INFO(stamp);
        CHECK(live->is_loading_stamp(stamp) == dump->is_loading_stamp(stamp));
        loading += live->is_loading_stamp(stamp).value();
    }
    CHECK(loading == 1);
}

TEST_CASE("The index of a server is made once, and a status shows that it is still valid") {
    const live::Site site(live::dump_of("WS188"));
    const auto first = site.open();
    const auto asked = site.server.commands().size();
    const auto second = site.open();
    CHECK(second->digest() == first->digest());
    CHECK(first->digest().starts_with("server:"));
    const auto commands = site.server.commands();
    CHECK(std::all_of(commands.begin() + static_cast<std::ptrdiff_t>(asked), commands.end(),
                      [](const auto& command) { return command == "status"; }));
    CHECK(second->models().class_count() > 20);
}

TEST_CASE("A server and a dump of its release keep an index each") {
    const auto contents = live::dump_of("WS188");
    const live::Site site(contents);
    const auto index = (site.folder.path() / "index").string();
    const auto folder = site.folder.path() / "dumped";
    site.folder.write("dumped/release.ini", "version = WS188\ndate = 2008-03-22\n");
    site.folder.write("dumped/dump.ace", contents->dump());
    const auto of_server = site.open()->digest();
    const auto of_dump = source::open_files({folder.string(), index, 64}).value()->digest();
    const auto made = std::filesystem::last_write_time(index + "/WS188.index");
    const auto asked = site.server.commands().size();
    CHECK(site.open()->digest() == of_server);
    const auto commands = site.server.commands();
    CHECK(std::all_of(commands.begin() + static_cast<std::ptrdiff_t>(asked), commands.end(),
                      [](const auto& command) { return command == "status"; }));
    CHECK(source::open_files({folder.string(), index, 64}).value()->digest() == of_dump);
    CHECK(std::filesystem::last_write_time(index + "/WS188.index") == made);
    CHECK(source::kept_indexes(index).size() == 2);
}

TEST_CASE("An index of a server that was superseded is swept, with its models") {
    live::Site site(genes({"a"}));
    const auto index = (site.folder.path() / "index").string();
    const auto first = site.open();
    site.server.publish(genes({"a", "b"}), "WS188", "2008-03-23_08:05:09");
    const auto second = site.open();
    CHECK(source::kept_indexes(index).size() == 2);
    source::sweep_indexes(index, [&](const base::Release& release, const std::string& digest) {
        return release.version == "WS188" && digest == first->digest();
    });
    const auto kept = source::kept_indexes(index);
    REQUIRE(kept.size() == 1);
    CHECK(source::open_kept_index(kept[0].path).value()->digest() == second->digest());
    CHECK(std::distance(std::filesystem::directory_iterator(index), {}) ==
          3);  // and VERSION.lock
}

TEST_CASE("Kernel classes and timestamps are not objects of a server's build") {
    const live::Site site(live::dump_of("WS188"));
    const auto build = site.open();
    for (const auto& count : build->class_counts())
        for (const auto* kernel : {"Session", "Class", "Model", "Text", "UserSession"})
            CHECK(count.class_name != kernel);
    CHECK_FALSE(build->find({"UserSession", "2008-02-10_14:30:00_sylvia"}).value());
    CHECK_FALSE(build->find({"KeySet", "Answer_1"}).value());
}

TEST_CASE("A server and the dump that AceDB writes of it track the same classes") {
    const auto contents = live::text_of(live::one_class("Gene", {{"abc", live::remark("x")}}) +
                                        live::one_class("Jade", {{"table", ""}}) +
                                        live::one_class("View", {{"short", ""}}));
    const live::Site site(contents);
    const auto names = names_in(*site.open());
    CHECK(names == names_in(*dumped(site, *contents)));
    CHECK(names.contains({"Jade", "table"}));
    CHECK_FALSE(names.contains({"Keyword", "muscle"}));
}

TEST_CASE("Only the operator can say which classes are marked -XREF or -Protected") {
    auto contents = *live::text_of(live::one_class("Gene", {{"abc", live::remark("x")}}) +
                                   live::one_class("Word", {{"muscle", ""}}) +
                                   live::one_class("Lock", {{"one", ""}}));
    contents.add_options("// classes\n_VGene -V\n_VWord -H -XREF\n_VLock -Prot\n");
    const live::Site site(std::make_shared<support::AceContents>(contents));
    const auto dump = dumped(site, contents), live = site.open();
    CHECK(names_in(*dump) == std::set<ObjectName>{{"Gene", "abc"}});
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

TEST_CASE("Objects of a server are found in any case and loaded by their own name") {
    const live::Site site(genes({"abc", "Twin", "tWIN"}));
    const auto build = site.open();
    CHECK(build->find({"gene", "ABC"}).value() == ObjectName{"Gene", "abc"});
    CHECK(build->find({"Gene", "Twin"}).value() == ObjectName{"Gene", "Twin"});
    CHECK(build->find({"Gene", "TWIN"}).value() == std::nullopt);
    CHECK(build->load({"Gene", "ABC"}).error().kind == ErrorKind::absent);
    CHECK(says(build->load({"Nosuch", "x"}).error().text, "no class Nosuch"));
    CHECK(signature_of(*build, {"Gene", "Twin"}) != signature_of(*build, {"Gene", "tWIN"}));
}

TEST_CASE("No name is sent as a wildcard, a comment or another command") {
    // As in a dump: a backslash before each of \ " / % ;
    const std::vector<std::string> escaped{"*",
                                           "?",
                                           "a*",
                                           "ab",
                                           "aab",
                                           "a?",
                                           "\\%1",
                                           "\\\"q\\\"",
                                           "\\\"",
                                           "\\\\",
                                           "\\\\\\\"",
                                           "http:\\/\\/x",
                                           "back\\\\slash",
                                           "two\\n\\\nlines",
                                           "x\\; y",
                                           "caf\xc3\xa9",
                                           "caf??",
                                           "\xe2\x80\xae",
                                           "-T",
                                           "Answer_1",
                                           "@file",
                                           "$PATH",
                                           " ",
                                           "'",
                                           "a b",
                                           "\\\\n"};
    const live::Site site(genes(escaped));
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

TEST_CASE("The list of a server's build comes in parts, with each object once") {
    const live::Site site(live::dump_of("WS187"), {.name = "WS187"});
    const auto build = site.open();
    const auto parts = build->parts(100);
    std::size_t listed = 0;
    std::set<ObjectName> names;
    for (std::size_t i = 0; i < parts.size(); ++i)
        build->each(parts.places[i], parts.places[i + 1], [&](const source::Listed& one) {
            ++listed;
            names.insert(one.id());
            const auto digest = build->digest_of(one.id());
            CHECK(digest.value() == one.digest);
            return true;
        });
    CHECK(listed == names.size());
    CHECK(names == names_in(*build));
    CHECK(parts.size() == (listed + 99) / 100);
}

TEST_CASE("Digests of two databases' objects differ, whatever they contain") {
    live::Site site(genes({"a", "b"}));
    const auto before = site.open();
    site.server.publish(genes({"a", "b"}), "WS188", "2008-04-01_10:00:00");
    const auto after = site.open();
    CHECK(before->digest() != after->digest());
    CHECK(base::contradict(before->digest(), after->digest()));
    CHECK(before->digest_of({"Gene", "a"}).value() != after->digest_of({"Gene", "a"}).value());
    // The index of the earlier build is kept.
    const auto kept = source::kept_indexes((site.folder.path() / "index").string());
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].release == kept[1].release);
    for (const auto& one : kept) {
        const auto opened = source::open_kept_index(one.path);
        REQUIRE(opened);
        CHECK(names_in(**opened) == names_in(*after));
    }
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
    live::Site site(genes({"a"}));
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

TEST_CASE("An endless reply is abandoned, and the next question is answered") {
    live::Site site(genes({"a", "b"}));
    auto settings = site.settings();
    settings.max_object_mb = 1;
    const auto build = source::acedb::open_build(settings);
    REQUIRE(build);
    const auto fault = GENERATE(AceFault::endless_encore, AceFault::endless_slices,
                                AceFault::huge_length, AceFault::no_end);
    INFO(static_cast<int>(fault));
    site.server.strike(fault, 100);
    const auto loaded = (*build)->load({"Gene", "a"});
    REQUIRE_FALSE(loaded);
    CHECK((loaded.error().kind == ErrorKind::unavailable ||
           loaded.error().kind == ErrorKind::too_large));
    site.server.strike(AceFault::none, 0);
    CHECK((*build)->load({"Gene", "a"}));
}

TEST_CASE("A reply with another object is never accepted for the requested one") {
    live::Site site(genes({"a", "b"}));
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
    const live::Site site(genes(names));
    const auto build = site.open();
    const auto loaded = build->load({"Gene", "*"});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::malformed);
    CHECK(signature_of(*build, {"Gene", "?"}) != signature_of(*build, {"Gene", "?*"}));
}

TEST_CASE("The release is given by the operator or the database, and a missing one is reported") {
    live::Site site(genes({"a"}), {.name = "WS999"});
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
        site.server.publish(genes({"a"}), name, "2008-03-15_08:05:09");
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
    const auto dump = open_files(site, "WS188");
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

TEST_CASE("Two processes that open a server's build at once get the same index") {
    const live::Site site(live::dump_of("WS188"));
    std::vector<std::string> digests(4);
    {
        std::vector<std::jthread> threads;
        for (auto& digest : digests)
            threads.emplace_back([&digest, &site] {
                const auto build = site.try_open();
                digest = build ? (*build)->digest() : build.error().text;
            });
    }
    for (const auto& digest : digests) CHECK(digest == digests.front());
    const auto commands = site.server.commands();
    CHECK(std::count(commands.begin(), commands.end(), "classes") == 1);
}

TEST_CASE("Hash models are distinguished from comments and classes") {
    CHECK(source::acedb::hashes_in("?Gene Evidence #Evidence\n"
                                   "      Map ?Map #Map_position // not #This\n"
                                   "      Other #Evidence\n") ==
          std::vector<std::string>{"Evidence", "Map_position"});
    CHECK(source::acedb::hashes_in("# \n#\n//#a").empty());
}
