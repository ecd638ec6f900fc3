// SPDX-License-Identifier: MIT
#include <fcgiapp.h>
#include <rapidcheck.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "serve/fastcgi_records.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"

using serve::RecordReader;
using support::FcgiClient;
using Event = RecordReader::Event;
using Keep = FcgiClient::Keep;

namespace {

using Variables = FcgiClient::Variables;

std::string record(FcgiClient::Type type, std::string_view content, int id = 1) {
    return FcgiClient::record(type, content, id);
}

std::string begin(int id = 1, Keep keep = Keep::yes, char role = 1) {
    return record(FcgiClient::begin, FcgiClient::role(role, keep), id);
}

// A whole request whose variables are `pairs`.
std::string request_with(std::string_view pairs, Keep keep = Keep::yes) {
    std::string bytes = begin(1, keep);
    for (; !pairs.empty(); pairs.remove_prefix(std::min<std::size_t>(60000, pairs.size())))
        bytes += record(FcgiClient::params, pairs.substr(0, 60000));
    return bytes + record(FcgiClient::params, "") + record(FcgiClient::input, "");
}

// Everything that a reader reports about bytes, in words, so that two readings can be compared.
std::vector<std::string> events_of(RecordReader& reader, std::string_view bytes) {
    std::vector<std::string> events;
    while (!bytes.empty()) {
        const auto step = reader.read(bytes);
        bytes.remove_prefix(step.used);
        if (step.event == Event::malformed) {
            events.emplace_back("malformed");
            return events;
        }
        if (step.event == Event::reply)
            events.push_back("reply " + reader.reply() + (reader.reply_closes() ? " close" : ""));
        if (step.event != Event::request) continue;
        const auto request = reader.request("");
        events.push_back("request " + std::to_string(reader.request_id()) + " " + request.path +
                         (reader.keeps_connection() ? " keep" : "") +
                         (request.error ? " " + std::to_string(request.error->status) : "") +
                         (reader.is_cut() ? " cut" : ""));
        if (reader.is_cut()) return events;
        reader.answered();
    }
    return events;
}

std::vector<std::string> events_of(std::string_view bytes) {
    RecordReader reader({.connections = 512, .requests = 64});
    return events_of(reader, bytes);
}

using Events = std::vector<std::string>;

std::string end_of(int id, char status) {
    return record(FcgiClient::end, std::string("\0\0\0\0", 4) + status + std::string(3, '\0'),
                  id);
}

// What libfcgi, the reference implementation, reads as the variable `name`; "" when it has none.
std::string value_in_libfcgi(const std::string& bytes, const char* name) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    REQUIRE(::send(ends[1], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    FCGX_Request request;
    FCGX_InitRequest(&request, -1, 0);
    request.ipcFd = ends[0];
    request.keepConnection = 1;
    FCGX_Detach(&request);
    REQUIRE(FCGX_Accept_r(&request) == 0);
    const char* value = FCGX_GetParam(name, request.envp);
    std::string copy = value == nullptr ? "" : value;
    FCGX_Free(&request, 1);
    ::close(ends[1]);
    return copy;
}

}  // namespace

TEST_CASE("Variables in records of any size are read as libfcgi reads them") {
    FCGX_Init();
    CHECK(rc::check([] {
        const auto text = rc::gen::container<std::string>(rc::gen::inRange<char>('!', '~'));
        auto query = *text;
        // Values from 128 bytes on have a length of four bytes.
        query += std::string(*rc::gen::element<std::size_t>(0, 1, 126, 127, 128, 5000), 'q');
        const auto pairs = FcgiClient::pairs_of({{"REQUEST_URI", "/rss"},
                                                 {"EMPTY", ""},
                                                 {std::string(200, 'N'), "long name"},
                                                 {"QUERY_STRING", query}});
        std::string bytes = begin();
        for (std::string_view rest = pairs; !rest.empty();) {
            const auto part = rest.substr(0, *rc::gen::inRange<std::size_t>(1, 400));
            const auto padding = *rc::gen::inRange<std::size_t>(0, 9);
            bytes += FcgiClient::record(FcgiClient::params, part, 1, padding);
            rest.remove_prefix(part.size());
        }
        bytes += record(FcgiClient::params, "") + record(FcgiClient::input, "");
        RecordReader reader({});
        const auto step = reader.read(bytes);
        RC_ASSERT(step.event == Event::request);
        RC_ASSERT(step.used == bytes.size());
        RC_ASSERT(reader.request("").query == query);
        RC_ASSERT(value_in_libfcgi(bytes, "QUERY_STRING") == query);
    }));
}

TEST_CASE("The same bytes give the same events, in whatever pieces they arrive") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/rss?a=b"));
    const std::vector<std::string> records = {
        begin(),
        begin(2),
        begin(1, Keep::no),
        begin(3, Keep::no, 2),
        record(FcgiClient::params, pairs),
        record(FcgiClient::params, ""),
        FcgiClient::record(FcgiClient::input, "body", 1, 7),
        record(FcgiClient::input, ""),
        record(FcgiClient::input, "", 2),
        record(FcgiClient::abort, ""),
        record(FcgiClient::get_values, FcgiClient::pairs_of({{"FCGI_MAX_REQS", ""}}), 0),
        FcgiClient::record(FcgiClient::unknown_type, "abc", 0, 5),
        request_with(pairs),
        request_with(pairs, Keep::no)};
    CHECK(rc::check([&] {
        const auto chosen = *rc::gen::container<std::vector<std::size_t>>(
            rc::gen::inRange<std::size_t>(0, records.size()));
        std::string bytes;
        for (const auto each : chosen) bytes += records[each];
        RecordReader reader({.connections = 512, .requests = 64});
        Events in_pieces;
        for (std::string_view rest = bytes; !rest.empty();) {
            const auto part = rest.substr(0, *rc::gen::inRange<std::size_t>(1, 40));
            for (auto& event : events_of(reader, part)) in_pieces.push_back(std::move(event));
            if (!in_pieces.empty() && in_pieces.back() == "malformed") break;
            rest.remove_prefix(part.size());
        }
        RC_ASSERT(in_pieces == events_of(bytes));
    }));
}

