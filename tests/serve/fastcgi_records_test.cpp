// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "serve/fastcgi_records.hpp"
#include "support/catch.hpp"
#include "support/fcgi_client.hpp"

using serve::RequestRecords;
using support::FcgiClient;
using State = RequestRecords::State;
using namespace std::string_literals;

namespace {

std::string record(int type, std::string_view content, int id = 1, std::size_t padding = 0) {
    return FcgiClient::record(static_cast<FcgiClient::Type>(type), content, id, padding);
}

// Returns the records of a type whose content is in pieces, and the empty one that ends them.
std::string stream(FcgiClient::Type type, std::string_view content, std::size_t piece = 30'000) {
    std::string records;
    for (; !content.empty(); content.remove_prefix(std::min(piece, content.size())))
        records += record(type, content.substr(0, piece));
    return records + record(type, "");
}

const std::string begin_record = record(FcgiClient::begin, FcgiClient::role(1));
const std::string pairs = FcgiClient::pairs_of(FcgiClient::get("/a"));

std::string request_of(std::string_view variables, std::string_view body = {}) {
    return begin_record + stream(FcgiClient::params, variables) + stream(FcgiClient::input, body);
}

State state_of(const std::string& bytes) { return RequestRecords().read(bytes); }

}  // namespace

TEST_CASE("A request is whole at its last byte, in pieces of any size, and then the same again") {
    const auto padded =
        record(FcgiClient::begin, FcgiClient::role(1, 1), 77, 255) +
        record(FcgiClient::params, pairs.substr(0, 5), 77, 1) +
        record(FcgiClient::params, pairs.substr(5), 77) + record(FcgiClient::params, "", 77, 8) +
        record(FcgiClient::input, "body", 77, 3) + record(FcgiClient::input, "", 77, 7);
    // It is not kept, has no padding, and its contents are in one record each.
    const auto plain = record(FcgiClient::begin, FcgiClient::role(1), 77) +
                       record(FcgiClient::params, pairs, 77) +
                       record(FcgiClient::params, "", 77) +
                       record(FcgiClient::input, "body", 77) + record(FcgiClient::input, "", 77);
    for (const std::size_t piece : {1U, 3U, 100'000U}) {
        RequestRecords records;
        for (std::string_view rest = padded; !rest.empty();) {
            const auto part = rest.substr(0, piece);
            rest.remove_prefix(part.size());
            REQUIRE(records.read(part) == (rest.empty() ? State::whole : State::more));
        }
        CHECK(records.records() == plain);
    }
}

TEST_CASE("What is not one plain request to a responder is refused") {
    const auto whole = request_of(pairs);
    const auto values = FcgiClient::pairs_of({{"FCGI_MAX_CONNS", ""}});
    for (const auto& bytes : {
             "GET / HTTP/1.1\r\n"s,                              // another protocol
             "\2"s + whole.substr(1),                            // another version
             record(FcgiClient::begin, "short"),                 //
             record(FcgiClient::begin, std::string(9, '\0')),    //
             record(FcgiClient::begin, FcgiClient::role(1), 0),  // no id
             record(FcgiClient::begin, FcgiClient::role(2)),     // an authorizer
             record(FcgiClient::begin, "\1\1\0\0\0\0\0\0"s),     // role 257
             record(FcgiClient::params, pairs, 7) + whole,       // of another request
             begin_record + record(FcgiClient::begin, FcgiClient::role(1), 2),  // a second one
             begin_record + record(FcgiClient::input, ""),  // before the variables
             begin_record + stream(FcgiClient::params, pairs) + record(FcgiClient::params, ""),
             begin_record + record(FcgiClient::abort, ""),    //
             begin_record + record(FcgiClient::output, "x"),  // ours to send
             record(FcgiClient::get_values, values, 0),       // libfcgi overruns its stack
             record(0x63, "", 0),                             // no type
             whole + "\1",                                    // behind the end
         }) {
        CAPTURE(bytes);
        CHECK(state_of(bytes) == State::refused);
    }
}

TEST_CASE("Variables that are not whole, or do not fit into C strings, are refused") {
    for (const auto& variables : {
             "\1"s,                                // no length of a value
             "\xff"s,                              // a part of a length
             "\1\1a"s,                             // a part of a value
             "\xff\xff\xff\xfe\x80\0\0\0"s,        // two gigabytes, on which libfcgi aborts
             "\xff\xff\xff\xff\xff\xff\xff\xff"s,  //
             "\xc0\0\0\0\xbf\xff\xff\xfe"s,        // together 2^32
             "\0\1x"s,                             // no name
             "\3\1A=BC"s,                          // libfcgi cuts the name there
             "\3\1A\0BC"s,                         //
             "\1\3Aa\0c"s,                         //
         }) {
        CAPTURE(variables);
        CHECK(state_of(begin_record + stream(FcgiClient::params, variables)) == State::refused);
    }
    CHECK(state_of(request_of("")) == State::whole);
    CHECK(state_of(request_of("\1\0A\1\3Ba=c"s)) == State::whole);
}

TEST_CASE(
    "Variables and a body of 64 KB are read; what is longer is dropped, up to 8 MB in all") {
    const auto filled = [&](std::size_t size) {  // in all
        return pairs + FcgiClient::pairs_of({{"C", std::string(size - pairs.size() - 6, 'c')}});
    };
    constexpr auto most = serve::longest_variables;
    const auto empty = request_of("");
    for (const auto& [size, body] :
         std::vector<std::pair<std::size_t, std::size_t>>{{most, serve::longest_body},
                                                          {most + 1, serve::longest_body + 1},
                                                          {1 << 20, 5 << 20}}) {
        CAPTURE(size, body);
        RequestRecords records;
        REQUIRE(records.read(request_of(filled(size), std::string(body, 'b'))) == State::whole);
        const bool is_too_long = size > most;
        CHECK(records.are_variables_too_long() == is_too_long);
        CHECK(records.is_body_too_long() == is_too_long);
        if (is_too_long) CHECK(records.records() == empty);
        if (!is_too_long) CHECK(records.records().size() > most + serve::longest_body);
    }
    // 200 MB of variables are not read.
    RequestRecords endless;
    REQUIRE(endless.read(begin_record) == State::more);
    const auto more = record(FcgiClient::params, std::string(60'000, 'x'));
    std::size_t sent = 0;
    while (sent < 200'000'000 && endless.read(more) == State::more) sent += more.size();
    CHECK(sent <= serve::longest_records);
}
