// SPDX-License-Identifier: MIT
#include "source/acedb/command.hpp"

#include <algorithm>
#include <utility>

namespace source::acedb {
namespace {

constexpr bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

constexpr bool is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Sent as `?`: wildcards, and what means something in some of AceDB's readers (a separator, a file
// to include, a command of the shell) without a recording of how it is escaped.
constexpr bool is_veiled(char c) {
    constexpr std::string_view special = "*?;@$";
    return special.find(c) != std::string_view::npos;
}

// With a backslash, as recorded.
constexpr bool is_escaped(char c) {
    constexpr std::string_view special = "\\\"/%";
    return special.find(c) != std::string_view::npos;
}

// AceDB might take it for no name at all, and find everything.
bool is_blank(std::string_view name) {
    return name.find_first_not_of(' ') == std::string_view::npos;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    bool is_in_run = false;
    for (const char c : text) {
        const bool was_in_run = std::exchange(is_in_run, !is_printable(c));
        if (is_in_run) {
            if (!was_in_run) out += '*';
            continue;
        }
        if (is_escaped(c)) out += '\\';
        out += is_veiled(c) ? '?' : c;
    }
    return out + '"';
}

// Bare where it is a word, as AceDB's own clients send it.
std::string class_word(std::string_view class_name) {
    const bool is_bare =
        !class_name.empty() && std::all_of(class_name.begin(), class_name.end(), is_word);
    return is_bare ? std::string(class_name) : quoted(class_name);
}

}  // namespace

std::string find_command(const tree::ObjectName& name) {
    return find_all_command(name.class_name) + ' ' +
           (is_blank(name.name) ? "\"?\"" : quoted(name.name));
}

std::string find_all_command(std::string_view class_name) {
    return "find " + class_word(class_name);
}

std::string model_command(std::string_view class_name) {
    return "model " + class_word(class_name);
}

std::string show_one_command(std::size_t position) {
    return std::string(show_command) + " -b " + std::to_string(position) + " -c 1";
}

bool is_ambiguous(const tree::ObjectName& name) {
    const auto is_wild = [](char c) { return is_veiled(c) || !is_printable(c); };
    return is_blank(name.name) || std::any_of(name.name.begin(), name.name.end(), is_wild);
}

bool is_command(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_printable);
}

}  // namespace source::acedb
