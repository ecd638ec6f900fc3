// SPDX-License-Identifier: MIT
#include "tree/json.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tree/stamp.hpp"

namespace tree {

// A parser, and the text as it needs it: with room behind it.
struct JsonParser {
    simdjson::dom::parser parser;
    std::string padded;
};

namespace {

// Each thread keeps a parser for short texts: making one takes a dozen allocations.
constexpr std::size_t least_room = 4 << 10, most_kept = 16 << 10;
thread_local std::unique_ptr<JsonParser> spare_parser;

using base::Result;
using Json = simdjson::dom::element;

tl::unexpected<base::Error> malformed(std::string text) {
    return base::fail(base::ErrorKind::malformed, std::move(text));
}

void assign_legal(std::string& into, std::string_view text) {
    if (base::is_legal_text(text))
        into.assign(text);
    else
        into = base::legal_text(text);
}

// Returns the kind of cell that a key means; its value is the text of the cell (the class of a
// reference).
std::optional<CellKind> kind_of_key(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, CellKind>, 7> keys = {
        {{"tag", CellKind::tag},
         {"class", CellKind::reference},
         {"text", CellKind::text},
         {"int", CellKind::integer},
         {"float", CellKind::real},
         {"date", CellKind::date},
         {"comment", CellKind::comment}}};
    for (const auto& [name, kind] : keys)
        if (name == key) return kind;
    return std::nullopt;
}

// The timestamp that was read last. Most nodes of a change have the same one.
struct LastStamp {
    std::string_view at, by;
    std::string stamp;
};

Result<std::vector<Node>> nodes_at(const Json& json, std::size_t depth, LastStamp& last_stamp);

// Reads one node into an empty one, member by member in any order.
class NodeReader {
   public:
    NodeReader(Node& node, std::size_t depth, LastStamp& last_stamp)
        : node_(node), depth_(depth), last_stamp_(last_stamp) {}

    Result<void> read(const Json& json) {
        simdjson::dom::object fields;
        if (json.get(fields) != simdjson::SUCCESS) return malformed("a cell is no JSON object");
        for (const auto& field : fields)
            if (const auto taken = take(field.key, field.value); !taken)
                return tl::unexpected(taken.error());
        if (kinds_ != 1) return malformed("a cell of no known kind, or of two");
        return finish();
    }

   private:
    static Result<void> read_view(std::string_view key, const Json& value,
                                  std::string_view& into) {
        if (value.get(into) == simdjson::SUCCESS) return {};
        return malformed("\"" + std::string(key) + "\" is no string");
    }

    static Result<void> read_text(std::string_view key, const Json& value, std::string& into) {
        std::string_view text;
        auto is_text = read_view(key, value, text);
        if (is_text) assign_legal(into, text);
        return is_text;
    }

    // Looks for the most frequent keys first.
    Result<void> take(std::string_view key, const Json& value) {
        if (key == "at") return read_view(key, value, at_);
        if (key == "by") return read_view(key, value, by_);
        if (key == "children") return take_children(value);
        if (key == "name") {
            if (name_) return malformed("\"name\" stands twice");
            return read_view(key, value, name_.emplace());
        }
        if (const auto kind = kind_of_key(key)) return take_cell(*kind, key, value);
        if (key == "stamp") return read_text(key, value, node_.stamp);
        if (key != "member") return malformed("unknown member \"" + base::legal_text(key) + "\"");
        if (value.get(member_) == simdjson::SUCCESS) return {};
        return malformed("\"member\" is no bool");
    }

    Result<void> take_children(const Json& value) {
        if (!node_.children.empty()) return malformed("\"children\" stands twice");
        auto children = nodes_at(value, depth_ + 1, last_stamp_);
        if (!children) return tl::unexpected(children.error());
        node_.children = std::move(*children);
        return {};
    }

    Result<void> take_cell(CellKind kind, std::string_view key, const Json& value) {
        ++kinds_;
        node_.cell.kind = kind;
        if (kind == CellKind::reference) return read_text(key, value, node_.cell.class_name);
        if (kind != CellKind::integer) return read_text(key, value, node_.cell.text);
        std::int64_t number = 0;
        if (value.get(number) != simdjson::SUCCESS) return malformed("\"int\" is no integer");
        node_.cell.text = std::to_string(number);
        return {};
    }

    Result<void> finish() {
        if (node_.cell.kind == CellKind::reference) {
            if (!name_) return malformed("a reference without a name");
            assign_legal(node_.cell.text, *name_);
            if (member_) node_.cell.kind = CellKind::member;
        }
        if (at_.empty()) return {};
        if (at_ != last_stamp_.at || by_ != last_stamp_.by) {
            auto stamp = stamp_from_json(at_, by_);
            if (!stamp) return tl::unexpected(stamp.error());
            last_stamp_ = {at_, by_, std::move(*stamp)};
        }
        node_.stamp = last_stamp_.stamp;
        return {};
    }

