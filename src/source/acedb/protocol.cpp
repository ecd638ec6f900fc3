// SPDX-License-Identifier: MIT
#include "source/acedb/protocol.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_object.hpp"
#include "source/ace_text.hpp"

namespace source::acedb {

// ---- Commands ----

namespace {

constexpr bool is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// True for characters that are sent as `?`: wildcards, and those that mean something to some of
// AceDB's readers (a quote, an escape, a separator, a comment, a parameter, a file to include, a command
// of the shell).
constexpr bool is_masked(char c) {
    constexpr std::string_view masked = "*?;@$\\\"/%";
    return !base::is_printable(c) || masked.find(c) != std::string_view::npos;
}

// True for names that AceDB might ignore, so that it would find everything.
bool is_blank(std::string_view name) {
    return name.find_first_not_of(' ') == std::string_view::npos;
}

std::string quote(std::string_view text) {
    const bool is_exact = std::none_of(text.begin(), text.end(), is_masked);
    std::string out = "\"";
    bool is_in_run = false;  // of characters that are not printable
    for (const char c : text) {
        const bool was_in_run = std::exchange(is_in_run, !base::is_printable(c));
        if (!is_in_run)
            out += is_masked(c) ? '?' : c;
        else if (!was_in_run)
            out += "?*";
    }
    return out + (is_exact || is_in_run ? "\"" : "*\"");
}

// Returns a class, bare if it is a word, as AceDB's own clients send it.
std::string class_word(std::string_view class_name) {
    const bool is_bare =
        !class_name.empty() && std::all_of(class_name.begin(), class_name.end(), is_word);
    return is_bare ? std::string(class_name) : quote(class_name);
}

}  // namespace

bool is_pattern(std::string_view name) {
    return is_blank(name) || std::any_of(name.begin(), name.end(), is_masked);
}

std::string find_command(const tree::ObjectName& name) {
    return find_all_command(name.class_name) + ' ' +
           (is_blank(name.name) ? "\"?*\"" : quote(name.name));
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

bool is_command(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), base::is_printable);
}

// ---- Replies ----
namespace {

constexpr std::string_view empty_list = "// Active list is empty";

tl::unexpected<base::Error> malformed(std::string what) {
    return base::fail(base::ErrorKind::malformed, std::move(what));
}

// Removes the first line of `text` and returns it without its LF.
std::string_view take_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

// Removes the last line and returns it; nullopt when it has no LF, or there is none.
std::optional<std::string_view> take_last_line(std::string_view& text) {
    if (!text.ends_with('\n')) return std::nullopt;
    const auto rest = text.substr(0, text.size() - 1);
    const auto begin = rest.rfind('\n') + 1;  // npos + 1 is 0
    text = text.substr(0, begin);
    return rest.substr(begin);
}

// Returns N of a line `// N words`.
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view words) {
    constexpr std::string_view mark = "// ";
    if (!line.starts_with(mark) || !line.ends_with(words) ||
        line.size() <= mark.size() + words.size())
        return std::nullopt;
    line.remove_prefix(mark.size());
    line.remove_suffix(words.size());
    return base::parse_count(line);
}

std::optional<std::uint64_t> active_in(std::string_view line) {
    return number_before(line, " Active Objects");
}

bool is_active_line(std::string_view line) { return active_in(line).has_value(); }

// Returns the reply without its last line; nullopt when that is not `// N Active Objects`.
std::optional<std::string_view> without_end(std::string_view reply) {
    const auto last = take_last_line(reply);
    return last && is_active_line(*last) ? std::optional(reply) : std::nullopt;
}

tl::unexpected<base::Error> not_ended() {
    return malformed("a reply that does not end in \"// N Active Objects\"");
}

// ---- status ----

// Returns the value of ` //   Key: value` in a reply to status, where each key is unique.
std::string value_of(std::string_view reply, std::string_view key) {
    while (!reply.empty()) {
        auto line = base::trim(take_line(reply));
        if (!line.starts_with("//")) continue;
        line = base::trim(line.substr(2));
        if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) continue;
        const auto value = base::trim(line.substr(key.size() + 1));
        return value == "<undefined>" ? std::string() : base::legal_text(value);
    }
    return {};
}

// ---- what is shown ----

base::Result<std::vector<std::string_view>> objects_of(std::string_view text) {
    std::vector<std::string_view> objects;
    while (!text.empty()) {
        if (text.front() == '\n' || text.starts_with("//")) {
            take_line(text);
            continue;
        }
        const auto header = read_header(text);
        if (!header) return malformed("a reply with " + header.error().what);
        ObjectEnd object_end(text);
        const auto end = object_end.find(text, true);
        if (!end && object_end.is_long_text())
            return malformed("a reply that ends inside a LongText");
        objects.push_back(text.substr(0, end.value_or(text.size())));
        text.remove_prefix(objects.back().size());
    }
    return objects;
}

// Returns N of the line that ends a list, or the objects shown.
std::optional<std::uint64_t> count_in(std::string_view line, std::string_view done) {
    if (const auto one = number_before(line, " object " + std::string(done))) return one;
    return number_before(line, " objects " + std::string(done));
}

// ---- a list ----

