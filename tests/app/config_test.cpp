// SPDX-License-Identifier: MIT
#include "app/config_file.hpp"

#include <map>
#include <set>

#include "app/config_keys.hpp"
#include "app/sources.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

const std::string least = "[site]\nbase_url = https://x.org/changes/\nauthority = x.org,2007\n"
                          "[source]\nkind = dump\npath = builds/current\n"
                          "[store]\nurl = sqlite:var/history.db\n";

base::Result<app::Config> load(const std::string& text) {
    const support::TempDir folder;
    return app::load_config(folder.write("varve.conf", text));
}

std::string complaint(const std::string& text) {
    const auto config = load(text);
    REQUIRE_FALSE(config);
    return config.error().text;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

// A configuration with this section [source].
std::string with_source(const std::string& source) {
    return "[site]\nbase_url = https://x.org/\nauthority = x.org,2007\n[source]\n" + source +
           "[store]\nurl = sqlite:var/history.db\n";
}
base::Result<app::Config> load_source(const std::string& source) {
    return load(with_source(source));
}
std::string source_complaint(const std::string& source) { return complaint(with_source(source)); }

}  // namespace

TEST_CASE("The required keys are enough, the others have defaults, and paths begin at the file") {
    const support::TempDir folder;
    const auto config = app::load_config(folder.write("etc/varve.conf", least));
    REQUIRE(config);
    CHECK(config->store.path == folder.path() / "etc/var/history.db");
    CHECK(config->source.path == folder.path() / "etc/builds/current");
    CHECK(config->serve.listen == "unix:" + (folder.path() / "etc/var/varve.sock").string());
    CHECK(config->site.base_url == "https://x.org/changes");
    CHECK(config->site.language == "en");
    CHECK(config->serve.max_items == 1000);
    CHECK(config->serve.max_age == 3600);
    CHECK(config->history.keep_trees == 0);
    CHECK(base::format_date(config->history.first_seen_since) == "2007-01-01");
}

TEST_CASE("A mark at the beginning of a text in UTF-8 is no part of the configuration") {
    const auto config = load("\xEF\xBB\xBF" + least);
    REQUIRE(config);
    CHECK(config->site.base_url == "https://x.org/changes");
    CHECK(says(complaint("\xEF\xBB\xBF[site]\ncolour = red\n"), ":2: "));
}

TEST_CASE("Classes to skip are a list for each kind of source") {
    const auto config = load_source("kind = server\nskip_classes = Keyword, Map ,\n");
    REQUIRE(config);
    CHECK(config->source.skip_classes == std::vector<std::string>{"Keyword", "Map"});
    CHECK(load_source("kind = dump\npath = x\nskip_classes = Map\n"));
    CHECK(says(source_complaint("kind = server\nskip_classes = " + std::string(65, 'x') + "\n"),
               "is not the name of a class"));
}

TEST_CASE("Rules of mentions are regular expressions of classes, and a mistake in one is named") {
    const auto config =
        load(least + "[mentions]\nGene = WBGene\\d{8}|[a-z]{3,4}-\\d+\nPaper = WBPaper\\d{8}\n");
    REQUIRE(config);
    CHECK(config->mentions ==
          std::vector<harvest::MentionRule>{{"Gene", "WBGene\\d{8}|[a-z]{3,4}-\\d+"},
                                            {"Paper", "WBPaper\\d{8}"}});
    CHECK(load(least)->mentions.empty());
    CHECK(says(complaint(least + "[mentions]\nGene = (\n"),
               "10: [mentions] Gene: \"(\" is not a regular expression: missing )"));
    CHECK(says(complaint(least + "[mentions]\nGene = \\d*\n"), "matches the empty text"));
}

TEST_CASE("Authors of entries are names or mail addresses, in any case, and stand for objects") {
    const auto config = load(least + "[authors]\nJane Doe = Person:WBPerson1\n"
                                     "joe@x.org = Person:WBPerson2\n");
    REQUIRE(config);
    CHECK(config->site.authors ==
          std::map<std::string, tree::ObjectName>{{"jane doe", {"Person", "WBPerson1"}},
                                                  {"joe@x.org", {"Person", "WBPerson2"}}});
    CHECK(says(complaint(least + "[authors]\nJane = Doe\n"), "[authors] Jane: "));
}

