// SPDX-License-Identifier: MIT
#include "support/ace_frames.hpp"

#include <array>
#include <random>

#include <openssl/evp.h>

namespace support {
namespace {

constexpr std::size_t header_bytes = 50, type_begins = 20, type_bytes = 30;
constexpr std::uint32_t magic = 0x12345678;
constexpr std::uint32_t most_body_bytes = 16U << 20U;

std::uint32_t number_at(std::string_view bytes, std::size_t at, ByteOrder order) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto place = order == ByteOrder::little ? 3 - i : i;
        number = (number << 8U) | static_cast<unsigned char>(bytes[at + place]);
    }
    return number;
}

void put_number(std::string& bytes, std::size_t at, std::uint32_t number, ByteOrder order) {
    for (std::size_t i = 0; i < 4; ++i) {
        const auto place = order == ByteOrder::little ? i : 3 - i;
        bytes[at + place] = static_cast<char>((number >> (8U * i)) & 0xFFU);
    }
}

}  // namespace

std::optional<AceRequest> receive_frame(PeerConnection& connection) {
    const auto header = connection.receive(header_bytes);
    if (header.size() < header_bytes) return std::nullopt;
    AceRequest request;
    if (number_at(header, 0, ByteOrder::little) != magic) request.order = ByteOrder::big;
    auto& frame = request.frame;
    frame.magic = number_at(header, 0, request.order);
    frame.length = number_at(header, 4, request.order);
    frame.version = number_at(header, 8, request.order);
    frame.client = number_at(header, 12, request.order);
    frame.most_bytes = number_at(header, 16, request.order);
    frame.type = header.substr(type_begins).c_str();
    if (frame.magic != magic || frame.length > most_body_bytes) return std::nullopt;
    frame.body = connection.receive(frame.length);
    if (frame.body.size() < frame.length) return std::nullopt;
    return request;
}

std::string header_of(const AceFrame& frame, ByteOrder order) {
    std::string header(header_bytes, '\0');
    put_number(header, 0, frame.magic, order);
    put_number(header, 4, frame.length, order);
    put_number(header, 8, frame.version, order);
    put_number(header, 12, frame.client, order);
    put_number(header, 16, frame.most_bytes, order);
    const auto type = frame.type.substr(0, type_bytes);
    header.replace(type_begins, type.size(), type);
    return header;
}

std::string md5_hex(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int count = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &count, EVP_md5(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < count; ++i) {
        hex += "0123456789abcdef"[digest.at(i) >> 4U];
        hex += "0123456789abcdef"[digest.at(i) & 15U];
    }
    return hex;
}

std::string random_nonce() {
    std::random_device device;
    std::string nonce;
    for (int i = 0; i < 32; ++i) nonce += "0123456789abcdef"[device() & 15U];
    return nonce;
}

}  // namespace support
