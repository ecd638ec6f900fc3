// SPDX-License-Identifier: MIT
#include "source/file.hpp"

#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

// Kills a process that is writing the file.
void write_and_die(const std::string& path) {
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto file = source::NewFile::create(path);
        if (file && file->write("half of it")) ::raise(SIGKILL);
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("A process that is killed while it writes a file leaves nothing behind") {
    const support::TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    write_and_die(path);
    CHECK(std::filesystem::is_empty(folder.path()));
    folder.write("x.index", "the earlier one");
    write_and_die(path);
    CHECK(support::read_file(path) == "the earlier one");
}

TEST_CASE("A new file replaces the earlier one when it is whole") {
    const support::TempDir folder;
    const auto path = folder.write("x.index", "the earlier one").string();
    for (const std::string text : {"the next", "and another"}) {
        auto file = source::NewFile::create(path);
        REQUIRE(file);
        REQUIRE(file->write(text));
        CHECK(support::read_file(path) != text);
        REQUIRE(file->put_in_place());
        CHECK(support::read_file(path) == text);
    }
    const auto files = std::filesystem::directory_iterator(folder.path());
    CHECK(std::distance(begin(files), end(files)) == 1);
}