    Node& node_;
    std::size_t depth_;
    LastStamp& last_stamp_;
    int kinds_ = 0;
    std::optional<std::string_view> name_;
    std::string_view at_, by_;
    bool member_ = false;
};

Result<std::vector<Node>> nodes_at(const Json& json, std::size_t depth, LastStamp& last_stamp) {
    simdjson::dom::array elements;
    if (json.get(elements) != simdjson::SUCCESS) return malformed("nodes are no JSON array");
    if (depth > deepest_node)
        return base::fail(base::ErrorKind::too_large, "nodes nest deeper than 2000 levels");
    std::vector<Node> nodes;
    nodes.reserve(elements.size());
    for (const auto& element : elements)
        if (const auto whole = NodeReader(nodes.emplace_back(), depth, last_stamp).read(element);
            !whole)
            return tl::unexpected(whole.error());
    return nodes;
}

}  // namespace

void write_cell_fields(base::JsonWriter& json, const Cell& cell) {
    switch (cell.kind) {
        case CellKind::tag: json.field("tag", cell.text); return;
        case CellKind::text: json.field("text", cell.text); return;
        case CellKind::real: json.field("float", cell.text); return;
        case CellKind::date: json.field("date", cell.text); return;
        case CellKind::comment: json.field("comment", cell.text); return;
        case CellKind::reference:
        case CellKind::member:
            json.field("class", cell.class_name).field("name", cell.text);
            if (cell.kind == CellKind::member) json.field("member", true);
            return;
        case CellKind::integer: break;
    }
    const auto number = base::parse_integer(cell.text);
    if (number && std::to_string(*number) == cell.text)
        json.field("int", *number);
    else
        json.field("float", cell.text);
}

void write_json(base::JsonWriter& json, const Cell& cell) {
    json.begin_object();
    write_cell_fields(json, cell);
    json.end_object();
}

void write_json(base::JsonWriter& json, const Node& node) {
    json.begin_object();
    write_cell_fields(json, node.cell);
    write_stamp_fields(json, node.stamp);
    if (!node.children.empty()) write_json(json.key("children"), node.children);
    json.end_object();
}

void write_json(base::JsonWriter& json, const std::vector<Node>& nodes) {
    json.begin_array();
    for (const auto& node : nodes) write_json(json, node);
    json.end_array();
}

void write_stamp_fields(base::JsonWriter& json, std::string_view stamp) {
    if (stamp.empty()) return;
    const auto parsed = parse_stamp(stamp);
    if (!parsed) {
        json.field("stamp", stamp);
        return;
    }
    // The time as it stands there, which is how it would be formatted; no zone is known.
    std::array<char, 19> at{};
    stamp.copy(at.data(), at.size());
    at[10] = 'T';
    json.field("at", std::string_view(at.data(), at.size())).field("by", parsed->by);
}

Result<std::string> stamp_from_json(std::string_view at, std::string_view by) {
    if (at.ends_with('Z')) at.remove_suffix(1);
    if (!base::parse_rfc3339(at)) return malformed("\"at\" is no time: " + base::legal_text(at));
    if (by.empty()) return malformed("\"at\" stands without \"by\"");
    // Gives what stamp_text would without formatting the time again: a feed has hundreds.
    std::string stamp;
    stamp.reserve(at.size() + 1 + by.size());
    stamp.append(at) += '_';
    stamp[10] = '_';
    base::is_legal_text(by) ? stamp.append(by) : stamp += base::legal_text(by);
    return stamp;
}

Result<Cell> cell_from_json(const Json& json) {
    Node node;
    LastStamp last_stamp;
    if (const auto whole = NodeReader(node, 1, last_stamp).read(json); !whole)
        return tl::unexpected(whole.error());
    return std::move(node.cell);
}

Result<std::vector<Node>> nodes_from_json(const Json& json) {
    LastStamp last_stamp;
    return nodes_at(json, 1, last_stamp);
}

void JsonText::GiveBack::operator()(JsonParser* given) const {
    std::unique_ptr<JsonParser> owned(given);
    if (owned->parser.capacity() <= most_kept) spare_parser = std::move(owned);
}

std::string without_lone_surrogates(std::string_view json) {
    // Returns the code of "\uXXXX" at the beginning of a text; 0: there is none.
    const auto unit_at = [](std::string_view text) {
        unsigned unit = 0;
        if (!text.starts_with("\\u") || text.size() < 6) return 0U;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
        return error == std::errc() && end == text.data() + 6 ? unit : 0U;
    };
    constexpr unsigned lead = 0xD800, trail = 0xDC00, mask = 0xFC00;
    std::string mended;
    mended.reserve(json.size());
    while (!json.empty()) {
        const auto half = unit_at(json) & mask;
        const bool is_pair = half == lead && (unit_at(json.substr(6)) & mask) == trail;
        const bool is_half = (half == lead || half == trail) && !is_pair;
        const std::size_t size = is_pair ? 12 : is_half ? 6 : json.front() == '\\' ? 2 : 1;
        mended += is_half ? "\\ufffd" : json.substr(0, size);
        json.remove_prefix(std::min(size, json.size()));
    }
    return mended;
}

Result<JsonText> parse_json(std::string_view text) {
    JsonText parsed{JsonText::Parser(spare_parser ? spare_parser.release() : new JsonParser), {}};
    auto& [parser, padded] = *parsed.parser;
    const bool is_short = text.size() <= most_kept;
    const auto room = is_short ? std::bit_ceil(std::max(text.size(), least_room)) : text.size();
    if (parser.capacity() < room && parser.allocate(room, json_levels) != simdjson::SUCCESS)
        return base::fail(base::ErrorKind::too_large, "JSON too large to be read");
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded = text;
    const auto error = parser.parse(padded.data(), padded.size(), false).get(parsed.root);
    if (!is_short) std::string().swap(padded);
    if (error == simdjson::DEPTH_ERROR)
        return base::fail(base::ErrorKind::too_large, "JSON nested deeper than 2000 nodes need");
    if (error == simdjson::STRING_ERROR)
        if (const auto mended = without_lone_surrogates(text); mended != text)
            return parse_json(mended);
    if (error != simdjson::SUCCESS) return malformed("no JSON");
    return parsed;
}

Result<std::vector<Node>> parse_nodes(std::string_view text) {
    const auto json = parse_json(text);
    if (!json) return tl::unexpected(json.error());
    return nodes_from_json(json->root);
}

}  // namespace tree
