// Any bytes as the output of a running AceDB: frames, and replies to each command.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/utf8.hpp"
#include "fuzz/fuzz.hpp"
#include "source/ace_object.hpp"
#include "source/acedb/protocol.hpp"
#include "source/acedb/session.hpp"

namespace {

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// An accepted header stays within its limit and can be written again.
void read_frame(std::string_view bytes) {
    constexpr std::size_t most = 1 << 16;
    const auto header = source::acedb::wire::parse_header(bytes, most);
    if (!header) return;
    require(header->length <= most && header->type.find('\0') == std::string::npos);
    const auto again = source::acedb::wire::message(header->type, "body", header->client_id);
    const auto read = source::acedb::wire::parse_header(again, most);
    require(read && read->type == header->type && read->client_id == header->client_id);
    require(!source::acedb::wire::text_of_body(bytes).ends_with('\0'));
}

// Shown objects lie in the reply, in order, each with a header of its own.
void read_shown(std::string_view reply) {
    const auto objects = source::acedb::parse_shown(reply);
    if (!objects) return;
    require(source::acedb::is_whole(reply));
    const char* end = reply.data();
    for (const auto object : *objects) {
        require(object.data() >= end && object.ends_with('\n'));
        require(source::read_header(object).has_value());
        end = object.data() + object.size();
    }
    require(end <= reply.data() + reply.size());
}

// A name from a list is legal text, and the command to find it is legal.
void read_list(std::string_view reply) {
    const auto names = source::acedb::parse_list(reply);
    if (!names) return;
    for (const auto& name : *names) {
        require(base::is_legal_text(name.class_name) && base::is_legal_text(name.name));
        require(source::acedb::is_command(source::acedb::find_command(name)));
    }
}

void read_facts(std::string_view reply) {
    if (const auto status = source::acedb::parse_status(reply))
        require(base::is_legal_text(status->identity) && base::is_legal_text(status->name));
    if (const auto classes = source::acedb::parse_classes(reply))
        for (const auto& each : *classes) require_text(each.class_name);
    const auto found = source::acedb::parse_found(reply);
    require(!found || source::acedb::is_whole(reply));
    require(reply.starts_with(source::acedb::model_text(reply)));
    const auto words = source::acedb::words_of(reply);
    require(words.size() <= 200 && is_printable(words));
}

}  // namespace

void fuzz(std::string_view bytes) {
    read_frame(bytes);
    read_shown(bytes);
    read_list(bytes);
    read_facts(bytes);
}
