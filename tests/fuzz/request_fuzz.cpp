// Queries and request fields of any bytes, through all that reads them: nothing breaks, what is
// refused is the client's fault, and what is let through has one spelling.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-request_fuzz  this one
// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "serve/feed_query.hpp"
#include "serve/gate.hpp"
#include "serve/limiter.hpp"
#include "serve/negotiate.hpp"
#include "serve/page_query.hpp"
#include "serve/query.hpp"

namespace {

using namespace serve;

void require(bool holds) {
    if (!holds) std::abort();
}

std::string query_in(const std::string& address) {
    const auto question = address.find('?');
    return question == std::string::npos ? std::string() : address.substr(question + 1);
}

// Parses to a value whose address parses to the same value; or is refused as the client's fault.
template <class Parse, class Address>
void check(std::string_view query, Parse&& parse, Address&& address_of_it) {
    const auto parsed = parse(query);
    if (!parsed) return require(parsed.error().status == 400 || parsed.error().status == 414);
    const auto address = address_of_it(*parsed);
    // Escapes may make an address longer than what is taken.
    if (query_in(address).size() > longest_query) return;
    const auto again = parse(query_in(address));
    require(again.has_value() && address_of_it(*again) == address);
}

template <class T>
std::string address(const T& query) {
    return address_of(query);
}

void check_queries(std::string_view query) {
    constexpr std::size_t most = 1000;
    for (const auto document : {Document::feed, Document::archive}) {
        check(
            query, [&](auto q) { return parse_feed_query(q, most, document); },
            address<FeedQuery>);
        check(
            query, [&](auto q) { return parse_release_feed_query("WS1", q, most, document); },
            address<FeedQuery>);
    }
    check(query, parse_history_query, address<HistoryQuery>);
    check(query, parse_diff_query, address<DiffQuery>);
    check(query, parse_home_query, address<HomeQuery>);
    check(query, parse_suggest_query, address<HomeQuery>);
    check(query, parse_opml_query, opml_address_of);
    check(query, parse_contents_query,
          [](const auto& contents) { return contents_address_of("WS1", contents); });
    const auto taken = take_out(query, "token");
    require(take_out(taken.rest, "token").values.empty());
}

void check_fields(std::string_view field) {
    constexpr std::array<std::string_view, 3> types = {"application/rss+xml",
                                                       "application/atom+xml", "text/html"};
    require(best_of(field, types) < types.size());
    (void)coding_for(field);
    (void)prefers_html(field);
    (void)accepts_delta(field);
    (void)names_tag(field, "\"x\"");
    require(token_in(field).size() <= field.size());
    require(client_of(field).size() <= 64);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_queries(text);
    check_fields(text);
    return 0;
}
