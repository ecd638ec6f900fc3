// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <simdjson.h>

#include "source/dump/json_fields.hpp"
#include "source/dump/json_lines.hpp"
#include "tree/json.hpp"

namespace source::dump {
namespace {

constexpr std::size_t block = 1 << 20;
constexpr std::size_t head_size = 1 << 16;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

std::string_view without_cr(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

struct JsonLinesReader::State {
    using Found = base::Result<std::optional<JsonLine>>;

    State(const File& from, std::string_view called, std::size_t held)
        : file(from), name(called), most(std::max(held, head_size)) {}

    [[nodiscard]] std::string_view window() const { return {buffer.data() + begin, end - begin}; }
    [[nodiscard]] std::uint64_t offset() const { return read - (end - begin); }

    base::Result<void> fill();
    base::Result<void> fill_to_line_end();
    Found next();
    Found take(std::string_view bytes);
    Found pass_over();
    simdjson::error_code parse(std::string_view bytes, simdjson::dom::element& json);
    [[nodiscard]] tl::unexpected<base::Error> fail(base::Kind kind, std::string_view what) const;

    const File& file;
    std::string_view name;
    std::size_t most;
    simdjson::dom::parser parser;
    // simdjson reads a little behind what it is given.
    std::vector<char> buffer = std::vector<char>(block + simdjson::SIMDJSON_PADDING);
    std::size_t begin = 0, end = 0;  // what is read and not yet taken
    std::uint64_t read = 0;          // bytes of the file read so far
    bool is_end = false;             // of the file
    std::uint64_t line = 1;          // of the byte at begin
    std::size_t line_size = 0;       // of the line at begin that is in window(), without its LF
    bool has_lf = false;             // behind it
    bool has_objects = false;
};

base::Result<void> JsonLinesReader::State::fill() {
    if (begin > 0) {
        std::memmove(buffer.data(), buffer.data() + begin, end - begin);
        end -= begin;
        begin = 0;
    }
    auto room = buffer.size() - simdjson::SIMDJSON_PADDING;
    if (end > room / 2) buffer.resize((room *= 2) + simdjson::SIMDJSON_PADDING);
    const auto got = file.read_at(buffer.data() + end, room - end, read);
    if (!got) return base::fail_at(name, got.error());
    is_end = *got == 0;
    end += *got;
    read += *got;
    return {};
}

// Until the line is in window() as a whole, or longer than is held.
base::Result<void> JsonLinesReader::State::fill_to_line_end() {
    for (line_size = 0, has_lf = false;;) {
        const auto bytes = window();
        const auto lf = bytes.find('\n', line_size);
        has_lf = lf != std::string_view::npos;
        line_size = has_lf ? lf : bytes.size();
        if (has_lf || is_end || line_size > most) return {};
        if (auto done = fill(); !done) return done;
    }
}

JsonLinesReader::State::Found JsonLinesReader::State::next() {
    for (;;) {
        if (auto done = fill_to_line_end(); !done) return tl::unexpected(done.error());
        if (offset() == 0 && window().starts_with(byte_order_mark)) {
            begin += byte_order_mark.size();
            line_size -= byte_order_mark.size();
        }
        if (line_size > most) return pass_over();
        const auto bytes = window().substr(0, line_size);
        if (!is_blank(bytes)) return take(bytes);
        if (!has_lf) break;
        begin += line_size + 1;
        ++line;
    }
    if (!has_objects) return fail(base::Kind::refused, "the file holds no objects");
    return std::nullopt;
}

// With room for the levels that nodes may nest, and grown by doubling rather than line by line.
simdjson::error_code JsonLinesReader::State::parse(std::string_view bytes,
                                                   simdjson::dom::element& json) {
    if (bytes.size() > parser.capacity())
        if (const auto error = parser.allocate(std::max(std::bit_ceil(bytes.size()), head_size),
                                               tree::json_levels))
            return error;
    return parser.parse(bytes.data(), bytes.size(), false).get(json);
}

JsonLinesReader::State::Found JsonLinesReader::State::take(std::string_view bytes) {
    const auto text = without_cr(bytes);
    JsonLine found{offset(), text.size(), line, {}, true, {}};
    simdjson::dom::element json;
    JsonFields fields;
    const auto error = parse(text, json);
    if (error == simdjson::DEPTH_ERROR && has_lf) {
        found.is_whole = false;
        found.id = id_in_head(text.substr(0, head_size)).value_or(tree::ObjectName());
    } else if (error != simdjson::SUCCESS) {
        if (!has_lf) return fail(base::Kind::refused, "the file ends inside a line");
        return fail(base::Kind::malformed,
                    error == simdjson::UTF8_ERROR ? "no UTF-8" : "no JSON");
    } else if (const auto* what = read_fields(json, fields)) {
        return fail(base::Kind::malformed, what);
    } else {
        found.id = id_of(fields);
    }
    found.digest = XXH3_128bits(text.data(), text.size());
    begin += line_size + (has_lf ? 1 : 0);
    line += 1;
    has_objects = true;
    return found;
}

// A line longer than is held.
JsonLinesReader::State::Found JsonLinesReader::State::pass_over() {
    JsonLine found{offset(), 0, line, {}, false, {}};
    found.id = id_in_head(window().substr(0, head_size)).value_or(tree::ObjectName());
    const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
    if (state == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state.get());
    const auto drop = [&](std::size_t size) {
        XXH3_128bits_update(state.get(), window().data(), size);
        found.length += size;
        begin += size;
    };
    for (;;) {
        const auto lf = window().find('\n');
        if (lf != std::string_view::npos) {
            const auto text = without_cr(window().substr(0, lf));
            drop(text.size());
            begin += lf + 1 - text.size();
            break;
        }
        if (is_end)
            return fail(base::Kind::refused,
                        "the last line is too long to tell whether it is whole; end it with LF");
        drop(window().size() - 1);  // the last one may be the CR of the line's end
        if (auto done = fill(); !done) return tl::unexpected(done.error());
    }
    ++line;
    has_objects = true;
    found.digest = XXH3_128bits_digest(state.get());
    return found;
}

tl::unexpected<base::Error> JsonLinesReader::State::fail(base::Kind kind,
                                                         std::string_view what) const {
    return base::fail(kind,
                      std::string(name) + ":" + std::to_string(line) + ": " + std::string(what));
}

JsonLinesReader::JsonLinesReader(const File& file, std::string_view name, std::size_t most)
    : state_(std::make_unique<State>(file, name, most)) {}

JsonLinesReader::~JsonLinesReader() = default;

base::Result<std::optional<JsonLine>> JsonLinesReader::next() { return state_->next(); }

}  // namespace source::dump
