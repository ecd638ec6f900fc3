// SPDX-License-Identifier: MIT
#include <csignal>
#include <fmt/format.h>
#include <iostream>
#include <sstream>

#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/long_running.hpp"
#include "app/mentions.hpp"
#include "app/print.hpp"
#include "app/serving.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "feed/opml.hpp"
#include "harvest/feed_status.hpp"
#include "harvest/harvester.hpp"
#include "net/url.hpp"
#include "render/display_text.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::Result;
using harvest::FeedRow;
using harvest::FeedStatus;
using store::Access;
using store::Transaction;

// How long fetches in progress may hold up the end; TimeoutStopSec in systemd/varve-harvest.service is longer.
constexpr auto wait_for_fetches = 8s;
constexpr std::size_t feeds_at_once = 500, events_shown = 20;

harvest::HarvestOptions options_of(const Config& config) {
    harvest::HarvestOptions options;
    options.guard = net::AddressGuard(config.net_allow);
    options.most_bytes = config.harvest.max_kb * 1024;
    if (config.harvest.keep.count() > 0) options.keep = config.harvest.keep;
    options.user_agent =
        fmt::format("Varve/{} (+{}{})", program_version, config.site.base_url,
                    config.site.contact.empty() ? "" : "; " + config.site.contact);
    return options;
}

// Finds the feed that the operator named, and runs use(pool, id).
template <class Use>
int change_feed(Services& services, const std::string& which, std::string_view done, Use use) {
    if (which.empty())
        return complain("name a feed by its id, its URL, or a part of its URL or name",
                        wrong_use);
    const auto feed = store::perform(*services.pool, Access::read, harvest::find_feed, which);
    if (!feed) return complain(feed.error().text, failed);
    use(*services.pool, feed->id);
    fmt::print("feed {} {}: {}\n", feed->id, done, on_one_line(feed->url));
    return ok;
}

void print_kicked(const harvest::Kicked& kicked) {
    if (kicked.due > 0 || kicked.all() == 0)
        fmt::print("{} due now\n", render::counted(kicked.due, "feed is", "feeds are"));
    if (kicked.held == 0) return;
    const auto until = base::format_rfc3339(kicked.held_until);
    if (kicked.held == 1)
        fmt::print("1 feed waits until {}: its server asked for a pause\n", until);
    else
        fmt::print("{} feeds wait until {} at the latest: their servers asked for a pause\n",
                   kicked.held, until);
}

// Calls use(feed) for all feeds whose URL, name or title contains the text, by id.
template <class Use>
void for_each_feed(store::Pool& pool, std::string_view text, const Use& use) {
    const auto load = [&](Transaction& transaction, std::int64_t last) {
        return harvest::list_feeds(transaction, last, text, feeds_at_once,
                                   harvest::Audience::operators);
    };
    for_each_row(pool, std::int64_t{0}, load, use);
}

void write_pauses(base::JsonWriter& report, const harvest::HeldServers& held) {
    report.begin_array();
    for (const auto& [base_url, until] : held)
        report.begin_object()
            .field("base_url", base_url)
            .field("until", base::format_rfc3339(until))
            .end_object();
    report.end_array();
}

// Finds the one feed that the operator named.
//   returns  nullopt: all, or several, are meant
Result<std::optional<FeedRow>> find_one(store::Pool& pool, const std::string& which) {
    if (which.empty()) return std::nullopt;
    auto found = store::perform(pool, Access::read, harvest::find_feed, which);
    if (!found && found.error().kind == base::ErrorKind::conflict) return std::nullopt;
    return found.map([](const FeedRow& feed) { return std::optional(feed); });
}

Result<std::string> read_all(const std::string& file) {
    if (file != "-") return read_file(file);
    std::ostringstream bytes;
    bytes << std::cin.rdbuf();
    return bytes.str();
}

struct SourceFeedOptions {
    std::string url, name;
    std::string archive;  // URL of a page of it, or of the index of a mailing list; empty: none
    std::int64_t max_kb = 0;        // 0: as configured
    std::optional<bool> is_public;  // the queries of its URLs; nullopt: as they are
};

// Adds a feed, and begins the walk of its archive if one is named.
Result<harvest::AddedFeed> add_feed(Transaction& transaction, const SourceFeedOptions& options) {
    const auto now = store::now(transaction);
    if (!options.archive.empty())
        if (const auto url = harvest::url_in(options.archive); !url)
            return base::fail(url.error().kind, "the URL of the archive " + url.error().text);
    auto added = harvest::add_feed(
        transaction,
        {.url = options.url, .name = options.name, .home_url = {}, .most_kb = options.max_kb},
        now);
    if (added && options.is_public)
        harvest::set_public_query(transaction, added->id, *options.is_public);
    if (!added || options.archive.empty()) return added;
    const auto started = harvest::start_archive(transaction, added->id, options.archive, now);
    if (!started) return tl::unexpected(started.error());
    return added;
}

