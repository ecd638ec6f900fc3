// SPDX-License-Identifier: MIT
#include "app/config.hpp"

#include <algorithm>
#include <array>
#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace app {
namespace {

using base::Result;
namespace fs = std::filesystem;
namespace pt = boost::property_tree;

Result<std::string> read_file(const fs::path& file) {
    if (fs::is_directory(file))
        return base::fail(base::Kind::unavailable, file.string() + " is a folder");
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    if (in) bytes << in.rdbuf();
    if (!in) return base::fail(base::Kind::unavailable, "can't read " + file.string());
    return bytes.str();
}

// What one key does with its value; the error is what is wrong with the value.
using Take = std::function<Result<void>(const std::string& value)>;

tl::unexpected<base::Error> wrong(std::string text) {
    return base::fail(base::Kind::refused, std::move(text));
}

Take text_into(std::string& target) {
    return [&target](const std::string& value) -> Result<void> {
        target = value;
        return {};
    };
}

template <class Number>
Take number_into(Number& target, std::int64_t least, std::int64_t most) {
    return [&target, least, most](const std::string& value) -> Result<void> {
        const auto number = base::parse_integer(value);
        if (!number || *number < least || *number > most)
            return wrong("\"" + value + "\" is no number from " + std::to_string(least) + " to " +
                         std::to_string(most));
        target = static_cast<Number>(*number);
        return {};
    };
}

bool is_http(std::string_view url) {
    return url.starts_with("http://") || url.starts_with("https://");
}

std::vector<std::string> words_of(std::string_view list, char separator) {
    std::vector<std::string> words;
    for (const auto part : base::split(list, separator))
        if (const auto word = base::trim(part); !word.empty()) words.emplace_back(word);
    return words;
}

// "Identity>Name>Public_name, Identity>Name>CGC_name"
std::vector<std::vector<std::string>> paths_of(std::string_view value) {
    std::vector<std::vector<std::string>> paths;
    for (const auto& path : words_of(value, ',')) paths.push_back(words_of(path, '>'));
    return paths;
}

// "2007", "2007-03" or "2007-03-01".
bool is_date_or_part(std::string_view text) {
    const std::string whole = std::string(text) + (text.size() == 4   ? "-01-01"
                                                   : text.size() == 7 ? "-01"
                                                                      : "");
    return base::parse_date(whole).has_value();
}

Result<void> check_template(std::string_view value) {
    if (!is_http(value)) return wrong("no http or https address: \"" + std::string(value) + "\"");
    for (auto at = value.find('{'); at != std::string_view::npos; at = value.find('{', at + 1)) {
        const auto end = value.find('}', at);
        const auto name = value.substr(at, end - at + 1);
        if (name != "{name}" && name != "{class}" && name != "{class_lower}")
            return wrong("unknown placeholder in \"" + std::string(value) + "\"");
    }
    return {};
}

class Reader {
   public:
    explicit Reader(const fs::path& file) : base_(fs::absolute(file).parent_path()) {
        config_.file = file;
        // A path of its own, so that the defaults are relative to the file too.
        config_.serve.listen = "unix:" + resolve("var/varve.sock").string();
        config_.source.index = resolve("var/index");
        config_.site.title = "Change history";
    }

    Result<Config> read(const pt::ptree& tree) {
        for (const auto& [section, keys] : tree) {
            if (keys.empty()) return wrong("key \"" + section + "\" stands before any [section]");
            for (const auto& [key, value] : keys)
                if (const auto taken = take(section, key, value.data()); !taken)
                    return tl::unexpected(taken.error());
        }
        if (const auto complete = check_required(); !complete)
            return tl::unexpected(complete.error());
        if (const auto releases = read_releases(); !releases)
            return tl::unexpected(releases.error());
        if (!password_file_.empty()) {
            const auto password = read_file(password_file_);
            if (!password) return tl::unexpected(password.error());
            config_.store_password = base::trim(*password);
        }
        config_.site.max_age = config_.serve.max_age;
        config_.page_digest = digest();
        return std::move(config_);
    }

   private:
    [[nodiscard]] fs::path resolve(const std::string& path) const {
        return (base_ / path).lexically_normal();
    }

    Take path_into(fs::path& target) {
        return [this, &target](const std::string& value) -> Result<void> {
            if (value.empty()) return wrong("no path");
            target = resolve(value);
            return {};
        };
    }

