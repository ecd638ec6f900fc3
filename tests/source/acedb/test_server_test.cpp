// SPDX-License-Identifier: MIT
// The test server answers as was recorded of AceDB 4.9.62.
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/ace_commands.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

// A conversation with it without a socket.
struct Conversation {
    const support::AceContents contents =
        support::AceContents::of_dump("examples/builds/WS188/dump_2008-03-22_A.1.ace");
    std::vector<std::size_t> active;
    bool failed = false;
    std::string ask(const std::string& command) {
        const auto reply = support::ace_reply(contents, {}, active, command);
        failed = reply.failed;
        return base::join(reply.pieces, "");
    }
};

struct Recorded {
    std::string command, type, text;
    std::size_t bytes = 0;  // with the NUL; the text may be a part of it
};

// Reads "## command -> TYPE BYTES" and the text after it, up to the next such line.
std::vector<Recorded> recorded_in(const std::string& file) {
    std::vector<Recorded> result;
    const auto text = "\n" + support::read_file(file);
    for (auto at = text.find("\n## "); at != std::string::npos;) {
        const auto next = text.find("\n## ", at + 1);
        const auto part = text.substr(at + 1, next == std::string::npos ? next : next - at);
        const auto head = part.substr(3, part.find('\n') - 3);
        const auto arrow = head.find(" -> ");
        const auto blank = head.rfind(' ');
        result.push_back({head.substr(0, arrow), head.substr(arrow + 4, blank - arrow - 4),
                          part.substr(part.find('\n') + 1), std::stoul(head.substr(blank))});
        at = next;
    }
    return result;
}

// True for what it can answer, without old names of objects and classes that the dump lacks.
bool is_answered(const Recorded& each) {
    if (each.command.starts_with("find "))
        return each.command != "find Person WBPerson625" && each.command != "find Class Gene";
    return each.command == "show -a -T" || (each.command == "list -a" && each.bytes > 100);
}

}  // namespace

TEST_CASE("The test server answers commands as recorded") {
    Conversation conversation;
    std::size_t compared = 0;
    for (const auto& each : recorded_in("tests/data/wire/command_replies.txt")) {
        if (each.command == "query find UserSession") conversation.ask("find UserSession");
        if (!is_answered(each)) continue;
        INFO(each.command);
        const auto answer = conversation.ask(each.command);
        CHECK((conversation.failed ? "ACESERV_MSGFAIL" : "ACESERV_MSGOK") == each.type);
        if (each.text.size() + 1 < each.bytes ||
            answer.find("_getLoginFailed") != std::string::npos)
            continue;  // recorded in part; or sessions of the day of the recording
        CHECK(answer.size() + 1 == each.bytes);
        CHECK(answer == each.text.substr(0, each.bytes - 1));
        ++compared;
    }
    CHECK(compared == 9);
}

TEST_CASE("The test server shows objects as recorded") {
    Conversation conversation;
    const std::string folder = "tests/data/formats/";
    for (const auto& [file, find] : std::vector<std::pair<std::string, std::string>>{
             {"Gene.WBGene00006763", "find Gene \"WBGene00006763\""},
             {"Strain.CB205", "find strain cb205"},
             {"DNA.JC8", "find DNA JC8"},
             {"Peptide.CE28239", "find Peptide \"WP:CE28239\""},
             {"LongText.WBPaper00004489", "find LongText WBPaper00004489"},
             {"KeySet.curated_list", "find KeySet \"curated_list\""}}) {
        INFO(file);
        conversation.ask(find);
        const std::string end = "// 1 object dumped\n// 1 Active Objects\n";
        CHECK(conversation.ask("show -a -T") == support::read_file(folder + file + ".aT") + end);
    }
}
