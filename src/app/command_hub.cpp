// SPDX-License-Identifier: MIT
#include <csignal>
#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/long_running.hpp"
#include "app/print.hpp"
#include "app/serving.hpp"
#include "base/log.hpp"
#include "hub/hub.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using store::Access;
using store::Transaction;

// How long a delivery in progress may hold up the end; TimeoutStopSec in systemd/varve-hub.service is longer.
constexpr auto wait_for_deliveries = 10s;

hub::Site site_of(serve::Site& site, const Services& services) {
    return {.hub_url = services.config.site.hub_url,
            .read_news = [&site](const hub::Topic& topic,
                                 std::string_view since) { return site.news(topic, since); },
            .may_read = [&site](std::string_view digest) { return site.may_read(digest); },
            .current_release =
                [&services] {
                    const auto build = services.current->build();
                    return build ? build->release().version : std::string();
                }};
}

void write_numbers(base::JsonWriter& json, const hub::HubNumbers& numbers) {
    json.begin_object()
        .field("subscriptions", numbers.subscriptions)
        .field("topics", numbers.topics)
        .field("to_verify", numbers.to_verify)
        .field("to_deliver", numbers.waiting)
        .field("failing", numbers.failing)
        .field("waiting_since", base::rfc3339_or(numbers.waiting_since))
        .field("looked_at", base::rfc3339_or(numbers.looked_at));
    json.key("outcomes").begin_object();
    for (const auto& [name, count] : numbers.outcomes) json.field(name, count);
    json.end_object().end_object();
}

// Runs a hub until a signal stops it.
int run_hub(const Config& config) {
    base::log::send_to(2, config.log_level);
    if (!config.hub_enabled)
        return complain("[hub] enabled is not set to yes, so nobody can subscribe", wrong_use);
    StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    auto services = open_services(config);
    if (!services) return complain(services.error());
    const auto site = open_site(*services, Asker::operator_of_it);
    Housekeeping housekeeping(*services, pace_of(config.source));
    housekeeping.wait_for_first_look(2s);
    hub::HubOptions options;
    options.guard = net::AddressGuard(config.net_allow);
    options.user_agent =
        fmt::format("Varve/{} (+{})", program_version, services->config.site.base_url);
    auto hub = hub::Hub::make(*services->pool, site_of(*site, *services), std::move(options));
    if (!hub) return complain(hub.error().text, failed);
    base::log::info("hub started", {{"hub", services->config.site.hub_url}});
    const Worker worker{.name = "hub", .step = [&] { hub->step(500ms); }};
    if (!run_until_stopped(worker, signals, *services->pool, config.store)) return failed;
    hub->stop(wait_for_deliveries);
    base::log::info("hub stopped");
    return ok;
}

int hub_status(Services& services, bool json) {
    const auto numbers = store::perform(*services.pool, Access::read, hub::hub_numbers);
    print_report(json, [&](auto& report) { write_numbers(report, numbers); });
    return ok;
}

// Prints the subscriptions whose callback or topic contains `text`, without their secrets.
int list_subscriptions(Services& services, const std::string& text, bool json) {
    const auto load = [&](Transaction& transaction, std::int64_t last) {
        constexpr std::size_t at_once = 1000;
        return hub::list_subscriptions(transaction, last, text, at_once);
    };
    print_list(json, "subscriptions", [&](base::JsonWriter& report) {
        for_each_row(*services.pool, std::int64_t{0}, load, [&](const auto& entry) {
            report.begin_object()
                .field("id", entry.id)
                .field("topic", entry.topic)
                .field("callback", entry.callback)
                .field("expires_at", entry.expires_at)
                .field("pending", entry.is_pending)
                .field("signed", entry.is_signed)
                .field("waiting_since", entry.waiting_since)
                .field("tries", entry.tries)
                .field("failing_since", entry.failing_since)
                .end_object();
        });
    });
    return ok;
}

}  // namespace

void add_hub(Line& line) {
    auto* command = line.program.add_subcommand(
        "hub", "Run the WebSub hub, which delivers changes to subscribers, until it is stopped");
    command->require_subcommand(0, 1);
    auto* status = command->add_subcommand(
        "status", "Print how many subscriptions there are, and what waits");
    status->callback(line.configured(hub_status, line.json_flag(status)));
    auto& text = line.make<std::string>();
    auto* listing = command->add_subcommand("list", "List subscriptions");
    listing->add_option("text", text, "Only those whose callback or topic contains it");
    listing->callback(line.configured(list_subscriptions, text, line.json_flag(listing)));
    command->callback([command, run = line.configured(run_hub)] {
        if (command->get_subcommands().empty()) run();
    });
}

}  // namespace app
