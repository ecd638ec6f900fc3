// What a command is told when a release has been recorded.
// SPDX-License-Identifier: MIT
#include "app/notify.hpp"

#include <csignal>
#include <fstream>
#include <iterator>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

const std::string json = R"({"release":"WS187","text":"5 changed"})";

// What went wrong, or nothing.
std::string told(const std::string& command, const std::string& text = json) {
    const auto done = app::notify(command, text);
    return done ? "" : done.error().text;
}

}  // namespace

TEST_CASE("A command gets the text on its standard input, and only a failure is reported") {
    const support::TempDir folder;
    const auto file = (folder.path() / "got").string();
    CHECK(told("cat > " + file).empty());
    std::ifstream got(file);
    CHECK(std::string(std::istreambuf_iterator<char>(got), {}) == json);
    CHECK(told("true", std::string(1 << 20, 'x')).empty());  // does not read it
    CHECK(told("cat > /dev/null; exit 7") == "it exited with status 7");
    CHECK(told("kill -9 $$") == "it exited with status 137");
    CHECK(told("no-such-program-here 2> /dev/null") == "it exited with status 127");
}

TEST_CASE("A command has signals and descriptors as a shell gives them") {
    std::signal(SIGPIPE, SIG_IGN);
    // With SIGPIPE ignored, `yes` would complain and fail.
    CHECK(told("set -e; yes 2>&1 | head -1 | grep -qx y; test ! -e /proc/self/fd/5").empty());
}
