// SPDX-License-Identifier: MIT
#include "serve/variables.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace serve {

namespace {

// The fields that a route reads. Others are left with the web server: a request costs the
// memory of what it is used for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> read_fields = {{
    {"HTTP_ACCEPT", "accept"},
    {"HTTP_ACCEPT_ENCODING", "accept-encoding"},
    {"HTTP_A_IM", "a-im"},
    {"HTTP_AUTHORIZATION", "authorization"},
    {"HTTP_IF_MODIFIED_SINCE", "if-modified-since"},
    {"HTTP_IF_NONE_MATCH", "if-none-match"},
}};

// The variables that make up a request's target; views into the caller's strings.
struct Target {
    std::optional<std::string_view> uri;  // REQUEST_URI: as the client sent it
    std::string_view script;              // SCRIPT_NAME, decoded by the web server
    std::string_view rest;                // PATH_INFO, likewise
};

void take_field(std::string_view name, std::string_view value, Request& request) {
    const auto field = std::find_if(read_fields.begin(), read_fields.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (field == read_fields.end()) return;
    if (value.size() > longest_field)
        request.fault = Refusal{400, "The field " + std::string(field->second) + " is too long."};
    else
        request.fields.emplace(field->second, value);
}

void take(std::string_view name, std::string_view value, Request& request, Target& target) {
    if (name.starts_with("HTTP_")) return take_field(name, value, request);
    if (name == "REQUEST_METHOD") request.method = value;
    if (name == "QUERY_STRING") request.query = value;
    if (name == "REMOTE_ADDR") request.peer = value;
    if (name == "REQUEST_URI") target.uri = value;
    if (name == "SCRIPT_NAME") target.script = value;
    if (name == "PATH_INFO") target.rest = value;
}

// "/changes/rss" of "https://x.org/changes/rss?a=b" (absolute form) and of "/changes/rss?a=b".
std::string_view path_in(std::string_view uri) {
    uri = uri.substr(0, uri.find_first_of("?#"));
    if (uri.starts_with('/')) return uri;
    const auto authority = uri.find("://");
    if (authority == std::string_view::npos) return uri;
    const auto path = uri.find('/', authority + 3);
    return path == std::string_view::npos ? "/" : uri.substr(path);
}

Answered<std::string> decoded_path(const Target& target) {
    if (!target.uri) return std::string(target.script) + std::string(target.rest);
    const auto raw = path_in(*target.uri);
    if (raw.size() > longest_path) return refuse(414, "The path is too long.");
    auto path = base::percent_decode(raw, base::Plus::literal);
    if (!path) return refuse(400, "The path has an invalid percent escape.");
    if (!base::is_legal_text(*path)) return refuse(400, "The path is no text in UTF-8.");
    return std::move(*path);
}

// "/rss" of a script "/cgi-bin/rss".
std::string script_path(const Target& target) {
    const auto slash = target.script.rfind('/');
    const auto script =
        slash == std::string_view::npos ? target.script : target.script.substr(slash + 1);
    return "/" + std::string(script) + std::string(target.rest);
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
    if (path.empty()) return "/";  // base_url as people type it
    return path.starts_with('/') ? std::string(path) : std::string();
}

Request request_of(const char* const* variables, std::string_view base_path, Via via) {
    Request request;
    Target target;
    for (; *variables != nullptr; ++variables) {
        const std::string_view variable = *variables;
        const auto equals = variable.find('=');
        if (equals == std::string_view::npos) continue;
        take(variable.substr(0, equals), variable.substr(equals + 1), request, target);
    }
    if (via == Via::cgi) {
        request.path = script_path(target);
        return request;
    }
    const auto path = decoded_path(target);
    if (path)
        request.path = path_below(*path, base_path);
    else
        request.fault = path.error();
    return request;
}

}  // namespace serve
