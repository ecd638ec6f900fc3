// SPDX-License-Identifier: MIT
#include "source/acedb/session.hpp"

#include "source/recordings.hpp"

namespace wire = source::acedb::wire;

namespace {

constexpr std::size_t plenty = 1 << 20;

std::string ok_header() {
    auto bytes = wire::message(wire::ok, "", 7).substr(0, wire::header_size);
    return bytes;
}

std::string with_length(std::int32_t length) {
    auto bytes = ok_header();
    for (std::size_t i = 0; i < 4; ++i)
        bytes[4 + i] = static_cast<char>(static_cast<std::uint32_t>(length) >> (8 * i) & 255);
    return bytes;
}

base::ErrorKind kind_of(std::string_view bytes, std::size_t most = plenty) {
    const auto header = wire::parse_header(bytes, most);
    REQUIRE_FALSE(header);
    return header.error().kind;
}

}  // namespace

TEST_CASE("The headers of a real server are read") {
    const auto seen = recordings::seen_in("encore.hexlog");
    REQUIRE(seen.size() == 20);
    const auto nonce = wire::parse_header(seen[1].bytes, plenty);
    REQUIRE(nonce);
    CHECK(nonce->length == 33);
    CHECK(nonce->version == 1);
    CHECK(nonce->client_id == 8);
    CHECK(nonce->most_bytes == 102400);
    CHECK(nonce->type == wire::ok);
    const auto slice = wire::parse_header(seen[8].bytes, plenty);
    REQUIRE(slice);
    CHECK(slice->length == 102464);
    CHECK(slice->type == wire::encore);
    CHECK(wire::parse_header(seen[18].bytes, plenty)->type == wire::killed);
}

TEST_CASE("A type ends at its first NUL, whatever follows") {
    auto bytes = ok_header();
    bytes.replace(40, 10, "garbage!!\x01");
    CHECK(wire::parse_header(bytes, plenty)->type == wire::ok);
    bytes.replace(20, 30, std::string(30, 'T'));
    CHECK(wire::parse_header(bytes, plenty)->type == std::string(30, 'T'));
}

TEST_CASE(
    "A header that is truncated, of another protocol or of an impossible length is reported") {
    for (std::size_t size = 0; size < wire::header_size; ++size)
        CHECK(kind_of(ok_header().substr(0, size)) == base::ErrorKind::malformed);
    CHECK(kind_of("HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n") ==
          base::ErrorKind::malformed);
    CHECK(kind_of(std::string(50, '\0')) == base::ErrorKind::malformed);
    CHECK(kind_of(with_length(-1)) == base::ErrorKind::malformed);
    CHECK(kind_of(with_length(INT32_MIN)) == base::ErrorKind::malformed);
    CHECK(kind_of(with_length(INT32_MAX)) == base::ErrorKind::too_large);
    CHECK(kind_of(with_length(101), 100) == base::ErrorKind::too_large);
    CHECK(wire::parse_header(with_length(100), 100)->length == 100);
    CHECK(wire::parse_header(with_length(0), 0)->length == 0);
}

TEST_CASE("Only the NULs after a body are removed") {
    CHECK(wire::text_of_body(std::string_view("a\0b\0\0\0", 6)) == std::string_view("a\0b", 3));
    CHECK(wire::text_of_body(std::string_view("\0\0", 2)).empty());
    CHECK(wire::text_of_body("").empty());
}
