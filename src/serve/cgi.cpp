// SPDX-License-Identifier: MIT
#include "serve/cgi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "net/address.hpp"
#include "serve/server.hpp"

namespace serve {

namespace {

constexpr std::size_t longest_path = 2048;   // bytes before decoding; above: 414
constexpr std::size_t longest_field = 8192;  // bytes of a field that is read; above: 400

// The fields that routes read. Others are dropped, so that a request takes no memory for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> known_fields = {{
    {"HTTP_ACCEPT", "accept"},
    {"HTTP_ACCEPT_ENCODING", "accept-encoding"},
    {"HTTP_AUTHORIZATION", "authorization"},
    {"HTTP_HOST", "host"},
    {"HTTP_IF_MODIFIED_SINCE", "if-modified-since"},
    {"HTTP_IF_NONE_MATCH", "if-none-match"},
    {"HTTP_ORIGIN", "origin"},
    {"HTTP_SEC_FETCH_SITE", "sec-fetch-site"},
}};

// The variables that contain the path of a request; views into the caller's strings.
struct PathVariables {
    std::optional<std::string_view> request_uri;  // as the client sent it
    std::string_view script_name;                 // decoded by the web server
    std::string_view path_info;                   // likewise
};

void read_field(std::string_view name, std::string_view value, Request& request) {
    const auto field = std::find_if(known_fields.begin(), known_fields.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (field == known_fields.end()) return;
    if (value.size() > longest_field)
        request.error =
            HttpError{400, "The header field " + std::string(field->second) + " is too long."};
    else
        request.fields.emplace(field->second, value);
}

// Returns the address in "ADDRESS", "ADDRESS:PORT" or "[IPv6]:PORT", as proxies write it, in one spelling; empty for
// everything else, so that all of that is one client.
std::string client_address_in(std::string_view text) {
    if (text.starts_with('['))
        text = halves_of(text.substr(1), ']').first;
    else if (text.find(':') == text.rfind(':'))
        text = halves_of(text, ':').first;
    const auto address = net::parse_address(text);
    return address ? net::text_of(*address) : std::string();
}

void read_variable(std::string_view name, std::string_view value, Request& request,
                   PathVariables& path) {
    if (name.starts_with("HTTP_")) return read_field(name, value, request);
    if (name == "REQUEST_METHOD") request.method = value;
    if (name == "QUERY_STRING") request.query = value;
    if (name == "REMOTE_ADDR") request.client_address = client_address_in(value);
    // Web servers set these two for requests without a body as well.
    if (name == "CONTENT_LENGTH" && !value.empty())
        request.fields.emplace("content-length", value);
    if (name == "CONTENT_TYPE" && value.size() <= longest_field)
        request.fields.emplace("content-type", value);
    if (name == "REQUEST_URI") path.request_uri = value;
    if (name == "SCRIPT_NAME") path.script_name = value;
    if (name == "PATH_INFO") path.path_info = value;
}

// Returns "/changes/rss" for "https://x.org/changes/rss?a=b" (absolute form) and for
// "/changes/rss?a=b".
std::string_view path_in(std::string_view uri) {
    uri = uri.substr(0, uri.find_first_of("?#"));
    if (uri.starts_with('/')) return uri;
    const auto authority = uri.find("://");
    if (authority == std::string_view::npos) return uri;
    const auto path = uri.find('/', authority + 3);
    return path == std::string_view::npos ? "/" : uri.substr(path);
}

Result<std::string> decoded_path(const PathVariables& variables) {
    if (!variables.request_uri) {
        auto path = std::string(variables.script_name) + std::string(variables.path_info);
        if (path.empty())
            return fail(500,
                        "The web server passes no REQUEST_URI, the address that was asked for.");
        return path;
    }
    const auto raw = path_in(*variables.request_uri);
    if (raw.size() > longest_path) return fail(414, "The path is too long.");
    auto path = base::percent_decode(raw, base::Plus::literal);
    if (!path) return fail(400, "The path has an invalid percent escape.");
    if (!base::is_legal_text(*path)) return fail(400, "The path is not valid UTF-8.");
    return std::move(*path);
}

// Returns "/rss" for a script "/cgi-bin/rss".
std::string script_path(const PathVariables& variables) {
    const auto script = variables.script_name.substr(variables.script_name.rfind('/') + 1);
    return "/" + std::string(script) + std::string(variables.path_info);
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Returns how long the body is by CONTENT_LENGTH; nullopt when that is missing or no length.
std::optional<std::size_t> announced_length(const Request& request) {
    const auto length = base::parse_integer(request.field("content-length"));
    if (!length || *length < 0) return std::nullopt;
    return static_cast<std::size_t>(*length);
}

// Reads the body, since a web server would lose the response to an unread one, and keeps that of POST. The web server
// limits how long a client may take to send it.
void read_body(Request& request, int input) {
    const bool is_kept = request.method == "POST";
    const auto announced = announced_length(request);
    if (is_kept && !announced) {
        request.body_error = HttpError{411, "The request has no Content-Length."};
        return;
    }
    const auto length = announced.value_or(0);
    auto left = std::min(length, longest_dropped_body);
    std::string body;
    std::array<char, 8192> piece;
    while (left > 0) {
        const auto count = ::read(input, piece.data(), std::min(left, piece.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        left -= static_cast<std::size_t>(count);
        if (is_kept && length <= longest_body)
            body.append(piece.data(), static_cast<std::size_t>(count));
    }
    if (!is_kept) return;
    if (length > longest_body)
        request.body_error = body_too_long();
    else
        set_body(request, std::move(body));
}

}  // namespace

std::string base_path_of(std::string_view base_url) {
    auto path = path_in(base_url);
    while (path.ends_with('/')) path.remove_suffix(1);
    return base::percent_decode(path, base::Plus::literal).value_or(std::string(path));
}

std::string path_below(std::string_view path, std::string_view base_path) {
    constexpr std::string_view old_links = "/db/rss";
    if (path == old_links) return std::string(path);
    if (!path.starts_with(base_path)) return {};
    path.remove_prefix(base_path.size());
    if (path.empty()) return "/";  // base_url as people type it, without a slash
    return path.starts_with('/') ? std::string(path) : std::string();
}

Request request_of(const char* const* variables, Protocol protocol) {
    std::vector<Variable> pairs;
    for (; *variables != nullptr; ++variables) {
        const std::string_view variable = *variables;
        const auto equals = variable.find('=');
        if (equals == std::string_view::npos) continue;
        pairs.push_back({variable.substr(0, equals), variable.substr(equals + 1)});
    }
    return request_of(pairs, protocol);
}

Request request_of(std::span<const Variable> variables, Protocol protocol) {
    Request request;
    PathVariables path_variables;
    for (const auto& [name, value] : variables)
        read_variable(name, value, request, path_variables);
    if (protocol == Protocol::cgi) {
        request.path = script_path(path_variables);
        return request;
    }
    const auto path = decoded_path(path_variables);
    if (path)
        request.path = path_below(*path, "");
    else
        request.error = path.error();
    return request;
}

void set_body(Request& request, std::string body) {
    const bool is_whole =
        request.field("content-length").empty() || announced_length(request) == body.size();
    if (is_whole)
        request.body = std::move(body);
    else
        request.body_error = HttpError{400, "The request body is incomplete."};
}

bool started_as_cgi(const char* const* variables) {
    bool has_gateway = false;
    for (; *variables != nullptr; ++variables)
        has_gateway =
            has_gateway || std::string_view(*variables).starts_with("GATEWAY_INTERFACE=");
    return has_gateway && !is_listening(STDIN_FILENO);
}

bool answer_cgi(const char* const* variables, int input, int output,
                const std::function<Response(const Request&)>& answer) {
    auto request = request_of(variables, Protocol::cgi);
    read_body(request, input);
    const auto response = answer(request);
    if (!write_all(output, head_of(response))) return false;
    if (!response.body || !response.send_body) return true;
    return write_all(output, *response.body);
}

}  // namespace serve
