// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "serve/access_control.hpp"

namespace app {
namespace {

void print_text(const std::vector<serve::Token>& tokens) {
    for (const auto& token : tokens)
        fmt::print("{}  {}\n", token.created_at, on_one_line(token.name));
}

void write_tokens(base::JsonWriter& json, const std::vector<serve::Token>& tokens) {
    json.begin_object().key("tokens").begin_array();
    for (const auto& token : tokens)
        json.begin_object()
            .field("name", token.name)
            .field("created_at", token.created_at)
            .end_object();
    json.end_array().end_object();
}

}  // namespace

int add_token(const Config& config, const std::string& name) {
    const auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    const auto token = serve::add_token(*services->pool, name, base::system_clock_now());
    if (!token) return complain(token.error().text, status_of(token.error()));
    fmt::print("{}\n", *token);
    tell("varve: this token is shown only once. In a feed reader, add token=… to the feed URL. "
         "In a browser, enter it as the password.\n");
    if (!config.site.is_private)
        tell("varve: [site] private is not set to yes, so everybody can read the site\n");
    return ok;
}

int revoke_token(const Config& config, const std::string& name) {
    const auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    const auto revoked = serve::revoke_token(*services->pool, name);
    if (!revoked) return complain(revoked.error().text, failed);
    fmt::print("revoked; a running server rejects it within a second\n");
    return ok;
}

int list_tokens(const Config& config, bool json) {
    const auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    const auto tokens = serve::list_tokens(*services->pool);
    if (json)
        print_json([&](auto& writer) { write_tokens(writer, tokens); });
    else
        print_text(tokens);
    return ok;
}

}  // namespace app
