// What a command and a web server are told when a release has been recorded.
// SPDX-License-Identifier: MIT
#include "app/notify.hpp"

#include <csignal>
#include <fstream>
#include <iterator>

#include "support/catch.hpp"
#include "support/http_peer.hpp"
#include "support/temp_dir.hpp"

namespace {

const std::string json = R"({"release":"WS187","text":"5 changed"})";

app::NotifyConfig to_url(const std::string& url) { return {{}, *net::parse_url(url)}; }

std::string contents_of_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("A command gets the text on its standard input, and only a failure is reported") {
    const support::TempDir folder;
    const auto file = (folder.path() / "got").string();
    CHECK(app::notify({"cat > " + file, {}}, json).empty());
    CHECK(contents_of_file(file) == json);
    CHECK(app::notify({"true", {}}, std::string(1 << 20, 'x')).empty());  // does not read it
    CHECK(app::notify({"cat > /dev/null; exit 7", {}}, json) ==
          std::vector<std::string>{"[notify] command failed: it ended with status 7"});
    CHECK(app::notify({"kill -9 $$", {}}, json) ==
          std::vector<std::string>{"[notify] command failed: it ended with status 137"});
    CHECK(app::notify({"no-such-program-here 2> /dev/null", {}}, json) ==
          std::vector<std::string>{"[notify] command failed: it ended with status 127"});
}

TEST_CASE("A command has signals and descriptors as a shell gives them") {
    std::signal(SIGPIPE, SIG_IGN);
    // With SIGPIPE ignored, `yes` would complain and fail.
    CHECK(app::notify({"set -e; yes 2>&1 | head -1 | grep -qx y; test ! -e /proc/self/fd/5", {}},
                      json)
              .empty());
}

TEST_CASE("A web server gets the text as JSON in one POST") {
    const support::HttpPeer peer([](const std::string&) { return support::answer_of("ok"); });
    CHECK(app::notify(to_url(peer.url("/hook?token=secret")), json).empty());
    const auto requests = peer.requests();
    REQUIRE(requests.size() == 1);
    CHECK_THAT(requests[0], Catch::StartsWith("POST /hook?token=secret HTTP/1.1\r\n"));
    CHECK(support::field_in(requests[0], "Content-Type") == "application/json");
    CHECK_THAT(support::field_in(requests[0], "User-Agent"), Catch::StartsWith("Varve/"));
    CHECK(support::body_in(requests[0]) == json);
}

TEST_CASE("A web server that refuses, redirects or is gone is reported without its URL") {
    for (const std::string status : {"500 No", "404 No", "301 Moved"}) {
        const support::HttpPeer peer([&](const std::string&) {
            return support::empty_answer(status, "Location: /other\r\n");
        });
        CHECK(app::notify(to_url(peer.url("/secret")), json) ==
              std::vector<std::string>{"[notify] url failed: the server answered " +
                                       status.substr(0, 3)});
        CHECK(peer.requests().size() == 1);
    }
    const auto refused = app::notify(to_url("http://127.0.0.1:1/secret"), json);
    REQUIRE(refused.size() == 1);
    CHECK_THAT(refused[0], Catch::Contains("port 1 is not one of"));
    std::string gone;
    {
        const support::HttpPeer peer([](support::PeerConnection&) {});
        gone = peer.url("/secret");
    }
    const auto failures = app::notify(to_url(gone), json);
    REQUIRE(failures.size() == 1);
    CHECK_THAT(failures[0], Catch::StartsWith("[notify] url failed: "));
    CHECK_THAT(failures[0], !Catch::Contains("secret"));
}

TEST_CASE("A command that fails does not keep a web server from being told") {
    const support::HttpPeer peer([](const std::string&) { return support::answer_of(""); });
    auto both = to_url(peer.url());
    both.command = "false";
    CHECK(app::notify(both, json).size() == 1);
    CHECK(peer.requests().size() == 1);
}
