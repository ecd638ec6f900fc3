// SPDX-License-Identifier: MIT
#include "app/config_file.hpp"

#include <fcntl.h>
#include <fstream>
#include <map>
#include <sstream>

#include "app/config_keys.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/file.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
namespace fs = std::filesystem;

constexpr std::uintmax_t largest_template = 1 << 20;  // bytes
constexpr std::size_t largest_releases = std::size_t{16} << 20;

std::string releases_beside(const fs::path& config_file) {
    return (fs::absolute(config_file).parent_path() / "releases.tsv").string();
}

// Reads the lines: "[section]", which may come again, "key = value", or a comment.
Result<void> take_lines(Draft& draft, const std::string& text) {
    std::string section;
    std::size_t number = 0;
    for (const auto whole : base::split(text, '\n')) {
        ++number;
        auto line = base::trim(whole);
        if (line.empty() || line.front() == ';' || line.front() == '#') continue;
        const bool is_section = line.front() == '[';
        if (is_section) line.remove_prefix(1);
        const auto end = line.find(is_section ? ']' : '=');
        const auto name = base::legal_text(base::trim(line.substr(0, end)));
        if (!is_section && section.empty())
            return wrong(draft.config.file.string() + ":" + std::to_string(number) + ": key \"" +
                         name + "\" comes before any [section]");
        const auto place = is_section ? "[" + name + "]" : "[" + section + "] " + name;
        const auto [first, is_new] = draft.lines.emplace(place, number);
        const auto fail = [&](const std::string& what) {
            return wrong(draft.config.file.string() + ":" + std::to_string(number) + ": " +
                         place + ": " + what);
        };
        if (end == line.npos) return fail(is_section ? "no ] in the line" : "no = in the line");
        if (name.empty()) return fail("no name");
        if (!is_new && !is_section)
            return fail("duplicate key name, first in line " + std::to_string(first->second));
        if (is_section)
            section = name;
        else if (const auto taken =
                     take_line(draft, section, name, std::string(line.substr(end + 1)));
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
    if (config.hub_enabled) config.site.hub_url = config.site.base_url + "/hub";
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

Result<std::vector<base::Release>> read_releases(const fs::path& config_file) {
    const auto file = releases_beside(config_file);
    const auto text = source::read_file(AT_FDCWD, file, largest_releases);
    std::vector<base::Release> releases;
    if (!text && text.error().kind == ErrorKind::absent) return releases;
    if (!text) return base::fail_at("cannot read " + file, text.error());
    std::map<std::string_view, base::Date> days;
    int number = 0;
    for (const auto line : base::split(*text, '\n')) {
        ++number;
        if (base::trim(line).empty()) continue;
        const auto parts = base::split(base::trim(line), '\t');
        const auto day = parts.size() == 2 ? base::parse_date(parts[1]) : std::nullopt;
        if (!day || !base::is_version(parts[0]))
            return base::fail(ErrorKind::refused,
                              file + ":" + std::to_string(number) +
                                  ": must be a version, a TAB and a date like 2008-02-15");
        const auto& [version, first_day] = *days.emplace(parts[0], *day).first;
        if (first_day != *day)
            return base::fail(ErrorKind::refused,
                              file + ":" + std::to_string(number) + ": " + std::string(version) +
                                  " has the date " + base::format_date(first_day) +
                                  " in an earlier line; remove one of the two");
        releases.push_back({std::string(parts[0]), *day});
    }
    return releases;
}

std::string identity_of_releases(const fs::path& config_file) {
    const auto found = source::find_identity(AT_FDCWD, releases_beside(config_file));
    if (!found) return found.error().text;
    if (!*found) return "no releases.tsv";
    const auto& identity = **found;
    return std::to_string(identity.inode) + ' ' + std::to_string(identity.size) + ' ' +
           std::to_string(identity.modified_ns);
}

Result<Config> load_config(const fs::path& file) {
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    Draft draft(file);
    if (const auto taken = take_lines(draft, *text); !taken) return tl::unexpected(taken.error());
    return complete(std::move(draft));
}

}  // namespace app
