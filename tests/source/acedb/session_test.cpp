// SPDX-License-Identifier: MIT
#include "source/acedb/session.hpp"

#include <atomic>
#include <filesystem>
#include <sys/resource.h>
#include <thread>

#include "source/acedb/protocol.hpp"
#include "source/recordings.hpp"
#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/http_peer.hpp"

using namespace std::chrono_literals;
using base::ErrorKind;
using source::acedb::ReplyOptions;
using source::acedb::Session;
using support::AceContents;
using support::AceFault;
using support::AceServer;
using support::HttpPeer;
using support::PeerConnection;

namespace {

Session opened(base::Result<Session> session) {
    INFO((session ? "" : session.error().text));
    REQUIRE(session);
    return std::move(*session);
}

base::Error error_of(const base::Result<Session>& session) {
    REQUIRE_FALSE(session);
    return session.error();
}

std::string answer(auto&& session, std::string_view command, const ReplyOptions& taking = {}) {
    const auto reply = session.ask(command, taking);
    INFO((reply ? "" : reply.error().text));
    REQUIRE(reply);
    return *reply;
}

// Returns the error of a question that closes the session.
base::Error error_of_ask(auto&& session, std::string_view command,
                         const ReplyOptions& taking = {}) {
    const auto reply = session.ask(command, taking);
    REQUIRE_FALSE(reply);
    CHECK_FALSE(session.is_open());
    const auto next = session.ask(command, taking);
    REQUIRE_FALSE(next);
    CHECK(next.error().kind == base::ErrorKind::unavailable);
    return reply.error();
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::shared_ptr<const AceContents> sample_contents() {
    static const auto contents =
        std::make_shared<const AceContents>(AceContents::of_dump(dumps::sample_files[2]));
    return contents;
}

source::acedb::ServerAddress address_of(std::uint16_t port) {
    source::acedb::ServerAddress address;
    address.host = "127.0.0.1";
    address.port = port;
    address.user = "reader";
    address.password = "secret";
    return address;
}

Session open(const source::acedb::ServerAddress& address) {
    return opened(Session::open(address));
}
Session open(const AceServer& server) { return open(address_of(server.port())); }

// Returns a session with a short timeout. A busy machine may need longer than that to log in, so
// the timeout is made longer until it can.
Session open_impatient(std::uint16_t port, std::chrono::milliseconds timeout = 250ms) {
    auto address = address_of(port);
    address.timeout = timeout;
    auto session = Session::open(address);
    while (!session && address.timeout < 30s) {
        address.timeout *= 4;
        session = Session::open(address);
    }
    return opened(std::move(session));
}

// Makes a script of a peer that lets everybody log in and then continues with `script`.
HttpPeer::ServeConnection behind_login(HttpPeer::ServeConnection script) {
    return [script = std::move(script)](PeerConnection& client) {
        const auto size = source::acedb::wire::header_size;
        (void)client.receive(size + 8);
        client.send(
            source::acedb::wire::message(source::acedb::wire::ok, std::string(32, 'a'), 1));
        (void)client.receive(size + 7 + 33);
        client.send(
            source::acedb::wire::message(source::acedb::wire::ok, "et bonjour a vous", 1));
        (void)client.receive(size + 7);
        script(client);
    };
}

}  // namespace

TEST_CASE("A log-in and a look-up are, byte for byte, those of AcePerl") {
    const auto seen = recordings::seen_in("aceperl-fetch.hexlog");
    std::string wanted, sent;
    HttpPeer peer([&](PeerConnection& client) {
        for (std::size_t i = 0; i < 8; ++i) {
            if (!seen[i].by_client) client.send(seen[i].bytes);
            // AcePerl sends `show -j  -T` where we send another form of the same length, but two bytes.
            else if (i == 6)
                (void)client.receive(seen[i].size - 1);
            else
                wanted += seen[i].bytes, sent += client.receive(seen[i].size);
        }
    });
    auto address = address_of(peer.port());
    address.user = "anonymous";
    address.password = "guest";
    auto session = open(address);
    CHECK(source::acedb::parse_found(
              answer(session, source::acedb::find_command({"Gene", "WBGene00006763"}))) == 1U);
    const auto reply = answer(session, source::acedb::show_command);
    CHECK(reply.size() == seen[7].size - source::acedb::wire::header_size - 1);
    CHECK(sent == wanted);
}

TEST_CASE("A reply in slices or in the other byte order is the same as in one piece") {
    const AceServer whole(sample_contents(), {.slice_bytes = 100 << 20});
    auto at_once = open(whole);
    for (const bool is_big_endian : {false, true}) {
        support::AceServerSettings settings;
        settings.slice_bytes = 100;
        settings.big_endian = is_big_endian;
        const AceServer sliced(sample_contents(), settings);
        auto in_slices = open(sliced);
        for (const auto* command : {"find Gene", "list -a", "show -a -T", "status", "classes"}) {
            CHECK(answer(in_slices, command) == answer(at_once, command));
            CHECK(answer(in_slices, command, {.gently = true}) == answer(at_once, command));
        }
    }
}

TEST_CASE("Any fault in an answer ends the session with a reason, and a new one works") {
    struct Expected {
        AceFault fault;
        ErrorKind kind;
        std::string words;
    };
    const std::vector<Expected> all = {
        {AceFault::half_header, ErrorKind::unavailable, "ended the connection"},
        {AceFault::half_body, ErrorKind::unavailable, "ended the connection"},
        {AceFault::cut, ErrorKind::unavailable, "ended the connection"},
        {AceFault::kill, ErrorKind::unavailable,
         "Sorry, emergency shutdown of server now executing"},
        {AceFault::empty_kill, ErrorKind::unavailable, "ended the connection"},
        {AceFault::huge_length, ErrorKind::too_large, "2147483647"},
        {AceFault::negative_length, ErrorKind::unavailable, "negative length"},
        {AceFault::wrong_magic, ErrorKind::unavailable, "no header of AceDB's protocol"},
        {AceFault::endless_encore, ErrorKind::unavailable, "promises more and sends nothing"},
        {AceFault::endless_slices, ErrorKind::too_large, "above"}};
    AceServer server(sample_contents());
    for (const auto& expected : all) {
        INFO(static_cast<int>(expected.fault));
        auto session = open(server);
        server.strike(expected.fault);
        const auto error = error_of_ask(session, "status");
        CHECK(error.kind == expected.kind);
        CHECK_THAT(error.text, Catch::Contains(expected.words));
        CHECK_THAT(error.text, Catch::StartsWith("127.0.0.1:" + std::to_string(server.port())));
        answer(open(server), "status");
    }
}

TEST_CASE("Silence and an incomplete answer end with the timeout") {
    AceServer server(sample_contents());
    for (const auto fault : {AceFault::silence, AceFault::wrong_length}) {
        auto session = open_impatient(server.port());
        server.strike(fault);
        const auto error = error_of_ask(session, "status");
        CHECK(error.kind == ErrorKind::unavailable);
        CHECK_THAT(error.text, Catch::Contains("no whole answer within "));
    }
    server.strike(AceFault::silent_login);
    auto address = address_of(server.port());
    address.timeout = 250ms;
    CHECK(error_of(Session::open(address)).kind == ErrorKind::unavailable);
}

TEST_CASE("Single bytes do not extend the timeout") {
    const HttpPeer peer(behind_login([](PeerConnection& client) {
        auto bytes =
            source::acedb::wire::message(source::acedb::wire::ok, std::string(1 << 20, 'x'), 1);
        for (const char c : bytes)
            if (!client.send(std::string(1, c)) || !client.wait(10ms)) return;
    }));
    CHECK(error_of_ask(open_impatient(peer.port()), "status").kind == ErrorKind::unavailable);
}

TEST_CASE("Slices of single bytes end with the timeout too") {
    std::atomic<int> slices = 0;
    const HttpPeer peer(behind_login([&](PeerConnection& client) {
        const auto slice = source::acedb::wire::message(source::acedb::wire::encore, "x", 1);
        while (client.send(slice) && !client.receive(57).empty()) {
            ++slices;
            if (!client.wait(10ms)) return;
        }
    }));
    // A busy machine may need longer for two of them.
    for (auto timeout = 250ms; slices < 2 && timeout < 60s; timeout *= 4) {
        slices = 0;
        CHECK(error_of_ask(open_impatient(peer.port(), timeout), "status").kind ==
              ErrorKind::unavailable);
    }
    CHECK(slices > 1);
}

TEST_CASE("A server that ends a session between questions is noticed") {
    AceServer server(sample_contents());
    server.strike(AceFault::unsolicited_kill);
    auto session = open(server);
    const auto error = error_of_ask(session, "status");
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK_THAT(error.text, Catch::Contains("emergency shutdown"));
    auto other = open(server);
    server.drop_clients();
    CHECK(error_of_ask(other, "status").kind == ErrorKind::unavailable);
}

TEST_CASE("An unrequested answer ends the session") {
    const HttpPeer peer(behind_login([](PeerConnection& client) {
        const auto ok = source::acedb::wire::message(source::acedb::wire::ok, "an answer", 1);
        client.send(ok + ok);
        (void)client.receive(1);
    }));
    auto session = open(address_of(peer.port()));
    CHECK(answer(session, "status") == "an answer");
    CHECK_THAT(error_of_ask(session, "status").text, Catch::Contains("without being asked"));
}

TEST_CASE("A wrong user or password is refused, and the error does not contain the password") {
    const AceServer server(sample_contents());
    auto address = address_of(server.port());
    address.password = "wrong-pass";
    const auto error = error_of(Session::open(address));
    CHECK(error.kind == ErrorKind::refused);
    CHECK(error.text == address.name() +
                            ": the server rejects user \"reader\" or its password: Sorry, "
                            "userid/password incorrect, your connection has been terminated.");
    for (const auto* user : {"nobody", "", "two words", "new\nline", "caf\xc3\xa9"}) {
        address.user = user;
        CHECK(error_of(Session::open(address)).kind == ErrorKind::refused);
    }
    CHECK(server.logins() == 0);
}

TEST_CASE("An address without a server, or with another kind of server, is reported") {
    AceServer server(sample_contents());
    const auto address = address_of(server.port());
    server.stop();
    CHECK(error_of(Session::open(address)).kind == ErrorKind::unavailable);
    server.start();
    CHECK(Session::open(address));
    auto nowhere = address;
    nowhere.host = "no-such-host.invalid";
    const auto error = error_of(Session::open(nowhere));
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK_THAT(error.text, Catch::Contains("Could not resolve host"));

    const HttpPeer web([](PeerConnection& client) {
        (void)client.receive(1);
        client.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nServer: nginx\r\n\r\n");
    });
    CHECK_THAT(error_of(Session::open(address_of(web.port()))).text,
               Catch::Contains("is it AceDB's socket server?"));
    const HttpPeer closing([](PeerConnection&) {});
    CHECK(error_of(Session::open(address_of(closing.port()))).kind == ErrorKind::unavailable);
    const HttpPeer failing([](PeerConnection& client) {
        (void)client.receive(58);
        client.send(source::acedb::wire::message(source::acedb::wire::failed, "// no", 1));
    });
    CHECK(error_of(Session::open(address_of(failing.port()))).kind == ErrorKind::unavailable);
}

TEST_CASE("Memory grows with what has arrived, not with what a header announces") {
    const HttpPeer peer(behind_login([](PeerConnection& client) {
        auto header = source::acedb::wire::message(source::acedb::wire::ok, "", 1).substr(0, 50);
        header.replace(4, 4, "\xff\xff\xff\x7f");
        client.send(header + "a few bytes");
    }));
    const auto peak = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss >> 10;
    };
    const auto before = peak();
    ReplyOptions taking;
    taking.most_bytes = std::size_t{3} << 30;
    CHECK(error_of_ask(open(address_of(peer.port())), "status", taking).kind ==
          ErrorKind::unavailable);
    CHECK(peak() - before < 256);
}