TEST_CASE("An error names each required key that is missing") {
    for (const auto& [line, key] :
         {std::pair{"base_url = https://x.org/changes/\n", "[site] base_url"},
          {"authority = x.org,2007\n", "[site] authority"},
          {"path = builds/current\n", "[source] path"},
          {"url = sqlite:var/history.db\n", "[store] url"}}) {
        auto text = least;
        text.erase(text.find(line), std::string(line).size());
        CHECK(says(complaint(text), key));
    }
}

TEST_CASE("Every error in a file names the line that it is about, and what was probably meant") {
    const auto at = [](const std::string& text, const std::string& part) {
        const auto said = complaint(text);
        CHECK(says(said, "varve.conf:" + part));
        // Only once.
        CHECK(said.find("varve.conf") == said.rfind("varve.conf"));
    };
    at(least + "\n; threads\n[serve]\n\n threads = 0\n", "13: [serve] threads: \"0\" is not");
    at(least + "[ serve ]\r\nthreads=no\r\n", "10: [serve] threads: ");
    at(least + "[serve]\nthread = 4\n", "10: [serve] thread: no such key; did you mean threads?");
    at(least + "[sevre]\nthreads = 4\n",
       "10: [sevre] threads: no such section; did you mean serve?");
    at(least + "[mail]\ncache_mb = 4\n",
       "10: [mail] cache_mb: no such key; did you mean [serve] cache_mb?");
    at(least + "[notify]\nurl = x\n", "10: [notify] url: no such key; [notify] has only command");
    at(least + "[log]\nno equals sign\n", "10");
    at(least + "password_file = a\npassword_file = b\n", "10: [store] password_file: duplicate");
    at("; first\nthreads = 4\n" + least, "2: key \"threads\" comes before any [section]");
    at(least + "[names]\nGene = A>B\nGene\n", "11: [names] Gene: ");
    at(least + "[names]\nGene = A\nGene = B\n",
       "11: [names] Gene: duplicate key name, first in line 10");
    at(least + "[site]\nauthority = x.org,2008\n",
       "10: [site] authority: duplicate key name, first in line 3");
    at(least + "password_file = none\n", "9: [store] password_file: ");
    at("[site]\nbase_url = https://x.org/\n[store]\nurl = sqlite:x\n",
       "1: [site] authority is required but missing");
    at(with_source("kind = dump\n"), "4: [source] path is required but missing");
    at(with_source("kind = server\npath = x\n"), "6: [source] path applies only to");
    const auto without = complaint("[site]\nbase_url = https://x.org/\nauthority = x.org,2007\n");
    CHECK(says(without, "varve.conf: [source] kind is required but missing"));
}

TEST_CASE("An error names the section and key of a bad value") {
    for (const auto& [line, part] :
         {std::pair{"[serve]\nthreads = 4 ; four\n", "[serve] threads"},
          {"[harvest]\nmax_kb = 0\n", "[harvest] max_kb"},
          {"[harvest]\nkeep = some\n", "[harvest] keep"},
          {"[hub]\nenabled = 1\n", "[hub] enabled: "},
          {"[net]\nallow = 10.1\n", "[net] allow: "},
          {"[serve]\nthreads = 0\n", "[serve] threads"},
          {"[serve]\nmax_age = -1\n", "[serve] max_age"},
          {"[serve]\nlisten = here\n", "[serve] listen"},
          {"[serve]\nlisten = 127.0.0.1:99999\n", "[serve] listen"},
          {"[history]\nfirst_seen_since = 2007\n", "[history] first_seen_since"},
          {"[history]\nkeep_trees = 1\n", "[history] keep_trees"},
          {"[log]\nlevel = loud\n", "[log] level"},
          {"[serve]\nlimit_per_minute = many\n", "[serve] limit_per_minute"},
          {"[serve]\ntrusted_front = 127.0.0.1\n", "[serve] trusted_front"},
          {"[serve]\nstop_within = 0\n", "[serve] stop_within"},
          {"give_up = 61\n", "[store] give_up"},
          {"[names]\nGene =\n", "[names] Gene"},
          {"[names]\nGene = Identity>>Name\n", "[names] Gene"},
          {"[successor]\nGene =\n", "[successor] Gene"},
          {"[curators]\nsylvia = WBPerson1983\n", "[curators] sylvia"},
          {"[curators]\nsylvia = Person:\n", "[curators] sylvia"},
          {"[authors]\nJane Doe = Person:\n", "[authors] Jane Doe"},
          {"[authors]\nJane Doe = Person:1\njane  DOE = Person:2\n", "[authors] jane  DOE: this"},
          {"[object_url]\nPaper = javascript:alert(1)\n", "[object_url] Paper"},
          {"[object_url]\nPaper = https://x.org/{nmae}\n", "[object_url] Paper"}})
        CHECK(says(complaint(least + line), part));
}

