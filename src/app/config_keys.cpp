// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <re2/re2.h>
#include <utility>

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
    static const RE2 placeholder("\\{(name|class|class_lower)\\}");
    if (value.empty()) return value;
    if (!is_http(value)) return wrong(in_quotes(value) + " is not an http or https URL");
    auto rest = value;
    RE2::GlobalReplace(&rest, placeholder, "");
    if (rest.find('{') != std::string::npos)
        return wrong("unknown placeholder in " + in_quotes(value));
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

// RFC 4151 section 2.1: an authority name (domain or mail address), a comma, a date or the beginning of one.
Result<std::string> authority_of(std::string value) {
    static const RE2 form("[A-Za-z0-9._@-]+,([0-9]{4}(?:-[0-9]{2}){0,2})");
    std::string date;
    const bool fits = RE2::FullMatch(value, form, &date);
    if (!fits || !base::parse_date(date + std::string("-01-01").substr(date.size() - 4)))
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
    if (value.empty()) return wrong("no path");
    (draft.config.*....*place) = draft.resolve(value);
    return {};
}

template <std::int64_t least, std::int64_t most>
Result<std::int64_t> number(Value value) {
    return number_of(value, least, most);
}

// Returns 0 for "all".
template <std::int64_t least, std::int64_t most>
Result<std::int64_t> number_or_all(Value value) {
    if (value == "all") return 0;
    const auto number = number_of(value, least, most);
    return number ? number : wrong(number.error().text + ", nor \"all\"");
}

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

Result<void> take_listen(Draft& draft, Value, Value value) {
    auto& listen = draft.config.serve.listen;
    int port = 0;
    if (value.starts_with("unix:") && value.size() > 5)
        listen = "unix:" + draft.resolve(value.substr(5)).string();
    else if (value == "-" ||
             (RE2::FullMatch(value, ".*:([0-9]+)", &port) && port >= 1 && port <= 65535))
        listen = value;
    else
        return wrong("must be unix:PATH, ADDRESS:PORT or -, with a port from 1 to 65535");
    return {};
}

tl::unexpected<base::Error> wrong_at(const Draft& draft, std::string_view place,
                                     const std::string& text) {
    return wrong(draft.position_of(place) + ": " + std::string(place) + text);
}

constexpr auto yes = Needed::yes, no = Needed::no;
constexpr auto of_files = SourceKind::dump, of_server = SourceKind::server;

