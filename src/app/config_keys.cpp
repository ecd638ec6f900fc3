// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "app/sources.hpp"
#include "app/suggestion.hpp"
#include "base/release.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/item.hpp"

namespace app {
namespace {

using base::Result;
using compare::Ranking;
using history::Settings;
using render::Site;
using source::acedb::ServerAddress;

bool is_http(std::string_view url) {
    return url.starts_with("http://") || url.starts_with("https://");
}

std::string in_quotes(std::string_view value) { return '"' + std::string(value) + '"'; }

// "2007", "2007-03" or "2007-03-01".
bool is_date_or_part(std::string_view text) {
    const std::string whole = std::string(text) + (text.size() == 4   ? "-01-01"
                                                   : text.size() == 7 ? "-01"
                                                                      : "");
    return base::parse_date(whole).has_value();
}

Result<std::int64_t> number_of(std::string_view value, std::int64_t least, std::int64_t most) {
    const auto number = base::parse_integer(value);
    if (!number || *number < least || *number > most)
        return wrong(in_quotes(value) + " is not a number from " + std::to_string(least) +
                     " to " + std::to_string(most));
    return *number;
}

// "Identity>Name>Public_name, Identity>Name>CGC_name": at least one path, without empty tags.
using Paths = std::vector<std::vector<std::string>>;
Result<Paths> paths_of(std::string_view value) {
    Paths paths;
    for (const auto path : base::split(value, ',')) {
        auto& tags = paths.emplace_back();
        for (const auto part : base::split(path, '>')) {
            const auto tag = base::trim(part);
            if (tag.empty())
                return wrong(in_quotes(value) +
                             " must be a list of tags, or of paths like Identity>History");
            tags.emplace_back(tag);
        }
    }
    return paths;
}

Result<base::Date> date_of(std::string_view value) {
    const auto day = base::parse_date(value);
    if (!day) return wrong(in_quotes(value) + " is not a date like 2007-01-01");
    return *day;
}

// One word of printable ASCII: a host, a user.
Result<std::string> word_of(std::string_view value) {
    const bool is_word =
        !value.empty() && std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7f; });
    if (!is_word) return wrong("must be one word without spaces");
    return std::string(value);
}

template <class T>
Result<T> one_of(std::string_view value,
                 std::initializer_list<std::pair<std::string_view, T>> choices) {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : choices) {
        if (name == value) return meaning;
        names.emplace_back(name);
    }
    return wrong("must be one of " + base::join(names, ", ") + ", not " + in_quotes(value));
}

Result<bool> truth_of(std::string_view value) {
    return one_of<bool>(value, {{"yes", true}, {"no", false}});
}

Result<SourceKind> source_kind_of(std::string_view value) {
    return one_of<SourceKind>(value, {{name_of(SourceKind::dump), SourceKind::dump},
                                      {name_of(SourceKind::server), SourceKind::server}});
}

Result<base::log::Level> level_of(std::string_view value) {
    using base::log::Level;
    return one_of<Level>(value, {{"debug", Level::debug},
                                 {"info", Level::info},
                                 {"warning", Level::warning},
                                 {"error", Level::error}});
}

// Accepts an http or https address whose placeholders are {name} {class} {class_lower}, or nothing.
Result<std::string> address_template_of(std::string value) {
    if (value.empty()) return value;
    if (!is_http(value)) return wrong(in_quotes(value) + " is not an http or https URL");
    for (auto at = value.find('{'); at != std::string::npos; at = value.find('{', at + 1)) {
        const auto end = value.find('}', at);
        const auto name = std::string_view(value).substr(at, end - at + 1);
        if (name != "{name}" && name != "{class}" && name != "{class_lower}")
            return wrong("unknown placeholder in " + in_quotes(value));
    }
    return value;
}

