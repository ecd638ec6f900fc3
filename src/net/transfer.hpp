// net/transfer.hpp -- a request of a Client as a transfer of libcurl: its options and its result.
// Used by one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "net/address.hpp"
#include "net/curl.hpp"
#include "net/request.hpp"

namespace net {

// Stays where it is while libcurl has it, because libcurl points to its parts.
class Transfer {
   public:
    using Outcome = tl::expected<Response, Failure>;

    Transfer(RequestId id, Request request) : id_(id), request_(std::move(request)) {}
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    [[nodiscard]] RequestId id() const { return id_; }
    [[nodiscard]] const Request& request() const { return request_; }

    // Returns why the fields may not be sent: bytes in them would end a field, or the fields.
    [[nodiscard]] std::optional<std::string> wrong_field() const;

    // Addresses that may be connected to, at least one.
    void take_addresses(std::vector<Address> addresses) { addresses_ = std::move(addresses); }
    [[nodiscard]] const Address& address() const { return addresses_[at_]; }
    // Turns to the next address; false if this is the last one.
    bool turn_to_next_address() {
        if (at_ + 1 == addresses_.size()) return false;
        ++at_;
        return true;
    }

    // Turns to asking for the body as it is, because a server named a coding that the body does not have; false if it
    // was asked for like that before, or nobody needs it.
    bool turn_to_uncoded(CURLcode code);

    // Tells a handle without options to send the request to address().
    //   guard     judges the socket; lives as long as the handle has this transfer
    void set_up(CURL* easy, const AddressGuard& guard, const std::string& certificates);

    // True if nothing was sent, so that another address may be tried.
    [[nodiscard]] bool could_not_connect(CURLcode code) const;
    // Returns what the request has come to. To be asked once.
    //   code  with which libcurl ended it; CURLE_OPERATION_TIMEDOUT when its time was over
    [[nodiscard]] Outcome outcome(CURLcode code);

    [[nodiscard]] bool has_address() const { return !addresses_.empty(); }
    // True if a whole answer has begun: the server is there.
    [[nodiscard]] bool has_status() const { return has_fields_; }

    // What the loop notes of the request.
    CURL* handle = nullptr;  // while libcurl has it
    std::optional<std::chrono::steady_clock::time_point> sent_at, deadline;

   private:
    static std::size_t on_field(char* bytes, std::size_t size, std::size_t count,
                                void* self) noexcept;
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* self) noexcept;
    static curl_socket_t on_socket(void* self, curlsocktype purpose,
                                   curl_sockaddr* address) noexcept;
    bool take_line(std::string_view line);
    bool take_body(std::string_view bytes);
    [[nodiscard]] FailureKind kind_of(CURLcode code) const;
    [[nodiscard]] std::string what_was_late() const;

    const RequestId id_;
    const Request request_;
    bool asks_for_compression_ = request_.asks_for_compression;
    std::vector<Address> addresses_;
    std::size_t at_ = 0;

    const AddressGuard* guard_ = nullptr;
    CurlList sent_fields_, connect_to_;
    std::array<char, CURL_ERROR_SIZE> error_{};
    std::optional<std::string> refusal_;  // by the guard, of the socket
    bool is_too_large_ = false;

    Response response_;
    std::size_t bytes_of_fields_ = 0;
    bool has_fields_ = false;  // those of the final answer are whole
};

}  // namespace net
