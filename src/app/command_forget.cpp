// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/progress_line.hpp"
#include "source/build_folder.hpp"

namespace app {
namespace {

using release::Forgettable;
using tables::Deleted;

std::string name_of(const release::WholeRelease& what) { return "release " + what.version; }
std::string name_of(const release::WholeClass& what) { return "class " + what.class_name; }
std::string name_of(const tree::ObjectName& what) { return what.class_name + " " + what.name; }

std::string text_of(const Deleted& counted) {
    return fmt::format("objects {}, history rows {}, trees {}", counted.objects, counted.history,
                       counted.trees);
}

bool is_current(const Config& config, const Forgettable& what) {
    const auto* asked = std::get_if<release::WholeRelease>(&what);
    if (asked == nullptr) return false;
    const auto folder = source::open_folder(config.source.path.string());
    return folder && folder->release.version == asked->version;
}

// What is said before anything is done.
void announce(const Config& config, const Forgettable& what, const std::string& name,
              const Deleted& counted) {
    fmt::print(stderr, "{}: this deletes {}\n", on_one_line(name), text_of(counted));
    if (is_current(config, what))
        fmt::print(stderr, "It is the current build's: the next request records it again.\n");
}

bool says_yes() {
    fmt::print(stderr, "Type yes to delete: ");
    std::string answer;
    return std::getline(std::cin, answer) && answer == "yes";
}

int delete_it(const Rooms& rooms, const Forgettable& what, const std::string& name) {
    const base::Clock clock = base::system_clock_now;
    history::CreatedObjects created;
    StopSignals signals;
    const auto done =
        run_with_progress("forget", signals, [&](release::Progress& progress, const auto& stop) {
            return release::forget({{*rooms.pool, rooms.config.history, clock, created}}, what,
                                   progress, stop);
        });
    constexpr auto goes_on = "The same command continues where this one stopped";
    if (!done) return complain(done.error().text + ". " + goes_on, failed);
    if (!done->finished) return complain(name + " is not deleted completely. " + goes_on, failed);
    fmt::print("{} is forgotten: {}\n", on_one_line(name), text_of(done->counters.deleted));
    return ok;
}

}  // namespace

int forget(const Config& config, const Forgettable& what, Asking asking) {
    const auto rooms = open_rooms(config);
    if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
    const auto name = std::visit([](const auto& each) { return name_of(each); }, what);
    const auto counted = release::count_forgettable(*rooms->pool, what, base::system_clock_now());
    if (!counted) return complain(counted.error().text, failed);
    announce(config, what, name, *counted);
    if (asking == Asking::on_terminal) {
        if (::isatty(STDIN_FILENO) == 0)
            return complain("nothing is deleted: without a terminal to ask at, --yes is needed",
                            wrong_use);
        if (!says_yes()) return complain("nothing is deleted", failed);
    }
    return delete_it(*rooms, what, name);
}

}  // namespace app
