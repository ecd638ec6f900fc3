// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/long_running.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "release/forget.hpp"
#include "render/display_text.hpp"

namespace app {
namespace {

using release::Forgettable;
using tables::Deleted;

std::string name_of(const release::WholeRelease& what) {
    return "release " + what.version + (what.with_later ? " with all later ones" : "");
}
std::string name_of(const release::WholeClass& what) { return "class " + what.class_name; }
std::string name_of(const tree::ObjectName& what) { return what.class_name + " " + what.name; }

std::string text_of(const Deleted& deleted) {
    return fmt::format("{}, {}, {}", render::counted(deleted.objects, "object", "objects"),
                       render::counted(deleted.history, "history row", "history rows"),
                       render::counted(deleted.trees, "tree", "trees"));
}

// What is said before anything is done.
void announce(const Config& config, const Forgettable& what, const std::string& name,
              const Deleted& counted) {
    tell(fmt::format("{}: this deletes {}\n", on_one_line(name), text_of(counted)));
    const auto* release = std::get_if<release::WholeRelease>(&what);
    if (release == nullptr) return;
    const auto current = current_release(config);
    if (current && current->version == release->version)
        tell("This is the current release: the next request will record it again.\n");
    else if (release->with_later)
        tell("If the current release is among them, the next request will record it again.\n");
}

bool says_yes() {
    tell("Type yes to delete: ");
    std::string answer;
    return std::getline(std::cin, answer) && answer == "yes";
}

int delete_it(const Services& services, const Forgettable& what, const std::string& name) {
    const base::Clock clock = base::system_clock_now;
    history::LabelCache labels;
    StopSignals signals;
    const auto done =
        run_with_progress("forget", signals, [&](release::Progress& progress, const auto& stop) {
            return release::forget({{*services.pool, services.config.history, clock, labels}},
                                   what, progress, stop);
        });
    constexpr auto goes_on = "The same command continues where this one stopped";
    if (!done) return complain(done.error().text + ". " + goes_on, failed);
    if (!done->finished) return complain(name + " is not deleted completely. " + goes_on, failed);
    fmt::print("{} is forgotten: {}\n", on_one_line(name), text_of(done->counters.deleted));
    return ok;
}

// Whether the operator must type yes before anything is deleted. Without a terminal, that fails.
enum class Asking { on_terminal, not_needed };
int forget(Services& services, const Forgettable& what, Asking asking) {
    const auto name = std::visit([](const auto& each) { return name_of(each); }, what);
    const auto counted = release::count_forgettable(*services.pool, what);
    if (!counted) return complain(counted.error().text, failed);
    announce(services.config, what, name, *counted);
    if (asking == Asking::on_terminal) {
        if (::isatty(STDIN_FILENO) == 0)
            return complain("nothing was deleted: there is no terminal to confirm on; use --yes",
                            wrong_use);
        if (!says_yes()) return complain("nothing was deleted", failed);
    }
    return delete_it(services, what, name);
}

}  // namespace

void add_forget(Line& line) {
    auto* command = line.program.add_subcommand(
        "forget", "Delete what is recorded of a release, a class or an object");
    auto& is_confirmed = line.make<bool>();
    command->add_flag("--yes", is_confirmed, "Do not ask for confirmation");
    command->require_subcommand(1);
    const auto deletes = [&](auto what_of) {
        return line.configured([&is_confirmed, what_of](Services& services) {
            return forget(services, what_of(),
                          is_confirmed ? Asking::not_needed : Asking::on_terminal);
        });
    };
    auto& chosen = line.make<release::WholeRelease>();
    auto* whole =
        command->add_subcommand("release", "A release, as if it had never been recorded");
    whole->add_option("release", chosen.version, "Its version, e.g. WS187")->required();
    whole->add_flag("--with-later", chosen.with_later, "And all releases after it");
    whole->callback(deletes([&] { return chosen; }));
    auto& all = line.make<release::WholeClass>();
    auto* of_class = command->add_subcommand("class", "All objects of a class");
    of_class->add_option("class", all.class_name, "e.g. Gene")->required();
    of_class->callback(deletes([&] { return all; }));
    auto& one = line.make<tree::ObjectName>();
    auto* object = command->add_subcommand("object", "One object");
    add_object(object, one);
    object->callback(deletes([&] { return one; }));
}

}  // namespace app