    Result<void> take(const std::string& section, const std::string& key,
                      const std::string& raw) {
        const auto place = "[" + section + "] " + key;
        const std::string value = base::legal_text(base::trim(raw));
        const auto done = take_value(section, key, value);
        if (!done) return base::fail(base::Kind::refused, place + ": " + done.error().text);
        return done;
    }

    Result<void> take_value(const std::string& section, const std::string& key,
                            const std::string& value) {
        if (section == "object_url") {
            config_.site.object_url_of_class[key] = value;
            return value.empty() ? Result<void>() : check_template(value);
        }
        if (section == "names") {
            config_.history.names.emplace_back(key, paths_of(value));
            return {};
        }
        const auto keys = keys_of(section);
        if (keys.empty()) return wrong("no such section");
        const auto found = keys.find(key);
        if (found == keys.end()) return wrong("no such key");
        seen_.push_back(section + "." + key);
        return found->second(value);
    }

    std::map<std::string, Take> keys_of(const std::string& section) {
        if (section == "site") return site_keys();
        if (section == "source") return source_keys();
        if (section == "store")
            return {{"url", [this](const auto& value) { return take_store(value); }},
                    {"password_file", path_into(password_file_)}};
        if (section == "history")
            return {{"first_seen_since", [this](const auto& v) { return take_since(v); }},
                    {"build_users",
                     [this](const auto& value) -> Result<void> {
                         std::string blanks = value;
                         std::replace(blanks.begin(), blanks.end(), ',', ' ');
                         config_.history.build_users = words_of(blanks, ' ');
                         return {};
                     }},
                    {"keep_trees", [this](const auto& v) { return take_keep_trees(v); }},
                    {"mass_change", number_into(config_.mass_change, 0, 100)}};
        if (section == "serve")
            return {{"listen", [this](const auto& value) { return take_listen(value); }},
                    {"threads", number_into(config_.serve.threads, 1, 1024)},
                    {"cache_mb", number_into(config_.serve.cache_mb, 0, 65536)},
                    {"max_items", number_into(config_.serve.max_items, 1, 10000)},
                    {"max_age", number_into(config_.serve.max_age, 0, 31536000)}};
        if (section == "log")
            return {{"level", [this](const auto& value) { return take_level(value); }},
                    {"file", path_into(config_.log.file)}};
        return {};
    }

    std::map<std::string, Take> site_keys() {
        auto& site = config_.site;
        return {{"title", text_into(site.title)},
                {"base_url", [this](const auto& value) { return take_base_url(value); }},
                {"authority", [this](const auto& value) { return take_authority(value); }},
                {"contact", text_into(site.contact)},
                {"language", text_into(site.language)},
                {"object_url", [this](const std::string& value) -> Result<void> {
                     config_.site.object_url = value;
                     return value.empty() ? Result<void>() : check_template(value);
                 }}};
    }

    std::map<std::string, Take> source_keys() {
        return {{"kind",
                 [](const std::string& value) -> Result<void> {
                     if (value == "dump") return {};
                     return wrong("\"" + value + "\" is not known here; dump is");
                 }},
                {"path", path_into(config_.source.path)},
                {"index", path_into(config_.source.index)},
                {"max_object_mb", number_into(config_.source.max_object_mb, 1, 4096)}};
    }

    Result<void> take_base_url(std::string url) {
        if (!is_http(url)) return wrong("no http or https address: \"" + url + "\"");
        if (url.find_first_of("?# \"<>") != std::string::npos)
            return wrong("an address without query, fragment and blanks is needed");
        while (url.back() == '/') url.pop_back();
        config_.site.base_url = std::move(url);
        return {};
    }

    // RFC 4151 section 2.1: an authority name (domain or mail address), a comma, a date.
    Result<void> take_authority(const std::string& value) {
        const auto parts = base::split(value, ',');
        constexpr std::string_view allowed =
            "abcdefghijklmnopqrstuvwxyz0123456789.-_@ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const bool fits = parts.size() == 2 && !parts[0].empty() &&
                          parts[0].find_first_not_of(allowed) == std::string_view::npos &&
                          is_date_or_part(parts[1]);
        if (!fits) return wrong("like wormbase.org,2007 is needed, a name and a date you had it");
        config_.site.authority = value;
        return {};
    }