// Accepts an address without query, fragment and blanks; removes slashes at its end.
Result<std::string> base_url_of(std::string url) {
    const auto parsed = net::parse_url(url);
    if (!parsed) return wrong(parsed.error().text);
    if (parsed->target.find('?') != std::string::npos) return wrong("must not have a query");
    while (url.back() == '/') url.pop_back();
    return url;
}

// RFC 4151 section 2.1: an authority name (domain or mail address), a comma, a date.
Result<std::string> authority_of(std::string value) {
    const auto parts = base::split(value, ',');
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyz0123456789.-_@ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool fits = parts.size() == 2 && !parts[0].empty() &&
                      parts[0].find_first_not_of(allowed) == std::string_view::npos &&
                      is_date_or_part(parts[1]);
    if (!fits)
        return wrong(
            "must be a domain and a date on which you owned it, such as wormbase.org,2007");
    return value;
}

// "smtp://host:587" or "smtps://host": without user, path and query.
Result<std::string> mail_server_of(std::string value) {
    const bool is_smtp = value.starts_with("smtp://") || value.starts_with("smtps://");
    // Apart from the scheme, the rules are those of other addresses that requests are sent to.
    const auto parsed = net::parse_url(is_smtp ? "http" + value.substr(4) : value);
    const bool fits = is_smtp && parsed && parsed->target == "/" && !value.ends_with('/');
    // It is not repeated: a mistake shows to everybody who sees /healthz, and it may have a password.
    if (!fits)
        return wrong("it is not a mail server like smtp://mail.example.org:587 or "
                     "smtps://mail.example.org; user and password_file have keys of their own");
    return value;
}

using Value = const std::string&;

// Stores the value, or returns what is wrong with it.
template <class Place, class T>
Result<void> keep(Place& place, Result<T> value) {
    if (!value) return tl::unexpected(value.error());
    place = static_cast<Place>(std::move(*value));
    return {};
}

Result<std::string> text(Value value) { return value; }

Result<std::filesystem::path> path_of(const Draft& draft, Value value) {
    if (value.empty()) return wrong("no path");
    return draft.resolve(value);
}

// Stores what parse(value) returns in the member of Config that `place` leads to.
template <auto parse, auto... place>
Result<void> set(Draft& draft, Value, Value value) {
    return keep((draft.config.*....*place), parse(value));
}

// Stores it for a class or a user, where any key may be.
template <auto parse, auto... place>
Result<void> set_for_key(Draft& draft, Value key, Value value) {
    return keep((draft.config.*....*place)[key], parse(value));
}

template <auto... place>
Result<void> set_path(Draft& draft, Value, Value value) {
    return keep((draft.config.*....*place), path_of(draft, value));
}

template <std::int64_t least, std::int64_t most>
Result<std::int64_t> number(Value value) {
    return number_of(value, least, most);
}

template <std::int64_t least, std::int64_t most, auto... place>
constexpr Take between{set<number<least, most>, place...>, least, most};

Result<std::vector<std::string>> names_of(Value value) { return words_of(value, ','); }

Result<std::vector<std::string>> classes_of(Value value) {
    auto classes = words_of(value, ',');
    for (const auto& name : classes)
        if (name.size() > tree::longest_class)
            return wrong(in_quotes(name) + " is not the name of a class");
    return classes;
}

Result<void> take_store(Draft& draft, Value, Value value) {
    auto url = store::parse_url(value);
    if (!url) return tl::unexpected(url.error());
    if (url->engine == store::Engine::sqlite) url->path = draft.resolve(url->path.string());
    draft.config.store = std::move(*url);
    return {};
}

template <auto... place>
Result<void> take_paths(Draft& draft, Value key, Value value) {
    auto paths = paths_of(value);
    if (!paths) return tl::unexpected(paths.error());
    (draft.config.*....*place).emplace_back(key, std::move(*paths));
    return {};
}

