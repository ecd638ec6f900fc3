// serve/fastcgi_records.hpp -- one FastCGI request, checked before libfcgi reads it.
// libfcgi 2.4.2 aborts on lengths near 2^32, writes beyond its stack for FCGI_GET_VALUES, and waits
// without a deadline. So it is given only what has arrived whole and is one plain request.
// Pure: no I/O and no clock. An object belongs to one thread at a time.
// Source: FastCGI Specification 1.0, sections 3 to 5; types and numbers come from <fastcgi.h>.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "serve/http.hpp"

namespace serve {

// Names and values of one request in all, as bytes of FCGI_PARAMS. More are read and dropped.
inline constexpr std::size_t longest_variables = 64 * 1024;
// All records of a request. A peer that sends more is disconnected.
inline constexpr std::size_t longest_records = 8 * 1024 * 1024;

// Reads the records of the only request of a connection, in pieces of any size. Memory is at most
// longest_variables, longest_body and a small constant.
class RequestRecords {
   public:
    enum class State : unsigned char {
        more,     // the request goes on
        whole,    // it has ended
        refused,  // not FastCGI, beyond a limit, or more than one request with the role responder
    };

    RequestRecords();

    // Reads what the peer sends next. Must not be called after another state than `more`.
    //   cost  linear
    [[nodiscard]] State read(std::string_view bytes);

    // ---- of a whole request ----

    [[nodiscard]] bool are_variables_too_long() const { return variables().is_too_long; }
    [[nodiscard]] bool is_body_too_long() const { return body().is_too_long; }
    // Returns the request as records that libfcgi can read, without the flag FCGI_KEEP_CONN. What is
    // too long is empty.
    [[nodiscard]] std::string records() const;

   private:
    // What records of one type contain, and the stages of a request in their order.
    struct Content {
        std::uint8_t type;
        std::size_t longest;
        std::string bytes = {};
        bool is_too_long = false;
    };
    static constexpr std::size_t begin_stage = 0, variables_stage = 1, body_stage = 2, end = 3;

    [[nodiscard]] bool begin_record();
    void keep(std::string_view bytes);
    [[nodiscard]] bool end_record();
    [[nodiscard]] std::uint16_t id() const;
    [[nodiscard]] std::size_t length() const;
    [[nodiscard]] const Content& variables() const { return contents_[variables_stage]; }
    [[nodiscard]] const Content& body() const { return contents_[body_stage]; }

    std::array<Content, end> contents_;
    std::size_t stage_ = begin_stage;
    std::uint16_t request_id_ = 0;

    std::array<std::uint8_t, 8> header_{};
    std::size_t header_size_ = 0;  // bytes of the header that have arrived
    std::size_t content_left_ = 0, padding_left_ = 0;
    std::size_t size_ = 0;  // of all records so far
};

}  // namespace serve
