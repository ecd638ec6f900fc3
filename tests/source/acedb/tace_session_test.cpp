// SPDX-License-Identifier: MIT
#include "source/acedb/tace_session.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "source/ace_text.hpp"
#include "source/acedb/protocol.hpp"
#include "source/dumps.hpp"
#include "source/sessions.hpp"
#include "support/ace_server.hpp"

using namespace std::chrono_literals;
using base::ErrorKind;
using sessions::answer;
using sessions::error_of_ask;
using sessions::has_children;
using sessions::open_descriptors;
using source::acedb::ReplyOptions;
using source::acedb::SessionPtr;
using source::acedb::TaceSettings;
using support::TempDir;

namespace {

// A shell script as the program, and a database of the sample build.
class Tace {
   public:
    // `faults` are variables of the stand-in: TACE_DIE_AFTER=1.
    explicit Tace(const std::string& faults = "")
        : Tace(faults + " exec '" + support::tace_stand_in() + "' \"$1\"\n", 0) {}
    static Tace of_script(const std::string& script) { return {script, 0}; }

    TaceSettings command() const {
        TaceSettings command;
        command.program = (folder_.path() / "tace").string();
        command.folder = folder_.path().string();
        command.timeout = std::chrono::minutes(10);
        return command;
    }
    // Kills a child soon that does not end by itself.
    TaceSettings quick_to_kill() const {
        auto command = this->command();
        command.time_to_end = std::chrono::milliseconds(20);
        return command;
    }
    TaceSettings impatient() const {
        auto command = quick_to_kill();
        command.timeout = std::chrono::milliseconds(400);
        return command;
    }

