// SPDX-License-Identifier: MIT
#include "net/address.hpp"

#include <netinet/in.h>

#include "support/catch.hpp"

using namespace net;

namespace {

Address address(std::string_view text) {
    const auto parsed = parse_address(text);
    REQUIRE(parsed);
    return *parsed;
}

AddressGuard guard_with(std::string_view allowed) {
    auto list = parse_allow_list(allowed);
    REQUIRE(list);
    return AddressGuard(std::move(*list));
}

std::string list_error(std::string_view allowed) {
    const auto list = parse_allow_list(allowed);
    return list ? "accepted" : list.error().text;
}

}  // namespace

TEST_CASE("An address has one text, and other spellings are no addresses") {
    for (const auto* text : {"0.0.0.0", "192.0.2.255", "::", "2001:db8::1", "::ffff:192.0.2.1"})
        CHECK(text_of(address(text)) == text);
    for (const std::string text : {"", "127.1", "127.0.0.01", "0x7f.0.0.1", "1.2.3.4 ", "[::1]",
                                   "fe80::1%lo", "1.2.3.256"})
        CHECK_FALSE(parse_address(text));
    CHECK_FALSE(parse_address(std::string("1.2.3.4\0", 8)));
}

TEST_CASE("A socket address has the address that is connected to") {
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(address_of(reinterpret_cast<sockaddr&>(ipv4)) == address("127.0.0.1"));
    sockaddr_in6 ipv6{};
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_addr = in6addr_loopback;
    CHECK(address_of(reinterpret_cast<sockaddr&>(ipv6)) == address("::1"));
    ipv6.sin6_family = AF_UNIX;
    CHECK_FALSE(address_of(reinterpret_cast<sockaddr&>(ipv6)));
}

TEST_CASE("What only this host or its network reaches is refused, and the purpose is named") {
    const AddressGuard guard;
    CHECK(guard.refusal(address("127.0.0.1"), 80) == "127.0.0.1 is a loopback address");
    CHECK(guard.refusal(address("169.254.169.254"), 80) ==
          "169.254.169.254 is a link-local address");
    CHECK(guard.refusal(address("255.255.255.255"), 80) ==
          "255.255.255.255 is the broadcast address");
    CHECK(guard.refusal(address("::ffff:93.184.216.34"), 80) ==
          "::ffff:93.184.216.34 is an IPv4 address in another spelling");
    CHECK(guard.refusal(address("2002:7f00:1::"), 80) == "2002:7f00:1:: is an address of 6to4");
    CHECK(guard.refusal(address("4000::1"), 80) == "4000::1 is not a public address");
    for (const auto* text :
         {"93.184.216.34", "1.1.1.1", "223.255.255.255", "2606:2800:220:1::1", "2a00::1"})
        CHECK_FALSE(guard.refusal(address(text), 443));
}

TEST_CASE("A refused prefix goes to its last address") {
    for (const auto* text :
         {"0.255.255.255", "10.255.255.255", "100.127.255.255", "127.255.255.255",
          "169.254.255.255", "172.31.255.255", "192.0.0.255", "192.0.2.255", "192.88.99.255",
          "192.168.255.255", "198.19.255.255", "198.51.100.255", "203.0.113.255",
          "239.255.255.255", "255.255.255.254",
          "2001:1ff:ffff::", "2001:db8:ffff::", "2002:ffff:ffff::", "3fff:fff:ffff::"})
        CHECK(AddressGuard().refusal(address(text), 443));
}

TEST_CASE("The neighbours of a refused prefix are judged by themselves") {
    // Each differs in the last bit of the prefix.
    for (const auto* text :
         {"1.0.0.0",        "11.0.0.0",        "9.255.255.255",   "100.128.0.0",
          "100.63.255.255", "126.255.255.255", "128.0.0.0",       "169.253.255.255",
          "169.255.0.0",    "172.15.255.255",  "172.32.0.0",      "192.0.1.0",
          "192.0.3.0",      "192.88.98.255",   "192.88.100.0",    "192.167.255.255",
          "192.169.0.0",    "198.17.255.255",  "198.20.0.0",      "198.51.99.255",
          "198.51.101.0",   "203.0.112.255",   "203.0.114.0",     "223.255.255.255",
          "2000:ffff::",    "2001:200::",      "2001:db7:ffff::", "2001:db9::",
          "2001:ffff::",    "2003::",          "3ffe:ffff::",     "3fff:1000::"})
        CHECK_FALSE(AddressGuard().refusal(address(text), 443));
}