TEST_CASE("Requests follow each other on one connection, whatever their ids") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    auto other = record(FcgiClient::begin, FcgiClient::role(1, Keep::no), 77);
    other += record(FcgiClient::params, pairs, 77) + record(FcgiClient::params, "", 77);
    other += record(FcgiClient::input, "ignored", 77) + record(FcgiClient::input, "", 77);
    CHECK(events_of(request_with(pairs) + other) == Events{"request 1 /a keep", "request 77 /a"});
}

TEST_CASE("Management records are answered, also within a request") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    const auto asked = FcgiClient::pairs_of(
        {{"FCGI_MPXS_CONNS", ""}, {"OTHER", ""}, {"FCGI_MAX_CONNS", ""}, {"FCGI_MAX_REQS", ""}});
    const auto known = FcgiClient::pairs_of(
        {{"FCGI_MAX_CONNS", "512"}, {"FCGI_MAX_REQS", "64"}, {"FCGI_MPXS_CONNS", "0"}});
    const auto values = "reply " + record(FcgiClient::get_values_result, known, 0);
    const auto unknown =
        "reply " + record(FcgiClient::unknown_type, "\x7f" + std::string(7, '\0'), 0);
    const auto whole = request_with(pairs);
    const std::string management = record(FcgiClient::get_values, asked, 0) +
                                   record(static_cast<FcgiClient::Type>(0x7f), "x", 0);
    CHECK(events_of(management) == Events{values, unknown});
    CHECK(events_of(begin() + management + whole.substr(begin().size())) ==
          Events{values, unknown, "request 1 /a keep"});
}

TEST_CASE("Records that belong to no request are counted up to the next answer") {
    const auto repeated = [](const std::string& records, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) all += records;
        return all;
    };
    const auto whole = request_with(FcgiClient::pairs_of(FcgiClient::get("/a")));
    const auto aborted = begin() + record(FcgiClient::abort, "");
    for (const auto& other :
         {record(static_cast<FcgiClient::Type>(0x7f), "", 0), record(FcgiClient::input, "", 5),
          begin(1, Keep::yes, 2), aborted}) {
        CAPTURE(other);
        const int fitting = other == aborted ? 31 : 63;
        const auto few = repeated(other, fitting) + whole;
        CHECK(events_of(few + few).back() == "request 1 /a keep");
        const auto refused = events_of(repeated(other, fitting + 2));
        REQUIRE(!refused.empty());
        CHECK(refused.back() == "malformed");
    }
    const auto ignored = repeated(record(FcgiClient::input, "", 5), 64);
    CHECK(events_of(begin() + ignored) == Events{"malformed"});
}

TEST_CASE("A second request on a busy connection is refused, and the first is answered") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    const auto second = begin(2) + record(FcgiClient::params, "garbage", 2) +
                        record(FcgiClient::params, "", 2) + record(FcgiClient::input, "", 2);
    CHECK(events_of(begin() + second + request_with(pairs).substr(begin().size())) ==
          Events{"reply " + end_of(2, 1), "request 1 /a keep"});
}