TEST_CASE("Addresses and authorities are checked") {
    const auto with = [](const std::string& from, const std::string& to) {
        auto text = least;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const auto* url :
         {"ftp://x.org", "x.org", "https://x.org/?a", "https://x.org/a b", "https://",
          "https://:80", "https://x.org:999999", "https://x.org/%zz", "https://[::1]",
          "https://ü.org", "https://user:password@x.org"})
        CHECK(says(complaint(with("https://x.org/changes/", url)), "[site] base_url"));
    for (const auto* authority :
         {"x.org", "x.org,", ",2007", "x org,2007", "x.org,2007,1", "x.org,20071"})
        CHECK(says(complaint(with("x.org,2007", authority)), "[site] authority"));
    CHECK(load(with("x.org,2007", "me@x.org,2007-05-01")));
    for (const auto* url : {"http://127.0.0.1:8080", "https://localhost:8080/changes/"})
        CHECK(load(with("https://x.org/changes/", url)));
}

TEST_CASE("Tags and paths can be ignored in one class or in all") {
    const auto config = load(least + "[ignore]\nProtein = Homol, DB_info > Database\n"
                                     "* = Date_last_updated\nprotein = Title\n");
    REQUIRE(config);
    CHECK(config->history.ignored ==
          compare::Ignored{{"Protein", {{"Homol"}, {"DB_info", "Database"}}},
                           {"*", {{"Date_last_updated"}}},
                           {"protein", {{"Title"}}}});
    CHECK(load(least)->history.ignored.empty());
    for (const auto* value : {"", ",", "Homol,", "A>", ">A", "A>>B"})
        CHECK(
            says(complaint(least + "[ignore]\nProtein = " + value + "\n"), "[ignore] Protein: "));
}

TEST_CASE("releases.tsv beside the configuration file names releases that are gone") {
    const support::TempDir folder;
    folder.write("releases.tsv", "WS185\t2008-01-11\n\nWS186\t2008-02-01\n");
    const auto config = app::load_config(folder.write("varve.conf", least));
    REQUIRE(config);
    REQUIRE(config->history.known_releases.size() == 2);
    CHECK(config->history.known_releases[0].version == "WS185");
    folder.write("releases.tsv", "WS185 2008-01-11\n");
    const auto broken = app::load_config(folder.path() / "varve.conf");
    CHECK(says(broken.error().text, "releases.tsv:1"));
    folder.write("releases.tsv", "WS185\t2008-01-11\nWS185\t2008-01-11\nWS185\t2008-01-12\n");
    const auto twice = app::load_config(folder.path() / "varve.conf");
    REQUIRE_FALSE(twice);
    CHECK(says(twice.error().text, "releases.tsv:3: WS185 has the date 2008-01-11"));
}

