// SPDX-License-Identifier: MIT
#include "source/dump/json_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <simdjson.h>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/dump/window.hpp"
#include "source/xxh3.hpp"
#include "tree/json.hpp"

namespace source::dump {
namespace {

using base::ErrorKind;
using Json = simdjson::dom::element;

constexpr std::size_t json_block = 1 << 20;
constexpr std::size_t json_head_size = 1 << 16;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// ---- The fields of a line ----

// Views last as long as the text or the parser.
struct JsonFields {
    std::optional<std::string_view> class_name, name, stamp, at, by;
    Json tree;
};

// A key whose value is a string, and the errors about it.
struct Key {
    std::string_view name;
    std::optional<std::string_view> JsonFields::* value;
    const char *twice, *no_string;
};
constexpr auto keys = std::to_array<Key>(
    {{"class", &JsonFields::class_name, "\"class\" is repeated", "\"class\" is not a string"},
     {"name", &JsonFields::name, "\"name\" is repeated", "\"name\" is not a string"},
     {"stamp", &JsonFields::stamp, "\"stamp\" is repeated", "\"stamp\" is not a string"},
     {"at", &JsonFields::at, "\"at\" is repeated", "\"at\" is not a string"},
     {"by", &JsonFields::by, "\"by\" is repeated", "\"by\" is not a string"}});

// Returns what is wrong with the field, or nullptr.
const char* read_field(std::string_view name, const Json& value, JsonFields& fields,
                       bool& has_tree) {
    if (name == "tree") {
        if (std::exchange(has_tree, true)) return "\"tree\" is repeated";
        if (!value.is_array()) return "\"tree\" is not an array";
        fields.tree = value;
        return nullptr;
    }
    const auto* key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& one) { return one.name == name; });
    if (key == keys.end()) return "it has an unknown member";
    auto& into = fields.*key->value;
    if (into) return key->twice;
    return value.get(into.emplace()) == simdjson::SUCCESS ? nullptr : key->no_string;
}

// Reads all fields. Class and name must be there, the tree need not.
const char* read_strings(const Json& json, JsonFields& fields, bool& has_tree) {
    simdjson::dom::object object;
    if (json.get(object) != simdjson::SUCCESS) return "not a JSON object";
    for (const auto& field : object)
        if (const auto* what = read_field(field.key, field.value, fields, has_tree)) return what;
    if (!fields.class_name) return "\"class\" is missing";
    if (!fields.name) return "\"name\" is missing";
    if (fields.class_name->empty()) return "\"class\" is empty";
    if (fields.name->empty()) return "\"name\" is empty";
    return nullptr;
}

// Returns the end of the string that begins at `at`; npos when there is none, or it does not end in
// `text`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '"') return std::string_view::npos;
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at < text.size() ? at + 1 : std::string_view::npos;
}

// Returns the size of the longest start of `head` that consists of complete fields, each a string.
std::size_t whole_fields(std::string_view head) {
    constexpr std::string_view blanks = " \t\r";
    auto at = head.find_first_not_of(blanks);
    std::size_t whole = 0;
    if (at == std::string_view::npos || head[at] != '{') return whole;
    do {
        at = end_of_string(head, head.find_first_not_of(blanks, at + 1));
        at = head.find_first_not_of(blanks, at);
        if (at == std::string_view::npos || head[at] != ':') return whole;
        at = end_of_string(head, head.find_first_not_of(blanks, at + 1));
        if (at == std::string_view::npos) return whole;
        whole = at;
        at = head.find_first_not_of(blanks, at);
    } while (at != std::string_view::npos && head[at] == ',');
    return whole;
}

// Returns what is wrong with the object, or nullptr: then class and name are not empty, and
// `tree` is an array.
const char* read_fields(const Json& json, JsonFields& fields) {
    bool has_tree = false;
    if (const auto* what = read_strings(json, fields, has_tree)) return what;
    return has_tree ? nullptr : "\"tree\" is missing";
}

tree::ObjectName id_of(const JsonFields& fields) {
    return {base::legal_text(*fields.class_name), base::legal_text(*fields.name)};
}

base::Result<std::string> stamp_in(const JsonFields& fields) {
    if (!fields.at) return base::legal_text(fields.stamp.value_or(""));
    return tree::stamp_from_json(*fields.at, fields.by.value_or(""));
}

