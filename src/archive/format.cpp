// SPDX-License-Identifier: MIT
#include "archive/format.hpp"

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/json.hpp"

namespace archive {
namespace {

namespace dom = simdjson::dom;
using base::Result;
using store::Column;
using store::ColumnType;
using store::Row;
using store::Value;

static_assert(LineParser::padding >= simdjson::SIMDJSON_PADDING);

constexpr int format_version = 1;
constexpr std::size_t deepest = 8;  // a line that we write nests three levels
constexpr std::size_t first_buffer = std::size_t{1} << 20;

auto malformed(std::string text) {
    return base::fail(base::ErrorKind::malformed, std::move(text));
}

Result<void> append_value(std::string& out, base::JsonWriter& json, const Column& column,
                          const Row& row, std::size_t at) {
    json.key(column.name);
    if (row.is_null(at)) {
        json.null();
    } else if (column.type == ColumnType::integer) {
        json.value(row.integer(at));
    } else if (column.type == ColumnType::blob) {
        json.begin_object().key("base64").raw("\"");
        base::append_base64(out, row.blob(at));  // in place: a blob can have many megabytes
        out += '"';
        json.end_object();
    } else {
        const auto& text = row.text(at);
        if (!simdjson::validate_utf8(text.data(), text.size()))
            return malformed("column " + column.name + " is not UTF-8");
        json.value(text);
    }
    return {};
}

Result<Value> blob_of(const dom::element& json) {
    dom::object wrapped;
    std::string_view letters;
    if (json.get(wrapped) != simdjson::SUCCESS || wrapped.size() != 1 ||
        wrapped["base64"].get(letters) != simdjson::SUCCESS)
        return malformed("is not {\"base64\":\"…\"}");
    auto bytes = base::from_base64(letters);
    if (!bytes) return malformed("has invalid base64");
    return Value(store::Blob{std::move(*bytes)});
}

Result<Value> value_of(const Column& column, const dom::element& json) {
    if (json.is_null()) {
        if (!column.nullable) return malformed("is null");
        return Value();
    }
    if (column.type == ColumnType::blob) return blob_of(json);
    if (column.type == ColumnType::integer) {
        std::int64_t number = 0;
        if (json.get(number) != simdjson::SUCCESS) return malformed("is not a 64-bit integer");
        return Value(number);
    }
    std::string_view text;
    if (json.get(text) != simdjson::SUCCESS) return malformed("is not a string");
    return Value(std::string(text));
}

// Reads the values of one row, whose columns may come in any order.
Result<std::vector<Value>> values_of(const TableShape& shape, const dom::object& row) {
    std::vector<std::optional<Value>> read(shape.columns.size());
    for (const auto& [key, json] : row) {
        const std::string name(key);
        const auto at = shape.index_of(name);
        if (!at) return malformed("unknown column \"" + name + "\"");
        if (read[*at]) return malformed("column " + name + " appears twice");
        auto value = value_of(shape.columns[*at], json);
        if (!value) return malformed("column " + name + " " + value.error().text);
        read[*at] = std::move(*value);
    }
    std::vector<Value> values;
    for (std::size_t at = 0; at < read.size(); ++at) {
        if (!read[at]) return malformed("column " + shape.columns[at].name + " is missing");
        values.push_back(std::move(*read[at]));
    }
    return values;
}

Result<Line> header_of(const dom::object& line) {
    std::int64_t version = 0, schema = 0;
    if (line["varve_export"].get(version) != simdjson::SUCCESS ||
        line["schema"].get(schema) != simdjson::SUCCESS)
        return malformed("the first line lacks the format or the schema");
    if (version != format_version)
        return malformed("the export has format " + std::to_string(version) +
                         ", this program reads format " + std::to_string(format_version));
    return Line(HeaderLine{schema});
}

Result<Line> row_of(const dom::object& line, std::span<const TableShape> shapes) {
    std::string_view name;
    dom::object row;
    if (line["table"].get(name) != simdjson::SUCCESS || line["row"].get(row) != simdjson::SUCCESS)
        return malformed("a row needs the name of a table and an object");
    const auto shape =
        std::ranges::find(shapes, name, [](const auto& each) { return each.table->name; });
    if (shape == shapes.end()) return malformed("unknown table \"" + std::string(name) + "\"");
    auto values = values_of(*shape, row);
    if (!values) return malformed(std::string(name) + ": " + values.error().text);
    const auto number = static_cast<std::size_t>(shape - shapes.begin());
    return Line(RowLine{number, std::move(*values)});
}

Result<Line> end_of(const dom::object& line, std::span<const TableShape> shapes) {
    bool end = false;
    dom::object counts;
    if (line["end"].get(end) != simdjson::SUCCESS || !end ||
        line["rows"].get(counts) != simdjson::SUCCESS || counts.size() != shapes.size())
        return malformed("the last line lacks the row count of a table");
    EndLine last;
    for (const auto& shape : shapes) {
        std::uint64_t rows = 0;
        if (counts[shape.table->name].get(rows) != simdjson::SUCCESS)
            return malformed("the last line lacks the row count of a table");
        last.rows.push_back(rows);
    }
    return Line(std::move(last));
}

}  // namespace

std::span<const Table> tables() {
    static const std::array<Table, 17> all{{
        {"releases", {"version"}, {}},
        {"objects", {"oid"}, {}},
        {"history", {"sid"}, {"label", "notes"}},
        {"trees", {"oid", "version"}, {"tree"}},
        {"accepted", {"version", "digest"}, {}},
        {"mass_changes", {"version", "class", "path"}, {}},
        {"words", {"word", "class", "name"}, {}},
        {"tokens", {"name"}, {}},
        {"watch_lists", {"id"}, {"objects"}},
        {"feeds", {"id"}, {"http_etag", "http_last_modified"}},
        {"entries", {"id"}, {"tree", "content"}},
        {"entry_changes", {"entry", "revision"}, {"notes"}},
        {"mentions", {"class", "name", "first_seen", "entry"}, {}},
        {"archives", {"feed"}, {}},
        {"known_urls", {"feed", "url_digest"}, {}},
        {"builds", {"number", "digest"}, {}},
        {"meta", {"name"}, {}},
    }};
    return all;
}

std::optional<std::size_t> TableShape::index_of(std::string_view column) const {
    const auto found = std::ranges::find(columns, column, &Column::name);
    if (found == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns.begin());
}

std::vector<TableShape> shapes_of(store::Connection& connection) {
    std::vector<TableShape> shapes;
    for (const auto& table : tables())
        shapes.push_back({&table, store::columns_of(connection, std::string(table.name))});
    return shapes;
}

void append_header(std::string& out, int schema) {
    base::JsonWriter json(out);
    json.begin_object().field("varve_export", format_version).field("schema", schema);
    json.end_object();
    out += '\n';
}

void append_end(std::string& out, const RowCounts& counts) {
    base::JsonWriter json(out);
    json.begin_object().field("end", true).key("rows").begin_object();
    for (const auto& [table, rows] : counts) json.field(table, rows);
    json.end_object().end_object();
    out += '\n';
}

Result<void> append_row(std::string& out, const TableShape& shape, const Row& row) {
    base::JsonWriter json(out);
    json.begin_object().field("table", shape.table->name).key("row").begin_object();
    for (std::size_t at = 0; at < shape.columns.size(); ++at)
        if (auto done = append_value(out, json, shape.columns[at], row, at); !done) return done;
    json.end_object().end_object();
    out += '\n';
    return {};
}

Result<Line> LineParser::parse(std::string_view line) {
    if (parser_.capacity() < line.size() || parser_.max_depth() != deepest)
        if (const auto error =
                parser_.allocate(std::max<std::size_t>(line.size(), 4096), deepest))
            return malformed(simdjson::error_message(error));
    dom::object object;
    const auto error =
        parser_.parse(line.data(), line.size(), /*realloc_if_needed=*/false).get(object);
    if (error != simdjson::SUCCESS)
        return malformed(std::string("not a JSON object: ") + simdjson::error_message(error));
    if (object.size() != 2) return malformed("the line has not exactly two members");
    if (object["table"].error() == simdjson::SUCCESS) return row_of(object, shapes_);
    if (object["end"].error() == simdjson::SUCCESS) return end_of(object, shapes_);
    return header_of(object);
}

LineReader::LineReader(ReadBytes read, std::size_t longest, std::size_t padding)
    : read_(std::move(read)), longest_(longest), padding_(padding),
      buffer_(first_buffer + padding, '\0') {}

Result<std::optional<std::string_view>> LineReader::next() {
    for (;;) {
        const auto here = std::string_view(buffer_).substr(0, end_);
        const std::size_t found = here.find('\n', searched_);
        const bool whole = found != std::string_view::npos || at_end_;
        const std::size_t stop = std::min(found, end_);
        if (stop - begin_ > longest_)
            return base::fail(base::ErrorKind::too_large,
                              "line " + std::to_string(number_ + 1) + " has more than " +
                                  std::to_string(longest_) + " bytes");
        if (whole) {
            if (begin_ == end_) return std::optional<std::string_view>();
            const auto line = here.substr(begin_, stop - begin_);
            begin_ = searched_ = std::min(stop + 1, end_);
            ++number_;
            return std::optional(line);
        }
        searched_ = end_;
        if (const auto more = read_more(); !more) return tl::unexpected(more.error());
    }
}

// Moves the unfinished line to the front, and doubles the buffer when it takes more than half.
void LineReader::make_room() {
    if (begin_ > 0) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        end_ -= begin_;
        searched_ -= begin_;
        begin_ = 0;
    }
    if (end_ > buffer_.size() / 2) buffer_.resize(buffer_.size() * 2);
}

Result<void> LineReader::read_more() {
    make_room();
    const auto got = read_(std::span(buffer_).subspan(end_, buffer_.size() - padding_ - end_));
    if (!got) return tl::unexpected(got.error());
    at_end_ = *got == 0;
    end_ += *got;
    return {};
}

}  // namespace archive
