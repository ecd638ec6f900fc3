// SPDX-License-Identifier: MIT
#include "archive/format.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>
#include <simdjson.h>

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

const unsigned char* unsigned_bytes(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Encodes piece by piece, because OpenSSL counts bytes in an int.
void append_base64(std::string& out, std::string_view bytes) {
    constexpr std::size_t piece = std::size_t{3} << 20;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        const auto some = bytes.substr(0, piece);
        const std::size_t before = out.size();
        out.resize(before + (some.size() + 2) / 3 * 4);
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + before),
                        unsigned_bytes(some), static_cast<int>(some.size()));
    }
}

// Accepts only the spelling that append_base64 writes. OpenSSL by itself also accepts blanks, and
// "=" anywhere.
std::optional<std::string> decode_base64(std::string_view letters) {
    if (letters.empty()) return std::string();
    if (letters.size() % 4 != 0) return std::nullopt;
    std::string bytes(letters.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     unsigned_bytes(letters), static_cast<int>(letters.size()));
    if (size < 0) return std::nullopt;
    const auto filling = letters.ends_with("==") ? 2U : letters.ends_with("=") ? 1U : 0U;
    bytes.resize(bytes.size() - filling);
    std::string again;
    append_base64(again, bytes);
    if (again != letters) return std::nullopt;
    return bytes;
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
        append_base64(out, row.blob(at));  // in place: a blob can have many megabytes
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
    auto bytes = decode_base64(letters);
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
class RowReader {
   public:
    explicit RowReader(const TableShape& shape)
        : shape_(shape), values_(shape.columns.size()), seen_(shape.columns.size()) {}

    Result<std::vector<Value>> read(const dom::object& row) {
        for (const auto& field : row)
            if (const auto taken = take(field.key, field.value); !taken)
                return tl::unexpected(taken.error());
        const auto missing = std::ranges::find(seen_, false);
        if (missing != seen_.end()) {
            const auto at = static_cast<std::size_t>(missing - seen_.begin());
            return malformed("column " + shape_.columns[at].name + " is missing");
        }
        return std::move(values_);
    }

   private:
    Result<void> take(std::string_view key, const dom::element& json) {
        const auto at = index_of(key);
        if (!at) return malformed("unknown column \"" + std::string(key) + "\"");
        if (seen_[*at]) return malformed("column " + std::string(key) + " appears twice");
        auto value = value_of(shape_.columns[*at], json);
        if (!value) return malformed("column " + std::string(key) + " " + value.error().text);
        values_[*at] = std::move(*value);
        seen_[*at] = true;
        next_ = *at + 1;
        return {};
    }

    // Tries the column after the previous one first: it nearly always is the right one.
    [[nodiscard]] std::optional<std::size_t> index_of(std::string_view key) const {
        if (next_ < shape_.columns.size() && shape_.columns[next_].name == key) return next_;
        return shape_.index_of(key);
    }

    const TableShape& shape_;
    std::vector<Value> values_;
    std::vector<bool> seen_;
    std::size_t next_ = 0;
};

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
        {"known_urls", {"feed", "hash"}, {}},
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
        shapes.push_back(
            {&table, store::described_columns_of(connection, std::string(table.name))});
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

struct LineParser::State {
    explicit State(std::span<const TableShape> known) : shapes(known) {}

    std::span<const TableShape> shapes;
    dom::parser parser;

    Result<Line> header_of(const dom::object& line) const {
        std::int64_t version = 0, schema = 0;
        if (line["varve_export"].get(version) != simdjson::SUCCESS ||
            line["schema"].get(schema) != simdjson::SUCCESS)
            return malformed("the first line lacks the format or the schema");
        if (version != format_version)
            return malformed("the export has format " + std::to_string(version) +
                             ", this program reads format " + std::to_string(format_version));
        return Line(HeaderLine{schema});
    }

    Result<Line> row_of(const dom::object& line) const {
        std::string_view name;
        dom::object row;
        if (line["table"].get(name) != simdjson::SUCCESS ||
            line["row"].get(row) != simdjson::SUCCESS)
            return malformed("a row needs the name of a table and an object");
        const auto shape =
            std::ranges::find(shapes, name, [](const auto& each) { return each.table->name; });
        if (shape == shapes.end())
            return malformed("unknown table \"" + std::string(name) + "\"");
        auto values = RowReader(*shape).read(row);
        if (!values) return malformed(std::string(name) + ": " + values.error().text);
        const auto number = static_cast<std::size_t>(shape - shapes.begin());
        return Line(RowLine{number, std::move(*values)});
    }

    Result<Line> end_of(const dom::object& line) const {
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
};

LineParser::LineParser(std::span<const TableShape> shapes)
    : state_(std::make_unique<State>(shapes)) {}

LineParser::~LineParser() = default;

Result<Line> LineParser::parse(std::string_view line) {
    auto& parser = state_->parser;
    if (parser.capacity() < line.size() || parser.max_depth() != deepest)
        if (const auto error = parser.allocate(std::max<std::size_t>(line.size(), 4096), deepest))
            return malformed(simdjson::error_message(error));
    dom::object object;
    const auto error =
        parser.parse(line.data(), line.size(), /*realloc_if_needed=*/false).get(object);
    if (error != simdjson::SUCCESS)
        return malformed(std::string("not a JSON object: ") + simdjson::error_message(error));
    if (object.size() != 2) return malformed("the line has not exactly two members");
    if (object["table"].error() == simdjson::SUCCESS) return state_->row_of(object);
    if (object["end"].error() == simdjson::SUCCESS) return state_->end_of(object);
    return state_->header_of(object);
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
