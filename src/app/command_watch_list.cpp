// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/print.hpp"
#include "render/display_text.hpp"
#include "tables/watch_lists.hpp"

namespace app {
namespace {

using store::Access;
using store::Transaction;

std::size_t delete_unused(store::Pool& pool, base::Date since) {
    for (std::size_t deleted = 0;;) {
        const auto some = store::perform(pool, Access::write, [&](Transaction& transaction) {
            return tables::delete_unused_watch_lists(transaction, since);
        });
        if (some == 0) return deleted;
        deleted += some;
    }
}

int delete_one(store::Pool& pool, const std::string& id) {
    const bool was_there = store::perform(pool, Access::write, tables::delete_watch_list, id);
    if (!was_there) return complain("there is no watch list with the id " + id, failed);
    fmt::print("deleted; its short address and its feeds will be gone within a minute\n");
    return ok;
}

struct WatchListOptions {
    std::string id;  // of the one to delete; empty: unused_days says which
    std::optional<std::uint16_t> unused_days;  // lists unused for this many days
};

int list_watch_lists(Services& services, bool json) {
    const auto load = [](Transaction& transaction, const std::string& last) {
        return tables::list_watch_lists(transaction, last);
    };
    print_list(json, "watch_lists", [&](base::JsonWriter& report) {
        for_each_row(*services.pool, std::string(), load, [&](const auto& list) {
            report.begin_object()
                .field("id", list.id)
                .field("created_at", list.created_at)
                .field("last_used", list.last_used)
                .field("objects", list.objects)
                .end_object();
        });
    });
    return ok;
}

int delete_watch_lists(Services& services, const WatchListOptions& options) {
    if (options.id.empty() == !options.unused_days)
        return complain("name one watch list, or use --unused DAYS", wrong_use);
    if (!options.id.empty()) return delete_one(*services.pool, options.id);
    const auto today = std::chrono::floor<std::chrono::days>(base::system_clock_now());
    const auto deleted =
        delete_unused(*services.pool, today - std::chrono::days(*options.unused_days));
    fmt::print("{} deleted\n", render::counted(deleted, "watch list", "watch lists"));
    return ok;
}

}  // namespace

void add_watch_list(Line& line) {
    auto* command = line.program.add_subcommand(
        "watch-list", "Manage the watch lists that are kept under a short address");
    command->require_subcommand(1);
    auto* listing = command->add_subcommand(
        "list",
        "List their ids, when they were kept and last used, and how many objects they have");
    listing->callback(line.configured(list_watch_lists, line.json_flag(listing)));
    auto& chosen = line.make<WatchListOptions>();
    auto* deleting = command->add_subcommand("delete", "Delete one, or all that are unused");
    deleting->add_option("id", chosen.id, "Its id, the last part of its address /watch/ID");
    deleting->add_option("--unused", chosen.unused_days,
                         "All that nobody has used for this many days");
    deleting->callback(line.configured(delete_watch_lists, chosen));
}

}  // namespace app