// Removes a line of a list and returns its name; nullopt for a line without one.
base::Result<std::optional<tree::ObjectName>> take_listed(std::string_view& text) {
    // The name of the list itself has no quotes, unlike that of an object.
    if (text.front() == '\n' || text.starts_with("//") || text.starts_with("KeySet : Answer_")) {
        take_line(text);
        return std::nullopt;
    }
    const auto header = read_header(text);
    if (!header) return malformed("a list with " + header.error().what);
    const auto& name = header->name.bytes;
    if (name.data() == text.data() || *(name.data() - 1) != '"')
        return malformed("a list with a name that is not in quotes");
    text.remove_prefix(header->size);
    return tree::ObjectName{base::legal_text(header->class_name), text_of(header->name)};
}

// Parses `   Name 12`.
std::optional<ClassCount> class_of(std::string_view line) {
    line = base::trim(line);
    const auto blank = line.rfind(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const auto name = base::trim(line.substr(0, blank));
    const auto count = base::parse_count(line.substr(blank + 1));
    if (!count || name.find(' ') != std::string_view::npos) return std::nullopt;
    return ClassCount{base::legal_text(name), *count};
}

}  // namespace

bool is_whole(std::string_view reply) { return without_end(reply).has_value(); }

base::Result<Status> parse_status(std::string_view reply) {
    const auto text = without_end(reply);
    if (!text) return not_ended();
    if (text->find("AceDB status at ") == std::string_view::npos)
        return malformed("a reply to \"status\" that is not a status");
    constexpr auto keys =
        std::to_array<std::string_view>({"Name", "Release", "Directory", "Session", "Last Save"});
    Status status{value_of(*text, "Name"), value_of(*text, "Directory"), {}};
    for (const auto key : keys) status.identity += value_of(*text, key) + '\n';
    if (status.identity.size() == keys.size())
        return malformed("a reply to \"status\" that says nothing of the database");
    return status;
}

base::Result<std::uint64_t> parse_found(std::string_view reply) {
    auto text = without_end(reply);
    if (!text) return not_ended();
    while (!text->empty()) {
        const auto line = take_line(*text);
        if (!line.empty() && !line.starts_with("//")) break;
        constexpr std::string_view found = "// Found ";
        if (!line.starts_with(found)) continue;
        const auto word = line.substr(found.size(), line.find(' ', found.size()) - found.size());
        const auto count = base::parse_count(word);
        if (count && line.substr(found.size() + word.size()).starts_with(" objects"))
            return *count;
    }
    return malformed(R"(a reply to "find" without "// Found N objects")");
}

base::Result<std::uint64_t> parse_active(std::string_view reply) {
    const auto last = take_last_line(reply);
    const auto count = last ? active_in(*last) : std::nullopt;
    if (!count) return not_ended();
    return *count;
}

base::Result<std::vector<ClassCount>> parse_classes(std::string_view reply) {
    auto text = without_end(reply);
    if (!text) return not_ended();
    std::vector<ClassCount> classes;
    bool is_begun = false;
    while (!text->empty()) {
        const auto line = take_line(*text);
        if (base::trim(line).empty() || line.starts_with("//")) continue;
        if (!is_begun && line.starts_with("These are the known classes")) {
            is_begun = true;
            continue;
        }
        const auto one = class_of(line);
        if (!is_begun || !one) return malformed("a reply to \"classes\" with other lines");
        classes.push_back(*one);
    }
    if (!is_begun) return malformed("a reply to \"classes\" that names none");
    return classes;
}

base::Result<std::vector<tree::ObjectName>> parse_list(std::string_view reply) {
    auto text = without_end(reply);
    if (!text) return not_ended();
    std::vector<tree::ObjectName> names;
    const auto last = take_last_line(*text);
    if (last == empty_list && base::trim(*text).empty()) return names;
    const auto count = last ? count_in(*last, "listed") : std::nullopt;
    if (!count) return malformed("a list without \"// N object listed\"");
    while (!text->empty()) {
        auto name = take_listed(*text);
        if (!name) return tl::unexpected(name.error());
        if (*name) names.push_back(std::move(**name));
    }
    // The count may be lower than the number of names: it is not known what the last slice
    // counts.
    if (*count > names.size())
        return malformed("the database announced " + std::to_string(*count) + " names but sent " +
                         std::to_string(names.size()));
    return names;
}

std::string_view model_text(std::string_view reply) { return without_end(reply).value_or(reply); }

base::Result<std::vector<std::string_view>> parse_shown(std::string_view reply) {
    auto text = without_end(reply);
    if (!text) return not_ended();
    const auto last = take_last_line(*text);
    if (last == empty_list && base::trim(*text).empty()) return std::vector<std::string_view>();
    const auto count = last ? count_in(*last, "dumped") : std::nullopt;
    if (!count) return malformed(R"(a reply to "show" without "// N objects dumped")");
    auto objects = objects_of(*text);
    // An object that shows nothing is counted, too (such as one without the tag asked for).
    if (objects && !objects->empty() && *count != objects->size())
        return malformed("the database announced " + std::to_string(*count) +
                         " objects but sent " + std::to_string(objects->size()));
    return objects;
}

std::string words_of(std::string_view reply) {
    constexpr std::size_t most = 200;
    while (!reply.empty()) {
        auto line = base::trim(take_line(reply));
        if (is_active_line(line)) continue;
        line = line.substr(std::min(line.find_first_not_of("/* \t"), line.size()));
        if (line.empty()) continue;
        std::string words(line.substr(0, most));
        for (char& c : words)
            if (c < 0x20 || c == 0x7f) c = '?';  // bytes above it are negative
        return words;
    }
    return {};
}

}  // namespace source::acedb
