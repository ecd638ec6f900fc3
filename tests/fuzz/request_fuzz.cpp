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
#include "serve/requests.hpp"

namespace {

using namespace serve;

std::string query_in(const std::string& address) {
    const auto question = address.find('?');
    return question == std::string::npos ? std::string() : address.substr(question + 1);
}

// Parses to a value whose address parses to the same value, or is refused as a client error.
template <class Parse, class Address>
void check(std::string_view query, Parse&& parse, Address&& address_of_it) {
    const auto parsed = parse(query);
    if (!parsed) return require(parsed.error().status == 400 || parsed.error().status == 414);
    const auto address = address_of_it(*parsed);
    // Escapes can make an address longer than the accepted query.
    if (query_in(address).size() > longest_query) return;
    const auto again = parse(query_in(address));
    require(again.has_value() && address_of_it(*again) == address);
}

template <class PageRequest>
void check_page(std::string_view query) {
    check(query, parse_request<PageRequest>,
          [](const PageRequest& request) { return url_of(request); });
}

void check_queries(std::string_view query) {
    constexpr std::size_t most = 1000;
    const auto feed_address = [](const FeedRequest& feed) { return url_of(feed); };
    for (const auto document : {Document::feed, Document::archive}) {
        check(query, [&](auto q) { return parse_feed_request(q, most, document); }, feed_address);
        check(
            query, [&](auto q) { return parse_release_feed_request("WS1", q, most, document); },
            feed_address);
    }
    check_page<HistoryRequest>(query);
    check_page<ObjectRequest>(query);
    check_page<DiffRequest>(query);
    check_page<HomeRequest>(query);
    check_page<SuggestRequest>(query);
    check_page<SourcesRequest>(query);
    check_page<ListRequest>(query);
    check_page<WatchRequest>(query);
    check_page<ReleasesRequest>(query);
    if (const auto watch = parse_request<WatchRequest>(query))
        require(fitting_url_of(*watch).size() < longest_list_query);
    check(query, parse_request<query::ContentsQuery>,
          [](const auto& contents) { return release_url_of("WS1", contents); });
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
    (void)names_tag(field, "\"x\"");
    require(token_in(field).size() <= field.size());
    require(client_of(field).size() <= 64);
}

}  // namespace

void fuzz(std::string_view text) {
    check_queries(text);
    check_body(text);
    check_fields(text);
}