// Runs a harvester until a signal stops it, or once, until all that is due has been fetched.
int run_harvester(const Config& config, bool is_once) {
    base::log::send_to(2, config.log_level);
    StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    auto services = open_services(config);
    if (!services) return complain(services.error());
    Housekeeping housekeeping(*services, pace_of(config.source));
    housekeeping.wait_for_first_look(2s);
    auto options = options_of(config);
    auto mentions = mention_finder(config, *services->history);
    if (!mentions) return complain(mentions.error());
    options.mentions = *std::move(mentions);
    auto harvester = harvest::Harvester::make(*services->pool, std::move(options));
    if (!harvester) return complain(harvester.error().text, failed);
    base::log::info("harvester started");
    const Worker worker{.name = "harvester",
                        .step = [&] { harvester->step(is_once ? 100ms : 500ms); },
                        .is_done = [&] { return is_once && harvester->is_done(); }};
    if (!run_until_stopped(worker, signals, *services->pool, config.store)) return failed;
    harvester->stop(wait_for_fetches);
    base::log::info("harvester stopped");
    return ok;
}

int add_source_feed(Services& services, const SourceFeedOptions& options) {
    const auto added = store::perform(*services.pool, Access::write, add_feed, options);
    if (!added) return complain(added.error().text, failed);
    if (!added->is_new && options.archive.empty() && !options.is_public)
        return complain(
            fmt::format("feed {} already has this URL; nothing was changed", added->id), failed);
    const bool is_kept = !added->is_new && (!options.name.empty() || options.max_kb > 0);
    fmt::print("feed {} {}{}{}\n", added->id,
               added->is_new ? "added; it is due now" : "already exists",
               added->is_new || options.archive.empty() ? "" : "; its archive will be read",
               is_kept ? "; its name and limit stay as they are" : "");
    return ok;
}

// Makes source feeds due now.
//   which  the URL of one, or a base URL; empty: all
int kick_source_feeds(Services& services, const std::string& which, bool all) {
    if (all == !which.empty() || (!all && !harvest::url_in(which)))
        return complain("kick needs the URL of a feed, a base URL such as https://example.org, "
                        "or --all",
                        wrong_use);
    const auto kicked =
        store::perform(*services.pool, Access::write, [&](Transaction& transaction) {
            return harvest::kick(transaction, which, store::now(transaction));
        });
    if (kicked.all() == 0 && !which.empty())
        return complain("no enabled feed has this URL or base URL: " + which, failed);
    print_kicked(kicked);
    return ok;
}

int harvest_status(Services& services, const std::string& which, bool json) {
    auto& pool = *services.pool;
    const auto one = find_one(pool, which);
    if (!one) return complain(one.error().text, failed);
    harvest::HarvestNumbers numbers;
    harvest::HeldServers held;
    std::optional<FeedStatus> status;
    store::perform(pool, Access::read, [&](Transaction& transaction) {
        const auto now = store::now(transaction);
        numbers = harvest::harvest_numbers(transaction, now);
        held = harvest::held_servers(transaction, now);
        if (*one)
            status = harvest::load_status(transaction, (*one)->id, events_shown, now,
                                          harvest::Audience::operators);
    });
    print_report(json, [&](base::JsonWriter& report) {
        report.begin_object();
        if (json || which.empty()) write_json(report.key("numbers"), numbers);
        if (json || which.empty()) write_pauses(report.key("pauses"), held);
        if (json || !which.empty()) {
            const auto write = [&](const FeedStatus& each) {
                report.begin_object();
                write_feed_fields(report, each);
                if (status) write_detail_fields(report, each);
                report.end_object();
            };
            report.key("feeds").begin_array();
            if (status)
                write(*status);
            else
                for_each_feed(pool, which, [&](const FeedRow& feed) {
                    write(harvest::status_of(feed, held));
                });
            report.end_array();
        }
        report.end_object();
    });
    return ok;
}

