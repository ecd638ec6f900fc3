// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "net/transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/socket.h>
#include <utility>

#include "base/text.hpp"

namespace net {
namespace {

constexpr std::size_t most_bytes_of_fields = 64 << 10;

// RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return base::is_printable(c) &&
               std::string_view(" \"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
    });
}

// RFC 9110 section 5.5; bytes of other encodings than ASCII pass.
bool is_field_value(std::string_view text) {
    return std::ranges::none_of(text, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
    });
}

bool has_field(const std::vector<Field>& fields, std::string_view name) {
    return find_field(fields, name).has_value();
}

}  // namespace

std::optional<std::string> Transfer::wrong_field() const {
    for (const auto& [name, value] : request_.fields) {
        if (!is_token(name)) return "a field has a name that is not a token";
        if (!is_field_value(value)) return "the field " + name + " has a control character";
    }
    return std::nullopt;
}

std::string certificate_file() {
    // Nobody changes the environment.
    const char* file = std::getenv("SSL_CERT_FILE");  // NOLINT(concurrency-mt-unsafe)
    return file == nullptr ? "" : file;
}

void Transfer::set_up(CURL* easy, const AddressGuard& guard, const std::string& certificates) {
    const auto set = [&](CURLoption option, auto value) { set_option(easy, option, value); };
    guard_ = &guard;
    set(CURLOPT_URL, request_.url.text.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PROXY, "");  // whatever the environment says
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect.count()));
    if (!certificates.empty()) set(CURLOPT_CAINFO, certificates.c_str());
    // Otherwise libcurl keeps the connection until the server closes it, and looks through all that it keeps.
    if (find_field(request_.fields, "Connection") == "close") set(CURLOPT_FORBID_REUSE, 1L);
    if (asks_for_compression_) set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br");

    // Whatever the URL's host and port, as libcurl reads them.
    const auto text = text_of(address());
    const bool is_ipv4 = address().family == Address::Family::ipv4;
    connect_to_ = {};
    connect_to_.append(
        fmt::format("::{}:{}", is_ipv4 ? text : "[" + text + "]", request_.url.port));
    set(CURLOPT_CONNECT_TO, connect_to_.get());
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
    set(CURLOPT_OPENSOCKETDATA, this);

    sent_fields_ = {};
    // A field without a value would be left out; ';' is libcurl's word for one.
    for (const auto& [name, value] : request_.fields)
        sent_fields_.append(base::trim(value).empty() ? name + ";" : name + ": " + value);
    if (request_.method == Method::post) {
        const auto body = request_.body ? std::string_view(*request_.body) : std::string_view("");
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        set(CURLOPT_POSTFIELDS, body.data());
        // What libcurl would add: a type that nobody named, and a round trip before a large body.
        if (!has_field(request_.fields, "Content-Type")) sent_fields_.append("Content-Type:");
        sent_fields_.append("Expect:");
    }
    set(CURLOPT_HTTPHEADER, sent_fields_.get());
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_field);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_PRIVATE, this);
}

curl_socket_t Transfer::on_socket(void* self, curlsocktype,
                                  curl_sockaddr* socket_address) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    const auto address = address_of(socket_address->addr);
    transfer.refusal_ = address == transfer.address()
                            ? transfer.guard_->refusal(*address, transfer.request_.url.port)
                            : "libcurl connects to another address";
    if (transfer.refusal_) return CURL_SOCKET_BAD;
    return ::socket(socket_address->family, socket_address->socktype | SOCK_CLOEXEC,
                    socket_address->protocol);
}

std::size_t Transfer::on_field(char* bytes, std::size_t size, std::size_t count,
                               void* self) noexcept {
    return static_cast<Transfer*>(self)->take_line({bytes, size * count}) ? size * count : 0;
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count,
                              void* self) noexcept {
    // What libcurl takes for an error is another number than that of the bytes.
    return static_cast<Transfer*>(self)->take_body({bytes, size * count}) ? size * count
                                                                          : size * count + 1;
}

