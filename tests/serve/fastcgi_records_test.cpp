// SPDX-License-Identifier: MIT
#include <rapidcheck.h>

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

// Returns everything that a reader reports about bytes, in words.
std::vector<std::string> events_of(std::string_view bytes) {
    RecordReader reader({.connections = 512, .requests = 64});
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

using Events = std::vector<std::string>;

std::string end_of(int id, char status) {
    return record(FcgiClient::end, std::string("\0\0\0\0", 4) + status + std::string(3, '\0'),
                  id);
}

}  // namespace

TEST_CASE(
    "Requests are read one after another; what is no request of ours is answered or ignored") {
    const auto pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));
    const auto whole = request_with(pairs);
    const auto rest = whole.substr(begin().size());
    const auto of_id = [](int id, std::string_view variables) {
        return record(FcgiClient::params, variables, id) + record(FcgiClient::params, "", id) +
               record(FcgiClient::input, "ignored", id) + record(FcgiClient::input, "", id);
    };
    const auto asked = FcgiClient::pairs_of(
        {{"FCGI_MPXS_CONNS", ""}, {"OTHER", ""}, {"FCGI_MAX_CONNS", ""}, {"FCGI_MAX_REQS", ""}});
    const auto known = FcgiClient::pairs_of(
        {{"FCGI_MAX_CONNS", "512"}, {"FCGI_MAX_REQS", "64"}, {"FCGI_MPXS_CONNS", "0"}});
    const auto values = "reply " + record(FcgiClient::get_values_result, known, 0);
    const auto unknown =
        "reply " + record(FcgiClient::unknown_type, "\x7f" + std::string(7, '\0'), 0);
    const std::string management = record(FcgiClient::get_values, asked, 0) +
                                   record(static_cast<FcgiClient::Type>(0x7f), "x", 0);
    const auto aborted = record(FcgiClient::params, pairs) + record(FcgiClient::abort, "");
    const std::string answered = "request 1 /a keep";
    for (const auto& [bytes, events] : std::vector<std::pair<std::string, Events>>{
             {whole + begin(77, Keep::no) + of_id(77, pairs), {answered, "request 77 /a"}},
             {management, {values, unknown}},
             {begin() + management + rest, {values, unknown, answered}},
             // A second request on a busy connection.
             {begin() + begin(2) + of_id(2, "garbage") + rest,
              {"reply " + end_of(2, 1), answered}},
             // Other roles than the responder.
             {begin(1, Keep::yes, 2) + record(FcgiClient::params, "\xff") + whole,
              {"reply " + end_of(1, 3), answered}},
             {begin(9, Keep::no, 3), {"reply " + end_of(9, 3) + " close"}},
             {record(FcgiClient::input, "late") + record(FcgiClient::abort, "", 5), {}},
             {begin() + aborted + whole, {"reply " + end_of(1, 0), answered}},
             {begin(1, Keep::no) + aborted, {"reply " + end_of(1, 0) + " close"}}}) {
        CAPTURE(bytes);
        CHECK(events_of(bytes) == events);
    }
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
    constexpr std::size_t piece = 32'768;
    for (std::size_t sent = 0; sent < serve::longest_body; sent += piece)
        body += record(FcgiClient::input, std::string(piece, 'b'));
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

TEST_CASE(
    "The body of POST is kept up to 128 KB in pieces of any size, that of other methods not") {
    RecordReader reader({.connections = 512, .requests = 64});
    const auto read = [&](const std::string& method, const std::string& length, std::size_t size,
                          std::size_t piece = 1000) {
        auto bytes =
            begin() +
            record(FcgiClient::params, FcgiClient::pairs_of({{"REQUEST_METHOD", method},
                                                             {"CONTENT_LENGTH", length}})) +
            record(FcgiClient::params, "");
        for (; size > 0; size -= std::min<std::size_t>(size, 30'000))
            bytes +=
                record(FcgiClient::input, std::string(std::min<std::size_t>(size, 30'000), 'x'));
        bytes += record(FcgiClient::input, "");
        serve::Request request;
        for (std::string_view rest = bytes; !rest.empty();) {
            const auto step = reader.read(rest.substr(0, piece));
            rest.remove_prefix(step.used);
            if (step.event != Event::request) continue;
            request = reader.request("");
            reader.answered();
        }
        return request;
    };
    for (const std::size_t piece : {1U, 7U, 100'000U}) {
        const auto request = read("POST", "40000", 40'000, piece);
        CHECK(request.body == std::string(40'000, 'x'));
        CHECK_FALSE(request.body_error);
    }
    CHECK(read("GET", "100", 100).body.empty());
    // mod_proxy_fcgi sends a chunked body without its length.
    CHECK(read("POST", "", 100).body.size() == 100);
    for (const std::string wrong : {"1", "100000", "-1", "many"}) {
        const auto request = read("POST", wrong, 100);
        CHECK(request.body.empty());
        REQUIRE(request.body_error);
        CHECK(request.body_error->status == 400);
    }
    // None of a body that is too long is in the next request.
    for (const std::size_t size : {131'073U, 131'072U, 200'000U, 0U}) {
        const auto request = read("POST", "", size);
        CHECK(request.body.size() == (size <= 131'072 ? size : 0));
        CHECK(request.body_error.has_value() == (size > 131'072));
        if (request.body_error) CHECK(request.body_error->status == 413);
    }
}
