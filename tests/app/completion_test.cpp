// SPDX-License-Identifier: MIT
#include "app/completion.hpp"

#include "support/catch.hpp"

namespace {

bool has_line(const std::string& script, const std::string& line) {
    CAPTURE(script, line);
    return ("\n" + script).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("The scripts for shells offer parts, options and their values") {
    const std::vector<app::CommandWords> commands{
        {"", "All", {"feed", "token"}, {}, {{"--config", "A file", true, {}}}},
        {"feed", "It's a feed", {}, {}, {{"--format", "How", true, {"rss", "atom"}}}},
        {"token", "Tokens", {"add"}, {}, {{"--json", "As JSON", false, {}}}},
        {"token add", "New", {}, {"a", "b"}, {}}};
    const auto bash = app::completion_for("bash", commands);
    CHECK(has_line(
        bash,
        "            (' feed'|' token'|'token add') so_far=\"${so_far:+$so_far }$each\" ;;"));
    CHECK(has_line(bash, "        (' --config') words= ;;"));
    CHECK(has_line(bash, "        ('feed --format') words='rss atom' ;;"));
    CHECK(has_line(bash, "            ('') words='feed token --config' ;;"));
    CHECK(has_line(bash, "            ('token add') words='a b' ;;"));
    const auto zsh = app::completion_for("zsh", commands);
    CHECK(zsh.starts_with("#compdef varve\n"));
    CHECK(has_line(zsh, "        (' --config') _files ;;"));
    CHECK(has_line(zsh, "        ('feed --format') compadd -- rss atom || _files ;;"));
    CHECK(has_line(zsh, "            ('token') compadd -- add --json || _files ;;"));
    const auto fish = app::completion_for("fish", commands);
    const std::string begin = "complete -c varve -n '";
    CHECK(has_line(fish, begin + "__fish_use_subcommand' -f -a feed -d 'It\\'s a feed'"));
    CHECK(has_line(fish, begin + "__fish_use_subcommand' -l config -r -d 'A file'"));
    CHECK(has_line(
        fish, begin + "__fish_seen_subcommand_from feed' -l format -x -a 'rss atom' -d 'How'"));
    CHECK(has_line(fish, begin + "__fish_seen_subcommand_from token; and not "
                                 "__fish_seen_subcommand_from add' -f -a add -d 'New'"));
    CHECK(has_line(fish, begin +
                             "__fish_seen_subcommand_from token; and __fish_seen_subcommand_from "
                             "add' -f -a 'a b'"));
}