// Takes a line of an answer, also of an interim one and of the trailer, which follows the body.
bool Transfer::take_line(std::string_view line) {
    bytes_of_fields_ += line.size();
    is_too_large_ = bytes_of_fields_ > most_bytes_of_fields;
    if (is_too_large_) return false;
    if (has_fields_) return true;
    auto& fields = response_.fields;
    const auto text = base::trim(line);
    if (text.empty()) {
        has_fields_ = response_.status >= 200;
    } else if (line.starts_with("HTTP/")) {
        constexpr std::size_t digits = 3;
        const auto blank = std::min(text.find(' '), text.size() - 1);
        response_.status =
            static_cast<int>(base::parse_count(text.substr(blank + 1, digits)).value_or(0));
        fields.clear();
    } else if (base::is_blank(line.front()) && !fields.empty()) {  // RFC 9112 section 5.2
        fields.back().value.append(" ").append(text);
    } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        fields.push_back({std::string(base::trim(text.substr(0, colon))),
                          std::string(base::trim(text.substr(colon + 1)))});
    }
    return true;
}

bool Transfer::take_body(std::string_view bytes) {
    const auto room = request_.most_body - response_.body.size();
    response_.body += bytes.substr(0, room);
    is_too_large_ = bytes.size() > room;
    return !is_too_large_;
}

bool Transfer::could_not_connect(CURLcode code) const {
    // libcurl has no deadline but that of the connection, which includes TLS.
    return !refusal_ && (code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT);
}

bool Transfer::turn_to_uncoded(CURLcode code) {
    if (code != CURLE_BAD_CONTENT_ENCODING || request_.needed != Needed::whole_body) return false;
    response_ = {};
    bytes_of_fields_ = 0;
    has_fields_ = false;
    return std::exchange(asks_for_compression_, false);
}

FailureKind Transfer::kind_of(CURLcode code) const {
    if (refusal_) return FailureKind::refused;
    if (is_too_large_) return FailureKind::too_large;
    switch (code) {
        // How libcurl refuses a line of fields with more than 100 KB. It is not the end of the memory
        // either, which ends the program.
        case CURLE_OUT_OF_MEMORY: return FailureKind::too_large;
        case CURLE_COULDNT_RESOLVE_HOST: return FailureKind::look_up;
        case CURLE_COULDNT_CONNECT: return FailureKind::connect;
        case CURLE_OPERATION_TIMEDOUT: return FailureKind::timeout;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        case CURLE_SSL_INVALIDCERTSTATUS: return FailureKind::tls;
        default: return FailureKind::protocol;
    }
}

// libcurl's own deadline is that of the connection.
std::string Transfer::what_was_late() const {
    const auto connect = std::to_string(request_.connect.count());
    if (addresses_.empty()) return "no answer from the name servers within " + connect + " ms";
    const bool is_overdue = deadline && *deadline <= std::chrono::steady_clock::now();
    if (!is_overdue) return "no connection in " + connect + " ms";
    return "no whole answer in " + std::to_string(request_.total.count()) + " ms";
}

Transfer::Outcome Transfer::outcome(CURLcode code) {
    if (has_fields_ && (code == CURLE_OK || request_.needed == Needed::status)) {
        response_.is_cut = code != CURLE_OK;
        return std::move(response_);
    }
    const auto kind = kind_of(code);
    if (refusal_) return tl::unexpected(Failure{kind, *refusal_});
    if (kind == FailureKind::too_large) {
        const bool by_body = has_fields_ && bytes_of_fields_ <= most_bytes_of_fields;
        const auto most = by_body ? request_.most_body : most_bytes_of_fields;
        return tl::unexpected(
            Failure{kind, std::string(by_body ? "the body has" : "the fields have") +
                              " more than " + std::to_string(most) + " bytes"});
    }
    if (code == CURLE_OPERATION_TIMEDOUT) return tl::unexpected(Failure{kind, what_was_late()});
    return tl::unexpected(
        Failure{kind, error_.front() != '\0' ? error_.data() : curl_easy_strerror(code)});
}

}  // namespace net
