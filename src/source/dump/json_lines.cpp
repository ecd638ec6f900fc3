// SPDX-License-Identifier: MIT
#include "source/dump/json_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <simdjson.h>
#include <utf8.h>
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
    std::optional<Json> tree;
};

// The keys whose values are strings.
struct Key {
    std::string_view name;
    std::optional<std::string_view> JsonFields::* value;
};
constexpr auto keys = std::to_array<Key>({{"class", &JsonFields::class_name},
                                          {"name", &JsonFields::name},
                                          {"stamp", &JsonFields::stamp},
                                          {"at", &JsonFields::at},
                                          {"by", &JsonFields::by}});

// Returns what is wrong with the field, or nullptr.
const char* read_field(std::string_view name, const Json& value, JsonFields& fields) {
    if (name == "tree") {
        if (fields.tree) return "is repeated";
        fields.tree = value;
        return value.is_array() ? nullptr : "is not an array";
    }
    const auto* key = std::ranges::find(keys, name, &Key::name);
    if (key == keys.end()) return "is an unknown member";
    auto& into = fields.*key->value;
    if (into) return "is repeated";
    return value.get(into.emplace()) == simdjson::SUCCESS ? nullptr : "is not a string";
}

std::string about(std::string_view key, const char* what) {
    return '"' + std::string(base::cut_at(key, 100)) + "\" " + what;
}