TEST_CASE("Ports are those of the web and those that need no privilege") {
    const AddressGuard guard;
    for (const std::uint16_t port : std::vector<std::uint16_t>{80, 443, 1024, 8080, 65535})
        CHECK_FALSE(guard.refusal(address("1.1.1.1"), port));
    for (const std::uint16_t port :
         std::vector<std::uint16_t>{0, 1, 22, 25, 79, 81, 442, 444, 1023})
        CHECK(guard.refusal(address("1.1.1.1"), port) ==
              "port " + std::to_string(port) + " is not one of 80, 443 and those above 1023");
}

TEST_CASE("An allowed prefix is an exception for its addresses and ports alone") {
    const auto guard = guard_with("10.1.0.0/16, [fd00::]/8, 127.0.0.1:25,\t192.168.7.9");
    CHECK_FALSE(guard.refusal(address("10.1.255.255"), 80));
    CHECK_FALSE(guard.refusal(address("fd12::1"), 8080));
    CHECK_FALSE(guard.refusal(address("127.0.0.1"), 25));
    CHECK_FALSE(guard.refusal(address("192.168.7.9"), 443));
    CHECK(guard.refusal(address("10.2.0.0"), 80));
    CHECK(guard.refusal(address("fc00::1"), 80));
    CHECK(guard.refusal(address("10.1.0.1"), 25));
    CHECK(guard.refusal(address("127.0.0.1"), 80));
    CHECK(guard.refusal(address("127.0.0.2"), 25));
    CHECK(guard.refusal(address("192.168.7.8"), 443));
    CHECK(guard.refusal(address("::ffff:10.1.0.1"), 80));
    CHECK_FALSE(guard.refusal(address("1.1.1.1"), 80));
    CHECK_FALSE(guard_with("0.0.0.0/0").refusal(address("127.0.0.1"), 80));
}

TEST_CASE("An allow-list that is wrong names the entry") {
    CHECK(list_error("") == "accepted");
    CHECK(list_error(" ") == "accepted");
    CHECK(list_error("127.0.0.0/8, 10.1.0.1/16") ==
          "\"10.1.0.1/16\" has bits set after its prefix");
    CHECK(list_error("[fd00::1]/8") == "\"[fd00::1]/8\" has bits set after its prefix");
    CHECK(list_error("10.0.0.1:0") == "\"10.0.0.1:0\" must have a port from 1 to 65535");
    CHECK(list_error("10.0.0.1:") == "\"10.0.0.1:\" must have a port from 1 to 65535");
    CHECK(list_error("10.0.0.1:65536") == "\"10.0.0.1:65536\" must have a port from 1 to 65535");
    for (const std::string entry :
         {"10.0.0.0/33", "[::]/129", "10.0/16", "localhost", "fd00::/8", "[10.0.0.0]/8",
          "[fd00::/8", "10.0.0.0/", "10.0.0.0/-1", "[fd00::]x", "10.0.0.0,"})
        CHECK_THAT(list_error(entry),
                   Catch::Contains("is not an address or prefix such as 10.1.2.3"));
}

TEST_CASE("Addresses that one owner may have at will are one network") {
    const auto network = [](const char* text) {
        return text_of(network_of(parse_address(text).value()));
    };
    CHECK(network("192.0.2.77") == "192.0.2.77");
    CHECK(network("2001:db8:1:2:3::4") == "2001:db8:1::");
    CHECK(network("2001:db8:1:ffff::") == "2001:db8:1::");
    CHECK(network("2001:db8:2::1") == "2001:db8:2::");
    CHECK(network("::ffff:192.0.2.77") == "192.0.2.77");
}