// [mentions]
Result<void> take_mention_rule(Draft& draft, Value key, Value value) {
    if (!tree::can_be_tracked(key)) return wrong(in_quotes(key) + " is not the name of a class");
    harvest::MentionRule rule{key, value};
    if (const auto checked = harvest::check_rule(rule); !checked)
        return tl::unexpected(checked.error());
    draft.config.mentions.push_back(std::move(rule));
    return {};
}

// [authors]
Result<void> take_author(Draft& draft, Value key, Value value) {
    auto& authors = draft.config.site.authors;
    const auto author = render::author_key(key);
    if (authors.contains(author))
        return wrong("this author is already listed in another spelling; case and the number of "
                     "blanks do not matter");
    return keep(authors[author], object_of(value));
}

Result<void> take_keep_trees(Draft& draft, Value, Value value) {
    auto& place = draft.config.history.keep_trees;
    const auto number = value == "all" ? Result<std::int64_t>(0) : number_of(value, 2, 1'000'000);
    if (!number) return wrong(number.error().text + ", nor \"all\"");
    return keep(place, number);
}

// [harvest] keep
Result<void> take_keep_entries(Draft& draft, Value, Value value) {
    auto& place = draft.config.harvest.keep;
    if (value == "all") {
        place.reset();
        return {};
    }
    const auto days = number_of(value, 1, 36500);
    if (!days) return wrong(days.error().text + ", nor \"all\"");
    place = std::chrono::days(*days);
    return {};
}

Result<void> take_listen(Draft& draft, Value, Value value) {
    auto& listen = draft.config.serve.listen;
    if (value.starts_with("unix:")) {
        if (value.size() == 5) return wrong("unix: needs a path");
        listen = "unix:" + draft.resolve(value.substr(5)).string();
        return {};
    }
    const auto colon = value.rfind(':');
    if (value != "-" && colon == std::string::npos)
        return wrong("must be unix:PATH, ADDRESS:PORT or -");
    const auto port = base::parse_integer(value.substr(colon + 1)).value_or(0);
    if (value != "-" && (port < 1 || port > 65535))
        return wrong(in_quotes(value.substr(colon + 1)) +
                     " is not a port number from 1 to 65535");
    listen = value;
    return {};
}

// The parts of names and hosts: letters, digits and `more`, in parts with dots between them.
bool is_dotted(std::string_view text, std::string_view more) {
    return std::ranges::all_of(base::split(text, '.'), [&](std::string_view part) {
        return !part.empty() && std::ranges::all_of(part, [&](char c) {
            return base::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   more.find(c) != std::string_view::npos;
        });
    });
}

tl::unexpected<base::Error> wrong_at(const Draft& draft, std::string_view place,
                                     const std::string& text) {
    return wrong(draft.position_of(place) + ": " + std::string(place) + text);
}

constexpr auto yes = Needed::yes, no = Needed::no;
constexpr auto of_files = SourceKind::dump, of_server = SourceKind::server;

