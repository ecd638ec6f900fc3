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

Result<std::vector<Url::Host>> parse_hosts(std::string_view text) {
    std::vector<Url::Host> hosts;
    for (const auto part : base::split(text, ',')) {
        const auto colon = part.find(':');
        Url::Host host{std::string(part.substr(0, colon))};
        if (!is_word(host.name, 255)) return refuse_url("not a host name: '" + host.name + "'");
        if (colon != std::string_view::npos) {
            const auto port = base::parse_integer(part.substr(colon + 1));
            if (!port || *port < 1 || *port > 65535)
                return refuse_url("a port must be a number from 1 to 65535, after " + host.name);
            host.port = static_cast<unsigned>(*port);
        }
        if (std::ranges::find(hosts, host) != hosts.end())
            return refuse_url("host " + host.name + " appears twice");
        hosts.push_back(std::move(host));
    }
    return hosts;
}

Result<void> parse_options(std::string_view text, Url& url) {
    std::vector<std::string_view> seen;
    for (const auto part : base::split(text, '&')) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            return refuse_url("an option must be name=value: '" + std::string(part) + "'");
        const auto name = part.substr(0, equals), value = part.substr(equals + 1);
        if (std::ranges::find(seen, name) != seen.end())
            return refuse_url("option '" + std::string(name) + "' appears twice");
        seen.push_back(name);
        if (name == "tls") {
            if (value != "verify" && value != "off")
                return refuse_url("tls must be verify or off");
            url.verify_tls = value == "verify";
        } else if (name == "socket") {
            if (!value.starts_with('/')) return refuse_url("socket must be an absolute path");
            url.socket = value;
        } else {
            return refuse_url("unknown option '" + std::string(name) + "'");
        }
    }
    if (url.socket.empty()) return {};
    if (url.hosts.size() == 1 && url.hosts.front() == Url::Host{"localhost"}) return {};
    return refuse_url("socket needs localhost as the only host");
}

Result<Url> parse_mysql(std::string_view text) {
    const auto question = text.find('?');
    const auto place = text.substr(0, question);
    const auto slash = place.find('/');
    if (slash == std::string_view::npos)
        return refuse_url("mysql://USER@HOST/DATABASE: no database");
    const auto authority = place.substr(0, slash);
    const auto at = authority.rfind('@');
    if (at == std::string_view::npos) return refuse_url("mysql://USER@HOST/DATABASE: no user");
    Url url;
    url.engine = Engine::mysql;
    url.user = authority.substr(0, at);
    if (url.user.find(':') != std::string::npos)
        return refuse_url("the URL must not have a password: use store.password_file");
    if (!is_word(url.user, 80)) return refuse_url("not a user name: '" + url.user + "'");
    auto hosts = parse_hosts(authority.substr(at + 1));
    if (!hosts) return tl::unexpected(hosts.error());
    url.hosts = std::move(*hosts);
    url.database = place.substr(slash + 1);
    if (!is_word(url.database, 64))
        return refuse_url("not a database name: '" + url.database + "'");
    if (question == std::string_view::npos) return url;
    return parse_options(text.substr(question + 1), url).map([&] { return url; });
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
