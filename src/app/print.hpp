// app/print.hpp -- how commands print: text for a terminal, and JSON.
// Control characters never reach the terminal: text of objects is printed on one line, with line
// breaks shown as \n.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "tree/json.hpp"

namespace app {

// Writes to standard error. Ignores failures (a full disk, a closed pipe).
void tell(std::string_view text);

// Prints any bytes. run_command_line() says when that fails.
void print_bytes(std::string_view bytes);

// Text of strangers as one line for a terminal: line breaks as \n, and control characters (C0,
// DEL, C1) and those that turn the direction of writing as '?'.
[[nodiscard]] std::string on_one_line(std::string_view text);

// A word for a shell, quoted where it must be: to be copied from advice.
[[nodiscard]] std::string shell_word(std::string_view text);

using Json = simdjson::dom::element;
// Returns a line for each node of a tree, indented by depth; timestamps behind as "2008-02-01 sylvia".
//   nodes  as tree/json.hpp writes them
[[nodiscard]] std::string tree_text(const Json& nodes);

// Returns whether standard output shall have colours.
//   wish       "always", "never", or "auto": only a terminal has some, unless its TERM is "dumb" or
//              NO_COLOR (no-color.org) is set and not empty
//   no_color, term  of the environment; nullptr: not set
[[nodiscard]] bool wants_colour(std::string_view wish, bool is_terminal, const char* no_color,
                                const char* term);

// Returns, like diff(1), a line for each node that came ("+") or went ("-"), with its whole path.
//   changes  as /diff?format=json has them
enum class Colour : unsigned char { none, ansi };  // ansi: green, red, and yellow if replaced
[[nodiscard]] std::string changes_text(const Json& changes, Colour colour = Colour::none);

// Says on standard error how many of the nodes or changes a document of the site leaves out, if it does.
void warn_of_rest(const Json& document, std::string_view what);

// Returns a document for people: a line for each member of an object, and a table for objects of the same
// members, or a block for each of them where the table would be too wide. Members without a value are left out.
[[nodiscard]] std::string report_text(const Json& document);

// Prints what `write(JsonWriter&)` writes: as JSON, or as report_text().
template <class Write>
void print_report(bool as_json, Write&& write) {
    std::string text;
    base::JsonWriter json(text, 2);
    std::forward<Write>(write)(json);
    text += '\n';
    print_bytes(as_json ? text : report_text(tree::parse_json(text)->root));
}

// Prints a list: {"NAME":[what write(JsonWriter&) writes]}.
template <class Write>
void print_list(bool as_json, std::string_view name, Write&& write) {
    print_report(as_json, [&](base::JsonWriter& json) {
        json.begin_object().key(name).begin_array();
        std::forward<Write>(write)(json);
        json.end_array().end_object();
    });
}

}  // namespace app