// Returns the first date cell that is no date, or nullptr.
const tree::Cell* wrong_date_in(const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes) {
        constexpr std::size_t year = 4;
        const auto& cell = node.cell;
        const auto kind = tree::kind_of_bare_word(cell.text);
        const bool is_date = kind == tree::CellKind::date ||
                             (kind == tree::CellKind::integer && cell.text.size() == year);
        if (cell.kind == tree::CellKind::date && !is_date) return &cell;
        if (const auto* wrong = wrong_date_in(node.children)) return wrong;
    }
    return nullptr;
}

std::string_view without_cr(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace

// ---- One object ----

void append_json_line(std::string& out, const tree::Object& object) {
    base::JsonWriter json(out);
    json.begin_object().field("class", object.id.class_name).field("name", object.id.name);
    tree::write_stamp_fields(json, object.stamp);
    tree::write_json(json.key("tree"), object.nodes);
    json.end_object();
    out += '\n';
}

base::Result<tree::Object> parse_json_object(std::string_view line) {
    const auto json = tree::parse_json(line);
    if (!json) return tl::unexpected(json.error());
    JsonFields fields;
    if (const auto* what = read_fields(json->root, fields))
        return base::fail(ErrorKind::malformed, what);
    auto stamp = stamp_in(fields);
    if (!stamp) return tl::unexpected(stamp.error());
    auto nodes = tree::nodes_from_json(fields.tree);
    if (!nodes) return tl::unexpected(nodes.error());
    if (const auto* wrong = wrong_date_in(*nodes))
        return base::fail(ErrorKind::malformed,
                          "\"" + wrong->text + "\" is no date such as 2004-04-07 or 2004-04");
    tree::merge_duplicates(*nodes);
    return tree::Object{id_of(fields), std::move(*stamp), std::move(*nodes)};
}

std::optional<tree::ObjectName> find_name(std::string_view head) {
    const auto text = std::string(head.substr(0, whole_fields(head))) + '}';
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(text).get(object) != simdjson::SUCCESS) return std::nullopt;
    tree::ObjectName id;
    for (const auto& [key, value] : object) {
        if (key != "class" && key != "name") continue;
        auto& part = key == "class" ? id.class_name : id.name;
        if (!part.empty()) return std::nullopt;
        part = base::legal_text(value.get_string().value());
    }
    return id.class_name.empty() || id.name.empty() ? std::nullopt : std::optional(id);
}

// ---- Reading ----

struct JsonLinesReader::State {
    State(const File& from, std::string_view called, std::size_t held)
        : name(called), most(std::max(held, json_head_size)),
          // simdjson reads a little beyond the end of its input.
          window(from, called, json_block, simdjson::SIMDJSON_PADDING) {}

    // Reads until the window holds the whole line, or more than may be held.
    base::Result<void> fill_to_line_end() {
        for (line_size = 0, has_lf = false;;) {
            const auto bytes = window.bytes();
            const auto lf = bytes.find('\n', line_size);
            has_lf = lf != std::string_view::npos;
            line_size = has_lf ? lf : bytes.size();
            if (has_lf || window.is_end() || line_size > most) return {};
            if (auto done = window.fill(); !done) return done;
        }
    }

    base::Result<std::optional<JsonLine>> next() {
        for (;;) {
            if (auto done = fill_to_line_end(); !done) return tl::unexpected(done.error());
            if (window.offset() == 0 && window.bytes().starts_with(byte_order_mark)) {
                window.drop(byte_order_mark.size());
                line_size -= byte_order_mark.size();
            }
            if (line_size > most) return skip_long_line();
            const auto bytes = window.bytes().substr(0, line_size);
            if (!base::trim(bytes).empty()) return read_line(bytes);
            if (!has_lf) break;
            window.drop(line_size + 1);
            ++line;
        }
        if (!has_objects) return cut_off("the file holds no objects");
        return std::nullopt;
    }