constexpr auto table = std::to_array<Key>({
    {"site", "title", "Change history", set<text, &Config::site, &Site::title>},
    {"site", "base_url", "", set<base_url_of, &Config::site, &Site::base_url>, yes},
    {"site", "authority", "", set<authority_of, &Config::site, &Site::authority>, yes},
    {"site", "contact", "", set<text, &Config::site, &Site::contact>},
    {"site", "language", "en", set<text, &Config::site, &Site::language>},
    {"site", "object_url", "", set<address_template_of, &Config::site, &Site::object_url>},
    {"site", "templates", "", set_path<&Config::template_folder>},
    {"site", "private", "no", set<truth_of, &Config::site, &Site::is_private>},
    {"site", "hide_curators", "no", set<truth_of, &Config::site, &Site::hide_curators>},
    {"object_url", "", "",
     set_for_key<address_template_of, &Config::site, &Site::object_url_of_class>},
    {"names", "", "", take_paths<&Config::history, &Settings::names>},
    {"search", "", "", take_paths<&Config::history, &Settings::search>},
    {"important", "", "", take_paths<&Config::history, &Settings::ranking, &Ranking::important>},
    {"minor", "", "", take_paths<&Config::history, &Settings::ranking, &Ranking::minor>},
    {"classes", "helpers", "",
     set<classes_of, &Config::history, &Settings::ranking, &Ranking::helper_classes>},
    {"ignore", "", "", take_paths<&Config::history, &Settings::ignored>},
    {"curators", "", "", set_for_key<object_of, &Config::history, &Settings::curators>},
    {"successor", "", "", set_for_key<paths_of, &Config::site, &Site::successor_of_class>},
    {"mentions", "", "", take_mention_rule},
    {"authors", "", "", take_author},
    {"source", "kind", "", set<source_kind_of, &Config::source, &SourceConfig::kind>, yes},
    {"source", "path", "", set_path<&Config::source, &SourceConfig::path>, yes, of_files},
    {"source", "host", "localhost",
     set<word_of, &Config::source, &SourceConfig::server, &ServerAddress::host>, no, of_server},
    {"source", "port", "23100",
     set<number<1, 65535>, &Config::source, &SourceConfig::server, &ServerAddress::port>, no,
     of_server},
    {"source", "user", "anonymous",
     set<word_of, &Config::source, &SourceConfig::server, &ServerAddress::user>, no, of_server},
    {"source", "password_file", "", set_path<&Config::source, &SourceConfig::password_file>, no,
     of_server},
    {"source", "release", "", set<version_of, &Config::source, &SourceConfig::release>, no,
     of_server},
    {"source", "date", "", set<date_of, &Config::source, &SourceConfig::date>, no, of_server},
    {"source", "timeout", "10", set<number<1, 3600>, &Config::source, &SourceConfig::timeout>, no,
     of_server},
    {"source", "index", "var/index", set_path<&Config::source, &SourceConfig::index>},
    {"source", "max_object_mb", "64",
     set<number<1, 4096>, &Config::source, &SourceConfig::max_object_mb>},
    {"source", "skip_classes", "", set<classes_of, &Config::source, &SourceConfig::skip_classes>},
    {"store", "url", "", take_store, yes},
    {"store", "password_file", "", set_path<&Config::store_password_file>},
    {"store", "give_up", "60", set<number<1, 60>, &Config::store_give_up>},
    {"history", "first_seen_since", "2007-01-01",
     set<date_of, &Config::history, &Settings::first_seen_since>},
    {"history", "build_users", "", set<names_of, &Config::history, &Settings::build_users>},
    {"history", "keep_trees", "all",
     set<number_or_all<2, 1'000'000>, &Config::history, &Settings::keep_trees>},
    {"history", "mass_change", "50", set<number<0, 100>, &Config::mass_change>},
    {"serve", "listen", "unix:var/varve.sock", take_listen},
    {"serve", "trusted_front", "no", set<truth_of, &Config::serve, &ServeConfig::trusted_front>},
    {"serve", "threads", "64", set<number<1, 1024>, &Config::serve, &ServeConfig::threads>},
    {"serve", "cache_mb", "64", set<number<0, 65536>, &Config::serve, &ServeConfig::cache_mb>},
    {"serve", "max_items", "1000",
     set<number<1, 10000>, &Config::serve, &ServeConfig::max_items>},
    {"serve", "max_age", "3600", set<number<0, 31536000>, &Config::serve, &ServeConfig::max_age>},
    {"serve", "limit_per_minute", "0",
     set<number<0, 1'000'000>, &Config::serve, &ServeConfig::limit_per_minute>},
    {"serve", "stop_within", "15",
     set<number<1, 300>, &Config::serve, &ServeConfig::stop_within>},
    {"hub", "enabled", "no", set<truth_of, &Config::hub_enabled>},
    {"harvest", "max_kb", "150", set<number<1, 65536>, &Config::harvest, &HarvestConfig::max_kb>},
    {"harvest", "keep", "14",
     set<number_or_all<1, 36500>, &Config::harvest, &HarvestConfig::keep>},
    {"net", "allow", "", set<net::parse_allow_list, &Config::net_allow>},
    {"mail", "from", "", set<mailbox_of, &Config::mail, &MailConfig::from>},
    {"mail", "smtp", "", set<mail_server_of, &Config::mail, &MailConfig::server>},
    {"mail", "user", "", set<word_of, &Config::mail, &MailConfig::user>},
    {"mail", "password_file", "", set_path<&Config::mail, &MailConfig::password_file>},
    {"notify", "command", "", set<text, &Config::notify_command>},
    {"log", "level", "info", set<level_of, &Config::log_level>},
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
    static const RE2 with_name(R"re("?([^\x00-\x1f]*?)"?\s*<([^<]*)>)re"),
        form(R"re(([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@)re"
             R"re([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)re");
    render::Mailbox mailbox;
    std::string local;
    if (!RE2::FullMatch(base::trim(value), with_name, &mailbox.name, &mailbox.address))
        mailbox.address = base::trim(value);
    const bool fits = RE2::FullMatch(mailbox.address, form, &local) &&
                      mailbox.address.size() <= longest_address &&
                      local.size() <= longest_local_part;
    if (!fits)
        return wrong(in_quotes(base::legal_text(value)) +
                     " is not a mail address like name@example.org or Name <name@example.org>");
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
            (void)key.take(*this, std::string(key.name), std::string(key.fallback));
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
    if (const auto done = known->take(draft, key, base::legal_text(base::trim(value))); !done)
        return wrong_at(draft, place, ": " + done.error().text);
    return {};
}

}  // namespace app
