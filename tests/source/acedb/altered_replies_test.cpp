// Wrong replies of a running AceDB about one object and about lists, and names of any bytes.
// SPDX-License-Identifier: MIT
#include "source/acedb/queries.hpp"

#include "source/acedb/protocol.hpp"
#include "source/live.hpp"
#include "tree/outline.hpp"

#include <functional>

using base::ErrorKind;

namespace {

// Returns the settings of a server whose replies are altered: faults of a database in intact frames.
support::AceServerSettings altered(
    std::function<std::string(std::string_view, std::string)> alter) {
    support::AceServerSettings settings;
    settings.alter = std::move(alter);
    return settings;
}

// Returns the answer about Gene a when the reply to `show` is altered.
base::Result<std::string> answer(const std::function<std::string(std::string)>& alter) {
    const live::Site site(
        live::genes({"a", "b"}),
        altered([&](std::string_view command, std::string reply) -> std::string {
            return command == source::acedb::show_command ? alter(std::move(reply)) : reply;
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

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), with);
    return text;
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
    const auto dump = live::dumped(site, text);
    std::size_t compared = 0;
    source::each_object(*dump, [&](const source::Listed& listed) {
        INFO(listed.id().name);
        const auto of_dump = dump->load(listed.id()), of_server = build->load(listed.id());
        INFO((of_server ? "" : of_server.error().text));
        REQUIRE(of_dump);
        REQUIRE(of_server);
        CHECK(of_server->id == of_dump->id);
        CHECK(tree::signature_of(of_server->nodes) == tree::signature_of(of_dump->nodes));
        return ++compared > 0;
    });
    CHECK(compared >= 8);
}

TEST_CASE("An object that the server lost is unreadable and not absent") {
    live::Site site(live::genes({"a", "b"}));
    const auto build = site.open();
    site.server.publish(live::genes({"b"}), "WS188", "2008-03-15_08:05:09");
    const auto lost = build->load({"Gene", "a"});
    REQUIRE_FALSE(lost);
    CHECK(lost.error().kind == ErrorKind::malformed);
    CHECK(lost.error().text.find("not in the database any more") != std::string::npos);
    const auto logins = site.server.logins();
    CHECK(build->load({"Gene", "b"}));
    CHECK(site.server.logins() == logins);
    CHECK(build->load({"Gene", "never"}).error().kind == ErrorKind::absent);
}

TEST_CASE(
    "A complete reply without the object is its own fault, and a truncated one says nothing") {
    const std::string end = "// 1 object dumped\n// 1 Active Objects\n";
    check_error(answer([&](auto) { return "\n" + end; }), ErrorKind::malformed,
                "returns no content for it");
    check_error(answer([&](auto) { return "\n???\n" + end; }), ErrorKind::malformed,
                "a reply with");
    check_error(answer([](const auto& reply) { return reply.substr(0, reply.size() / 2); }),
                ErrorKind::unavailable, "does not end in");
}

TEST_CASE("A list that lacks objects is refused, and old names do not make a list incomplete") {
    struct Case {
        std::string command, from, to, why;
    };
    for (const auto& each :
         std::vector<Case>{{"list -a", "Gene : \"b\"\n", "",
                            "names of Gene: the database announced 3 names but sent 2"},
                           {"find Gene", "Found 3", "Found 0",
                            "names of Gene: the database announced 3 names but found 0"},
                           {"find Gene", "Found 3", "Found 5", ""}}) {
        const live::Site site(
            live::genes({"a", "b", "c"}),
            altered([&](std::string_view command, std::string reply) -> std::string {
                if (command != each.command) return reply;
                // Its own count agrees.
                return replaced(replaced(reply, each.from, each.to), "3 object", "2 object");
            }));
        const auto build = site.try_open();
        CHECK(build.has_value() == each.why.empty());
        if (build)
            CHECK((*build)->find({"Gene", "b"}).value());
        else
            CHECK(build.error().kind == ErrorKind::unavailable);
        CHECK_THAT(build ? "" : build.error().text, Catch::Contains(each.why));
    }
}