    base::Result<std::optional<JsonLine>> read_line(std::string_view bytes) {
        const auto text = without_cr(bytes);
        JsonLine found{window.offset(), text.size(), line, {}, {}, {}};
        simdjson::dom::element json;
        JsonFields fields;
        const auto error = parse(text, json);
        if (error != simdjson::SUCCESS && !has_lf) return cut_off("the file ends inside a line");
        if (error == simdjson::DEPTH_ERROR)
            found.fault = too_large;
        else if (error != simdjson::SUCCESS)
            found.fault = error == simdjson::UTF8_ERROR ? "not UTF-8" : "not JSON";
        else if (const auto* what = read_fields(json, fields))
            found.fault = what;
        found.is_one = error == simdjson::SUCCESS || error == simdjson::DEPTH_ERROR ||
                       error == simdjson::UTF8_ERROR;
        if (found.fault.empty())
            found.id = id_of(fields);
        else
            find_name_of(found, text);
        found.digest = XXH3_128bits(text.data(), text.size());
        window.drop(line_size + (has_lf ? 1 : 0));
        line += 1;
        has_objects = true;
        return found;
    }

    static constexpr std::string_view too_large =
        "too long or too deep, and class and name are not its first members";

    // Finds the name of a line that is not parsed. Whoever loads the object sees what is wrong with it.
    static void find_name_of(JsonLine& found, std::string_view text) {
        if (auto id = find_name(text.substr(0, json_head_size))) {
            found.id = std::move(*id);
            if (found.fault == too_large) found.fault = {};
        }
    }

    // Skips a line that is longer than what may be held.
    base::Result<std::optional<JsonLine>> skip_long_line() {
        JsonLine found{window.offset(), 0, line, {}, {}, too_large};
        find_name_of(found, window.bytes());
        Xxh3 digest;
        const auto drop = [&](std::size_t size) {
            digest.add(window.bytes().substr(0, size));
            found.length += size;
            window.drop(size);
        };
        for (;;) {
            const auto lf = window.bytes().find('\n');
            if (lf != std::string_view::npos) {
                const auto text = without_cr(window.bytes().substr(0, lf));
                drop(text.size());
                window.drop(lf + 1 - text.size());
                break;
            }
            if (window.is_end())
                return cut_off(
                    "the last line is too long to tell whether it is whole; end it with LF");
            drop(window.bytes().size() - 1);  // the last byte may be the CR of the line's end
            if (auto done = window.fill(); !done) return tl::unexpected(done.error());
        }
        ++line;
        has_objects = true;
        found.digest = digest.digest128();
        return found;
    }

    // Parses with enough levels for nested nodes. The memory doubles instead of growing line by line.
    simdjson::error_code parse(std::string_view bytes, simdjson::dom::element& json) {
        if (bytes.size() > parser.capacity())
            if (const auto error = parser.allocate(
                    std::max(std::bit_ceil(bytes.size()), json_head_size), tree::json_levels))
                return error;
        const auto error = parser.parse(bytes.data(), bytes.size(), false).get(json);
        if (error != simdjson::STRING_ERROR) return error;
        return parser.parse(tree::without_lone_surrogates(bytes)).get(json);
    }

    [[nodiscard]] tl::unexpected<base::Error> cut_off(std::string_view what) const {
        return base::fail(ErrorKind::refused, std::string(name) + ":" + std::to_string(line) +
                                                  ": " + std::string(what));
    }

    std::string_view name;
    std::size_t most;
    simdjson::dom::parser parser;
    Window window;              // begins with the line that is not used yet
    std::uint64_t line = 1;     // its number
    std::size_t line_size = 0;  // its length as far as it is in the window, without LF
    bool has_lf = false;        // after it
    bool has_objects = false;
};

JsonLinesReader::JsonLinesReader(const File& file, std::string_view name, std::size_t most)
    : state_(std::make_unique<State>(file, name, most)) {}

JsonLinesReader::~JsonLinesReader() = default;

base::Result<std::optional<JsonLine>> JsonLinesReader::next() { return state_->next(); }

// ---- Writing ----

base::Result<JsonLinesWriter> JsonLinesWriter::create(const std::string& path) {
    auto file = NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    return JsonLinesWriter(std::move(*file));
}

base::Result<void> JsonLinesWriter::add(const tree::Object& object) {
    append_json_line(pending_, object);
    return pending_.size() < json_block ? base::Result<void>() : flush();
}

base::Result<void> JsonLinesWriter::flush() {
    if (auto done = file_.write(pending_); !done) return done;
    written_ += pending_.size();
    pending_.clear();
    return {};
}

base::Result<std::uint64_t> JsonLinesWriter::put_in_place() {
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return written_;
}

}  // namespace source::dump
