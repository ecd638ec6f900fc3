// SPDX-License-Identifier: MIT
// The test server answers as was recorded of AceDB 4.9.62.
#include <algorithm>
#include <string>
#include <vector>

#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

const std::string sample_dump = "examples/builds/WS188/dump_2008-03-22_A.1.ace";

const support::AceContents& recorded_contents() {
    static const auto contents = [] {
        auto result = support::AceContents::of_dump(sample_dump);
        result.add_recorded("tests/data/formats");
        result.aliases["Person:WBPerson625"] = "WBPerson625alias";
        return result;
    }();
    return contents;
}

// A conversation with it without a socket.
struct Conversation {
    const support::AceContents& contents = recorded_contents();
    std::vector<std::size_t> active;
    bool failed = false;
    std::string ask(const std::string& command) {
        return support::ace_answer(contents, {}, active, command, failed);
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

// What it lacks: forms other than -a and -j, paths shortened by models, conditions of
// queries, classes that the dump lacks, help.
bool is_beyond_it(const std::string& command) {
    static const std::vector<std::string> beyond = {"show -J -T Identity",
                                                    "show -K -T Identity",
                                                    "show -a -b 2 -c 1",
                                                    "query find Gene CGC_name = unc-26",
                                                    "classes",
                                                    "kstore x",
                                                    "help show"};
    return std::find(beyond.begin(), beyond.end(), command) != beyond.end();
}

}  // namespace

TEST_CASE("The test server answers commands as recorded") {
    Conversation conversation;
    std::size_t compared = 0;
    for (const auto& each : recorded_in("tests/data/wire/command_replies.txt")) {
        if (is_beyond_it(each.command) || each.command == "find Class Gene") continue;
        if (each.command == "show -a" && each.bytes > 100) continue;  // of an object of Class
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
    CHECK(compared > 15);
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
        CHECK(conversation.ask("show -a") == support::read_file(folder + file + ".a") + end);
        CHECK(conversation.ask("show -j -T") == support::read_file(folder + file + ".jT") + end);
    }
}
