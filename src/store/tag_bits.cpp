// SPDX-License-Identifier: MIT
#include "store/tag_bits.hpp"

#include <simdjson.h>

namespace store {
namespace {

constexpr unsigned tag_bit_count = 60;  // the others are of ops

using Json = simdjson::dom::element;

// Returns the bits of all tags in cells, nodes and lists of them.
std::int64_t bits_below(const Json& json) {
    std::int64_t bits = 0;
    if (simdjson::dom::array list; json.get(list) == simdjson::SUCCESS)
        for (const auto each : list) bits |= bits_below(each);
    simdjson::dom::object object;
    if (json.get(object) != simdjson::SUCCESS) return bits;
    for (const auto& [name, value] : object) {
        std::string_view text;
        if (value.get(text) != simdjson::SUCCESS)
            bits |= bits_below(value);
        else if (name == "tag")
            bits |= bit_of_tag(text);
        else if (name == "op")
            bits |= bit_of_op(text);
    }
    return bits;
}

}  // namespace

std::int64_t bit_of_tag(std::string_view tag) {
    // FNV-1a
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : tag) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        hash ^= static_cast<unsigned char>(is_capital ? c - 'A' + 'a' : c);
        hash *= 0x100000001b3;
    }
    return std::int64_t{1} << (hash >> 32) % tag_bit_count;
}

std::int64_t bit_of_op(std::string_view op) {
    if (op == "added") return std::int64_t{1} << tag_bit_count;
    if (op == "removed") return std::int64_t{2} << tag_bit_count;
    return op == "replaced" ? std::int64_t{4} << tag_bit_count : 0;
}

std::int64_t tag_bits_of(std::string_view notes) {
    thread_local simdjson::dom::parser parser;
    Json root, changes;
    if (parser.parse(notes).get(root) != simdjson::SUCCESS) return 0;
    return root["changes"].get(changes) == simdjson::SUCCESS ? bits_below(changes) : 0;
}

}  // namespace store
