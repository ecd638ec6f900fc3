// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/long_running.hpp"
#include "app/serving.hpp"
#include "base/log.hpp"
#include "serve/cgi.hpp"
#include "serve/server.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using ::serve::Request;

// Answers the client of a CGI program. Only the web server's log shows what goes to stderr.
int excuse_cgi(const base::Error& why) {
    base::log::error("cannot start", {{"reason", why.text}});
    fmt::print(
        "Status: 503 Service Unavailable\r\nRetry-After: 60\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n\r\n"
        "The change histories are not available right now. Please try again in a minute.\n");
    return ok;
}

int answer_cgi(const Config& config) {
    auto services = open_services(config, Waiting::request);
    if (!services) return excuse_cgi(services.error());
    look_at_build(*services->current);
    const auto site = open_site(*services, Asker::cgi_client);
    const bool sent =
        ::serve::answer_cgi(::environ, STDIN_FILENO, STDOUT_FILENO,
                            [&](const Request& request) { return site->answer(request); });
    return sent ? ok : failed;
}

// Until a signal that stops it.
void mind(Server& server, StopSignals& signals) {
    for (;;) {
        const auto signal = signals.wait(1h);
        if (signal && *signal != SIGHUP) return;
        if (signal) server.reload();
    }
}

// Whatever is being recorded is in a transaction, so it is as if the process had been killed.
void stop_at_once() {
    base::log::warning("stopped before all requests were answered");
    std::_Exit(ok);
}

// Returns what answers until it is destroyed.
//   http  the address to listen at for HTTP; empty: [serve] listen, for FastCGI
base::Result<std::unique_ptr<::serve::Server>> start_server(
    const ServeConfig& config, const std::string& http, const ::serve::Server::Answer& answer) {
    auto listener = ::serve::listen_on(http.empty() ? config.listen : http);
    if (!listener) return tl::unexpected(listener.error());
    // Paths come whole: base_url, and with it its path, may change while this runs.
    if (http.empty())
        return ::serve::start_fastcgi(std::move(*listener), {.workers = config.threads}, answer);
    if (!listener->is_loopback() && !config.trusted_front)
        return base::fail(base::ErrorKind::refused,
                          "--http " + http +
                              " is not an address of this host alone, such as 127.0.0.1:8080; "
                              "set [serve] trusted_front = yes if only a proxy can reach it");
    return ::serve::start_http(std::move(*listener),
                               {.workers = config.threads, .trusted_front = config.trusted_front},
                               answer);
}

//   http  as start_server() takes it
int serve(const Config& config, const std::string& http) {
    base::log::send_to(2, config.log_level);
    StopSignals signals;
    std::optional<StopLimit> limit;  // ends last
    ::serve::Metrics metrics;
    auto serving = open_serving(config, metrics);
    if (!serving) return complain(serving.error());
    Server server(std::move(*serving), metrics);
    server.wait_for_first_look(2s);
    auto running = start_server(config.serve, http,
                                [&](const Request& request) { return server.answer(request); });
    if (!running) {
        const bool is_no_address = running.error().kind == base::ErrorKind::malformed;
        return complain(running.error().text,
                        is_no_address ? wrong_use : status_of(running.error()));
    }
    base::log::info("serving", {{"listen", http.empty() ? config.serve.listen : http},
                                {"base_url", config.site.base_url}});
    mind(server, signals);
    limit.emplace(server.stop_within(), stop_at_once);
    running->reset();
    base::log::info("stopped");
    return ok;
}

}  // namespace

int serve_cgi(const std::filesystem::path& config_file) {
    const auto config = load_config(config_file);
    if (!config) return excuse_cgi(config.error());
    base::log::send_to(2, config->log_level);
    return answer_cgi(*config);
}

void add_serve(Line& line) {
    auto& http = line.make<std::string>();
    auto* command = line.program.add_subcommand(
        "serve", "Answer requests: HTTP, FastCGI, or one as a CGI program");
    command->add_option("--http", http,
                        "Answer HTTP at this address of this host, e.g. 127.0.0.1:8080; default: "
                        "FastCGI at [serve] listen");
    command->callback(line.configured(serve, http));
}

}  // namespace app
