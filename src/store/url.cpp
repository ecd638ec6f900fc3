// SPDX-License-Identifier: MIT
#include "store/url.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace store {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::string_view word =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
constexpr std::string_view mysql_scheme = "mysql://";
constexpr std::string_view sqlite_scheme = "sqlite:";

bool is_word(std::string_view text, std::size_t most) {
    return !text.empty() && text.size() <= most &&
           text.find_first_not_of(word) == std::string_view::npos;
}

auto refuse_url(const std::string& text) { return base::fail(ErrorKind::refused, text); }

Result<Url::Host> parse_host(std::string_view text) {
    const auto colon = text.find(':');
    Url::Host host{std::string(text.substr(0, colon))};
    if (!is_word(host.name, 255)) return refuse_url("not a host name: '" + host.name + "'");
    if (colon == std::string_view::npos) return host;
    const auto port = base::parse_integer(text.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535)
        return refuse_url("a port must be a number from 1 to 65535, after " + host.name);
    host.port = static_cast<unsigned>(*port);
    return host;
}

Result<void> parse_hosts(std::string_view text, Url& url) {
    for (const auto part : base::split(text, ',')) {
        auto host = parse_host(part);
        if (!host) return tl::unexpected(host.error());
        if (std::ranges::find(url.hosts, *host) != url.hosts.end())
            return refuse_url("host " + host->name + " appears twice");
        url.hosts.push_back(std::move(*host));
    }
    return {};
}

Result<void> set_option(std::string_view name, std::string_view value, Url& url) {
    if (name == "tls") {
        if (value != "verify" && value != "off") return refuse_url("tls must be verify or off");
        url.verify_tls = value == "verify";
        return {};
    }
    if (name != "socket") return refuse_url("unknown option '" + std::string(name) + "'");
    if (!value.starts_with('/')) return refuse_url("socket must be an absolute path");
    url.socket = value;
    return {};
}

Result<void> parse_options(std::string_view text, Url& url) {
    std::vector<std::string_view> seen;
    for (const auto part : base::split(text, '&')) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            return refuse_url("an option must be name=value: '" + std::string(part) + "'");
        const auto name = part.substr(0, equals);
        if (std::ranges::find(seen, name) != seen.end())
            return refuse_url("option '" + std::string(name) + "' appears twice");
        seen.push_back(name);
        if (auto set = set_option(name, part.substr(equals + 1), url); !set) return set;
    }
    return {};
}

// Parses USER@HOSTS, the part before the slash of the database.
Result<void> parse_authority(std::string_view text, Url& url) {
    const auto at = text.rfind('@');
    if (at == std::string_view::npos) return refuse_url("mysql://USER@HOST/DATABASE: no user");
    const auto user = text.substr(0, at);
    if (user.find(':') != std::string_view::npos)
        return refuse_url("the URL must not have a password: use store.password_file");
    if (!is_word(user, 80)) return refuse_url("not a user name: '" + std::string(user) + "'");
    url.user = user;
    return parse_hosts(text.substr(at + 1), url);
}

Result<void> check_socket(const Url& url) {
    if (url.socket.empty()) return {};
    if (url.hosts.size() == 1 && url.hosts.front() == Url::Host{"localhost"}) return {};
    return refuse_url("socket needs localhost as the only host");
}

Result<Url> parse_mysql(std::string_view text) {
    Url url;
    url.engine = Engine::mysql;
    const auto question = text.find('?');
    const auto place = text.substr(0, question);
    const auto slash = place.find('/');
    if (slash == std::string_view::npos)
        return refuse_url("mysql://USER@HOST/DATABASE: no database");
    if (auto done = parse_authority(place.substr(0, slash), url); !done)
        return tl::unexpected(done.error());
    url.database = place.substr(slash + 1);
    if (!is_word(url.database, 64))
        return refuse_url("not a database name: '" + url.database + "'");
    if (question != std::string_view::npos)
        if (auto done = parse_options(text.substr(question + 1), url); !done)
            return tl::unexpected(done.error());
    if (auto fits = check_socket(url); !fits) return tl::unexpected(fits.error());
    return url;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
    const bool odd = std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (odd) return refuse_url("it has control characters");
    if (text.starts_with(mysql_scheme)) return parse_mysql(text.substr(mysql_scheme.size()));
    if (!text.starts_with(sqlite_scheme))
        return refuse_url("it must begin with sqlite: or mysql://");
    Url url;
    url.path = text.substr(sqlite_scheme.size());
    if (url.path.empty()) return refuse_url("sqlite: names no file");
    return url;
}

}  // namespace store
