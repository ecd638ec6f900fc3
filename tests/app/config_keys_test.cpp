// varve.conf.example and the part of varve.conf(5) on keys are made of the table of keys here.
// WRITE_DOCUMENTS=yes in the environment writes them.
// SPDX-License-Identifier: MIT
#include "app/config_keys.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/config_file.hpp"
#include "app/sources.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using app::Key;
using support::read_file;

namespace {

// Returns the sentences about a key: what it applies to, what it means, its limits and its fallback.
std::string text_of(const Key& key) {
    std::string text;
    const bool is_needed = key.needed == app::Needed::yes;
    if (key.kind)
        text += (is_needed ? "Required with kind = " : "With kind = ") +
                std::string(app::name_of(*key.kind)) + ". ";
    else if (is_needed)
        text += "Required. ";
    text += key.about;
    if (key.take.least <= key.take.most)
        text += " From " + std::to_string(key.take.least) + " to " +
                std::to_string(key.take.most) + ".";
    if (!key.fallback.empty()) text += " Default: " + std::string(key.fallback) + ".";
    return text;
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

std::string example() {
    std::string text = wrapped(
        "Configuration of Varve: every key. Varve reads the file given with `--config FILE`, or "
        "as a CGI program the file named by VARVE_CONFIG; otherwise ./varve.conf, or if that "
        "is missing /etc/varve/varve.conf. Paths are relative to the folder of this file. One "
        "key per line; comments are on lines of their own. An unknown key or an invalid value "
        "is an error. `varve check` reads it all.",
        "; ");
    std::string_view section;
    for (const auto& key : app::known_keys()) {
        if (key.section != section) text += "\n[" + std::string(key.section) + "]\n";
        section = key.section;
        text += wrapped(text_of(key), "; ");
        text += key.needed == app::Needed::yes ? "" : "; ";
        if (!key.name.empty()) text += std::string(key.name) + " = ";
        text += std::string(key.example.empty() ? key.fallback : key.example) + "\n";
    }
    return text;
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
    for (const auto& key : app::known_keys()) {
        if (key.section != section) {
            text += section.empty() ? "" : ".El\n";
            section = key.section;
            text += ".Ss [" + section + "]\n.Bl -tag -width Ds\n";
        }
        const bool is_any = key.name.empty();
        text += is_any ? ".It Ar name\n" : ".It Ic " + std::string(key.name) + "\n";
        text += as_mdoc(text_of(key));
        if (is_any) text += as_mdoc("Example: `" + std::string(key.example) + "`");
    }
    return text + ".El\n";
}

// Compares a file with what it should be; writes it where the environment says so.
void check_document(const std::string& file, const std::string& wanted) {
    if (std::getenv("WRITE_DOCUMENTS") != nullptr) std::ofstream(file) << wanted;
    const auto text = read_file(file);
    const auto [here, there] = std::ranges::mismatch(text, wanted);
    INFO(file << ":" << 1 + std::count(text.begin(), here, '\n')
              << " is another; run WRITE_DOCUMENTS=yes build/release/test-app");
    CHECK((here == text.end() && there == wanted.end()));
}

}  // namespace

TEST_CASE("varve.conf.example is what the table of keys says") {
    check_document("varve.conf.example", example());
}

TEST_CASE("The part of varve.conf(5) on keys is what the table of keys says") {
    const std::string page = "man/varve.conf.5", end = ".Sh FILES\n";
    const auto text = read_file(page);
    const auto from = text.find(".Ss [site]\n"), to = text.find(end);
    REQUIRE(from < to);
    check_document(page, text.substr(0, from) + manual() + text.substr(to));
}

TEST_CASE("varve.conf.example is a valid configuration, and so is every value that it shows") {
    CHECK(app::load_config("varve.conf.example"));
    for (const auto& key : app::known_keys())
        for (const auto value : {key.fallback, key.example}) {
            if (value.empty()) continue;
            const auto equals = key.name.empty() ? value.find(" = ") : value.npos;
            const std::string name(equals == value.npos ? key.name : value.substr(0, equals));
            app::Draft draft("varve.conf");
            CAPTURE(key.place(), value);
            const auto taken = app::take_line(
                draft, std::string(key.section), name,
                std::string(equals == value.npos ? value : value.substr(equals + 3)));
            CHECK(taken);
        }
}
