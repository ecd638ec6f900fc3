// SPDX-License-Identifier: MIT
#include "net/url.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace net {
namespace {

using base::ErrorKind;
using base::Result;

tl::unexpected<base::Error> malformed(std::string text) {
    return base::fail(ErrorKind::malformed, std::move(text));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) {
    return base::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_unreserved(char c) {
    return is_letter(c) || base::is_digit(c) ||
           std::string_view("-._~").find(c) != std::string_view::npos;
}

// Of paths and queries. RFC 3986 section 3.3 (pchar) and 3.4.
bool is_target_character(char c) {
    return is_unreserved(c) ||
           std::string_view("!$&'()*+,;=:@/?").find(c) != std::string_view::npos;
}

Result<void> check_bytes(std::string_view text) {
    if (text.empty()) return malformed("must not be empty");
    if (text.size() > longest_url)
        return base::fail(ErrorKind::too_large,
                          "must not be longer than " + std::to_string(longest_url) + " bytes");
    for (const char c : text) {
        if (c == ' ') return malformed("must not have blanks");
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            return malformed("must not have control characters");
        if (!base::is_printable(c))
            return malformed(
                "must be ASCII; other characters are written as %XX, and as xn-- in a host");
    }
    return {};
}

// Reads the path and what follows it.
Result<void> check_target(std::string_view target) {
    for (std::size_t at = 0; at < target.size(); ++at) {
        if (target[at] == '%') {
            if (at + 2 >= target.size() || !is_hex_digit(target[at + 1]) ||
                !is_hex_digit(target[at + 2]))
                return malformed("must have two hexadecimal digits after each %");
            at += 2;
        } else if (!is_target_character(target[at])) {
            return malformed(std::string("must have %XX for ") + target[at]);
        }
    }
    return {};
}

// A part that some program reads as a number: 7, 0177, 0x7F, 0x.
bool is_number(std::string_view part) {
    if (part.starts_with("0x")) return std::ranges::all_of(part.substr(2), is_hex_digit);
    return !part.empty() && std::ranges::all_of(part, base::is_digit);
}

bool is_byte(std::string_view part) {
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part.front() == '0')) return false;
    const auto value = base::parse_count(part);
    return value && *value <= 255;
}

// A part of a name or of an IPv4 address.
Result<void> check_part(std::string_view part) {
    constexpr std::size_t longest_part = 63;  // RFC 1035 section 2.3.4
    const auto is_allowed = [](char c) {
        return is_letter(c) || base::is_digit(c) || c == '-' || c == '_';
    };
    if (part.empty())
        return malformed("has a host with an empty part: two dots, or one at its end");
    if (part.size() > longest_part) return malformed("has a host with a part that is too long");
    if (!std::ranges::all_of(part, is_allowed))
        return malformed("has a host with other characters than letters, digits, -, _ and dots");
    if (part.front() == '-' || part.back() == '-')
        return malformed("has a host with a - at the end of a part");
    return {};
}

Result<void> check_host(std::string_view host) {
    constexpr std::size_t longest_host = 253;
    if (host.empty()) return malformed("must have a host");
    if (host.front() == '[') return malformed("must name its host, not give an IPv6 address");
    if (host.size() > longest_host) return malformed("has a host that is too long");
    const auto parts = base::split(host, '.');
    for (const auto& part : parts)
        if (auto checked = check_part(part); !checked) return checked;
    constexpr std::size_t bytes_of_ipv4 = 4;
    if (is_number(parts.back()) &&
        (parts.size() != bytes_of_ipv4 || !std::ranges::all_of(parts, is_byte)))
        return malformed("must have an IPv4 address as four decimal numbers of 0 to 255");
    return {};
}

Result<std::uint16_t> port_of(std::string_view digits) {
    constexpr std::size_t longest_port = 5;
    const bool has_digits =
        digits.size() <= longest_port && std::ranges::all_of(digits, base::is_digit);
    const auto port = has_digits ? base::parse_count(digits).value_or(0) : 0;
    if (port < 1 || port > 65535) return malformed("must have a port from 1 to 65535, or none");
    return static_cast<std::uint16_t>(port);
}

std::optional<Scheme> scheme_of(std::string_view text) {
    for (const auto scheme : {Scheme::http, Scheme::https})
        if (base::equal_ignoring_case(text, name_of(scheme))) return scheme;
    return std::nullopt;
}

int value_of(char hex_digit) {
    return base::is_digit(hex_digit) ? hex_digit - '0' : (hex_digit | 0x20) - 'a' + 10;
}

// Escapes in one spelling: RFC 3986 sections 6.2.2.1 and 6.2.2.2.
std::string normalized_target(std::string_view target) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string normal;
    normal.reserve(target.size());
    for (std::size_t at = 0; at < target.size(); ++at) {
        if (target[at] != '%') {
            normal += target[at];
            continue;
        }
        const int high = value_of(target[at + 1]), low = value_of(target[at + 2]);
        const char byte = static_cast<char>(high * 16 + low);
        if (is_unreserved(byte))
            normal += byte;
        else
            normal.append({'%', digits[static_cast<std::size_t>(high)],
                           digits[static_cast<std::size_t>(low)]});
        at += 2;
    }
    return normal;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
    if (const auto checked = check_bytes(text); !checked) return tl::unexpected(checked.error());
    const auto colon = text.find("://");
    const auto scheme = scheme_of(text.substr(0, colon));
    if (colon == std::string_view::npos || !scheme)
        return malformed("must begin with http:// or https://");
    const auto rest = text.substr(colon + 3);
    if (rest.find('#') != std::string_view::npos) return malformed("must not have a fragment");
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    const auto authority = rest.substr(0, end), target = rest.substr(end);
    if (authority.find('@') != std::string_view::npos)
        return malformed("must not have a user name or password");

    const auto port_colon =
        authority.starts_with('[') ? std::string_view::npos : authority.find(':');
    const auto host = authority.substr(0, port_colon);
    if (const auto checked = check_host(base::fold_ascii(host)); !checked)
        return tl::unexpected(checked.error());
    const auto port = port_colon == std::string_view::npos
                          ? Result<std::uint16_t>(default_port(*scheme))
                          : port_of(authority.substr(port_colon + 1));
    if (!port) return tl::unexpected(port.error());
    if (const auto checked = check_target(target); !checked)
        return tl::unexpected(checked.error());
    return Url{std::string(text), *scheme, base::fold_ascii(host), *port,
               target.starts_with('/') ? std::string(target) : "/" + std::string(target)};
}

std::string origin_of(const Url& url) {
    auto origin = std::string(name_of(url.scheme)) + "://" + url.host;
    if (url.port != default_port(url.scheme)) origin += ":" + std::to_string(url.port);
    return origin;
}

std::string normalized(const Url& url) { return origin_of(url) + normalized_target(url.target); }

}  // namespace net
