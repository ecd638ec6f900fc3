// SPDX-License-Identifier: MIT
#include "store/store.hpp"
#include "support/catch.hpp"

using namespace store;

namespace {

Url mysql_url(std::vector<Url::Host> hosts) {
    Url url;
    url.engine = Engine::mysql;
    url.hosts = std::move(hosts);
    url.user = "varve";
    url.database = "history";
    return url;
}

}  // namespace

TEST_CASE("A store's URL is parsed into its parts") {
    Url file;
    file.path = "var/history.db";
    CHECK(parse_url("sqlite:var/history.db") == file);
    CHECK(parse_url("mysql://varve@db.example.org/history") ==
          mysql_url({{"db.example.org", 3306}}));
    CHECK(parse_url("mysql://varve@one:3307,two,10.0.0.3:3308/history") ==
          mysql_url({{"one", 3307}, {"two", 3306}, {"10.0.0.3", 3308}}));
    auto verified = mysql_url({{"one", 3306}});
    verified.verify_tls = true;
    CHECK(parse_url("mysql://varve@one/history?tls=verify") == verified);
    CHECK(parse_url("mysql://varve@one/history?tls=off") == mysql_url({{"one", 3306}}));
    auto local = mysql_url({{"localhost", 3306}});
    local.socket = "/run/mysqld/mysqld.sock";
    CHECK(parse_url("mysql://varve@localhost/history?socket=/run/mysqld/mysqld.sock") == local);
}

TEST_CASE("A wrong store URL is refused with the reason") {
    struct Wrong {
        const char* url;
        const char* part_of_reason;
    };
    const auto wrong = GENERATE(values<Wrong>({
        {"", "must begin with"},
        {"var/history.db", "must begin with"},
        {"SQLITE:x", "must begin with"},
        {"postgres://varve@one/history", "must begin with"},
        {"sqlite:", "names no file"},
        {"sqlite:a\nb", "control characters"},
        {"mysql://varve@one", "no database"},
        {"mysql://varve@one/", "not a database name"},
        {"mysql://varve@one/a/b", "not a database name"},
        {"mysql://varve@one/a b", "not a database name"},
        {"mysql://one/history", "no user"},
        {"mysql://@one/history", "not a user name"},
        {"mysql://varve:secret@one/history", "password_file"},
        {"mysql://varve@/history", "not a host name"},
        {"mysql://varve@one,/history", "not a host name"},
        {"mysql://varve@one,one/history", "twice"},
        {"mysql://varve@one:/history", "port"},
        {"mysql://varve@one:0/history", "port"},
        {"mysql://varve@one:65536/history", "port"},
        {"mysql://varve@one:33o6/history", "port"},
        {"mysql://varve@one/history?", "name=value"},
        {"mysql://varve@one/history?tls", "name=value"},
        {"mysql://varve@one/history?tls=yes", "verify or off"},
        {"mysql://varve@one/history?tls=off&tls=off", "twice"},
        {"mysql://varve@one/history?ssl=1", "unknown option"},
        {"mysql://varve@localhost/history?socket=run/s", "absolute"},
        {"mysql://varve@one/history?socket=/s", "localhost"},
        {"mysql://varve@localhost,two/history?socket=/s", "localhost"},
    }));
    INFO(wrong.url);
    const auto parsed = parse_url(wrong.url);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::refused);
    CHECK_THAT(parsed.error().text, Catch::Contains(wrong.part_of_reason));
    CHECK_THAT(parsed.error().text, !Catch::Contains("secret"));
}
