// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/config_values.hpp"
#include "app/source_config.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace app {
namespace {

using base::Result;
using Value = const std::string&;

// The value at its place, or what is wrong with it.
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

Result<void> take_kind(Draft& draft, Value, Value value) {
    return keep(draft.config.source.kind, source_kind_of(value));
}

// A path, or a name that is looked for in PATH.
Result<void> take_program(Draft& draft, Value, Value value) {
    if (value.empty()) return wrong("no program");
    draft.config.source.program =
        value.find('/') == std::string::npos ? value : draft.resolve(value).string();
    return {};
}

Result<void> take_timeout(Draft& draft, Value, Value value) {
    const auto seconds = number_of(value, 1, 3600);
    if (!seconds) return tl::unexpected(seconds.error());
    draft.config.source.server.timeout = std::chrono::seconds(*seconds);
    return {};
}

Result<void> take_store(Draft& draft, Value, Value value) {
    auto url = store::parse_url(value);
    if (!url) return tl::unexpected(url.error());
    if (url->engine == store::Engine::sqlite) url->path = draft.resolve(url->path.string());
    draft.config.store = std::move(*url);
    return {};
}

Result<void> take_names(Draft& draft, Value key, Value value) {
    auto paths = paths_of(value);
    if (!paths) return tl::unexpected(paths.error());
    draft.config.history.names.emplace_back(key, std::move(*paths));
    return {};
}

Result<void> take_ignored(Draft& draft, Value key, Value value) {
    auto paths = paths_of(value);
    if (!paths)
        return wrong("\"" + value + "\": tags, or paths like Identity>History, are needed");
    draft.config.history.ignored.emplace_back(key, std::move(*paths));
    return {};
}

Result<void> take_build_users(Draft& draft, Value, Value value) {
    std::string blanks = value;
    std::ranges::replace(blanks, ',', ' ');
    draft.config.history.build_users = words_of(blanks, ' ');
    return {};
}

Result<void> take_keep_trees(Draft& draft, Value, Value value) {
    auto& place = draft.config.history.keep_trees;
    return keep(place, value == "all" ? Result<std::int64_t>(0) : number_of(value, 2, 1'000'000));
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
        return wrong("unix:PATH, ADDRESS:PORT or - is needed");
    const auto port = base::parse_integer(value.substr(colon + 1)).value_or(0);
    if (value != "-" && (port < 1 || port > 65535))
        return wrong("\"" + value.substr(colon + 1) + "\" is no port from 1 to 65535");
    listen = value;
    return {};
}

constexpr auto yes = Needed::yes;

// In the order of varve.conf.example. Each takes (draft, key, value).
constexpr auto table = std::to_array<Key>({
    {"site", "title",
     [](Draft& d, Value, Value v) { return keep(d.config.site.title, text(v)); }},
    {"site", "base_url",
     [](Draft& d, Value, Value v) { return keep(d.config.site.base_url, base_url_of(v)); }, yes},
    {"site", "authority",
     [](Draft& d, Value, Value v) { return keep(d.config.site.authority, authority_of(v)); },
     yes},
    {"site", "contact",
     [](Draft& d, Value, Value v) { return keep(d.config.site.contact, text(v)); }},
    {"site", "language",
     [](Draft& d, Value, Value v) { return keep(d.config.site.language, text(v)); }},
    {"site", "object_url",
     [](Draft& d, Value, Value v) {
         return keep(d.config.site.object_url, address_template_of(v));
     }},
    {"site", "templates",
     [](Draft& d, Value, Value v) { return keep(d.config.template_folder, path_of(d, v)); }},
    {"site", "private",
     [](Draft& d, Value, Value v) { return keep(d.config.site.is_private, truth_of(v)); }},
    {"site", "hide_curators",
     [](Draft& d, Value, Value v) { return keep(d.config.site.hide_curators, truth_of(v)); }},
    {"object_url", "",
     [](Draft& d, Value k, Value v) {
         return keep(d.config.site.object_url_of_class[k], address_template_of(v));
     }},
    {"names", "", take_names},
    {"ignore", "", take_ignored},
    {"curators", "",
     [](Draft& d, Value k, Value v) { return keep(d.config.history.curators[k], object_of(v)); }},
    {"successor", "",
     [](Draft& d, Value k, Value v) {
         return keep(d.config.site.successor_of_class[k], paths_of(v));
     }},
    {"source", "kind", take_kind, yes},
    {"source", "path",
     [](Draft& d, Value, Value v) { return keep(d.config.source.path, path_of(d, v)); }},
    {"source", "host",
     [](Draft& d, Value, Value v) { return keep(d.config.source.server.host, word_of(v)); }},
    {"source", "port",
     [](Draft& d, Value, Value v) {
         return keep(d.config.source.server.port, number_of(v, 1, 65535));
     }},
    {"source", "user",
     [](Draft& d, Value, Value v) { return keep(d.config.source.server.user, word_of(v)); }},
    {"source", "password_file",
     [](Draft& d, Value, Value v) { return keep(d.config.source.password_file, path_of(d, v)); }},
    {"source", "program", take_program},
    {"source", "release",
     [](Draft& d, Value, Value v) { return keep(d.config.source.release, version_of(v)); }},
    {"source", "date",
     [](Draft& d, Value, Value v) { return keep(d.config.source.date, date_of(v)); }},
    {"source", "timeout", take_timeout},
    {"source", "connections",
     [](Draft& d, Value, Value v) {
         return keep(d.config.source.connections, number_of(v, 1, 64));
     }},
    {"source", "index",
     [](Draft& d, Value, Value v) { return keep(d.config.source.index, path_of(d, v)); }},
    {"source", "max_object_mb",
     [](Draft& d, Value,
        Value v) { return keep(d.config.source.max_object_mb, number_of(v, 1, 4096)); }},
    {"store", "url", take_store, yes},
    {"store", "password_file",
     [](Draft& d, Value, Value v) { return keep(d.password_file, path_of(d, v)); }},
    {"history", "first_seen_since",
     [](Draft& d, Value,
        Value v) { return keep(d.config.history.first_seen_since, date_of(v)); }},
    {"history", "build_users", take_build_users},
    {"history", "keep_trees", take_keep_trees},
    {"history", "mass_change",
     [](Draft& d, Value, Value v) { return keep(d.config.mass_change, number_of(v, 0, 100)); }},
    {"serve", "listen", take_listen},
    {"serve", "threads",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.threads, number_of(v, 1, 1024)); }},
    {"serve", "cache_mb",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.cache_mb, number_of(v, 0, 65536)); }},
    {"serve", "max_items",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.max_items, number_of(v, 1, 10000)); }},
    {"serve", "max_age",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.max_age, number_of(v, 0, 31536000)); }},
    {"serve", "limit_per_minute",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.limit_per_minute, number_of(v, 0, 1'000'000)); }},
    {"serve", "limit_burst",
     [](Draft& d, Value,
        Value v) { return keep(d.config.serve.limit_burst, number_of(v, 1, 1'000'000)); }},
    {"log", "level",
     [](Draft& d, Value, Value v) { return keep(d.config.log.level, level_of(v)); }},
    {"log", "file",
     [](Draft& d, Value, Value v) { return keep(d.config.log.file, path_of(d, v)); }},
    {"log", "access",
     [](Draft& d, Value, Value v) { return keep(d.config.log.access, path_of(d, v)); }},
});

}  // namespace

std::span<const Key> known_keys() { return table; }

Result<void> take_line(Draft& draft, const std::string& section, const std::string& key,
                       const std::string& value) {
    const auto place = "[" + section + "] " + key;
    const auto in_section = [&](const Key& known) { return known.section == section; };
    if (std::ranges::none_of(table, in_section)) return wrong(place + ": no such section");
    const auto* known = std::ranges::find_if(table, [&](const Key& candidate) {
        return in_section(candidate) && (candidate.name.empty() || candidate.name == key);
    });
    if (known == table.end()) return wrong(place + ": no such key");
    draft.seen.insert(place);
    if (const auto done = known->take(draft, key, base::legal_text(base::trim(value))); !done)
        return wrong(place + ": " + done.error().text);
    return {};
}

}  // namespace app
