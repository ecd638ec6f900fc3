// SPDX-License-Identifier: MIT
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "serve/listener.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using base::Kind;

TEST_CASE("a unix socket is made with its mode and goes with its owner") {
    const support::TempDir folder;
    const auto path = folder.path() / "varve.sock";
    {
        const auto listener = serve::listen_on("unix:" + path.string(), 0600);
        REQUIRE(listener);
        CHECK(serve::is_listening(listener->number()));
        CHECK(fs::is_socket(path));
        CHECK((fs::status(path).permissions() & fs::perms::mask) ==
              (fs::perms::owner_read | fs::perms::owner_write));
    }
    CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a socket that nobody listens on any more is replaced") {
    const support::TempDir folder;
    const auto path = (folder.path() / "varve.sock").string();
    {
        auto left_behind = serve::listen_on("unix:" + path);
        REQUIRE(left_behind);
        fs::rename(path, path + ".kept");
    }
    fs::rename(path + ".kept", path);
    CHECK(serve::listen_on("unix:" + path));
}

TEST_CASE("a socket in use and a file that is none are left alone") {
    const support::TempDir folder;
    const auto path = (folder.path() / "varve.sock").string();
    const auto first = serve::listen_on("unix:" + path);
    REQUIRE(first);
    const auto second = serve::listen_on("unix:" + path);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == Kind::unavailable);
    CHECK(second.error().text.find("in use") != std::string::npos);
    CHECK_NOTHROW(support::FcgiClient(path));

    const auto file = folder.write("notes", "dear").string();
    const auto third = serve::listen_on("unix:" + file);
    REQUIRE_FALSE(third);
    CHECK(fs::file_size(file) == 4);
}

TEST_CASE("an owner does not remove the socket that took its place") {
    const support::TempDir folder;
    const auto path = (folder.path() / "varve.sock").string();
    auto first = serve::listen_on("unix:" + path);
    REQUIRE(first);
    std::optional<serve::Listener> owner(std::move(*first));
    fs::rename(path, path + ".moved");
    const auto second = serve::listen_on("unix:" + path);
    REQUIRE(second);
    owner.reset();
    CHECK(fs::is_socket(path));
}

TEST_CASE("addresses that can't be had are errors, not the end of the process") {
    const auto kind_of = [](const std::string& address) {
        const auto listener = serve::listen_on(address);
        REQUIRE_FALSE(listener);
        return listener.error().kind;
    };
    CHECK(kind_of("varve.sock") == Kind::malformed);
    CHECK(kind_of("unix:") == Kind::malformed);
    CHECK(kind_of(":9000") == Kind::malformed);
    CHECK(kind_of("127.0.0.1:") == Kind::malformed);
    CHECK(kind_of("unix:" + std::string(200, 'p')) == Kind::unavailable);
    CHECK(kind_of("unix:/nowhere/at/all.sock") == Kind::unavailable);
    CHECK(kind_of("127.0.0.1:no-such-service") == Kind::unavailable);
    CHECK(kind_of("192.0.2.1:9000") == Kind::unavailable);
}

TEST_CASE("two listeners on one TCP port are refused") {
    const auto first = serve::listen_on("127.0.0.1:0");
    REQUIRE(first);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(first->number(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const auto same = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    CHECK_FALSE(serve::listen_on(same));
}
