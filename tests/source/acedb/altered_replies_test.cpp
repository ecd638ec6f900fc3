// Wrong replies of a running AceDB about one object and about lists, and names of any bytes.
// SPDX-License-Identifier: MIT
#include "source/acedb/queries.hpp"

#include "source/files_build.hpp"
#include "source/live.hpp"
#include "tree/outline.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

using base::ErrorKind;
using support::AceFault;
using tree::ObjectName;

namespace {

// Returns the settings of a server whose replies are altered: faults of a database in intact frames.
support::AceServerSettings altered(
    std::function<std::string(std::string_view, std::string)> alter) {
    support::AceServerSettings settings;
    settings.alter = std::move(alter);
    return settings;
}

constexpr std::string_view show = "show -a -T";

live::Contents two_genes() {
    return live::text_of(
        live::one_class("Gene", {{"a", live::remark("one")}, {"b", live::remark("two")}}));
}

// Returns the answer about Gene a when the reply to `show` is altered.
base::Result<std::string> answer(const std::function<std::string(std::string)>& alter) {
    const live::Site site(
        two_genes(), altered([&](std::string_view command, std::string reply) -> std::string {
            return command == show ? alter(std::move(reply)) : reply;
        }));
    const auto database = site.database();
    const auto status = database->status();
    REQUIRE(status);
    return source::acedb::ask_object(*database, status->identity, {"Gene", "a"}, {});
}

void check_error(const base::Result<std::string>& answer, ErrorKind kind,
                 const std::string& why) {
    REQUIRE_FALSE(answer);
    INFO(answer.error().text);
    CHECK(answer.error().kind == kind);
    CHECK(answer.error().text.find(": Gene a: ") != std::string::npos);
    CHECK(answer.error().text.find(why) != std::string::npos);
}

live::Contents three_genes() {
    const auto remark = live::remark("one");
    return live::text_of(live::one_class("Gene", {{"a", remark}, {"b", remark}, {"c", remark}}));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), with);
    return text;
}

void check_unavailable(const base::Result<source::Build>& build, const std::string& why) {
    REQUIRE_FALSE(build);
    CHECK(build.error().kind == ErrorKind::unavailable);
    INFO(build.error().text);
    CHECK(build.error().text.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("Names with non-ASCII bytes are found and equal those of the dump") {
    const std::vector<std::string> names{
        "M\xfcller H", "Muller H",    "M\xfc\xe4ller H", "M1ller H",  "\x80",          "a\x81z",
        "b\x01z",      "caf\xc3\xa9", "th\xe9",          "x\\;y@z$w", "\xe2\x82\xac 5"};
    std::vector<std::pair<std::string, std::string>> objects;
    for (std::size_t i = 0; i < names.size(); ++i)
        objects.emplace_back(names[i], live::remark("number " + std::to_string(i)));
    const auto text = live::one_class("Author", objects);
    const live::Site site(live::text_of(text));
    const auto build = site.open();
    const auto dump_folder = site.folder.path() / "WS188";
    std::filesystem::create_directory(dump_folder);
    std::ofstream(dump_folder / "dump.ace", std::ios::binary) << text;
    std::ofstream(dump_folder / "release.ini") << "version = WS188\ndate = 2008-03-22\n";
    std::filesystem::copy_file("examples/builds/WS188/models.wrm", dump_folder / "models.wrm");
    const auto dump =
        source::open_files({dump_folder.string(), (site.folder.path() / "of-dump").string(), 64});
    INFO((dump ? "" : dump.error().text));
    REQUIRE(dump);
    std::size_t compared = 0;
    source::each_object(**dump, [&](const source::Listed& listed) {
        INFO(listed.id().name);
        const auto of_dump = (*dump)->load(listed.id()), of_server = build->load(listed.id());
        INFO((of_server ? "" : of_server.error().text));
        REQUIRE(of_dump);
        REQUIRE(of_server);
        CHECK(of_server->id == of_dump->id);
        CHECK(tree::signature_of(of_server->nodes) == tree::signature_of(of_dump->nodes));
        ++compared;
        return true;
    });
    CHECK(compared >= 8);
}

TEST_CASE("An object that the server lost is unreadable and not absent") {
    live::Site site(two_genes());
    const auto build = site.open();
    site.server.publish(live::text_of(live::one_class("Gene", {{"b", live::remark("two")}})),
                        "WS188", "2008-03-15_08:05:09");
    const auto lost = build->load({"Gene", "a"});
    REQUIRE_FALSE(lost);
    CHECK(lost.error().kind == ErrorKind::malformed);
    CHECK(lost.error().text.find("not in the database any more") != std::string::npos);
    const auto logins = site.server.logins();
    CHECK(build->load({"Gene", "b"}));
    CHECK(site.server.logins() == logins);
    CHECK(build->load({"Gene", "never"}).error().kind == ErrorKind::absent);
}

TEST_CASE("An object that wildcards find but that is not in their list is unreadable") {
    live::Site site(live::text_of(
        live::one_class("Gene", {{"a*", live::remark("one")}, {"ab", live::remark("two")}})));
    const auto build = site.open();
    site.server.publish(live::text_of(live::one_class("Gene", {{"ab", live::remark("two")}})),
                        "WS188", "2008-03-15_08:05:09");
    const auto lost = build->load({"Gene", "a*"});
    REQUIRE_FALSE(lost);
    CHECK(lost.error().kind == ErrorKind::malformed);
}

TEST_CASE("A complete reply that shows nothing or is unreadable concerns only this object") {
    check_error(answer([](std::string) -> std::string {
                    return "\n// 1 object dumped\n// 1 Active Objects\n";
                }),
                ErrorKind::malformed, "returns no content for it");
    check_error(answer([](std::string) -> std::string {
                    return "\n???\n// 1 object dumped\n// 1 Active Objects\n";
                }),
                ErrorKind::malformed, "a reply with");
}

TEST_CASE("A truncated reply says nothing about the object, and another object twice that it is "
          "unreadable") {
    check_error(answer([](std::string reply) { return reply.substr(0, reply.size() / 2); }),
                ErrorKind::unavailable, "does not end in");
    check_error(
        answer([](std::string reply) { return reply.replace(reply.find("\"a\""), 3, "\"b\""); }),
        ErrorKind::malformed, "answered with another object, Gene b");
}

TEST_CASE("A list without one of its objects is refused, even when its own count agrees") {
    const live::Site site(
        three_genes(), altered([](std::string_view command, std::string reply) -> std::string {
            if (command != "list -a") return reply;
            return replaced(replaced(reply, "Gene : \"b\"\n", ""), "3 object", "2 object");
        }));
    const auto build = site.try_open();
    check_unavailable(build, "names of Gene: the database announced 3 names but sent 2");
}

TEST_CASE("An empty answer about a class that has objects is refused") {
    const live::Site site(three_genes(),
                          altered([](std::string_view command, std::string reply) -> std::string {
                              if (command != "find Gene") return reply;
                              return "\n// Found 0 objects in this class\n// 0 Active Objects\n";
                          }));
    const auto build = site.try_open();
    check_unavailable(build, "names of Gene: the database announced 3 names but found 0");
}

TEST_CASE("Old names make more objects found than listed, and the list is complete") {
    const live::Site site(
        three_genes(), altered([](std::string_view command, std::string reply) -> std::string {
            return command == "find Gene" ? replaced(reply, "Found 3", "Found 5") : reply;
        }));
    const auto build = site.try_open();
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    CHECK((*build)->find({"Gene", "b"}).value());
}
