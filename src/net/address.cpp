// SPDX-License-Identifier: MIT
#include "net/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <utility>

#include "base/text.hpp"

namespace net {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::size_t size_of(Address::Family family) {
    return family == Address::Family::ipv4 ? sizeof(in_addr) : sizeof(in6_addr);
}

constexpr int number_of(Address::Family family) {
    return family == Address::Family::ipv4 ? AF_INET : AF_INET6;
}

// An address, "ADDRESS/LENGTH" or nullopt.
std::optional<Prefix> parse_prefix(std::string_view address,
                                   std::optional<std::string_view> length) {
    const auto parsed = parse_address(address);
    if (!parsed) return std::nullopt;
    const auto longest = size_of(parsed->family) * 8;
    const auto bits = length ? base::parse_count(*length) : longest;
    if (!bits || *bits > longest) return std::nullopt;
    return Prefix{*parsed, static_cast<unsigned>(*bits)};
}

// Returns a byte whose first `count` bits are set.
unsigned first_bits(unsigned count) { return 0xFF00U >> count & 0xFFU; }

bool has_bits_behind(const Prefix& prefix) {
    const auto& bytes = prefix.address.bytes;
    for (unsigned at = 0; at < bytes.size(); ++at) {
        const unsigned own = std::min(8U, prefix.length - std::min(prefix.length, at * 8));
        if ((bytes[at] & ~first_bits(own)) != 0) return true;
    }
    return false;
}

// Some smaller prefixes in them are globally reachable, for protocols that are not HTTP (192.0.0.9/32,
// 2001:1::1/128 and others).
constexpr auto refused_prefixes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"0.0.0.0/8", "an unspecified address"},
    {"10.0.0.0/8", "a private address"},
    {"100.64.0.0/10", "an address of a provider's own network"},
    {"127.0.0.0/8", "a loopback address"},
    {"169.254.0.0/16", "a link-local address"},
    {"172.16.0.0/12", "a private address"},
    {"192.0.0.0/24", "an address for protocols"},
    {"192.0.2.0/24", "an address for documentation"},
    {"192.88.99.0/24", "a relay of 6to4"},
    {"192.168.0.0/16", "a private address"},
    {"198.18.0.0/15", "an address for benchmarks"},
    {"198.51.100.0/24", "an address for documentation"},
    {"203.0.113.0/24", "an address for documentation"},
    {"224.0.0.0/4", "a multicast address"},
    {"255.255.255.255/32", "the broadcast address"},
    {"240.0.0.0/4", "a reserved address"},
    {"::/128", "the unspecified address"},
    {"::1/128", "the loopback address"},
    {"::ffff:0:0/96", "an IPv4 address in another spelling"},
    {"::/96", "an IPv4 address in another spelling"},
    {"64:ff9b::/96", "a translated IPv4 address"},
    {"64:ff9b:1::/48", "a translated IPv4 address"},
    {"100::/64", "an address whose packets are discarded"},
    {"2001::/32", "an address of Teredo"},
    {"2001::/23", "an address for protocols"},
    {"2001:db8::/32", "an address for documentation"},
    {"2002::/16", "an address of 6to4"},
    {"3fff::/20", "an address for documentation"},
    {"5f00::/16", "an address of segment routing"},
    {"fc00::/7", "a private address"},
    {"fe80::/10", "a link-local address"},
    {"fec0::/10", "a private address"},
    {"ff00::/8", "a multicast address"},
});

struct Refused {
    Prefix prefix;
    std::string_view purpose;
};

const std::vector<Refused>& refused_addresses() {
    static const auto list = [] {
        std::vector<Refused> refused;
        for (const auto& [text, purpose] : refused_prefixes) {
            const auto slash = text.find('/');
            refused.push_back(
                {*parse_prefix(text.substr(0, slash), text.substr(slash + 1)), purpose});
        }
        return refused;
    }();
    return list;
}

std::optional<std::string_view> purpose_of(const Address& address) {
    for (const auto& refused : refused_addresses())
        if (contains(refused.prefix, address)) return refused.purpose;
    if (address.family == Address::Family::ipv6 && (address.bytes[0] & first_bits(3)) != 0x20)
        return "not a public address";
    return std::nullopt;
}

bool is_usual(std::uint16_t port) { return port == 80 || port == 443 || port > 1023; }

// What "10.1.0.0/16:25" and "[fd00::]/8" are made of.
struct AllowedParts {
    std::string_view address;
    std::optional<std::string_view> length, port;
};

