// SPDX-License-Identifier: MIT
#include "serve/fastcgi_records.hpp"

#include <fastcgi.h>

#include <algorithm>
#include <optional>

namespace serve {

namespace {

void append_record(std::string& records, std::uint8_t type, std::uint16_t id,
                   std::string_view content) {
    for (const auto number :
         {std::size_t{FCGI_VERSION_1}, std::size_t{type}, std::size_t{id} >> 8, std::size_t{id},
          content.size() >> 8, content.size(), std::size_t{0}, std::size_t{0}})
        records += static_cast<char>(number);
    records += content;
}

// Removes the length of a name or value: one byte, or four with the first bit set.
std::optional<std::size_t> take_length(std::string_view& rest) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<std::uint8_t>(rest[i]));
    };
    if (rest.empty()) return std::nullopt;
    const std::size_t size = byte(0) < 0x80 ? 1 : 4;
    if (rest.size() < size) return std::nullopt;
    const auto length =
        size == 1 ? byte(0) : (byte(0) & 0x7f) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    rest.remove_prefix(size);
    return length;
}

// True when these are whole pairs that fit into C strings "name=value", which libfcgi makes of them.
bool are_variables(std::string_view pairs) {
    while (!pairs.empty()) {
        const auto name = take_length(pairs);
        const auto value = name ? take_length(pairs) : std::nullopt;
        if (!value || *name > pairs.size() || *value > pairs.size() - *name) return false;
        if (*name == 0 || pairs.substr(0, *name).find('=') != std::string_view::npos)
            return false;
        if (pairs.substr(0, *name + *value).find('\0') != std::string_view::npos) return false;
        pairs.remove_prefix(*name + *value);
    }
    return true;
}

}  // namespace

RequestRecords::RequestRecords()
    : contents_{{{.type = FCGI_BEGIN_REQUEST, .longest = sizeof(FCGI_BeginRequestBody)},
                 {.type = FCGI_PARAMS, .longest = longest_variables},
                 {.type = FCGI_STDIN, .longest = longest_body}}} {}

std::uint16_t RequestRecords::id() const {
    return static_cast<std::uint16_t>(header_[2] << 8 | header_[3]);
}

std::size_t RequestRecords::length() const {
    return static_cast<std::size_t>(header_[4]) << 8 | header_[5];
}

RequestRecords::State RequestRecords::read(std::string_view bytes) {
    size_ += bytes.size();
    if (size_ > longest_records) return State::refused;
    while (!bytes.empty()) {
        if (stage_ == end) return State::refused;
        std::size_t used = 1;
        if (header_size_ < header_.size()) {
            header_[header_size_++] = static_cast<std::uint8_t>(bytes.front());
            if (header_size_ == header_.size() && !begin_record()) return State::refused;
        } else if (content_left_ > 0) {
            used = std::min(bytes.size(), content_left_);
            keep(bytes.substr(0, used));
            content_left_ -= used;
        } else {
            used = std::min(bytes.size(), padding_left_);
            padding_left_ -= used;
        }
        bytes.remove_prefix(used);
        const bool is_at_end =
            header_size_ == header_.size() && content_left_ == 0 && padding_left_ == 0;
        if (is_at_end && !end_record()) return State::refused;
    }
    return stage_ == end ? State::whole : State::more;
}

// Returns false when the record whose header has arrived does not belong to the request.
bool RequestRecords::begin_record() {
    content_left_ = length();
    padding_left_ = header_[6];
    if (header_[0] != FCGI_VERSION_1 || header_[1] != contents_[stage_].type) return false;
    if (stage_ != begin_stage) return id() == request_id_;
    request_id_ = id();
    return request_id_ != FCGI_NULL_REQUEST_ID && length() == sizeof(FCGI_BeginRequestBody);
}

void RequestRecords::keep(std::string_view bytes) {
    auto& content = contents_[stage_];
    content.is_too_long =
        content.is_too_long || content.bytes.size() + bytes.size() > content.longest;
    if (content.is_too_long)
        std::string().swap(content.bytes);
    else
        content.bytes += bytes;
}

// Returns false when the request is not one to be answered.
bool RequestRecords::end_record() {
    header_size_ = 0;
    const auto& bytes = contents_[stage_].bytes;
    if (stage_ == begin_stage) {
        if (bytes[0] != 0 || bytes[1] != FCGI_RESPONDER) return false;
    } else {
        if (length() > 0) return true;
        if (stage_ == variables_stage && !are_variables(bytes)) return false;
    }
    ++stage_;
    return true;
}

std::string RequestRecords::records() const {
    std::string records;
    records.reserve(variables().bytes.size() + body().bytes.size() + 64);
    append_record(records, FCGI_BEGIN_REQUEST, request_id_,
                  {"\0\1\0\0\0\0\0\0", sizeof(FCGI_BeginRequestBody)});
    for (const auto* content : {&variables(), &body()}) {
        for (std::string_view rest = content->bytes; !rest.empty();) {
            const auto part = rest.substr(0, FCGI_MAX_LENGTH);
            append_record(records, content->type, request_id_, part);
            rest.remove_prefix(part.size());
        }
        append_record(records, content->type, request_id_, {});
    }
    return records;
}

}  // namespace serve
