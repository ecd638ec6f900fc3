// One object asked of a running AceDB: names of any bytes, and answers that are none.
// SPDX-License-Identifier: MIT
#include "source/acedb/queries.hpp"

#include "source/altered_session.hpp"
#include "source/dump.hpp"
#include "tree/outline.hpp"

#include <algorithm>
#include <fstream>
#include <set>

using base::Kind;
using support::AceFault;
using tree::ObjectName;

namespace {

constexpr source::acedb::ReplyOptions taking;
constexpr std::string_view show = "show -a -T";

std::string one_remark(const std::string& text) { return "Remark\t \"" + text + "\"\n"; }

live::Contents two_genes() {
    return live::text_of(
        live::one_class("Gene", {{"a", one_remark("one")}, {"b", one_remark("two")}}));
}

// Of Gene a, when the reply to `show` is altered so.
base::Result<std::string> answer(const std::function<std::string(std::string)>& alter) {
    const live::Site site(two_genes());
    const auto settings =
        live::altered(site, [&](std::string_view command, std::string reply) -> std::string {
            return command == show ? alter(std::move(reply)) : reply;
        });
    const auto status = settings.database->status();
    REQUIRE(status);
    return source::acedb::ask_object(*settings.database, status->identity, {"Gene", "a"}, taking);
}

void check_error(const base::Result<std::string>& answer, Kind kind, const std::string& why) {
    REQUIRE_FALSE(answer);
    INFO(answer.error().text);
    CHECK(answer.error().kind == kind);
    CHECK(answer.error().text.find("here: Gene a: ") == 0);
    CHECK(answer.error().text.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("names of single bytes that are no ASCII are found, and equal to the dump's") {
    const std::vector<std::string> names{
        "M\xfcller H", "Muller H",    "M\xfc\xe4ller H", "M1ller H",  "\x80",          "a\x81z",
        "b\x01z",      "caf\xc3\xa9", "th\xe9",          "x\\;y@z$w", "\xe2\x82\xac 5"};
    std::vector<std::pair<std::string, std::string>> objects;
    for (std::size_t i = 0; i < names.size(); ++i)
        objects.emplace_back(names[i], one_remark("number " + std::to_string(i)));
    const auto text = live::one_class("Author", objects);
    const live::Site site(live::text_of(text));
    const auto build = site.open();
    const auto dump_folder = site.folder.path() / "WS188";
    std::filesystem::create_directory(dump_folder);
    std::ofstream(dump_folder / "dump.ace", std::ios::binary) << text;
    std::ofstream(dump_folder / "release.ini") << "version = WS188\ndate = 2008-03-22\n";
    std::filesystem::copy_file("examples/builds/WS188/models.wrm", dump_folder / "models.wrm");
    const auto dump =
        source::open_dump({dump_folder.string(), (site.folder.path() / "of-dump").string(), 64});
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

TEST_CASE("an object that the server has lost is one that can't be read, never an absent one") {
    live::Site site(two_genes());
    const auto build = site.open();
    site.server.publish(live::text_of(live::one_class("Gene", {{"b", one_remark("two")}})),
                        "WS188", "2008-03-15_08:05:09");
    const auto lost = build->load({"Gene", "a"});
    REQUIRE_FALSE(lost);
    CHECK(lost.error().kind == Kind::malformed);
    CHECK(lost.error().text.find("not in the database any more") != std::string::npos);
    const auto logins = site.server.logins();
    CHECK(build->load({"Gene", "b"}));
    CHECK(site.server.logins() == logins);
    CHECK(build->load({"Gene", "never"}).error().kind == Kind::absent);
}

TEST_CASE("one of those that wildcards find, and is not in their list, can't be read either") {
    live::Site site(live::text_of(
        live::one_class("Gene", {{"a*", one_remark("one")}, {"ab", one_remark("two")}})));
    const auto build = site.open();
    site.server.publish(live::text_of(live::one_class("Gene", {{"ab", one_remark("two")}})),
                        "WS188", "2008-03-15_08:05:09");
    const auto lost = build->load({"Gene", "a*"});
    REQUIRE_FALSE(lost);
    CHECK(lost.error().kind == Kind::malformed);
}

TEST_CASE("a whole reply that shows nothing, or can't be read, is this object's fault alone") {
    check_error(answer([](std::string) -> std::string {
                    return "\n// 1 object dumped\n// 1 Active Objects\n";
                }),
                Kind::malformed, "shows nothing of it");
    check_error(answer([](std::string) -> std::string {
                    return "\n???\n// 1 object dumped\n// 1 Active Objects\n";
                }),
                Kind::malformed, "a reply with");
}

TEST_CASE("a reply that is cut, or another object's, says nothing of the object") {
    check_error(answer([](std::string reply) { return reply.substr(0, reply.size() / 2); }),
                Kind::unavailable, "does not end in");
    check_error(
        answer([](std::string reply) { return reply.replace(reply.find("\"a\""), 3, "\"b\""); }),
        Kind::unavailable, "answered with another object, Gene b");
}
