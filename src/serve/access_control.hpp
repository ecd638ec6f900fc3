// serve/access_control.hpp -- authentication on a private site. Readers send a token: in the query
// as token= (feed readers), as the password of HTTP Basic (browsers), or as Bearer (scripts).
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.hpp"
#include "serve/tokens.hpp"

namespace serve {

// Returns the token in the field Authorization; empty: there is none. Pure.
[[nodiscard]] std::string token_in(std::string_view authorization);

// Checks that the request has a valid token.
//   query_tokens  the values of token=, which the query no longer contains
//   returns       401 without a valid token, 503 when tokens cannot be checked; nullopt: allowed
[[nodiscard]] std::optional<HttpError> check_token(TokenHolders& holders, const Request& request,
                                                   const std::vector<std::string>& query_tokens);

// Marks the response of a private site: no shared cache stores it, and browsers do not send its
// URL, which may contain a token, to other sites.
//   query_tokens  as above: a redirection keeps the token of a client that sent one in the query
void mark_private(Response& response, const std::vector<std::string>& query_tokens);

}  // namespace serve
