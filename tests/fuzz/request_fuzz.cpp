// Queries and request fields of any bytes: nothing breaks, refusals are client errors, and
// accepted requests have one spelling.
// SPDX-License-Identifier: MIT
#include <array>
#include <string>

#include "fuzz/fuzz.hpp"
#include "query/pasted_names.hpp"
#include "serve/access_control.hpp"
#include "serve/form.hpp"
#include "serve/negotiation.hpp"
#include "serve/parameters.hpp"
#include "serve/routes.hpp"

namespace {

using namespace serve;

// Parses to an address that parses to the same one, or is refused as a client error.
void check_query(Route route, const std::string& path, std::string_view query) {
    constexpr std::size_t most = 1000;
    const auto parsed = Query::parse(route, path, query, most);
    if (!parsed) return require(parsed.error().status == 400 || parsed.error().status == 414);
    const auto canonical = parsed->canonical();
    // Escapes can make an address longer than the accepted query.
    if (canonical.size() > longest_query) return;
    const auto again = Query::parse(route, path, canonical, most);
    require(again.has_value() && *again == *parsed);
}

void check_queries(std::string_view query) {
    for (const auto& [route, path] : {std::pair{Route::feed, "/rss"},
                                      {Route::archive, "/rss/archive"},
                                      {Route::release_feed, "/release/WS1"},
                                      {Route::release_archive, "/release/WS1/archive"},
                                      {Route::releases_feed, "/releases"},
                                      {Route::release, "/release/WS1"},
                                      {Route::releases, "/releases"},
                                      {Route::history, "/history"},
                                      {Route::object, "/object"},
                                      {Route::difference, "/diff"},
                                      {Route::home, "/"},
                                      {Route::suggest, "/suggest"},
                                      {Route::sources, "/feeds"},
                                      {Route::opml, "/opml"},
                                      {Route::watch, "/watch"},
                                      {Route::health, "/healthz"}})
        check_query(route, path, query);
    if (const auto watch = Query::parse(Route::watch, "/watch", query, 1))
        require(fitting_url(*watch, watch->objects(), watch->all("pasted"),
                            watch->number("left_out", 0))
                    .size() < longest_list_query);
    const auto extracted = extract_parameter(query, "token");
    require(extract_parameter(extracted.rest, "token").values.empty());
}

// A form in either encoding, and a pasted list.
void check_body(std::string_view body) {
    constexpr auto types = std::to_array<std::string_view>(
        {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"});
    const auto check_form = [](std::string_view type, std::string_view text) {
        const auto form = parse_form(type, text);
        if (!form) return require(form.error().status == 400 || form.error().status == 415);
        for (const auto& field : form->fields) require_text(field.value);
    };
    for (const auto type : types) check_form(type, body);
    check_form(body, "--x\r\n");
    check_form(types[1],
               "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + std::string(body));
    for (const auto& line : query::pasted_lines(body)) {
        require(!line.empty());
        for (const auto& cell : line) require(!cell.empty());
    }
}

void check_fields(std::string_view field) {
    constexpr std::array<std::string_view, 3> types = {"application/rss+xml",
                                                       "application/atom+xml", "text/html"};
    require(preferred_type(field, types) < types.size());
    (void)preferred_coding(field);
    (void)prefers_html(field);
    Request request;
    request.fields = {{"if-none-match", std::string(field)}};
    (void)is_not_modified(request, {.entity_tag = "\"x\""});
    require(token_in(field).size() <= field.size());
    require(client_of(field).size() <= 64);
}

}  // namespace

void fuzz(std::string_view text) {
    check_queries(text);
    check_body(text);
    check_fields(text);
}