TEST_CASE("A reply above the limit is abandoned, one of exactly the limit is read, and a refusal "
          "in any case") {
    const AceServer server(sample_contents());
    auto session = open(server);
    answer(session, "find Gene");
    const auto reply = answer(session, source::acedb::show_command);
    CHECK(answer(session, source::acedb::show_command, {.most_bytes = reply.size()}) == reply);
    const auto refused = session.ask("bogus command", {.most_bytes = 1});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::refused);
    CHECK_THAT(refused.error().text, Catch::Contains("Keyword bogus does not match"));
    CHECK(source::acedb::parse_list(answer(session, "list -a"))->size() == 5);
    CHECK(error_of_ask(session, source::acedb::show_command, {.most_bytes = reply.size() - 1})
              .kind == ErrorKind::too_large);
}

TEST_CASE("Only lines of printable ASCII are sent") {
    const AceServer server(sample_contents());
    auto session = open(server);
    for (const std::string command : {"", "status\nquit", "find \t", "caf\xc3\xa9"})
        CHECK(session.ask(command, {}).error().kind == ErrorKind::malformed);
    CHECK(session.is_open());
    CHECK(server.commands().empty());
}

TEST_CASE("Ended sessions leave no open descriptor, whatever ended them") {
    AceServer server(sample_contents());
    auto wrong = address_of(server.port());
    wrong.password = "wrong";
    // The server closes its descriptors when its threads notice.
    const auto settled = [&] {
        while (server.clients() > 0) std::this_thread::yield();
        return open_descriptors();
    };
    answer(open(server), "status");
    const auto before = settled();
    for (int i = 0; i < 50; ++i) {
        answer(open(server), "status");
        CHECK_FALSE(Session::open(wrong));
        auto session = open(server);
        server.strike(AceFault::half_body);
        CHECK(error_of_ask(session, "status").kind == ErrorKind::unavailable);
    }
    CHECK(settled() == before);
}
