// SPDX-License-Identifier: MIT
// The test server answers as was recorded of AceDB 4.9.62.
#include <algorithm>
#include <arpa/inet.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "support/ace_frames.hpp"
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

TEST_CASE("The test server reads wildcards, comments and parameters as AceDB does") {
    Conversation conversation;
    const auto found = [&](const std::string& command) {
        const auto answer = conversation.ask(command);
        const auto at = answer.find("Found ") + 6;
        return answer.substr(at, answer.find(' ', at) - at);
    };
    CHECK(found("find Gene \"*\"") == found("find Gene"));
    CHECK(found("find Gene WBGene0000676?") == "1");
    CHECK(found(R"(find Strain "CB\205")") == "1");
    CHECK(found("find Strain \"CB205") == "1");
    CHECK(found("find Strain \"CB//205\"") == "0");
    CHECK(found("find Strain // CB205") == "1");
    CHECK(found("find Gene \"50%\"") == "0");
    CHECK(conversation.ask("find Gene \"50%\"").find("Parameter %0 can not") !=
          std::string::npos);
    CHECK(found(R"(find Gene "50\%")") == "0");
    CHECK(conversation.ask(R"(find Gene "50\%")").find("Parameter") == std::string::npos);
}

namespace {

// A client that uses a real socket.
class Client {
   public:
    explicit Client(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) ==
                0);
    }
    ~Client() { ::close(descriptor_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& body, const std::string& type = "ACESERV_MSGREQ") {
        support::AceFrame frame;
        frame.version = 0;
        frame.client = number;
        frame.type = type;
        frame.length = static_cast<std::uint32_t>(body.size() + 1);
        frame.most_bytes = most_bytes;
        REQUIRE(support::send_bytes(descriptor_, support::header_of(frame, order) + body + '\0'));
    }
    // Returns type and body without NUL; nullopt when the connection ended.
    std::pair<std::string, std::string> receive() {
        const auto reply = support::receive_frame(descriptor_);
        if (!reply) return {};
        seen = *reply;
        return {reply->frame.type, reply->frame.body.c_str()};
    }
    std::pair<std::string, std::string> ask(const std::string& body,
                                            const std::string& type = "ACESERV_MSGREQ") {
        send(body, type);
        return receive();
    }
    std::pair<std::string, std::string> log_in(const std::string& user,
                                               const std::string& password) {
        const auto nonce = ask("bonjour").second;
        number = seen.frame.client;
        return ask(user + " " + support::md5_hex(support::md5_hex(user + password) + nonce));
    }

    std::uint32_t number = 0, most_bytes = 0;
    support::ByteOrder order = support::ByteOrder::little;
    support::AceRequest seen;

   private:
    int descriptor_;
};

using Reply = std::pair<std::string, std::string>;

const std::shared_ptr<const support::AceContents> contents =
    std::make_shared<const support::AceContents>(support::AceContents::of_dump(sample_dump));

const Reply welcome = {"ACESERV_MSGOK", "et bonjour a vous"};
const std::string ended = " connection has been terminated.";

}  // namespace

TEST_CASE("The test server admits the users that AceDB admits") {
    support::AceServer server(contents);
    Client right(server.port()), wrong(server.port()), rude(server.port()), other(server.port());
    CHECK(right.log_in("reader", "secret") == welcome);
    CHECK(wrong.log_in("reader", "Secret") ==
          Reply{"ACESERV_MSGKILL", "// Sorry, userid/password incorrect, your" + ended});
    CHECK(wrong.receive() == Reply{});
    CHECK(rude.ask("hello") ==
          Reply{"ACESERV_MSGKILL", "// Sorry, you are an unknown client and your" + ended});
    CHECK(other.ask("bonjour").first == "ACESERV_MSGOK");
    other.number = other.seen.frame.client;
    CHECK(other.ask("a b c") ==
          Reply{"ACESERV_MSGKILL", "// Sorry, illegal request, your" + ended});
    right.number += 900;
    CHECK(right.ask("status").first == "ACESERV_MSGKILL");
    CHECK(server.logins() == 1);
}

TEST_CASE("The test server divides long replies only between objects") {
    support::AceServer server(contents);
    Client client(server.port());
    REQUIRE(client.log_in("reader", "secret") == welcome);
    client.ask("find Variation");
    std::string whole;
    std::size_t slices = 0;
    client.most_bytes = 1000;
    auto slice = client.ask("show -a -T");
    for (; slice.first == "ACESERV_MSGENCORE"; ++slices) {
        CHECK(slice.second.substr(slice.second.size() - 2) == "\n\n");
        whole += slice.second;
        slice = client.ask("encore", "ACESERV_MSGENCORE");
    }
    CHECK(slices > 3);
    client.most_bytes = 0;
    std::vector<std::size_t> active;
    bool failed = false;
    (void)support::ace_answer(*contents, {}, active, "find Variation", failed);
    CHECK(whole + slice.second ==
          support::ace_answer(*contents, {}, active, "show -a -T", failed));
    CHECK(client.ask("encore", "ACESERV_MSGENCORE") == Reply{"ACESERV_MSGENCORE", ""});
    CHECK(client.ask("encore").first == "ACESERV_MSGFAIL");
    CHECK(client.ask("quit") == Reply{"ACESERV_MSGKILL", "// A bientot"});
}