constexpr auto table = std::to_array<Key>({
    {"site", "title", "Change history", "", set<text, &Config::site, &Site::title>,
     "Title of pages and feeds."},
    {"site", "base_url", "", "https://changes.wormbase.org",
     set<base_url_of, &Config::site, &Site::base_url>,
     "URL of the site, http or https. It may have a path (https://wormbase.org/changes), and all "
     "addresses then include it. Feeds and mails link to it; pages link by its path alone, so "
     "they "
     "work under other host names too.",
     yes},
    {"site", "authority", "", "wormbase.org,2007",
     set<authority_of, &Config::site, &Site::authority>,
     "A domain that you own, and a year or day on which you owned it (RFC 4151). It is part of "
     "the "
     "id of every item, so never change it.",
     yes},
    {"site", "contact", "", "help@wormbase.org", set<text, &Config::site, &Site::contact>,
     "Mail address shown to readers."},
    {"site", "language", "en", "", set<text, &Config::site, &Site::language>,
     "Language of the data, such as `en` or `en-gb`."},
    {"site", "object_url", "", "https://wormbase.org/db/get?name={name};class={class}",
     set<address_template_of, &Config::site, &Site::object_url>,
     "Where people can look at an object; its history page links there. `{name}`, `{class}` and "
     "`{class_lower}` are replaced, percent-encoded. Without it there is no link."},
    {"site", "templates", "", "templates", set_path<&Config::template_folder>,
     "A folder with your own templates. A file replaces the built-in one of the same name, and "
     "any "
     "other name is refused. The built-in ones are in share/varve/templates."},
    {"site", "private", "no", "", set<truth_of, &Config::site, &Site::is_private>,
     "`yes`: readers need a token (`varve token add NAME`). In a feed reader, add token=… to the "
     "feed URL; in a browser, enter it as the password. Shared caches keep nothing then."},
    {"site", "hide_curators", "no", "", set<truth_of, &Config::site, &Site::hide_curators>,
     "`yes`: hide the names of all curators. The dates of their entries stay visible."},
    {"object_url", "", "", "Paper = https://wormbase.org/resources/paper/{name}",
     set_for_key<address_template_of, &Config::site, &Site::object_url_of_class>,
     "object_url of `[site]` for one class."},
    {"names", "", "", "Gene = Identity>Name>Public_name, Identity>Name>CGC_name",
     take_paths<&Config::history, &Settings::names>,
     "Where to find the common name of an object of the class: a list of tag paths; the first "
     "one "
     "that the object has is used."},
    {"search", "", "", "Gene = Identity>Name>Other_name, Identity>Name>Sequence_name",
     take_paths<&Config::history, &Settings::search>,
     "Where to find other names of an object, under which search finds it too: a list of tag "
     "paths, all of which are used. An object keeps up to 100 other names, 4,000 bytes in all. A "
     "change applies to objects as they are recorded again."},
    {"important", "", "", "Gene = Identity>Status, Concise_description, Phenotype",
     take_paths<&Config::history, &Settings::ranking, &Ranking::important>,
     "Places whose changes lead an item and its title, in objects of the class, or of every "
     "class "
     "if it is `*`: tags and paths as in `[ignore]`. By default, changes lead in the order of "
     "the "
     "object."},
    {"minor", "", "", "* = Version, Version_change, Date_last_updated",
     take_paths<&Config::history, &Settings::ranking, &Ranking::minor>,
     "Places whose changes come last, such as versions and dates of entry, in the same form. The "
     "evidence for a value (a tag `*_evidence`) is minor without being named."},
    {"classes", "helpers", "", "Author, Gene_name, Person_name",
     set<classes_of, &Config::history, &Settings::ranking, &Ranking::helper_classes>,
     "Classes of objects that exist only because others name them, such as names and authors, "
     "separated by commas. A reference to an object of another class that was created or "
     "vanished "
     "in the same release comes last; a reference to one of these is a change like any other. A "
     "search lists them after all other objects."},
    {"ignore", "", "", "Protein = Homol, DB_info>Database",
     take_paths<&Config::history, &Settings::ignored>,
     "Changes to leave out in objects of the class, or of every class if it is `*`: tags, which "
     "are ignored wherever they occur, and paths of tags from the object down, each with "
     "everything below. Trees are stored whole. A new list therefore reports nothing again, and "
     "recorded changes stay."},
    {"curators", "", "", "sylvia = Person:WBPerson1983",
     set_for_key<object_of, &Config::history, &Settings::curators>,
     "The object that represents a user in timestamps. Items name and link to it. Users that are "
     "not listed are shown as they are."},
    {"successor", "", "", "Gene = Identity>History>Merged_into",
     set_for_key<paths_of, &Config::site, &Site::successor_of_class>,
     "Where an object that is gone names the one that took over: paths of tags, as in `[names]`. "
     "Its page and feed link there."},
    {"mentions", "", "", "Gene = WBGene\\d{8}|[a-z]{3,4}-\\d+", take_mention_rule,
     "A regular expression, as RE2 reads them. Where it matches a whole word in the title, the "
     "text or the link of an entry of a source feed, and an object of the class has that name or "
     "label, the entry mentions the object. A label that more than 5 objects share mentions none "
     "of them. Case matters unless the expression begins with `(?i)`. When the rules change, the "
     "harvester looks through the stored entries again."},
    {"authors", "", "", "sylvia@example.org = Person:WBPerson1983", take_author,
     "The object that represents an author of entries. The author is a name without regard to "
     "case, or a mail address where the feed gives no name."},
    {"source", "kind", "", "dump", set<source_kind_of, &Config::source, &SourceConfig::kind>,
     "`dump`: a folder of files (.ace, .xml, .jsonl); `server`: a running AceDB server, over its "
     "socket. docs/sources.md helps you choose.",
     yes},
    {"source", "path", "", "builds/current", set_path<&Config::source, &SourceConfig::path>,
     "The folder of the current build, or a symbolic link to it, so that switching takes one "
     "step.",
     yes, of_files},
    {"source", "host", "localhost", "",
     set<word_of, &Config::source, &SourceConfig::server, &ServerAddress::host>,
     "Where the server listens.", no, of_server},
    {"source", "port", "23100", "",
     between<1, 65535, &Config::source, &SourceConfig::server, &ServerAddress::port>,
     "The port of the server.", no, of_server},
    {"source", "user", "anonymous", "",
     set<word_of, &Config::source, &SourceConfig::server, &ServerAddress::user>,
     "The name of the user.", no, of_server},
    {"source", "password_file", "", "source.password",
     set_path<&Config::source, &SourceConfig::password_file>,
     "A file whose first line is the password. Without it, AcePerl's password for anonymous is "
     "used.",
     no, of_server},
    {"source", "release", "", "WS188", set<version_of, &Config::source, &SourceConfig::release>,
     "The version of the release. Without it, the Name of the database.", no, of_server},
    {"source", "date", "", "2008-03-22", set<date_of, &Config::source, &SourceConfig::date>,
     "The date of a release that releases.tsv beside the configuration (lines of version, TAB, "
     "date) does not have. Prefer releases.tsv: a new release that would get the date of another "
     "one by this key is refused.",
     no, of_server},
    {"source", "timeout", "10", "", between<1, 3600, &Config::source, &SourceConfig::timeout>,
     "Seconds to wait for a connection, and for each part of an answer; and how long "
     "`varve prewarm` waits for a server that is gone.",
     no, of_server},
    {"source", "index", "var/index", "", set_path<&Config::source, &SourceConfig::index>,
     "The folder where the indexes of builds are kept. Must be writable. They stay when a build "
     "is "
     "deleted; back them up."},
    {"source", "max_object_mb", "64", "",
     between<1, 4096, &Config::source, &SourceConfig::max_object_mb>,
     "Objects whose text is larger than this are refused."},
    {"source", "skip_classes", "", "Keyword_index",
     set<classes_of, &Config::source, &SourceConfig::skip_classes>,
     "Classes that are neither listed nor compared, separated by commas, in any case; what is "
     "recorded of them stays as it is. For classes that a running AceDB lists and its dump does "
     "not write (marked -XREF or -Protected in wspec/options.wrm), when a site changes from one "
     "to the other."},
    {"store", "url", "", "sqlite:var/history.db", take_store,
     "`sqlite:PATH`, or `mysql://USER@HOST[:PORT][,HOST...]/DATABASE`, whose hosts are the nodes "
     "of a Galera cluster, tried in this order; followed by `?tls=verify` to insist on TLS, or "
     "`?socket=PATH`.",
     yes},
    {"store", "password_file", "", "store.password", set_path<&Config::store_password_file>,
     "A file that contains the password of the database and nothing else."},
    {"store", "give_up", "60", "", between<1, 60, &Config::store_give_up>,
     "Seconds after which a store that does not answer, or refuses a transaction again and "
     "again, "
     "is given up. Whatever this says, a request waits for 12 seconds at most, and a command 30 "
     "for an answer; it tries a transaction 20 times at most."},
    {"history", "first_seen_since", "2007-01-01", "",
     set<date_of, &Config::history, &Settings::first_seen_since>,
     "When an object is seen for the first time, values with a later timestamp count as "
     "changes."},
    {"history", "build_users", "", "wormpub",
     set<names_of, &Config::history, &Settings::build_users>,
     "Users whose timestamps come from loading a build, separated by commas. They are no "
     "evidence "
     "of a change. Timestamps of one user and day that are in more than a tenth of the objects "
     "are "
     "recognised without this; `varve check` warns of others. Set it before objects are "
     "recorded."},
    {"history", "keep_trees", "all", "", take_keep_trees,
     "How many trees to keep of each object, the newest ones: `all`, or a number from 2."},
    {"history", "mass_change", "50", "", between<0, 100, &Config::mass_change>,
     "If `varve prewarm` finds that a release changed the same place in more than this "
     "percentage "
     "of the objects of a class (with 20 objects or more), items show one line for it. 0: never. "
     "Takes effect with the next release."},
    {"serve", "listen", "unix:var/varve.sock", "", take_listen,
     "Where `varve serve` listens for FastCGI: `unix:PATH`, `ADDRESS:PORT`, or `-`, a socket "
     "passed as descriptor 0. Needs a restart."},
    {"serve", "trusted_front", "no", "",
     set<truth_of, &Config::serve, &ServeConfig::trusted_front>,
     "`yes`: all that can reach the address of `varve serve --http` is a proxy, whose "
     "X-Forwarded-For names the client. The address may then be one that other hosts reach. "
     "Needs "
     "a restart."},
    {"serve", "threads", "64", "", between<1, 1024, &Config::serve, &ServeConfig::threads>,
     "Requests answered at once. Idle connections of the web server do not count. Needs a "
     "restart; "
     "a reload (SIGHUP) is enough for the other keys."},
    {"serve", "cache_mb", "64", "", between<0, 65536, &Config::serve, &ServeConfig::cache_mb>,
     "Memory for rendered pages, in megabytes. 0: none."},
    {"serve", "max_items", "1000", "", between<1, 10000, &Config::serve, &ServeConfig::max_items>,
     "The most items a reader can ask for with n=."},
    {"serve", "max_age", "3600", "", between<0, 31536000, &Config::serve, &ServeConfig::max_age>,
     "How many seconds readers and caches may keep a feed."},
    {"serve", "limit_per_minute", "0", "",
     between<0, 1'000'000, &Config::serve, &ServeConfig::limit_per_minute>,
     "Requests per minute allowed to one client (an IPv4 address, or the first 64 bits of an "
     "IPv6 "
     "address); further requests get status 429. At least 60 may come at once. 0: no limit."},
    {"serve", "stop_within", "15", "", between<1, 300, &Config::serve, &ServeConfig::stop_within>,
     "How many seconds a stopping server waits for the requests that it is answering. Less than "
     "TimeoutStopSec in systemd/varve.service."},
    {"hub", "enabled", "no", "", set<truth_of, &Config::hub_enabled>,
     "`yes`: readers can have changes sent to them (WebSub). Feeds and pages name the hub of the "
     "site, a POST to `BASE_URL/hub` subscribes, and `varve hub`, which must run beside "
     "`varve serve`, delivers."},
    {"harvest", "max_kb", "150", "", between<1, 65536, &Config::harvest, &HarvestConfig::max_kb>,
     "The largest document that `varve harvest` reads, in kilobytes after decompression. A "
     "source "
     "feed can have a limit of its own. The feeds themselves are in the store: "
     "`varve harvest add`."},
    {"harvest", "keep", "14", "", take_keep_entries,
     "Days after which entries that have left their feed are dropped; `all` keeps them. Feeds "
     "that "
     "mention an object keep all of their entries."},
    {"net", "allow", "", "10.1.0.0/16, 10.2.0.7:8080",
     set<net::parse_allow_list, &Config::net_allow>,
     "Addresses that are not public but may be asked, separated by commas, for subscribers and "
     "source feeds in an intranet. Without a port, 80, 443 and those above 1023 are meant."},
    {"mail", "from", "", "Changes in WormBase <changes@wormbase.org>",
     set<mailbox_of, &Config::mail, &MailConfig::from>,
     "The sender of the mails of `varve digest`: an address, or `Name <name@example.org>`. "
     "Without "
     "it, contact in `[site]`."},
    {"mail", "smtp", "", "smtp://mail.wormbase.org:587",
     set<mail_server_of, &Config::mail, &MailConfig::server>,
     "The mail server of `varve digest --send`: `smtp://HOST:PORT`, or `smtps://HOST:PORT` if it "
     "is "
     "encrypted from the beginning. Nothing is sent before the connection is encrypted, by the "
     "host of the certificate. Without it, mails can only be printed."},
    {"mail", "user", "", "changes", set<word_of, &Config::mail, &MailConfig::user>,
     "The user, if the server asks for a password. Requires password_file."},
    {"mail", "password_file", "", "mail.password",
     set_path<&Config::mail, &MailConfig::password_file>,
     "A file whose first line is the password. It is never logged."},
    {"notify", "command", "", "curl -s --json @- https://chat.wormbase.org/hooks/xxxx",
     set<text, &Config::notify_command>,
     "A command for sh(1) that is run once when `varve prewarm --all` has recorded a release, "
     "with "
     "a summary in JSON on its standard input. It has 60 seconds; what it prints goes to "
     "standard "
     "error."},
    {"log", "level", "info", "", set<level_of, &Config::log_level>,
     "`debug`, `info`, `warning` or `error`."},
});

