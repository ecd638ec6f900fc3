// serve/fastcgi_records.hpp -- the records of FastCGI 1.0: requests read from bytes that may be
// hostile, and responses written.
// Pure: no I/O and no clock. An object of these classes belongs to one thread at a time.
// Source: FastCGI Specification 1.0, sections 3 to 5; types and numbers come from <fastcgi.h>.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/cgi.hpp"
#include "serve/http.hpp"

namespace serve {

// Variables of one request in all, as bytes of FCGI_PARAMS. More are read and dropped, and the
// request is answered with an error.
inline constexpr std::size_t longest_variables = 64 * 1024;
// Records between two answers that are no content of a request: those that begin or abort one,
// management records, and those of other requests. A peer that sends more is disconnected.
inline constexpr std::size_t most_other_records = 64;

// Reads the records that a web server sends on one connection, in pieces of any size. Holds one
// request at a time; memory is at most longest_variables, longest_body and a small constant.
class RecordReader {
   public:
    // What FCGI_GET_VALUES is answered with.
    struct Capacity {
        std::size_t connections = 1, requests = 1;
    };
    enum class Event : unsigned char {
        more,       // all bytes are used, and nothing is to be done
        request,    // a request is complete: answer it and call answered()
        reply,      // send reply(); then close the connection when reply_closes()
        malformed,  // not FastCGI, or beyond a limit: close the connection
    };
    struct Step {
        Event event;
        std::size_t used;  // bytes; read() takes those that follow next
    };

    explicit RecordReader(Capacity capacity) : capacity_(capacity) {}

    // Reads bytes up to the end of the first record that has an effect outside. After `malformed`
    // it must not be called again, after `request` not before answered().
    //   cost  linear in the bytes used
    [[nodiscard]] Step read(std::string_view bytes);

    // True when no record has begun since the last request: the connection may stay idle.
    [[nodiscard]] bool is_at_rest() const {
        return stage_ == Stage::none && header_size_ == 0 && other_records_ == 0;
    }

    // ---- after `request` ----

    [[nodiscard]] std::uint16_t request_id() const { return request_id_; }
    // True when the web server wants to keep the connection, and this reader can go on.
    [[nodiscard]] bool keeps_connection() const { return keeps_connection_ && !is_cut_; }
    // True when the input of the request is longer than longest_body, so that it was not read to
    // its end.
    [[nodiscard]] bool is_cut() const { return is_cut_; }
    // Returns what the variables describe, with the body of POST; with the error 400 when they exceed
    // longest_variables.
    [[nodiscard]] Request request(std::string_view base_path) const;
    // Ends the request: its id may be used again, and records are counted anew.
    void answered();

    // ---- after `reply` ----

    [[nodiscard]] const std::string& reply() const { return reply_; }
    [[nodiscard]] bool reply_closes() const { return reply_closes_; }

   private:
    enum class Stage : unsigned char { none, variables, input };
    enum class Content : unsigned char { ignored, small, variables, input };

    [[nodiscard]] std::optional<Content> content_of_record() const;
    [[nodiscard]] bool read_content(std::string_view bytes);
    void keep_input(std::string_view bytes);
    [[nodiscard]] Event end_record();
    [[nodiscard]] Event begin_request();
    [[nodiscard]] Event end_variables();
    [[nodiscard]] Event answer_management();
    [[nodiscard]] Event end_with(std::uint16_t id, std::uint8_t status, bool closes);
    void end_request();
    [[nodiscard]] std::uint8_t type() const { return header_[1]; }
    [[nodiscard]] std::uint16_t id() const;
    [[nodiscard]] std::size_t length() const;

    const Capacity capacity_;

    std::array<std::uint8_t, 8> header_{};
    std::size_t header_size_ = 0;  // bytes of the header that have arrived
    std::size_t content_left_ = 0, padding_left_ = 0;
    Content content_ = Content::ignored;
    std::string small_;  // content of a begin or management record

    Stage stage_ = Stage::none;     // of the request; `none`: there is none
    std::uint16_t request_id_ = 0;  // 0: there is no request
    bool keeps_connection_ = false;
    bool is_too_long_ = false;  // the variables exceed their limit
    bool is_cut_ = false;
    std::string variables_;     // FCGI_PARAMS so far
    bool keeps_input_ = false;  // it is POST
    bool is_input_too_long_ = false;
    std::string input_;              // FCGI_STDIN so far, where it is kept
    std::size_t dropped_ = 0;        // bytes of content read and dropped since the last request
    std::size_t other_records_ = 0;  // that are no content of a request, since the last one

    std::string reply_;
    bool reply_closes_ = false;
};

// A response as the records of its request: FCGI_STDOUT with head and body, its end, and
// FCGI_END_REQUEST. The body is shared with the response, not copied.
class ResponseRecords {
   public:
    ResponseRecords(std::uint16_t request_id, const Response& response);
    ResponseRecords(const ResponseRecords&) = delete;
    ResponseRecords& operator=(const ResponseRecords&) = delete;

    // The bytes left to send, in order; empty when all are sent.
    [[nodiscard]] std::span<const std::string_view> left() const;
    // Removes bytes from the front of left().
    void remove_prefix(std::size_t bytes);

   private:
    std::string frames_;  // all that is not body: headers of records, head, end
    Body body_;
    std::vector<std::string_view> pieces_;  // of frames_ and *body_
    std::size_t first_ = 0;                 // of the pieces left
};

}  // namespace serve
