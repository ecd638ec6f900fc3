// Records of FastCGI of any bytes: nothing breaks, limits hold, and the pieces in which the bytes
// arrive change nothing. The first byte chooses the pieces.
// SPDX-License-Identifier: MIT
#include <string>

#include "fuzz/fuzz.hpp"
#include "serve/fastcgi_records.hpp"

namespace {

using serve::RecordReader;
using Event = RecordReader::Event;

// A reply is one whole record.
void check_reply(const std::string& reply) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(reply.at(i)); };
    require(byte(0) == 1 && reply.size() == 8u + byte(4) * 256u + byte(5) + byte(6));
    require(reply.size() <= 128);
}

// What a reader reports about bytes that arrive in pieces of `size` bytes, as text.
std::string events_of(std::string_view bytes, std::size_t size) {
    RecordReader reader({.connections = 512, .requests = 64});
    std::string events;
    while (!bytes.empty()) {
        auto piece = bytes.substr(0, size);
        bytes.remove_prefix(piece.size());
        while (!piece.empty()) {
            const auto [event, used] = reader.read(piece);
            require(used <= piece.size());
            piece.remove_prefix(used);
            if (event == Event::malformed) return events += "malformed";
            if (event == Event::more) require(piece.empty());
            if (event == Event::reply) {
                check_reply(reader.reply());
                events += reader.reply_closes() ? "last reply " : "reply ";
                events += reader.reply();
            }
            if (event != Event::request) continue;
            const auto request = reader.request("");
            require(request.path.size() <= serve::longest_variables &&
                    request.query.size() <= serve::longest_variables);
            events += "request " + std::to_string(reader.request_id()) + request.method +
                      request.path + "?" + request.query + request.client_address;
            for (const auto& [name, value] : request.fields) events += name + value;
            if (reader.is_cut()) return events += "cut";
            reader.answered();
        }
    }
    return events;
}

}  // namespace

void fuzz(std::string_view bytes) {
    if (bytes.empty()) return;
    const auto size = 1u + static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    require(events_of(bytes, bytes.size()) == events_of(bytes, size));
}