TEST_CASE("Each key is read, and left out it has its default") {
    const auto plain = load(least);
    const auto set = load("[site]\nprivate = yes\nhide_curators = yes\n" + least.substr(7) +
                          "[harvest]\nmax_kb = 300\nkeep = all\n[hub]\nenabled = yes\n"
                          "[net]\nallow = 10.1.0.0/16, 10.2.0.7:80\n"
                          "[notify]\ncommand = mail -s \"$(date)\" a@x.org | cat\n"
                          "[names]\nGene = Identity>Name>Public_name, CGC_name\n"
                          "[curators]\nsylvia = Person:WBPerson1:983\n"
                          "[successor]\nGene = Identity>Merged_into, Merged\n");
    INFO((set ? "" : set.error().text));
    REQUIRE(plain);
    REQUIRE(set);
    CHECK_FALSE(plain->site.is_private);
    CHECK(set->site.is_private);
    CHECK_FALSE(plain->site.hide_curators);
    CHECK(set->site.hide_curators);
    CHECK(plain->harvest.max_kb == 150);
    CHECK(set->harvest.max_kb == 300);
    CHECK(plain->harvest.keep == std::chrono::days(14));
    CHECK(set->harvest.keep == std::chrono::days(0));
    CHECK(plain->site.hub_url.empty());
    CHECK(set->site.hub_url == set->site.base_url + "/hub");
    CHECK(plain->net_allow.empty());
    CHECK(set->net_allow == *net::parse_allow_list("10.1.0.0/16, 10.2.0.7:80"));
    CHECK(set->notify_command == "mail -s \"$(date)\" a@x.org | cat");
    const std::vector<std::vector<std::string>> labels{{"Identity", "Name", "Public_name"},
                                                       {"CGC_name"}};
    REQUIRE(set->history.names.size() == 1);
    CHECK(set->history.names[0].second == labels);
    CHECK(set->history.curators ==
          std::map<std::string, tree::ObjectName>{{"sylvia", {"Person", "WBPerson1:983"}}});
    CHECK(set->site.successor_of_class.at("Gene") ==
          std::vector<std::vector<std::string>>{{"Identity", "Merged_into"}, {"Merged"}});
}

TEST_CASE("The operator's templates are read from their folder") {
    const support::TempDir folder;
    auto text = least;
    text.insert(text.find("[source]"), "templates = own\n");
    const auto file = folder.write("varve.conf", text);
    const auto fault = [&] {
        const auto config = app::load_config(file);
        REQUIRE_FALSE(config);
        return config.error().text;
    };
    CHECK(says(fault(),
               "[site] templates: cannot read the folder " + (folder.path() / "own").string()));
    folder.write("own/style.css", "body { color: red }\n");
    folder.write("own/.style.css.swp", "an editor's");
    const auto own = app::load_config(file);
    REQUIRE(own);
    CHECK(own->templates->file("style.css") == "body { color: red }\n");
    folder.write("own/nonsense.mustache", "x");
    CHECK(says(fault(), "own/nonsense.mustache"));
    std::filesystem::remove(folder.path() / "own/nonsense.mustache");
    folder.write("own/home.mustache", "{{no_such_variable}}");
    CHECK(says(fault(), "own/home.mustache"));
    CHECK(says(fault(), "no_such_variable"));
}

TEST_CASE("A password is read from a file of its own") {
    const support::TempDir folder;
    folder.write("secret", "pass word\n");
    auto text = least;
    text.replace(text.find("sqlite:var/history.db"), 21,
                 "mysql://varve@db.x.org/history\npassword_file = secret");
    const auto config = app::load_config(folder.write("varve.conf", text));
    REQUIRE(config);
    CHECK(config->store_password == "pass word");
}

TEST_CASE("What mails are sent from and by is read, and the password only when one is sent") {
    const auto config = load(least + "[mail]\nfrom = \"Changes, all\" <changes@x.org>\n"
                                     "smtp = smtp://mail.x.org:587\nuser = changes@x.org\n"
                                     "password_file = nowhere\n");
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    CHECK(config->mail.from == render::Mailbox{"Changes, all", "changes@x.org"});
    CHECK(config->mail.server == "smtp://mail.x.org:587");
    CHECK(load(least)->mail.server.empty());
    for (const auto* const line : {"smtp = smtp://localhost", "smtp = smtps://127.0.0.1:465",
                                   "from = a.b+c@sub.example.org", "from = Zoë <z@x.org>"})
        CHECK(load(least + "[mail]\n" + line + "\n"));
    for (const auto* const line :
         {"smtp = mail.x.org", "smtp = http://x.org", "smtp = smtp://u:p@x.org",
          "smtp = smtp://x.org/name", "smtp = smtp://x.org?a", "smtp = smtp://x.org:99999",
          "smtp = smtp://[::1]", "smtp = smtp://", "from = x", "from = x@", "from = @x.org",
          "from = a b@x.org", "from = a@x..org", "from = <a@x.org> b", "from = a@x.org, b@x.org",
          "from = zoë@x.org", "user = u", "password_file = f"})
        CHECK(says(complaint(least + "[mail]\n" + line + "\n"), "[mail] "));
    CHECK_FALSE(says(complaint(least + "[mail]\nsmtp = smtp://u:secret@x.org\n"), "secret"));
}