    Result<void> take_store(const std::string& value) {
        auto url = store::parse_url(value);
        if (!url) return tl::unexpected(url.error());
        if (url->engine == store::Engine::sqlite) url->path = resolve(url->path.string());
        config_.store = std::move(*url);
        return {};
    }

    Result<void> take_since(const std::string& value) {
        const auto day = base::parse_date(value);
        if (!day) return wrong("\"" + value + "\" is no date like 2007-01-01");
        config_.history.first_seen_since = *day;
        return {};
    }

    Result<void> take_keep_trees(const std::string& value) {
        if (value == "all") {
            config_.history.keep_trees = 0;
            return {};
        }
        return number_into(config_.history.keep_trees, 2, 1'000'000)(value);
    }

    Result<void> take_listen(const std::string& value) {
        if (value.starts_with("unix:")) {
            if (value.size() == 5) return wrong("unix: needs a path");
            config_.serve.listen = "unix:" + resolve(value.substr(5)).string();
            return {};
        }
        const auto colon = value.rfind(':');
        if (value != "-" && colon == std::string::npos)
            return wrong("unix:PATH, ADDRESS:PORT or - is needed");
        const auto port = base::parse_integer(value.substr(colon + 1)).value_or(0);
        if (value != "-" && (port < 1 || port > 65535))
            return wrong("\"" + value.substr(colon + 1) + "\" is no port from 1 to 65535");
        config_.serve.listen = value;
        return {};
    }

    Result<void> take_level(const std::string& value) {
        using base::log::Level;
        constexpr std::array<std::pair<std::string_view, Level>, 4> levels = {
            {{"debug", Level::debug},
             {"info", Level::info},
             {"warning", Level::warning},
             {"error", Level::error}}};
        for (const auto& [name, level] : levels)
            if (value == name) {
                config_.log.level = level;
                return {};
            }
        return wrong("\"" + value + "\" is none of debug, info, warning, error");
    }

    [[nodiscard]] Result<void> check_required() const {
        for (const auto* key :
             {"site.base_url", "site.authority", "source.kind", "source.path", "store.url"})
            if (std::find(seen_.begin(), seen_.end(), key) == seen_.end()) {
                const std::string name(key);
                const auto dot = name.find('.');
                return wrong("[" + name.substr(0, dot) + "] " + name.substr(dot + 1) +
                             ": missing, and required");
            }
        return {};
    }

    Result<void> read_releases() {
        const auto file = base_ / "releases.tsv";
        if (!fs::exists(file)) return {};
        const auto text = read_file(file);
        if (!text) return tl::unexpected(text.error());
        int number = 0;
        for (const auto line : base::split(*text, '\n')) {
            ++number;
            if (base::trim(line).empty()) continue;
            const auto parts = base::split(base::trim(line), '\t');
            const auto day = parts.size() == 2 ? base::parse_date(parts[1]) : std::nullopt;
            if (!day || !base::is_version(parts[0]))
                return base::fail(base::Kind::refused,
                                  file.string() + ":" + std::to_string(number) +
                                      ": a version, a TAB and a date like 2008-02-15 are needed");
            config_.history.known_releases.push_back({std::string(parts[0]), *day});
        }
        return {};
    }

    [[nodiscard]] std::string digest() const {
        const auto& site = config_.site;
        std::string all;
        for (const auto& part : {site.title, site.base_url, site.authority, site.contact,
                                 site.language, site.object_url, std::to_string(site.max_age)})
            all += part + '\n';
        for (const auto& [class_name, url] : site.object_url_of_class)
            all += class_name + '=' + url + '\n';
        return base::sha256_hex(all);
    }

    fs::path base_;
    Config config_;
    fs::path password_file_;
    std::vector<std::string> seen_;
};

}  // namespace

Result<Config> load_config(const fs::path& file) {
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    pt::ptree tree;
    try {
        std::istringstream in(*text);
        pt::read_ini(in, tree);
    } catch (const pt::ini_parser_error& error) {
        return base::fail(base::Kind::refused, file.string() + ":" +
                                                   std::to_string(error.line()) + ": " +
                                                   error.message());
    }
    auto config = Reader(file).read(tree);
    if (!config) return base::fail_at(file.string(), config.error());
    return config;
}

}  // namespace app