std::optional<AllowedParts> parts_of(std::string_view entry) {
    AllowedParts parts;
    auto rest = entry;
    if (entry.starts_with('[')) {
        const auto end = entry.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        parts.address = entry.substr(1, end - 1);
        rest = entry.substr(end + 1);
    } else {
        parts.address = entry.substr(0, entry.find_first_of("/:"));
        rest = entry.substr(parts.address.size());
    }
    if ((parts.address.find(':') != std::string_view::npos) != entry.starts_with('['))
        return std::nullopt;
    const auto colon = rest.find(':');
    if (colon != std::string_view::npos) parts.port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (rest.starts_with('/'))
        parts.length = rest.substr(1);
    else if (!rest.empty())
        return std::nullopt;
    return parts;
}

Result<Allowed> parse_allowed(std::string_view entry) {
    const auto wrong = [&](const std::string& what) {
        return base::fail(ErrorKind::malformed, '"' + std::string(entry) + "\" " + what);
    };
    const auto parts = parts_of(entry);
    const auto prefix = parts ? parse_prefix(parts->address, parts->length) : std::nullopt;
    if (!prefix)
        return wrong("is not an address or prefix such as 10.1.2.3, 10.1.0.0/16, [fd00::]/8 or "
                     "10.1.0.0/16:25");
    if (has_bits_behind(*prefix)) return wrong("has bits set after its prefix");
    if (!parts->port) return Allowed{*prefix, std::nullopt};
    const auto port = base::parse_count(*parts->port).value_or(0);
    if (port < 1 || port > 65535) return wrong("must have a port from 1 to 65535");
    return Allowed{*prefix, static_cast<std::uint16_t>(port)};
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
    const std::string zero_ended(text);
    if (zero_ended.find('\0') != std::string::npos) return std::nullopt;
    for (const auto family : {Address::Family::ipv4, Address::Family::ipv6}) {
        Address address{family, {}};
        if (::inet_pton(number_of(family), zero_ended.c_str(), address.bytes.data()) == 1)
            return address;
    }
    return std::nullopt;
}

std::string text_of(const Address& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(number_of(address.family), address.bytes.data(), text.data(), text.size());
    return text.data();
}

std::optional<Address> address_of(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        Address ipv4{Address::Family::ipv4, {}};
        const auto* bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
        std::memcpy(ipv4.bytes.data(), bytes, sizeof(in_addr));
        return ipv4;
    }
    if (address.sa_family == AF_INET6) {
        Address ipv6{Address::Family::ipv6, {}};
        const auto* bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
        std::memcpy(ipv6.bytes.data(), bytes, sizeof(in6_addr));
        return ipv6;
    }
    return std::nullopt;
}

Address network_of(const Address& address) {
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    constexpr std::ptrdiff_t bytes_of_site = 48 / 8;
    const auto& bytes = address.bytes;
    if (address.family == Address::Family::ipv4) return address;
    Address network{Address::Family::ipv4, {}};
    if (std::equal(mapped.begin(), mapped.end(), bytes.begin())) {
        std::copy(bytes.begin() + mapped.size(), bytes.end(), network.bytes.begin());
        return network;
    }
    network.family = Address::Family::ipv6;
    std::copy_n(bytes.begin(), bytes_of_site, network.bytes.begin());
    return network;
}

bool contains(const Prefix& prefix, const Address& address) {
    if (prefix.address.family != address.family) return false;
    const auto whole = prefix.length / 8, rest = prefix.length % 8;
    const auto& a = prefix.address.bytes;
    const auto& b = address.bytes;
    return std::memcmp(a.data(), b.data(), whole) == 0 &&
           (rest == 0 || ((a[whole] ^ b[whole]) & first_bits(rest)) == 0);
}

Result<std::vector<Allowed>> parse_allow_list(std::string_view text) {
    std::vector<Allowed> list;
    if (base::trim(text).empty()) return list;
    for (const auto& entry : base::split(text, ',')) {
        auto allowed = parse_allowed(base::trim(entry));
        if (!allowed) return tl::unexpected(allowed.error());
        list.push_back(*allowed);
    }
    return list;
}

std::optional<std::string> AddressGuard::refusal(const Address& address,
                                                 std::uint16_t port) const {
    const auto allows = [&](const Allowed& entry) {
        return contains(entry.prefix, address) &&
               (entry.port ? *entry.port == port : is_usual(port));
    };
    if (std::ranges::any_of(allowed_, allows)) return std::nullopt;
    const auto allows_usual_ports = [&](const Allowed& entry) {
        return contains(entry.prefix, address) && !entry.port;
    };
    const bool is_only_the_port =
        !is_usual(port) && std::ranges::any_of(allowed_, allows_usual_ports);
    if (const auto purpose = purpose_of(address); purpose && !is_only_the_port)
        return text_of(address) + " is " + std::string(*purpose);
    if (!is_usual(port))
        return "port " + std::to_string(port) + " is not one of 80, 443 and those above 1023";
    return std::nullopt;
}

}  // namespace net