TEST_CASE("A server needs no key but its kind") {
    const auto config = load_source("kind = server\n");
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    const auto& source = config->source;
    CHECK(source.kind == app::SourceKind::server);
    CHECK(source.server.name() == "localhost:23100");
    CHECK(source.server.user == "anonymous");
    CHECK(source.timeout == std::chrono::seconds(10));
    CHECK(source.release.empty());
    CHECK_FALSE(source.date);
    CHECK(app::name_of(source) == "localhost:23100");
}

TEST_CASE("Every key of a server is read, and its password only from the file") {
    const support::TempDir folder;
    folder.write("source.password", "s3 cret \nanother line\n");
    const auto config = app::load_config(folder.write(
        "varve.conf",
        with_source("kind = server\nhost = ace.example.org\nport = 2005\nuser = reader\n"
                    "password_file = source.password\nrelease = WS188\n"
                    "date = 2008-03-22\ntimeout = 30\n")));
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    const auto& source = config->source;
    CHECK(source.server.name() == "ace.example.org:2005");
    CHECK(source.server.user == "reader");
    CHECK(source.server.password == "s3 cret ");
    CHECK(source.release == "WS188");
    CHECK(source.date == base::parse_date("2008-03-22"));
    CHECK(source.timeout == std::chrono::seconds(30));
}

TEST_CASE("A key of another kind of source is refused, whatever the order of the lines") {
    for (const auto& [lines, part] :
         {std::pair{"kind = server\npath = builds/current\n",
                    "[source] path applies only to kind = dump, but kind is server"},
          {"host = x\nkind = dump\npath = x\n",
           "[source] host applies only to kind = server, but kind is dump"},
          {"kind = dump\npath = x\nrelease = WS1\n",
           "[source] release applies only to kind = server"},
          {"kind = dump\npath = x\ntimeout = 1\n", "[source] timeout"},
          {"kind = dump\npath = x\nconnections = 1\n", "[source] connections"}})
        CHECK(says(source_complaint(lines), part));
}

TEST_CASE("An error names the key of a bad value of a source") {
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
        CHECK(says(source_complaint(std::string("kind = server\n") + line), part));
    CHECK(says(source_complaint("kind = mysql\n"),
               "[source] kind: must be one of dump, server, not \"mysql\""));
    CHECK(says(source_complaint("kind = server\nprogram = tace\n"),
               "[source] program: no such key"));
}

TEST_CASE("The description of a source never contains a password") {
    CHECK_FALSE(says(source_complaint("kind = server\npassword = gUess3d\n"), "gUess3d"));
    CHECK(says(source_complaint("kind = server\npassword_file = none\n"),
               "[source] password_file"));
    const support::TempDir folder;
    folder.write("source.password", std::string("gUe\0ss3d\n", 9));
    const auto config = app::load_config(folder.write(
        "varve.conf", with_source("kind = server\npassword_file = source.password\n")));
    REQUIRE_FALSE(config);
    CHECK(says(config.error().text, "[source] password_file"));
    CHECK_FALSE(says(config.error().text, "gUe"));
}

TEST_CASE("A folder given with --build replaces a configured server") {
    const auto config = load_source("kind = server\n");
    REQUIRE(config);
    const auto staged = app::with_folder(*config, "/builds/WS189");
    CHECK(staged.source.kind == app::SourceKind::dump);
    CHECK(app::name_of(staged.source) == "/builds/WS189");
    CHECK(app::database_of(staged.source) == nullptr);
    CHECK(app::database_of(config->source) != nullptr);
}
