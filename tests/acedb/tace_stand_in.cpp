// tace-stand-in DBDIR -- stands in for AceDB's tace on a pipe: a banner, the prompt `acedb> `
// without LF, the reply to each line of input, the prompt again. DBDIR holds dump.ace (of the whole
// database, whatever AceDB would dump), models.wrm, options.wrm if some classes are not dumped and, if the database's name is not WS188, name.txt.
// Environment variables choose its faults:
//   TACE_NO_DATABASE=1    says that it can't open the database, and ends with status 1
//   TACE_NO_PROMPT=1      prints a banner and then nothing
//   TACE_DIE_AFTER=N      ends by SIGKILL instead of the answer after the Nth
//   TACE_CUT_AFTER=N      the same in the middle of the answer
//   TACE_SILENT_AFTER=N   stops answering after the Nth
//   TACE_ENDLESS_AFTER=N  gives an endless answer after the Nth
//   TACE_COMPLAIN=BYTES   writes that many bytes to standard error first and with each answer
//   TACE_STAYS=1          ends neither at the end of its input nor by SIGTERM
//   TACE_READLOCKED=1     says in its banner that a server uses the database too
// It can also `dump -T FOLDER`, as the real one does: without the classes that options.wrm in DBDIR
// marks -XREF or -Protected.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/ace_server.hpp"

namespace {

constexpr long never = -1;

long number_of(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::strtol(value, nullptr, 10) : never;
}

bool is_set(const char* name) { return number_of(name) > 0; }

[[noreturn]] void stay() {
    while (true) ::pause();
}

void say(const std::string& text) { std::cout << text << std::flush; }

void complain() {
    const auto bytes = number_of("TACE_COMPLAIN");
    if (bytes <= 0) return;
    std::cerr << std::string(static_cast<std::size_t>(bytes), '!') << std::endl;
}

void say_banner() {
    say("// Program: tace\n// Version: ACEDB 4.9.62\n// Build: Nov 20 2026 19:09:52\n"
        "// Type ? for a list of commands\n\n");
    if (is_set("TACE_READLOCKED")) {
        say("// Session 4 is readlocked by wormpub since 2008-03-15_08:05:09\n");
    }
}

[[noreturn]] void die() {
    ::raise(SIGKILL);
    stay();
}

// Commits the planned fault in place of the next answer; `answered` came before it.
void go_wrong(long answered, const std::string& answer) {
    if (answered == number_of("TACE_DIE_AFTER")) die();
    if (answered == number_of("TACE_CUT_AFTER")) {
        say(answer.substr(0, answer.size() / 2));
        die();
    }
    if (answered == number_of("TACE_SILENT_AFTER")) stay();
    while (answered == number_of("TACE_ENDLESS_AFTER")) say(answer);
}

struct Database {
    support::AceContents contents;
    support::AceServerSettings settings;
};

Database open_database(const std::string& folder) {
    Database database{support::AceContents::of_dump(folder + "/dump.ace"), {}};
    std::ifstream name(folder + "/name.txt");
    if (name) std::getline(name, database.settings.name);
    return database;
}

// Writes what AceDB would into the folder that the command names.
std::string dump(const Database& database, const std::string& folder) {
    std::ofstream(folder + "/dump_2008-03-22_A.1.ace") << database.contents.dump();
    return "// 0 Active Objects\n";
}

std::string answer_to(const Database& database, std::vector<std::size_t>& active,
                      const std::string& command) {
    const std::string dumping = "dump -T ";
    if (command.empty()) return "";
    if (command.substr(0, dumping.size()) == dumping)
        return dump(database, command.substr(dumping.size()));
    bool failed = false;
    return support::ace_answer(database.contents, database.settings, active, command, failed);
}

// Answers until `quit` or the end of input.
void converse(const Database& database) {
    std::vector<std::size_t> active;
    long answered = 0;
    say("acedb> ");
    for (std::string command; std::getline(std::cin, command); ++answered) {
        if (command == "quit") break;
        const auto answer = answer_to(database, active, command);
        complain();
        go_wrong(answered, answer);
        say(answer + "acedb> ");
    }
    say("\n// A bientot \n\n");
}

}  // namespace

int main(int count, char** words) {
    if (is_set("TACE_STAYS")) ::signal(SIGTERM, SIG_IGN);
    complain();
    if (count != 2 || is_set("TACE_NO_DATABASE")) {
        say("// Fatal error: no database at " + std::string(count > 1 ? words[1] : "") + "\n");
        return 1;
    }
    try {
        const auto database = open_database(words[1]);
        say_banner();
        if (is_set("TACE_NO_PROMPT")) stay();
        converse(database);
        if (is_set("TACE_STAYS")) stay();
        return 0;
    } catch (const std::exception& failure) {
        say("// Fatal error: " + std::string(failure.what()) + "\n");
        return 1;
    }
}