TEST_CASE("Roles other than the responder are refused, and records of unknown requests ignored") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    CHECK(events_of(begin(1, Keep::yes, 2) + record(FcgiClient::params, "\xff") +
                    request_with(pairs)) == Events{"reply " + end_of(1, 3), "request 1 /a keep"});
    CHECK(events_of(begin(9, Keep::no, 3)) == Events{"reply " + end_of(9, 3) + " close"});
    CHECK(
        events_of(record(FcgiClient::input, "late") + record(FcgiClient::abort, "", 5)).empty());
}

TEST_CASE("An aborted request ends at once, and the connection goes on if it is kept") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    const auto aborted = record(FcgiClient::params, pairs) + record(FcgiClient::abort, "");
    CHECK(events_of(begin() + aborted + request_with(pairs)) ==
          Events{"reply " + end_of(1, 0), "request 1 /a keep"});
    CHECK(events_of(begin(1, Keep::no) + aborted) == Events{"reply " + end_of(1, 0) + " close"});
}

TEST_CASE("What is not FastCGI is refused") {
    const auto params = [](std::string_view pairs) {
        return begin() + record(FcgiClient::params, pairs) + record(FcgiClient::params, "");
    };
    using namespace std::string_literals;
    for (const auto& bytes : {
             "GET / HTTP/1.1\r\n"s,                                      // another protocol
             "\2"s + begin().substr(1),                                  // another version
             begin() + begin(),                                          // an id that is in use
             record(FcgiClient::begin, "short"),                         //
             record(FcgiClient::begin, std::string(9, '\0')),            //
             begin() + record(FcgiClient::input, ""),                    // before the variables
             params("") + record(FcgiClient::params, ""),                // after their end
             begin() + record(FcgiClient::output, "x"),                  // ours to send
             begin() + record(static_cast<FcgiClient::Type>(8), "x"),    // of another role
             params("\1"),                                               // no length of a value
             params("\xff"),                                             // a part of a length
             params("\1\1a"),                                            // a part of a value
             params("\xff\xff\xff\xfe\x80\0\0\0"s),                      // two gigabytes
             params("\xff\xff\xff\xff\xff\xff\xff\xff"s),                //
             params("\3\1A\0B1"s),                                       // NUL in a name
             record(FcgiClient::get_values, "\x7f", 0),                  //
             record(FcgiClient::get_values, std::string(1025, '\0'), 0)  // too long
         }) {
        CAPTURE(bytes);
        const auto events = events_of(bytes);
        REQUIRE(!events.empty());
        CHECK(events.back() == "malformed");
    }
}

TEST_CASE(
    "Variables of 64 KB are read; more are dropped, and refused as an error of the client") {
    const auto base = FcgiClient::pairs_of(FcgiClient::get("/a"));
    const auto filled = [&](std::size_t size) {
        return base + FcgiClient::pairs_of({{"HTTP_COOKIE", std::string(size, 'c')}});
    };
    const auto rest = serve::longest_variables - base.size() - 1 - 4 - 11;
    CHECK(events_of(request_with(filled(rest))) == Events{"request 1 /a keep"});
    const auto next = request_with(base);
    CHECK(events_of(request_with(filled(rest + 1)) + next) ==
          Events{"request 1  keep 400", "request 1 /a keep"});
    CHECK(events_of(request_with(filled(1 << 20))) == Events{"request 1  400 cut"});
}

TEST_CASE("A body is dropped up to its limit; beyond, the request is answered without its rest") {
    const auto head = begin() +
                      record(FcgiClient::params, FcgiClient::pairs_of(FcgiClient::get("/a"))) +
                      record(FcgiClient::params, "");
    std::string body;
    for (int i = 0; i < 16; ++i) body += record(FcgiClient::input, std::string(32768, 'b'));
    CHECK(events_of(head + body + record(FcgiClient::input, "")) == Events{"request 1 /a keep"});
    CHECK(events_of(head + body + record(FcgiClient::input, "b")) == Events{"request 1 /a cut"});
    // The limit is for all that is dropped, also of unknown requests.
    body += record(FcgiClient::input, "b", 3);
    CHECK(events_of(body).back() == "malformed");
}