   private:
    Tace(const std::string& script, int) {
        std::filesystem::copy_file(dumps::sample_files[2], folder_.path() / "dump.ace");
        write_program(script);
    }
    // It is written under another name first: a program that is open for writing cannot run.
    void write_program(const std::string& script) const {
        const auto file = folder_.write("tace.new", "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        std::filesystem::rename(file, folder_.path() / "tace");
    }
    TempDir folder_;
};

// Returns a script that prompts and answers each line by `cases` of a shell's case.
std::string answering(const std::string& cases) {
    return "printf 'acedb> '\nwhile read -r line; do case $line in\n" + cases +
           "\nquit) exit 0;;\n*) printf '// 0 Active Objects\\nacedb> ';; esac; done\n";
}

SessionPtr open(const TaceSettings& command) {
    return sessions::opened(source::acedb::open_tace_session(command));
}

base::Error error_of(const TaceSettings& command) {
    return sessions::error_of(source::acedb::open_tace_session(command));
}

}  // namespace

TEST_CASE("An object shown by tace has the same bytes as in the dump") {
    const Tace tace;
    const auto session = open(tace.command());
    for (const auto& bytes : dumps::objects_in(dumps::sample_files[2])) {
        const auto header = source::parse_header(bytes);
        REQUIRE(header);
        if (header->id.class_name != "Gene" && header->id.class_name != "LongText") continue;
        CHECK(source::acedb::parse_found(
                  answer(*session, source::acedb::find_command(header->id))) == 1U);
        const auto shown = answer(*session, source::acedb::show_command);
        CHECK((source::acedb::parse_shown(shown) == std::vector<std::string_view>{bytes}));
    }
    CHECK(source::acedb::parse_status(answer(*session, "status"))->name == "WS188");
    CHECK(source::acedb::parse_list(answer(*session, "list -a")));
}

TEST_CASE("A command that tace rejects is refused, and the session continues") {
    const Tace tace;
    const auto session = open(tace.command());
    answer(*session, "find Gene");
    const auto refused = session->ask("bogus command", {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::refused);
    CHECK_THAT(refused.error().text, Catch::Contains("Keyword bogus does not match"));
    CHECK(source::acedb::parse_list(answer(*session, "list -a"))->size() == 5);
}

TEST_CASE("A second line never reaches tace") {
    const Tace tace;
    const auto session = open(tace.command());
    answer(*session, "find Gene");
    for (const std::string command : {"", "find LongText\nfind Paper", "status\n"})
        CHECK(session->ask(command, {}).error().kind == ErrorKind::malformed);
    CHECK(source::acedb::parse_list(answer(*session, "list -a"))->size() == 5);
}

TEST_CASE("A program that is missing or ends at once is reported with its own words") {
    auto nowhere = Tace().command();
    nowhere.program = "/no/such/tace";
    const auto error = error_of(nowhere);
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK_THAT(error.text, Catch::StartsWith("/no/such/tace "));
    CHECK_THAT(error.text, Catch::Contains("No such file"));

    const Tace no_database("TACE_NO_DATABASE=1");
    CHECK(error_of(no_database.command()).kind == ErrorKind::unavailable);
    CHECK_THAT(error_of(no_database.command()).text, Catch::Contains("Fatal error: no database"));
    const auto silent = Tace::of_script("echo 'can not open shared object' >&2; exit 127\n");
    CHECK_THAT(error_of(silent.command()).text, Catch::Contains("can not open shared object"));
    CHECK_THAT(error_of(Tace::of_script("exit 0\n").command()).text,
               Catch::EndsWith("the program has ended"));
}

TEST_CASE(
    "A program that dies before or during an answer ends the session, and a new one works") {
    for (const auto* fault : {"TACE_DIE_AFTER=1", "TACE_CUT_AFTER=1"}) {
        const Tace tace(fault);
        const auto session = open(tace.command());
        answer(*session, "status");
        const auto error = error_of_ask(*session, "find Gene");
        CHECK(error.kind == ErrorKind::unavailable);
        CHECK_THAT(error.text, Catch::Contains("the program has ended"));
        answer(*open(tace.command()), "status");
    }
}

TEST_CASE("A program that has died or does not read raises no signal") {
    const auto deaf = Tace::of_script("exec 0<&-\nprintf 'acedb> '\nexec tail -f /dev/null\n");
    const auto session = open(deaf.quick_to_kill());
    CHECK(error_of_ask(*session, "find Gene").kind == ErrorKind::unavailable);
    sigset_t pending;
    ::sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 0);
}

TEST_CASE("Silence before the first prompt or in an answer ends with the timeout") {
    const Tace mute("TACE_NO_PROMPT=1"), silent("TACE_SILENT_AFTER=1");
    // On a busy machine a program may need longer than that for its first words.
    auto command = mute.impatient();
    auto error = error_of(command);
    while (error.text.find(": Type") == std::string::npos && command.timeout < 30s) {
        command.timeout *= 4;
        error = error_of(command);
    }
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK_THAT(error.text, Catch::Contains(" s: Type ? for a list of commands"));

    command = silent.impatient();
    auto session = source::acedb::open_tace_session(command);
    while ((!session || !(*session)->ask("status", {})) && command.timeout < 30s) {
        command.timeout *= 4;
        session = source::acedb::open_tace_session(command);
    }
    REQUIRE(session);
    CHECK_THAT(error_of_ask(**session, "find Gene").text, Catch::Contains("no prompt within "));
}

TEST_CASE("An endless reply is abandoned at the limit") {
    const Tace tace("TACE_ENDLESS_AFTER=0");
    const auto session = open(tace.quick_to_kill());
    CHECK(error_of_ask(*session, "find Gene").kind == ErrorKind::too_large);
}

TEST_CASE("Error output of any length does not block the session") {
    const Tace tace("TACE_COMPLAIN=300000");
    const auto session = open(tace.command());
    for (int i = 0; i < 5; ++i)
        CHECK(source::acedb::parse_found(answer(*session, "find Gene")) == 5U);
}

TEST_CASE("A prompt inside a text does not end a reply") {
    const auto tace = Tace::of_script(
        answering("show*) printf '\\nLongText : \"l\"\\nacedb> '; printf 'acedb> \\nacedb> '\n"
                  "printf 'end\\n***LongTextEnd***\\n\\n// 1 object dumped\\n'\n"
                  "printf '// 1 Active Objects\\nacedb> ';;"));
    const auto session = open(tace.command());
    for (int i = 0; i < 20; ++i) {
        const auto reply = answer(*session, source::acedb::show_command);
        CHECK(source::acedb::parse_shown(reply)->size() == 1);
        CHECK(answer(*session, "find Gene") == "// 0 Active Objects\n");
    }
}

TEST_CASE("A reply without the usual last line ends at a prompt with no output after it") {
    const auto tace = Tace::of_script(answering("who) printf '// something else\\nacedb> ';;"));
    const auto session = open(tace.command());
    CHECK(answer(*session, "who") == "// something else\n");
    CHECK(answer(*session, "x") == "// 0 Active Objects\n");
}

TEST_CASE("Output after a prompt is not part of an answer") {
    const TempDir pipes;
    const auto go = pipes.path() / "go", done = pipes.path() / "done";
    REQUIRE(::mkfifo(go.c_str(), 0600) == 0);
    REQUIRE(::mkfifo(done.c_str(), 0600) == 0);
    const auto tace = Tace::of_script(answering(
        "more) printf '// 0 Active Objects\\nacedb> '\n: < " + go.string() +
        "\nprintf '// 7 Active Objects\\nmore text\\nacedb> '; : > " + done.string() + ";;"));
    const auto session = open(tace.command());
    CHECK(answer(*session, "more") == "// 0 Active Objects\n");
    // Opening a pipe waits for the other side.
    const source::File told(::open(go.c_str(), O_WRONLY | O_CLOEXEC));
    const source::File printed(::open(done.c_str(), O_RDONLY | O_CLOEXEC));
    CHECK_THAT(error_of_ask(*session, "find Gene").text,
               Catch::Contains("without being asked: more text"));
}

TEST_CASE("The program gets the folder unchanged, its own group and none of our descriptors") {
    const TempDir folder;
    const auto secret = folder.write("secret", "x").string();
    const source::File inherited(::open(secret.c_str(), O_RDONLY));
    const auto tace = Tace::of_script(
        "folder=$1\n" +
        answering("folder) printf '// %s\\n// 0 Active Objects\\nacedb> ' "
                  "\"$folder\";;\n"
                  "group) read -r _ _ _ _ group _ < /proc/$$/stat\n"
                  "printf '// %s %s\\n// 0 Active Objects\\nacedb> ' $$ \"$group\";;\n"
                  "open) ls -l /proc/$$/fd; printf '// 0 Active Objects\\nacedb> ';;"));
    auto command = tace.command();
    command.folder = "-a folder; $(x) \"y\"";
    const auto session = open(command);
    CHECK(source::acedb::words_of(answer(*session, "folder")) == "./-a folder; $(x) \"y\"");
    const auto group = source::acedb::words_of(answer(*session, "group"));
    CHECK(group.substr(0, group.find(' ')) == group.substr(group.find(' ') + 1));
    const auto descriptors = answer(*session, "open");
    CHECK(descriptors.find("pipe:") != std::string::npos);
    CHECK(descriptors.find(secret) == std::string::npos);
}

TEST_CASE("A program that does not end is killed") {
    const Tace tace("TACE_STAYS=1");
    answer(*open(tace.quick_to_kill()), "status");
    CHECK_FALSE(has_children());
}

TEST_CASE("Ended sessions leave no child and no open descriptor, whatever ended them") {
    const auto tace =
        Tace::of_script(answering("find*) exit 3;;\nstatus) printf '// 0 Active Objects\\n"
                                  "acedb> ';;"));
    const auto dying = Tace::of_script("echo no >&2\nexit 1\n");
    const auto before = open_descriptors();
    for (int i = 0; i < 100; ++i) {
        answer(*open(tace.command()), "status");
        CHECK(error_of_ask(*open(tace.command()), "find Gene").kind == ErrorKind::unavailable);
        CHECK(error_of(dying.command()).kind == ErrorKind::unavailable);
    }
    CHECK_FALSE(has_children());
    CHECK(open_descriptors() == before);
}

TEST_CASE("Eight children of eight threads do not mix up their answers") {
    const Tace tace;
    std::atomic<int> wrong = 0, right = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 4; ++i) {
                const auto session = source::acedb::open_tace_session(tace.command());
                const auto reply =
                    session ? (*session)->ask("find Gene", {}) : tl::unexpected(session.error());
                ++(reply && source::acedb::parse_found(*reply) == 5U ? right : wrong);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(right == 32);
    CHECK_FALSE(has_children());
}
