// Lists of a running AceDB that are too short for what it tells of itself.
// SPDX-License-Identifier: MIT
#include "source/altered_session.hpp"

using base::Kind;

namespace {

live::Contents genes() {
    const std::string remark = "Remark\t \"one\"\n";
    return live::text_of(live::one_class("Gene", {{"a", remark}, {"b", remark}, {"c", remark}}));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), with);
    return text;
}

void check_unavailable(const base::Result<source::Build>& build, const std::string& why) {
    REQUIRE_FALSE(build);
    CHECK(build.error().kind == Kind::unavailable);
    INFO(build.error().text);
    CHECK(build.error().text.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("a list that lacks an object is no list, even where it counts so itself") {
    const live::Site site(genes());
    const auto build = source::acedb::open_build(
        live::altered(site, [](std::string_view command, std::string reply) -> std::string {
            if (command != "list -a") return reply;
            return replaced(replaced(reply, "Gene : \"b\"\n", ""), "3 object", "2 object");
        }));
    check_unavailable(build, "names of Gene: 2 listed where the database announces 3 objects");
}

TEST_CASE("nothing found in a class that has objects is no empty class") {
    const live::Site site(genes());
    const auto build = source::acedb::open_build(
        live::altered(site, [](std::string_view command, std::string reply) -> std::string {
            if (command != "find Gene") return reply;
            return "\n// Found 0 objects in this class\n// 0 Active Objects\n";
        }));
    check_unavailable(build, "names of Gene: 0 found where the database announces 3 objects");
}

TEST_CASE("old names make more found than listed, and the list is whole") {
    const live::Site site(genes());
    const auto build = source::acedb::open_build(
        live::altered(site, [](std::string_view command, std::string reply) -> std::string {
            return command == "find Gene" ? replaced(reply, "Found 3", "Found 5") : reply;
        }));
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    CHECK((*build)->find({"Gene", "b"}).value());
}