// Returns what was probably meant by a section that there is not.
std::string section_like(const std::string& section) {
    std::vector<std::string> sections;
    for (const auto& key : table) sections.emplace_back(key.section);
    return did_you_mean(section, sections);
}

// Returns what was probably meant by a key that its section does not have: one spelled alike, what a
// small section has, or the one of this name in another section.
std::string key_like(const std::string& section, const std::string& key) {
    constexpr std::size_t few = 3;
    std::vector<std::string> keys, places;
    for (const auto& known : table) {
        if (known.section == section) keys.emplace_back(known.name);
        if (known.name == key) places.push_back(known.place());
    }
    if (auto meant = did_you_mean(key, keys); !meant.empty()) return meant;
    if (keys.size() <= few) return "; [" + section + "] has only " + base::join(keys, ", ");
    return places.empty() ? "" : "; did you mean " + places.front() + "?";
}

}  // namespace

std::string Draft::position_of(std::string_view place) const {
    auto line = lines.find(std::string(place));
    if (line == lines.end()) line = lines.find(std::string(place.substr(0, place.find(' '))));
    return config.file.string() + (line == lines.end() ? "" : ":" + std::to_string(line->second));
}

tl::unexpected<base::Error> wrong(std::string text) {
    return base::fail(base::ErrorKind::refused, std::move(text));
}

