// SPDX-License-Identifier: MIT
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "serve/server.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using base::ErrorKind;

TEST_CASE("A unix socket is created with its mode and removed with its owner") {
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

TEST_CASE("A socket without a listener is replaced") {
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

TEST_CASE("A socket in use and a file that is not a socket are left alone") {
    const support::TempDir folder;
    const auto path = (folder.path() / "varve.sock").string();
    const auto first = serve::listen_on("unix:" + path);
    REQUIRE(first);
    const auto second = serve::listen_on("unix:" + path);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::unavailable);
    CHECK(second.error().text.find("in use") != std::string::npos);
    CHECK(serve::check_address("unix:" + path));  // it may be in use by this program
    CHECK_NOTHROW(support::FcgiClient(path));

    const auto file = folder.write("notes", "dear").string();
    const auto third = serve::listen_on("unix:" + file);
    REQUIRE_FALSE(third);
    CHECK(fs::file_size(file) == 4);
    CHECK_FALSE(serve::check_address("unix:" + file));
}

TEST_CASE("An owner does not remove the socket that replaced its own") {
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

TEST_CASE("Unusable addresses are errors that do not end the process") {
    const auto kind_of = [](const std::string& address) {
        const auto listener = serve::listen_on(address);
        REQUIRE_FALSE(listener);
        if (listener.error().kind == ErrorKind::malformed)
            CHECK_FALSE(serve::check_address(address));
        return listener.error().kind;
    };
    CHECK(kind_of("varve.sock") == ErrorKind::malformed);
    CHECK(kind_of("unix:") == ErrorKind::malformed);
    CHECK(kind_of(":9000") == ErrorKind::malformed);
    CHECK(kind_of("127.0.0.1:") == ErrorKind::malformed);
    for (const std::string port : {"65536", "99999", "-1", "99999999999999999999", "http"})
        CHECK(kind_of("127.0.0.1:" + port) == ErrorKind::malformed);
    CHECK(kind_of("unix:" + std::string(200, 'p')) == ErrorKind::unavailable);
    CHECK(kind_of("unix:/nowhere/at/all.sock") == ErrorKind::unavailable);
    CHECK(kind_of("192.0.2.1:9000") == ErrorKind::unavailable);
    CHECK_FALSE(serve::check_address("unix:" + std::string(200, 'p')));
    CHECK(serve::check_address("192.0.2.1:9000"));
    CHECK(serve::check_address("-"));
}

TEST_CASE("Two listeners on one TCP port are refused") {
    const auto first = serve::listen_on("127.0.0.1:0");
    REQUIRE(first);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(first->number(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const auto same = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    CHECK_FALSE(serve::listen_on(same));
}

TEST_CASE("A loopback address is told from those that other hosts reach") {
    const support::TempDir folder;
    const auto is_loopback = [](const std::string& address) {
        const auto listener = serve::listen_on(address);
        REQUIRE(listener);
        return listener->is_loopback();
    };
    CHECK(is_loopback("127.0.0.1:0"));
    CHECK(is_loopback("127.0.0.2:0"));
    CHECK(is_loopback("[::1]:0"));
    CHECK_FALSE(is_loopback("0.0.0.0:0"));
    CHECK_FALSE(is_loopback("[::]:0"));
    CHECK_FALSE(is_loopback("unix:" + (folder.path() / "s").string()));
}
