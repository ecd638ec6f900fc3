// SPDX-License-Identifier: MIT
#include "app/config_file.hpp"

#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <fstream>
#include <sstream>

#include "app/config_keys.hpp"
#include "app/releases_file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
namespace fs = std::filesystem;
namespace pt = boost::property_tree;

constexpr std::uintmax_t largest_template = 1 << 20;  // bytes

// Returns what each line of the file is about, as Boost reads it: "[section]", "[section] key", or
// nothing.
std::vector<std::string> places_in(const std::string& text) {
    std::vector<std::string> places;
    std::string section;
    for (const auto line : base::split(text, '\n')) {
        auto& place = places.emplace_back();
        const auto words = base::trim(line);
        if (words.empty() || words.front() == ';' || words.front() == '#') continue;
        if (words.front() == '[') {
            section = "[" + std::string(base::trim(words.substr(1, words.find(']') - 1))) + "]";
            place = base::legal_text(section);
        } else {
            const auto key = base::trim(words.substr(0, words.find('=')));
            place = base::legal_text(section + (section.empty() ? "" : " ") + std::string(key));
        }
    }
    return places;
}

// Boost reports the line that is wrong, but not its key.
Result<pt::ptree> parse_ini(const std::string& text, Draft& draft) {
    const auto places = places_in(text);
    for (std::size_t i = 0; i < places.size(); ++i) draft.lines.emplace(places[i], i + 1);
    try {
        pt::ptree tree;
        std::istringstream in(text);
        pt::read_ini(in, tree);
        return tree;
    } catch (const pt::ini_parser_error& error) {
        const auto& place = places.at(error.line() - 1);
        const auto first = draft.lines.at(place);
        return wrong(draft.config.file.string() + ":" + std::to_string(error.line()) + ": " +
                     place + ": " + error.message() +
                     (first < error.line() ? ", first in line " + std::to_string(first) : ""));
    }
}

Result<void> take_lines(Draft& draft, const pt::ptree& tree) {
    for (const auto& [section, keys] : tree) {
        if (keys.empty()) {
            const auto key = base::legal_text(section);
            return wrong(draft.position_of(key) + ": key \"" + key +
                         "\" comes before any [section]");
        }
        for (const auto& [key, value] : keys)
            if (const auto taken = take_line(draft, base::legal_text(section),
                                             base::legal_text(key), value.data());
                !taken)
                return taken;
    }
    return check_keys(draft);
}

// Reads the files of the operator's folder; render checks their names. Skips names that begin with
// a dot, which editors make.
Result<render::TemplateTexts> read_templates(const fs::path& folder) {
    render::TemplateTexts texts;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with('.')) continue;
        std::error_code unknown;
        if (!entry.is_regular_file(unknown))
            return wrong(entry.path().string() + " is not a regular file");
        if (entry.file_size(unknown) > largest_template)
            return wrong(entry.path().string() + " is larger than 1 MB");
        auto text = read_file(entry.path());
        if (!text) return wrong(text.error().text);
        texts.emplace(name, std::move(*text));
    }
    if (error) return wrong("cannot read the folder " + folder.string() + ": " + error.message());
    return texts;
}

Result<render::Templates> make_templates(const fs::path& folder) {
    if (folder.empty()) return render::Templates::make();
    const auto texts = read_templates(folder);
    if (!texts) return tl::unexpected(texts.error());
    auto made = render::Templates::make(*texts);
    if (!made) return wrong(folder.string() + "/" + made.error().text);
    return made;
}

// Reads the files that the configuration names.
Result<Config> complete(Draft draft) {
    auto& config = draft.config;
    const auto fail_at = [&](const std::string& place, const base::Error& error) {
        return base::fail_at(draft.position_of(place) + ": " + place, error);
    };
    auto releases = read_releases(config.file);
    if (!releases) return base::fail_at(config.file.string(), releases.error());
    config.history.known_releases = std::move(*releases);
    auto password = read_password(config.store_password_file);
    if (!password) return fail_at("[store] password_file", password.error());
    config.store_password = std::move(*password);
    password = read_password(config.source.password_file);
    if (!password) return fail_at("[source] password_file", password.error());
    config.source.server.password = std::move(*password);
    auto templates = make_templates(config.template_folder);
    if (!templates) return fail_at("[site] templates", templates.error());
    config.templates = std::move(*templates);
    config.site.max_age = config.serve.max_age;
    config.site.ranking = config.history.ranking;
    if (config.hub.enabled) config.site.hub_url = config.site.base_url + "/hub";
    return std::move(config);
}

}  // namespace

Result<std::string> read_file(const fs::path& file) {
    std::error_code unknown;
    if (fs::is_directory(file, unknown))
        return base::fail(ErrorKind::unavailable, file.string() + " is a folder");
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    if (in) bytes << in.rdbuf();
    if (!in)
        return base::fail(ErrorKind::unavailable, "cannot read " + file.string() + ": " +
                                                      std::generic_category().message(errno));
    auto text = bytes.str();
    // Some editors begin a text in UTF-8 with a mark.
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text.starts_with(mark)) text.erase(0, mark.size());
    return text;
}

Result<std::string> read_password(const fs::path& file) {
    if (file.empty()) return std::string();
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    auto line = text->substr(0, text->find('\n'));
    if (line.ends_with('\r')) line.pop_back();
    if (line.find('\0') != std::string::npos)
        return wrong(file.string() + " contains a NUL, which a password cannot");
    return line;
}

fs::path usual_config_file() {
    const fs::path here = "varve.conf", of_host = "/etc/varve/varve.conf";
    std::error_code unknown;
    return !fs::exists(here, unknown) && fs::exists(of_host, unknown) ? of_host : here;
}

Result<Config> load_config(const fs::path& file) {
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    Draft draft(file);
    const auto tree = parse_ini(*text, draft);
    if (!tree) return tl::unexpected(tree.error());
    if (const auto taken = take_lines(draft, *tree); !taken) return tl::unexpected(taken.error());
    return complete(std::move(draft));
}

}  // namespace app