TEST_CASE("A response is sent as records whose content is head and body, in pieces of any size") {
    CHECK(rc::check([] {
        serve::Response response;
        response.fields = {{"Content-Type", "text/plain"}};
        const auto size = *rc::gen::element<std::size_t>(0, 1, 65460, 65528, 65600, 200000);
        response.body = std::make_shared<const std::string>(
            size + *rc::gen::inRange<std::size_t>(0, 100), 'b');
        response.send_body = *rc::gen::inRange(0, 4) > 0;
        serve::ResponseRecords records(0x1234, response);
        std::string sent;
        while (!records.left().empty()) {
            std::string all;
            for (const auto piece : records.left()) all += piece;
            RC_ASSERT(!records.left().front().empty());
            const auto part = *rc::gen::inRange<std::size_t>(1, all.size() + 1);
            sent += all.substr(0, part);
            records.remove_prefix(part);
        }
        std::string output;
        std::string_view rest = sent;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest.at(i)); };
        for (; byte(1) == FcgiClient::output;) {
            RC_ASSERT(byte(2) == 0x12 && byte(3) == 0x34);
            const std::size_t length = byte(4) * 256u + byte(5);
            output += rest.substr(8, length);
            rest.remove_prefix(8 + length);
            if (length == 0) break;
        }
        RC_ASSERT(rest == end_of(0x1234, 0));
        RC_ASSERT(output == serve::head_of(response) +
                                (response.send_body ? *response.body : std::string()));
    }));
}

TEST_CASE("The body of POST is kept in pieces of any size, and that of other methods is not") {
    const std::string body = "names=unc-26&more=" + std::string(1000, 'x');
    const auto bytes_of = [&](const std::string& method, const std::string& length) {
        std::string pairs;
        for (const auto& [name, value] :
             {std::pair<std::string, std::string>{"REQUEST_METHOD", method},
              {"REQUEST_URI", "/watch"},
              {"CONTENT_LENGTH", length}}) {
            pairs += static_cast<char>(name.size());
            pairs += static_cast<char>(value.size());
            pairs += name + value;
        }
        return begin() + record(FcgiClient::params, pairs) + record(FcgiClient::params, "") +
               record(FcgiClient::input, body.substr(0, 100)) +
               record(FcgiClient::input, body.substr(100)) + record(FcgiClient::input, "");
    };
    const auto read_in = [](const std::string& bytes, std::size_t piece) {
        RecordReader reader({.connections = 512, .requests = 64});
        for (std::string_view rest = bytes; !rest.empty();) {
            const auto step = reader.read(rest.substr(0, piece));
            rest.remove_prefix(step.used);
            if (step.event == Event::request) return reader.request("");
            REQUIRE(step.event == Event::more);
        }
        FAIL("the request is not complete");
        return serve::Request{};
    };
    const auto length = std::to_string(body.size());
    for (const std::size_t piece : {1U, 7U, 1000U, 100'000U}) {
        const auto request = read_in(bytes_of("POST", length), piece);
        CHECK(request.body == body);
        CHECK_FALSE(request.body_error);
    }
    CHECK(read_in(bytes_of("GET", length), 1000).body.empty());
    // mod_proxy_fcgi sends a chunked body without its length.
    CHECK(read_in(bytes_of("POST", ""), 1000).body == body);
    for (const std::string wrong : {"1", "100000", "-1", "many"}) {
        const auto request = read_in(bytes_of("POST", wrong), 1000);
        CHECK(request.body.empty());
        REQUIRE(request.body_error);
        CHECK(request.body_error->status == 400);
    }
}

TEST_CASE("A body above 128 KB is 413, and the next request of the connection has none of it") {
    const std::string pairs = std::string("\x0e\x04", 2) + "REQUEST_METHODPOST";
    const auto post = [&](std::size_t size) {
        std::string bytes =
            begin() + record(FcgiClient::params, pairs) + record(FcgiClient::params, "");
        for (; size > 0; size -= std::min<std::size_t>(size, 30'000))
            bytes +=
                record(FcgiClient::input, std::string(std::min<std::size_t>(size, 30'000), 'x'));
        return bytes + record(FcgiClient::input, "");
    };
    RecordReader reader({.connections = 512, .requests = 64});
    for (const std::size_t size : {131'073U, 131'072U, 200'000U, 0U}) {
        const auto bytes = post(size);
        std::string_view rest = bytes;
        auto step = reader.read(rest);
        while (step.event == Event::more && step.used < rest.size()) {
            rest.remove_prefix(step.used);
            step = reader.read(rest);
        }
        REQUIRE(step.event == Event::request);
        const auto request = reader.request("");
        CHECK(request.body.size() == (size <= 131'072 ? size : 0));
        CHECK(request.body_error.has_value() == (size > 131'072));
        if (request.body_error) CHECK(request.body_error->status == 413);
        reader.answered();
    }
}
