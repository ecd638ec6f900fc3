// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/print.hpp"
#include "serve/access_control.hpp"

namespace app {
namespace {
// Prints the new token on stdout. It is never shown again.
int create_token(Services& services, const std::string& name) {
    const auto token = serve::add_token(*services.pool, name, base::system_clock_now());
    if (!token) return complain(token.error());
    fmt::print("{}\n", *token);
    tell("varve: this token is shown only once. In a feed reader, add token=… to the feed URL. "
         "In a browser, enter it as the password.\n");
    if (!services.config.site.is_private)
        tell("varve: [site] private is not set to yes, so everybody can read the site\n");
    return ok;
}

int revoke_token(Services& services, const std::string& name) {
    const auto revoked = serve::revoke_token(*services.pool, name);
    if (!revoked) return complain(revoked.error().text, failed);
    fmt::print("revoked; a running server rejects it within a second\n");
    return ok;
}

int list_tokens(Services& services, bool json) {
    const auto tokens = serve::list_tokens(*services.pool);
    print_list(json, "tokens", [&](base::JsonWriter& report) {
        for (const auto& token : tokens)
            report.begin_object()
                .field("name", token.name)
                .field("created_at", token.created_at)
                .end_object();
    });
    return ok;
}

}  // namespace

void add_token(Line& line) {
    auto& name = line.make<std::string>();
    auto* command = line.program.add_subcommand("token", "Manage who may read a private site");
    command->require_subcommand(1);
    auto* adding =
        command->add_subcommand("add", "Create a token and print it; it is shown only once");
    adding->add_option("name", name, "Name of the reader")->required();
    adding->callback(line.configured(create_token, name));
    auto* revoking = command->add_subcommand("revoke", "Revoke a token");
    revoking->add_option("name", name, "Name of the reader")->required();
    revoking->callback(line.configured(revoke_token, name));
    auto* listing = command->add_subcommand("list", "List who has a token, and since when");
    listing->callback(line.configured(list_tokens, line.json_flag(listing)));
}

}  // namespace app
