// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("A log file that was moved away is opened again at its path") {
    const support::TempDir folder;
    const auto file = folder.path() / "varve.log", old = folder.path() / "varve.log.1";
    base::LogFile log;
    CHECK_FALSE(log.is_open());
    log.write("nowhere\n");
    REQUIRE(log.open(file.string()));
    log.write("one\n");
    std::filesystem::rename(file, old);
    log.write("two\n");
    REQUIRE(log.open(file.string()));
    log.write("three\n");
    CHECK(lines_of(old) == std::vector<std::string>{"one", "two"});
    CHECK(lines_of(file) == std::vector<std::string>{"three"});
    log.close();
    log.write("four\n");
    CHECK(lines_of(file).size() == 1);
}

TEST_CASE("When a log file cannot be opened, the previous one stays in use") {
    const support::TempDir folder;
    const auto file = folder.path() / "varve.log";
    base::LogFile log;
    REQUIRE(log.open(file.string()));
    const auto nowhere = (folder.path() / "nowhere/varve.log").string();
    const auto failed = log.open(nowhere);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().text.find(nowhere) != std::string::npos);
    CHECK_FALSE(base::can_append_to(nowhere));
    log.write("still here\n");
    CHECK(lines_of(file) == std::vector<std::string>{"still here"});
}

TEST_CASE("No line is lost or broken while a log file is reopened under writers") {
    const support::TempDir folder;
    const auto path = [&](int number) {
        return (folder.path() / ("log." + std::to_string(number))).string();
    };
    constexpr int files = 50, writers = 4, each = 2000;
    base::LogFile log;
    REQUIRE(log.open(path(0)));
    std::vector<std::thread> threads;
    for (int writer = 0; writer < writers; ++writer)
        threads.emplace_back([&log] {
            for (int line = 0; line < each; ++line) log.write("a whole line\n");
        });
    bool opened = true;
    for (int number = 1; number < files; ++number)
        opened = log.open(path(number)).has_value() && opened;
    for (auto& thread : threads) thread.join();
    CHECK(opened);
    std::size_t whole = 0, all = 0;
    for (int number = 0; number < files; ++number)
        for (const auto& line : lines_of(path(number))) {
            ++all;
            whole += line == "a whole line" ? 1 : 0;
        }
    CHECK(all == std::size_t{writers} * each);
    CHECK(whole == all);
}