int import_feeds(Services& services, const std::string& file) {
    const auto bytes = read_all(file);
    if (!bytes) return complain(bytes.error().text, failed);
    const auto listed = feed::read_opml(*bytes);
    if (!listed)
        return complain(file + ": " + listed.error().text + "; nothing was imported", failed);
    std::vector<harvest::NewFeed> feeds;
    for (const auto& one : *listed)
        if (const auto url = harvest::url_in(one.url); url)
            feeds.push_back({.url = one.url, .name = one.title, .home_url = one.home_url});
        else
            complain("not added: " + std::string(base::cut_at(one.url, 200)) + ": " +
                         url.error().text,
                     ok);
    std::size_t added = 0;
    for (auto left = std::span(std::as_const(feeds)); !left.empty();) {
        const auto part = left.first(std::min(left.size(), feeds_at_once));
        left = left.subspan(part.size());
        added += store::perform(*services.pool, Access::write, [&](Transaction& transaction) {
            std::size_t count = 0;
            for (const auto& each : part) {
                const auto done = harvest::add_feed(transaction, each, store::now(transaction));
                if (done && done->is_new) ++count;
            }
            return count;
        });
    }
    const auto rejected = listed->size() - feeds.size();
    fmt::print("{} added, {} already known, {} rejected\n",
               render::counted(added, "feed", "feeds"), feeds.size() - added, rejected);
    return rejected == 0 ? ok : failed;
}

int export_feeds(Services& services) {
    std::vector<feed::ListedFeed> feeds;
    for_each_feed(*services.pool, "", [&](const FeedRow& feed) {
        feeds.push_back({feed.url, feed.display_name(), feed.home_url});
    });
    fmt::print("{}", feed::write_opml(services.config.site.title, feeds));
    return ok;
}

void add_harvest_of_feed(Line& line, CLI::App* command) {
    auto& added = line.make<SourceFeedOptions>();
    auto* adding = command->add_subcommand("add", "Add a source feed, which is due at once");
    adding->add_option("url", added.url, "Its address")->required();
    adding->add_option("--name", added.name, "Name to show for it; default: its title");
    adding
        ->add_option("--max-kb", added.max_kb,
                     "The largest document that is read; default: [harvest] max_kb")
        ->check(CLI::Range(1, 65536));
    adding->add_option("--archive", added.archive,
                       "Walk this archive backwards: a page of older entries, or the index of a "
                       "mailing list; also for a source feed that already exists");
    adding->add_flag_function(
        "--public,!--no-public", [&added](std::int64_t sum) { added.is_public = sum > 0; },
        "Show everyone the queries of its URLs, which may hold keys; also for a source feed that "
        "already exists");
    adding->callback(line.configured(add_source_feed, added));
    auto& chosen = line.make<std::string>();
    const auto add_one = [&](const char* name, const char* about, std::string_view done,
                             auto use) {
        auto* part = command->add_subcommand(name, about);
        part->add_option("feed", chosen, "Its id, its address, or a part of its address or name")
            ->required();
        part->callback(line.configured([&chosen, done, use](Services& services) {
            return change_feed(services, chosen, done, use);
        }));
    };
    const auto setter = [](bool enabled) {
        return [enabled](store::Pool& pool, std::int64_t feed) {
            store::perform(pool, Access::write, [&](Transaction& transaction) {
                harvest::set_enabled(transaction, feed, enabled, store::now(transaction));
            });
        };
    };
    add_one("remove", "Delete a source feed with all of its entries", "removed with its entries",
            harvest::remove_feed);
    add_one("enable", "Fetch a source feed again that was disabled", "enabled", setter(true));
    add_one("disable", "Do not fetch a source feed any more; its entries stay", "disabled",
            setter(false));
}

}  // namespace

void add_harvest(Line& line) {
    auto& is_once = line.make<bool>();
    auto* command = line.program.add_subcommand(
        "harvest",
        "Run the harvester, which fetches source feeds when they are due, until it is stopped");
    command->require_subcommand(0, 1);
    command->add_flag("--once", is_once, "Stop when nothing is due");
    add_harvest_of_feed(line, command);
    auto& kicked = line.make<std::string>();
    auto& kicks_all = line.make<bool>();
    auto* kicking = command->add_subcommand("kick", "Make source feeds due now");
    kicking->add_option("url", kicked,
                        "The address of a source feed, or a base URL such as "
                        "https://example.org for all of that server");
    kicking->add_flag("--all", kicks_all, "All enabled feeds");
    kicking->callback(line.configured(kick_source_feeds, kicked, kicks_all));
    auto& shown = line.make<std::string>();
    auto* status = command->add_subcommand(
        "status", "Print the state of the harvest, or of one source feed");
    status->add_option("feed", shown, "Its id, its address, or a part of its address or name");
    status->callback(line.configured(harvest_status, shown, line.json_flag(status)));
    auto& opml = line.make<std::string>();
    auto* importing = command->add_subcommand("import", "Add the source feeds of an OPML file");
    importing->add_option("file", opml, "Its name, or -: standard input")->required();
    importing->callback(line.configured(import_feeds, opml));
    command->add_subcommand("export", "Print all source feeds as OPML")
        ->callback(line.configured(export_feeds));
    command->callback([command, run = line.configured(run_harvester, is_once)] {
        if (command->get_subcommands().empty()) run();
    });
}

}  // namespace app