std::vector<std::string> words_of(std::string_view list, char separator) {
    std::vector<std::string> words;
    for (const auto part : base::split(list, separator))
        if (const auto word = base::trim(part); !word.empty()) words.emplace_back(word);
    return words;
}

Result<tree::ObjectName> object_of(std::string_view value) {
    const auto colon = value.find(':');
    const auto class_name = base::trim(value.substr(0, colon));
    const auto name = colon == std::string_view::npos ? "" : base::trim(value.substr(colon + 1));
    if (!tree::can_be_tracked(class_name, name))
        return wrong(in_quotes(value) + " is not an object like Person:WBPerson1983");
    return tree::ObjectName{std::string(class_name), std::string(name)};
}

Result<render::Mailbox> mailbox_of(std::string_view value) {
    constexpr std::size_t longest_address = 254, longest_local_part = 64;  // RFC 5321 4.5.3.1
    render::Mailbox mailbox;
    auto address = base::trim(value);
    if (const auto open = address.rfind('<'); address.ends_with('>') && open != address.npos) {
        auto name = base::trim(address.substr(0, open));
        if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"'))
            name = name.substr(1, name.size() - 2);
        mailbox.name = name;
        address = address.substr(open + 1, address.size() - open - 2);
    }
    const auto at = address.rfind('@');
    const auto local = address.substr(0, at);
    const bool fits = at != std::string_view::npos && address.size() <= longest_address &&
                      local.size() <= longest_local_part &&
                      is_dotted(local, "!#$%&'*+-/=?^_`{|}~") &&
                      is_dotted(address.substr(at + 1), "-");
    const bool has_controls =
        std::ranges::any_of(mailbox.name, [](char c) { return c >= 0 && c < 0x20; });
    if (!fits || has_controls)
        return wrong(in_quotes(base::legal_text(value)) +
                     " is not a mail address like name@example.org or Name <name@example.org>");
    mailbox.address = address;
    return mailbox;
}