// Returns what is wrong with the object; empty: nothing, so class and name are not empty, and `tree` is
// an array.
std::string read_fields(const Json& json, JsonFields& fields) {
    simdjson::dom::object object;
    if (json.get(object) != simdjson::SUCCESS) return "not a JSON object";
    for (const auto& [key, value] : object)
        if (const auto* what = read_field(key, value, fields)) return about(key, what);
    if (!fields.class_name) return about("class", "is missing");
    if (!fields.name) return about("name", "is missing");
    if (!fields.tree) return about("tree", "is missing");
    if (fields.class_name->empty()) return about("class", "is empty");
    return fields.name->empty() ? about("name", "is empty") : std::string();
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

constexpr const char* not_json = "not JSON";

// Returns why simdjson refuses a text, and where, which it does not say.
ParseError syntax_error(std::string_view text) {
    using Parser = nlohmann::json;
    if (const auto at = utf8::find_invalid(text); at != std::string_view::npos)
        return {ErrorKind::malformed, at, "not UTF-8"};
    try {
        const auto drop = [](int, Parser::parse_event_t, const Parser&) { return false; };
        [[maybe_unused]] const auto none =
            Parser::parse(tree::without_lone_surrogates(text), drop);
    } catch (const Parser::parse_error& error) {
        return {ErrorKind::malformed, std::max<std::size_t>(error.byte, 1) - 1, not_json};
    } catch (const Parser::exception&) {  // a number beyond a double
    }
    return {ErrorKind::malformed, 0,
            "a number beyond 64 bits, which should be a \"float\", or not JSON"};
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

tl::expected<tree::Object, ParseError> parse_json_object(std::string_view line) {
    const auto fail = [](ErrorKind kind, std::string what) {
        return tl::unexpected<ParseError>({kind, 0, std::move(what)});
    };
    const auto json = tree::parse_json(line);
    if (!json && json.error().kind == ErrorKind::malformed)
        return tl::unexpected(syntax_error(line));
    if (!json) return fail(json.error().kind, json.error().text);
    JsonFields fields;
    if (auto what = read_fields(json->root, fields); !what.empty())
        return fail(ErrorKind::malformed, std::move(what));
    auto stamp = stamp_in(fields);
    if (!stamp) return fail(stamp.error().kind, stamp.error().text);
    auto nodes = tree::nodes_from_json(*fields.tree);
    if (!nodes) return fail(nodes.error().kind, nodes.error().text);
    if (const auto* wrong = wrong_date_in(*nodes))
        return fail(ErrorKind::malformed,
                    "\"" + wrong->text + "\" is no date such as 2004-04-07 or 2004-04");
    tree::merge_duplicates(*nodes);
    return tree::Object{id_of(fields), std::move(*stamp), std::move(*nodes)};
}

std::optional<tree::ObjectName> find_name(std::string_view head) {
    using Parser = nlohmann::json;
    using Event = Parser::parse_event_t;
    tree::ObjectName id;
    std::string key;
    bool is_repeated = false;
    const auto read = [&](int depth, Event event, const Parser& value) {
        if (depth == 1 && event == Event::key) key = value.get<std::string>();
        if (depth != 1 || event != Event::value) return depth == 0 || event == Event::key;
        if (!value.is_string() || (key != "class" && key != "name")) return false;
        auto& part = key == "class" ? id.class_name : id.name;
        is_repeated = is_repeated || !part.empty();
        part = base::legal_text(value.get<std::string>());
        return false;
    };
    try {
        [[maybe_unused]] const auto none =
            Parser::parse(tree::without_lone_surrogates(head), read);
    } catch (const Parser::exception&) {  // most likely the head is cut off
    }
    if (is_repeated || id.class_name.empty() || id.name.empty()) return std::nullopt;
    return id;
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
            found.fault = too_large();
        else if (error != simdjson::SUCCESS)
            found.fault = syntax_error(text);
        else if (auto what = read_fields(json, fields); !what.empty())
            found.fault = ParseError{ErrorKind::malformed, 0, std::move(what)};
        found.is_one = !found.fault || found.fault->what != not_json;
        if (found.fault)
            find_name_of(found, text);
        else
            found.id = id_of(fields);
        found.digest = XXH3_128bits(text.data(), text.size());
        window.drop(line_size + (has_lf ? 1 : 0));
        line += 1;
        has_objects = true;
        return found;
    }

    static ParseError too_large() {
        return {ErrorKind::too_large, 0,
                "too long or too deep, and its beginning lacks class and name"};
    }

    // Finds the name of an object that was not read. Whoever loads it sees that it is too large.
    static void find_name_of(JsonLine& found, std::string_view text) {
        auto id = find_name(text.substr(0, json_head_size));
        if (!id) return;
        found.id = std::move(*id);
        if (found.fault->kind == ErrorKind::too_large) found.fault.reset();
    }

    // Skips a line that is longer than what may be held.
    base::Result<std::optional<JsonLine>> skip_long_line() {
        JsonLine found{window.offset(), 0, line, {}, {}, too_large()};
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
                    "the last line is too long to tell whether it is whole; end it with LF",
                    found.length);
            drop(window.bytes().size() - 1);  // the last byte may be the CR of the line's end
            if (auto done = window.fill(); !done) return tl::unexpected(done.error());
        }
        ++line;
        has_objects = true;
        found.digest = digest.digest();
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

    [[nodiscard]] tl::unexpected<base::Error> cut_off(std::string_view what,
                                                      std::uint64_t dropped = 0) const {
        auto at = behind(window.bytes(), {line, 1});
        at.column += dropped;
        return fail_in(name, at, ErrorKind::refused, what);
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
    return flush(json_block);
}

base::Result<void> JsonLinesWriter::add(const tree::ObjectName& name) {
    base::JsonWriter json(pending_);
    json.begin_object().field("class", name.class_name).field("name", name.name).end_object();
    pending_ += '\n';
    return flush(json_block);
}

base::Result<void> JsonLinesWriter::flush(std::size_t least) {
    if (pending_.size() < least) return {};
    if (auto done = file_.write(pending_); !done) return done;
    written_ += pending_.size();
    pending_.clear();
    return {};
}

base::Result<std::uint64_t> JsonLinesWriter::put_in_place() {
    if (auto done = flush(0); !done) return tl::unexpected(done.error());
    if (auto done = file_.put_in_place(); !done) return tl::unexpected(done.error());
    return written_;
}

}  // namespace source::dump
