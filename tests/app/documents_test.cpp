// What the documents say about the repository: the paths and formats that they name, and the rooms.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fnmatch.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using support::read_file;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
    std::vector<fs::path> files;
    for (const auto* folder : {".", "docs"})
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".md")
                files.push_back(entry.path().lexically_normal());
    REQUIRE(files.size() > 5);
    return files;
}

// The paths of all files and folders that a document may name.
std::set<std::string> paths_of_repository() {
    std::set<std::string> paths;
    for (const auto* folder : {"bench", "docs", "examples", "man", "sql", "src", "systemd",
                               "templates", "tests", "tools"})
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            paths.insert(entry.path().string());
    return paths;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
        found.push_back((*it)[1]);
    return found;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find('/')); }

// Returns whether `name` is a path, or the end of one; * stands for any characters.
bool exists(const std::set<std::string>& paths, std::string name) {
    if (name.ends_with('/')) name.pop_back();
    const auto pattern = "*/" + name;
    return fs::exists(name) || std::ranges::any_of(paths, [&](const std::string& path) {
               return ::fnmatch(pattern.c_str(), ("/" + path).c_str(), 0) == 0;
           });
}

// Returns the anchors of a document's headings, as GitHub makes them.
std::set<std::string> anchors_of(const fs::path& file) {
    std::set<std::string> anchors;
    for (const auto& heading : matches("\n" + read_file(file), std::regex("\n#+ ([^\n]+)"))) {
        std::string anchor;
        for (const char c : base::fold_ascii(heading))
            if (c == ' ')
                anchor += '-';
            else if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
                anchor += c;
        anchors.insert(anchor);
    }
    return anchors;
}

std::set<std::string> words_of(const std::string& line) {
    std::istringstream words(line);
    std::set<std::string> set;
    for (std::string word; words >> word;) set.insert(word);
    return set;
}

// room -> the rooms that it may include, from docs/arrows.txt
std::map<std::string, std::set<std::string>> arrows() {
    std::map<std::string, std::set<std::string>> services;
    std::istringstream lines(read_file("docs/arrows.txt"));
    for (std::string line; std::getline(lines, line);)
        if (const auto colon = line.find(':'); !line.starts_with('#') && colon != line.npos)
            services[line.substr(0, colon)] = words_of(line.substr(colon + 1));
    return services;
}

}  // namespace

TEST_CASE("every path that a document names exists") {
    const auto paths = paths_of_repository();
    std::set<std::string> folders;
    for (const auto& path : paths) folders.insert(folder_of(path));
    for (const auto& document : documents())
        for (const auto& name :
             matches(read_file(document), std::regex("`([A-Za-z0-9_.*/-]+)`"))) {
            const bool is_source = name.ends_with(".cpp") || name.ends_with(".hpp");
            const bool is_below_a_folder =
                name.find('/') != std::string::npos && folders.contains(folder_of(name));
            if (name.starts_with('.') || (!is_source && !is_below_a_folder)) continue;
            CAPTURE(document.string(), name);
            CHECK(exists(paths, name));
        }
}

TEST_CASE("every link of a document leads to a file and a heading") {
    for (const auto& document : documents())
        for (const auto& link : matches(read_file(document), std::regex(R"(\]\(([^)\s]+)\))"))) {
            if (link.find(':') != std::string::npos) continue;
            const auto hash = std::min(link.find('#'), link.size());
            const auto target =
                hash == 0 ? document : document.parent_path() / link.substr(0, hash);
            CAPTURE(document.string(), link);
            CHECK(fs::exists(target));
            if (hash < link.size()) CHECK(anchors_of(target).contains(link.substr(hash + 1)));
        }
}

TEST_CASE("docs/design.md says what each room is for") {
    const auto design = read_file("docs/design.md");
    for (const auto& [room, may_include] : arrows()) {
        CAPTURE(room);
        CHECK(design.find("\n| `" + room + "` | ") != std::string::npos);
        CHECK(fs::is_directory("src/" + room));
    }
}

TEST_CASE("the documents name every format of feeds") {
    for (const auto& format : render::formats()) {
        const std::string name(format.name);
        CAPTURE(name);
        CHECK(read_file("README.md").find("format=" + name) != std::string::npos);
        const auto manual = read_file("man/varve.1");
        CHECK(manual.find("\n.Cm " + name) != std::string::npos);
        CHECK(read_file("docs/protocols.md").find(format.media_type) != std::string::npos);
    }
}