Result<std::string> version_of(std::string_view value) {
    if (!base::is_version(value))
        return wrong(in_quotes(value) +
                     " is not a version like WS188: up to 32 of letters, digits, . _ -");
    return std::string(value);
}

Draft::Draft(const std::filesystem::path& file)
    : folder(std::filesystem::absolute(file).parent_path()) {
    config.file = file;
    for (const auto& key : table)
        if (!key.fallback.empty())
            (void)key.take.store(*this, std::string(key.name), std::string(key.fallback));
}

Result<void> check_keys(const Draft& draft) {
    const auto kind = draft.config.source.kind;
    for (const auto& key : table) {
        const auto place = key.place();
        const bool is_there = draft.lines.contains(place);
        const bool applies = key.kind.value_or(kind) == kind;
        if (is_there && !applies)
            return wrong_at(draft, place,
                            " applies only to kind = " + std::string(name_of(*key.kind)) +
                                ", but kind is " + std::string(name_of(kind)));
        if (!is_there && applies && key.needed == Needed::yes)
            return wrong_at(draft, place, " is required but missing");
    }
    // A password is sent where nobody else can read it.
    const auto& mail = draft.config.mail;
    if (mail.user.empty() != mail.password_file.empty()) {
        const bool has_user = !mail.user.empty();
        return wrong_at(draft, has_user ? "[mail] user" : "[mail] password_file",
                        std::string(" requires ") + (has_user ? "password_file" : "user"));
    }
    return {};
}

std::span<const Key> known_keys() { return table; }

Result<void> take_line(Draft& draft, const std::string& section, const std::string& key,
                       const std::string& value) {
    const auto place = "[" + section + "] " + key;
    const auto in_section = [&](const Key& known) { return known.section == section; };
    if (std::ranges::none_of(table, in_section))
        return wrong_at(draft, place, ": no such section" + section_like(section));
    const auto* known = std::ranges::find_if(table, [&](const Key& candidate) {
        return in_section(candidate) && (candidate.name.empty() || candidate.name == key);
    });
    if (known == table.end())
        return wrong_at(draft, place, ": no such key" + key_like(section, key));
    if (const auto done = known->take.store(draft, key, base::legal_text(base::trim(value)));
        !done)
        return wrong_at(draft, place, ": " + done.error().text);
    return {};
}

}  // namespace app
