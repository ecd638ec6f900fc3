// Compares the documents that name the keys of varve.conf with the keys that the program knows.
// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <set>
#include <sstream>

#include "app/config_file.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using support::read_file;

namespace {

// Returns "[site] title"; for a section that accepts any key "[names] ".
std::set<std::string> known() {
    std::set<std::string> keys;
    for (const auto& key : app::known_keys())
        keys.insert("[" + std::string(key.section) + "] " + std::string(key.name));
    return keys;
}

std::string key_in(const std::string& section, std::string_view name) {
    return known().contains(section + " ") ? section + " " : section + " " + std::string(name);
}

// Returns every "key =", commented out or not, below its [section].
std::set<std::string> keys_of_example() {
    std::set<std::string> keys;
    std::string section;
    std::istringstream lines(read_file("varve.conf.example"));
    for (std::string line; std::getline(lines, line);) {
        const bool commented = line.starts_with("; ");
        const auto text = std::string_view(line).substr(commented ? 2 : 0);
        if (line.starts_with('[')) section = line;
        const auto equals = text.find(" = ");
        const auto name = text.substr(0, equals);
        if (equals != std::string_view::npos && name.find(' ') == std::string_view::npos)
            keys.insert(key_in(section, name));
    }
    return keys;
}

// Returns every ".It Ic key" and ".It Ar what" below its ".Ss [section]".
std::set<std::string> keys_of_manual() {
    std::set<std::string> keys;
    std::string section;
    std::istringstream lines(read_file("man/varve.conf.5"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(".Ss ")) section = line.substr(4);
        if (line.starts_with(".It Ic ")) keys.insert(section + " " + line.substr(7));
        if (line.starts_with(".It Ar ")) keys.insert(section + " ");
    }
    return keys;
}

}  // namespace

TEST_CASE("varve.conf.example shows every key that the program knows, and no other") {
    CHECK(keys_of_example() == known());
}

TEST_CASE("varve.conf(5) explains every key that the program knows, and no other") {
    CHECK(keys_of_manual() == known());
}

TEST_CASE("varve.conf.example is a valid configuration") {
    CHECK(app::load_config("varve.conf.example"));
}
