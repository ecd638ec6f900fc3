// [source] of varve.conf: what each kind of source has, wants and refuses.
// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include "app/rooms.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

using app::SourceKind;

std::string with(const std::string& source) {
    return "[site]\nbase_url = https://x.org/\nauthority = x.org,2007\n[source]\n" + source +
           "[store]\nurl = sqlite:var/history.db\n";
}

base::Result<app::Config> load(const std::string& source) {
    const support::TempDir folder;
    return app::load_config(folder.write("varve.conf", with(source)));
}

std::string complaint(const std::string& source) {
    const auto config = load(source);
    REQUIRE_FALSE(config);
    return config.error().text;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a server needs no key but its kind") {
    const auto config = load("kind = server\n");
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    const auto& source = config->source;
    CHECK(source.kind == SourceKind::server);
    CHECK(source.server.name() == "localhost:23100");
    CHECK(source.server.user == "anonymous");
    CHECK(source.server.timeout == std::chrono::seconds(10));
    CHECK(source.connections == 8);
    CHECK(source.release.empty());
    CHECK_FALSE(source.date);
    CHECK(app::name_of(source) == "localhost:23100");
}

TEST_CASE("every key of a server is taken, and its password from the file alone") {
    const support::TempDir folder;
    folder.write("source.password", "s3 cret \nanother line\n");
    const auto config = app::load_config(folder.write(
        "varve.conf", with("kind = server\nhost = ace.example.org\nport = 2005\nuser = reader\n"
                           "password_file = source.password\nrelease = WS188\n"
                           "date = 2008-03-22\ntimeout = 30\nconnections = 3\n")));
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    const auto& source = config->source;
    CHECK(source.server.name() == "ace.example.org:2005");
    CHECK(source.server.user == "reader");
    CHECK(source.server.password == "s3 cret ");
    CHECK(source.release == "WS188");
    CHECK(source.date == base::parse_date("2008-03-22"));
    CHECK(source.server.timeout == std::chrono::seconds(30));
    CHECK(source.connections == 3);
}

TEST_CASE("tace needs its database folder, and takes a program") {
    CHECK(says(complaint("kind = tace\n"),
               "[source] path: missing, and required with kind = tace"));
    const auto config = load("kind = tace\npath = acedb\n");
    REQUIRE(config);
    CHECK(config->source.program == "tace");
    CHECK(config->source.path.filename() == "acedb");
    CHECK(load("kind = tace\npath = acedb\nprogram = /opt/acedb/tace\n")->source.program ==
          "/opt/acedb/tace");
    const auto beside = load("kind = tace\npath = acedb\nprogram = bin/tace\n");
    REQUIRE(beside);
    CHECK(beside->source.program.starts_with('/'));
    CHECK(beside->source.program.ends_with("/bin/tace"));
}

TEST_CASE("a key of another kind is refused, whatever the order of the lines") {
    for (const auto& [lines, part] :
         {std::pair{"kind = server\npath = builds/current\n",
                    "[source] path: is of kind = dump or tace, and kind is server"},
          {"host = x\nkind = dump\npath = x\n",
           "[source] host: is of kind = server, and kind is dump"},
          {"kind = tace\npath = x\nport = 2005\n", "[source] port: is of kind = server"},
          {"kind = server\nprogram = tace\n", "[source] program: is of kind = tace"},
          {"kind = dump\npath = x\nrelease = WS1\n",
           "[source] release: is of kind = server or tace"},
          {"kind = dump\npath = x\ntimeout = 1\n", "[source] timeout"},
          {"kind = dump\npath = x\nconnections = 1\n", "[source] connections"}})
        CHECK(says(complaint(lines), part));
}

TEST_CASE("a bad value of a source is refused with its key") {
    for (const auto& [line, part] : {std::pair{"host = a b\n", "[source] host"},
                                     {"host =\n", "[source] host"},
                                     {"port = 0\n", "[source] port"},
                                     {"port = 65536\n", "[source] port"},
                                     {"user = two words\n", "[source] user"},
                                     {"release = ../WS188\n", "[source] release"},
                                     {"date = 2008-02-30\n", "[source] date"},
                                     {"timeout = 0\n", "[source] timeout"},
                                     {"connections = 0\n", "[source] connections"},
                                     {"connections = 65\n", "[source] connections"},
                                     {"password = secret\n", "[source] password: no such key"}})
        CHECK(says(complaint(std::string("kind = server\n") + line), part));
    CHECK(says(complaint("kind = mysql\n"), "[source] kind: \"mysql\" is none of dump, server"));
}

TEST_CASE("a password never stands in what is said of it") {
    CHECK_FALSE(says(complaint("kind = server\npassword = gUess3d\n"), "gUess3d"));
    CHECK(says(complaint("kind = server\npassword_file = none\n"), "[source] password_file"));
    const support::TempDir folder;
    folder.write("source.password", std::string("gUe\0ss3d\n", 9));
    const auto config = app::load_config(
        folder.write("varve.conf", with("kind = server\npassword_file = source.password\n")));
    REQUIRE_FALSE(config);
    CHECK(says(config.error().text, "[source] password_file"));
    CHECK_FALSE(says(config.error().text, "gUe"));
}

TEST_CASE("a folder takes the place of a server, as --build wants it") {
    const auto config = load("kind = server\n");
    REQUIRE(config);
    const auto staged = app::with_folder(*config, "/builds/WS189");
    CHECK(staged.source.kind == SourceKind::dump);
    CHECK(app::name_of(staged.source) == "/builds/WS189");
    CHECK(app::database_of(staged.source) == nullptr);
    CHECK(app::database_of(config->source) != nullptr);
}
