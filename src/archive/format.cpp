// SPDX-License-Identifier: MIT
#include "store/archive_line.hpp"

#include <openssl/evp.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "base/json.hpp"

namespace store {
namespace {

namespace dom = simdjson::dom;
using base::Result;

static_assert(LineParser::padding >= simdjson::SIMDJSON_PADDING);

constexpr int archive_version = 1;
constexpr std::size_t deepest = 8;  // a line of ours nests three deep

auto malformed(std::string text) { return base::fail(base::Kind::malformed, std::move(text)); }

const unsigned char* unsigned_bytes(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

// A piece at a time: OpenSSL counts in int, and three bytes are four letters.
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

// Only the one spelling that append_base64 writes: OpenSSL alone takes blanks, and = anywhere.
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
            return malformed("column " + column.name + " is no UTF-8");
        json.value(text);
    }
    return {};
}

Result<Value> blob_of(const dom::element& json) {
    dom::object wrapped;
    std::string_view letters;
    if (json.get(wrapped) != simdjson::SUCCESS || wrapped.size() != 1 ||
        wrapped["base64"].get(letters) != simdjson::SUCCESS)
        return malformed("is no {\"base64\":\"…\"}");
    auto bytes = decode_base64(letters);
    if (!bytes) return malformed("has bad base64");
    return Value(Blob{std::move(*bytes)});
}

Result<Value> value_of(const Column& column, const dom::element& json) {
    if (json.is_null()) {
        if (!column.nullable) return malformed("is null");
        return Value();
    }
    if (column.type == ColumnType::blob) return blob_of(json);
    if (column.type == ColumnType::integer) {
        std::int64_t number = 0;
        if (json.get(number) != simdjson::SUCCESS) return malformed("is no integer of 64 bits");
        return Value(number);
    }
    std::string_view text;
    if (json.get(text) != simdjson::SUCCESS) return malformed("is no string");
    return Value(std::string(text));
}

// The values of one row, column by column in whatever order they come.
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
        const auto at = place_of(key);
        if (!at) return malformed("unknown column \"" + std::string(key) + "\"");
        if (seen_[*at]) return malformed("column " + std::string(key) + " stands twice");
        auto value = value_of(shape_.columns[*at], json);
        if (!value) return malformed("column " + std::string(key) + " " + value.error().text);
        values_[*at] = std::move(*value);
        seen_[*at] = true;
        next_ = *at + 1;
        return {};
    }

    // Nearly always the column behind the last one.
    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view key) const {
        if (next_ < shape_.columns.size() && shape_.columns[next_].name == key) return next_;
        return shape_.place_of(key);
    }

    const TableShape& shape_;
    std::vector<Value> values_;
    std::vector<bool> seen_;
    std::size_t next_ = 0;
};

}  // namespace

void append_header(std::string& out, int schema) {
    base::JsonWriter json(out);
    json.begin_object().field("varve_export", archive_version).field("schema", schema);
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

    Result<ArchiveLine> header_of(const dom::object& line) const {
        std::int64_t version = 0, schema = 0;
        if (line["varve_export"].get(version) != simdjson::SUCCESS ||
            line["schema"].get(schema) != simdjson::SUCCESS)
            return malformed("a first line without its two numbers");
        if (version != archive_version)
            return malformed("an export of format " + std::to_string(version) +
                             ", and this program knows format " +
                             std::to_string(archive_version));
        return ArchiveLine(HeaderLine{schema});
    }

    Result<ArchiveLine> row_of(const dom::object& line) const {
        std::string_view name;
        dom::object row;
        if (line["table"].get(name) != simdjson::SUCCESS ||
            line["row"].get(row) != simdjson::SUCCESS)
            return malformed("a row is a table's name and an object");
        const auto shape =
            std::ranges::find(shapes, name, [](const auto& each) { return each.table->name; });
        if (shape == shapes.end())
            return malformed("unknown table \"" + std::string(name) + "\"");
        auto values = RowReader(*shape).read(row);
        if (!values) return malformed(std::string(name) + ": " + values.error().text);
        const auto number = static_cast<std::size_t>(shape - shapes.begin());
        return ArchiveLine(RowLine{number, std::move(*values)});
    }

    Result<ArchiveLine> end_of(const dom::object& line) const {
        bool end = false;
        dom::object counts;
        if (line["end"].get(end) != simdjson::SUCCESS || !end ||
            line["rows"].get(counts) != simdjson::SUCCESS || counts.size() != shapes.size())
            return malformed("a last line without the rows of every table");
        EndLine last;
        for (const auto& shape : shapes) {
            std::uint64_t rows = 0;
            if (counts[shape.table->name].get(rows) != simdjson::SUCCESS)
                return malformed("a last line without the rows of every table");
            last.rows.push_back(rows);
        }
        return ArchiveLine(std::move(last));
    }
};

LineParser::LineParser(std::span<const TableShape> shapes)
    : state_(std::make_unique<State>(shapes)) {}

LineParser::~LineParser() = default;

Result<ArchiveLine> LineParser::parse(std::string_view line) {
    auto& parser = state_->parser;
    if (parser.capacity() < line.size() || parser.max_depth() != deepest)
        if (const auto error = parser.allocate(std::max<std::size_t>(line.size(), 4096), deepest))
            return malformed(simdjson::error_message(error));
    dom::object object;
    const auto error =
        parser.parse(line.data(), line.size(), /*realloc_if_needed=*/false).get(object);
    if (error != simdjson::SUCCESS)
        return malformed(std::string("no JSON object: ") + simdjson::error_message(error));
    if (object.size() != 2) return malformed("not two members, as every line has");
    if (object["table"].error() == simdjson::SUCCESS) return state_->row_of(object);
    if (object["end"].error() == simdjson::SUCCESS) return state_->end_of(object);
    return state_->header_of(object);
}

}  // namespace store
