// serve/gate.hpp -- who may read a private site: readers show a token, as ?token= (feed readers)
// or as the password of HTTP Basic (browsers), or as Bearer (scripts).
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/desk.hpp"
#include "serve/http.hpp"

namespace serve {

// The token in a field Authorization; empty: there is none. Pure.
[[nodiscard]] std::string token_in(std::string_view authorization);

// Why this request may not be answered: 401, or 503 where tokens can't be looked up. nullopt:
// one of its tokens is somebody's.
//   of_query  those of token=, which the query is without by now
[[nodiscard]] std::optional<Refusal> stop_at_gate(const OperatorDesk& desk,
                                                  const Request& request,
                                                  const std::vector<std::string>& of_query);

// What an answer of a private site says to caches and browsers: nothing of it is kept by others,
// and no address of it (it may hold a token) is told to another site.
//   of_query  as above: who came by token= goes on by it where the answer sends elsewhere, and
//             to nobody else is it sent
void make_private(Response& response, const std::vector<std::string>& of_query);

}  // namespace serve
