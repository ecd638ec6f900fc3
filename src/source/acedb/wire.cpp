// SPDX-License-Identifier: MIT
#include "source/acedb/wire.hpp"

#include <algorithm>

namespace source::acedb::wire {
namespace {

constexpr std::uint32_t magic = 0x12345678;
constexpr std::size_t type_at = 20;
constexpr std::size_t type_size = header_size - type_at;

enum class Order { little, big };

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 255);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, Order order) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[at + i]);
        const auto place = order == Order::little ? i : 3 - i;
        number |= static_cast<std::uint32_t>(byte) << (8 * place);
    }
    return number;
}

std::int32_t signed_at(std::string_view bytes, std::size_t at, Order order) {
    return static_cast<std::int32_t>(number_at(bytes, at, order));
}

}  // namespace

std::string message(std::string_view type, std::string_view body, std::int32_t client_id) {
    std::string bytes;
    bytes.reserve(header_size + body.size() + 1);
    append_number(bytes, magic);
    append_number(bytes, static_cast<std::uint32_t>(body.size() + 1));
    append_number(bytes, 0);  // a client
    append_number(bytes, static_cast<std::uint32_t>(client_id));
    append_number(bytes, 0);  // slices as large as the server makes them
    bytes += type.substr(0, type_size);
    bytes.resize(header_size, '\0');
    bytes += body;
    bytes += '\0';
    return bytes;
}

base::Result<Header> parse_header(std::string_view bytes, std::size_t most) {
    if (bytes.size() < header_size)
        return base::fail(base::Kind::malformed, "a header that is not whole");
    const bool is_little = number_at(bytes, 0, Order::little) == magic;
    if (!is_little && number_at(bytes, 0, Order::big) != magic)
        return base::fail(base::Kind::malformed, "no header of AceDB's protocol");
    const auto order = is_little ? Order::little : Order::big;
    const auto length = signed_at(bytes, 4, order);
    if (length < 0) return base::fail(base::Kind::malformed, "a header with a negative length");
    Header header{static_cast<std::size_t>(length), signed_at(bytes, 8, order),
                  signed_at(bytes, 12, order), signed_at(bytes, 16, order),
                  std::string(bytes.substr(type_at, type_size))};
    header.type.resize(std::min(header.type.find('\0'), header.type.size()));
    if (header.length > most)
        return base::fail(base::Kind::too_large, "a message of " + std::to_string(length) +
                                                     " bytes, above " + std::to_string(most));
    return header;
}

std::string_view text_of_body(std::string_view body) {
    while (body.ends_with('\0')) body.remove_suffix(1);
    return body;
}

}  // namespace source::acedb::wire
