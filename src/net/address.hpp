// net/address.hpp -- which addresses and ports a request may be sent to.
// Who tells a server where to send requests could otherwise reach what only the server reaches: its own
// services, hosts behind its firewall, the metadata of its cloud (server-side request forgery).
// Pure but for address_of(), which reads a sockaddr. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

struct sockaddr;

namespace net {

// An address of IPv4 or IPv6, without a port or zone.
struct Address {
    enum class Family : unsigned char { ipv4, ipv6 };
    Family family = Family::ipv4;
    std::array<std::uint8_t, 16> bytes{};  // in network order; of IPv4 the first 4
    auto operator<=>(const Address&) const = default;
};

// Parses "192.0.2.1" or "2001:db8::1", without brackets; nullopt for every other spelling.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
// Returns the text that parse_address() reads; of IPv6 the one of RFC 5952.
[[nodiscard]] std::string text_of(const Address& address);
// Returns the address in a socket address; nullopt for other families than AF_INET and AF_INET6.
[[nodiscard]] std::optional<Address> address_of(const sockaddr& address);

// Returns the first of the addresses whose owner has them all: of IPv4 each is one, of IPv6 a /48, which providers give
// to a site. Quotas are held by these, since more addresses of one network are free.
[[nodiscard]] Address network_of(const Address& address);

// The addresses whose first `length` bits are those of `address`, whose other bits are 0.
struct Prefix {
    Address address;
    unsigned length = 0;  // 0 to 32 for IPv4, 0 to 128 for IPv6
    bool operator==(const Prefix&) const = default;
};
[[nodiscard]] bool contains(const Prefix& prefix, const Address& address);

// An exception that an operator makes, for an intranet.
struct Allowed {
    Prefix prefix;
    std::optional<std::uint16_t> port;  // this one alone; nullopt: 80, 443 and those above 1023
    bool operator==(const Allowed&) const = default;
};

// Parses a list with commas: "127.0.0.0/8, 10.1.2.3, [fd00::]/8, 10.1.0.0/16:25". An address without a
// length is itself alone.
//   error  malformed: names the entry and says what is wrong with it
[[nodiscard]] base::Result<std::vector<Allowed>> parse_allow_list(std::string_view text);

// Refuses what IANA's registries of special-purpose addresses (RFC 6890, as of 2025) do not call globally
// reachable; multicast; and addresses of IPv6 in which another one is embedded, whatever that one is (mapped,
// compatible, NAT64, 6to4, Teredo). Besides, only 2000::/3 of IPv6 is allowed at all.
class AddressGuard {
   public:
    // Allows what is public.
    AddressGuard() = default;
    explicit AddressGuard(std::vector<Allowed> allowed) : allowed_(std::move(allowed)) {}

    // Returns why nothing may be sent there: "127.0.0.1 is a loopback address"; nullopt if it may. Ports are
    // 80, 443 and those above 1023, so no request reaches mail servers and the like; databases and caches on
    // public addresses need a password of their own.
    //   cost  under a microsecond
    [[nodiscard]] std::optional<std::string> refusal(const Address& address,
                                                     std::uint16_t port) const;

   private:
    std::vector<Allowed> allowed_;
};

}  // namespace net
