// varve.conf.example says what each key means, and the part of varve.conf(5) on keys is made of it.
// WRITE_DOCUMENTS=yes in the environment writes that part.
// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "app/config_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using app::Key;
using support::read_file;

namespace {

// A key in varve.conf.example.
struct Described {
    std::string section, name, value;
    bool is_set;       // not in a comment
    std::string text;  // the comment before it
};

std::vector<Described> described_keys() {
    static const std::regex section_line(R"(\[(.+)\])"), key_line(R"((; )?(\S+) = (.*))");
    std::vector<Described> keys;
    std::string section, text;
    std::istringstream lines(read_file("varve.conf.example"));
    std::smatch found;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_match(line, found, section_line)) {
            section = found[1];
            text.clear();
        } else if (std::regex_match(line, found, key_line)) {
            keys.push_back({section, found[2], found[3], !found[1].matched, text});
            text.clear();
        } else if (line.starts_with("; ")) {
            text += (text.empty() ? "" : " ") + line.substr(2);
        }
    }
    return keys;
}

// Returns the sentence that a description begins with; empty: any.
std::string beginning_of(const Key& key) {
    const bool is_needed = key.needed == app::Needed::yes;
    if (!key.kind) return is_needed ? "Required. " : "";
    return (is_needed ? "Required with kind = " : "With kind = ") +
           std::string(app::name_of(*key.kind)) + ". ";
}

// Returns what is wrong with a value; empty: nothing.
std::string fault_of(const Described& key, const std::string& value) {
    app::Draft draft("varve.conf");
    const auto taken = app::take_line(draft, key.section, key.name, value);
    return taken ? "" : taken.error().text;
}

// Returns words as lines of up to `longest` characters that begin with `prefix`.
std::string wrapped(const std::string& text, const std::string& prefix,
                    std::size_t longest = 100) {
    std::string lines, line = prefix;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (line.size() + 1 + word.size() > longest) {
            lines += line + "\n";
            line = prefix;
        }
        line += (line == prefix ? "" : " ") + word;
    }
    return lines + line + "\n";
}

// Returns text as mdoc(7) has it: each sentence on lines of its own, and what is to be typed in quotes.
std::string as_mdoc(const std::string& text) {
    std::string lines, line;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '`')
            line += (is_quoted = !is_quoted) ? "\\(oq" : "\\(cq";
        else if (text[i] == '\\')
            line += "\\e";
        else if (text[i] == '.' && (i == 0 || text[i - 1] == ' '))
            line += "\\&.";
        else if (text[i] == ' ' && text[i - 1] == '.' && !is_quoted)
            lines += wrapped(std::exchange(line, ""), "", 80);
        else
            line += text[i];
    }
    return lines + wrapped(line, "", 80);
}

std::string manual() {
    std::string text, section;
    const auto* known = app::known_keys().data();
    for (const auto& key : described_keys()) {
        if (key.section != section) {
            text += section.empty() ? "" : ".El\n";
            section = key.section;
            text += ".Ss [" + section + "]\n.Bl -tag -width Ds\n";
        }
        const bool is_any = known++->name.empty();
        text += is_any ? ".It Ar name\n" : ".It Ic " + key.name + "\n";
        text += as_mdoc(key.text);
        if (is_any) text += as_mdoc("Example: `" + key.name + " = " + key.value + "`");
    }
    return text + ".El\n";
}

}  // namespace

TEST_CASE("varve.conf.example describes every key, with its limits and its fallback") {
    CHECK(app::load_config("varve.conf.example"));
    const auto keys = described_keys();
    const auto table = app::known_keys();
    REQUIRE(keys.size() == table.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto& [section, name, value, is_set, text] = keys[i];
        CAPTURE(section, name, text);
        CHECK(section == table[i].section);
        CHECK((table[i].name.empty() || name == table[i].name));
        CHECK(is_set == (table[i].needed == app::Needed::yes));
        CHECK(text.starts_with(beginning_of(table[i])));
        const auto fallback = table[i].fallback;
        const auto end = fallback.empty() ? "" : " Default: " + std::string(fallback) + ".";
        CHECK((end.empty() ? text.find("Default:") == text.npos : text.ends_with(end)));
        for (const auto& each : {std::string(fallback), value})
            CHECK((each.empty() || fault_of(keys[i], each).empty()));
        static const std::regex limits(" is not a number f(rom [0-9]+ to [0-9]+)$");
        std::smatch found;
        const auto fault = fault_of(keys[i], "x");
        if (std::regex_search(fault, found, limits))
            CHECK(text.find(" F" + found[1].str() + ".") != text.npos);
    }
}

TEST_CASE("The part of varve.conf(5) on keys is what varve.conf.example says") {
    const std::string page = "man/varve.conf.5", end = ".Sh FILES\n";
    auto text = read_file(page);
    const auto from = text.find(".Ss [site]\n"), to = text.find(end);
    REQUIRE(from < to);
    const auto wanted = text.substr(0, from) + manual() + text.substr(to);
    if (std::getenv("WRITE_DOCUMENTS") != nullptr) std::ofstream(page) << (text = wanted);
    const auto [here, there] = std::ranges::mismatch(text, wanted);
    INFO(page << ":" << 1 + std::count(text.begin(), here, '\n')
              << " is another; run WRITE_DOCUMENTS=yes build/release/test-app");
    CHECK((here == text.end() && there == wanted.end()));
}
