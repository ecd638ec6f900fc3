// app/command_line.hpp -- how the file of a command adds it, with its options, to the command line.
// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/services.hpp"
#include "tree/object.hpp"

namespace app {

// Runs a command with the configuration in `file`. Somebody waits for it, so it logs only problems; a server sets
// the level itself.
int with_config(const std::string& file, const std::function<int(const Config&)>& run);

// What parsing fills in, and the command to run then.
class Line {
   public:
    CLI::App program{"Varve: change-history feeds for every object of a database that is "
                     "rebuilt at each release",
                     "varve"};
    std::string config;  // the file
    std::function<int()> run;

    // Returns what options are read into; it lives as long as the line.
    template <class Options>
    Options& make() {
        auto made = std::make_shared<Options>();
        made_.push_back(made);
        return *made;
    }
    // Adds --json to a command.
    bool& json_flag(CLI::App* command) {
        auto& json = make<bool>();
        command->add_flag("--json", json, "Print JSON");
        return json;
    }

    // Returns a callback after which `run` is command(config, given...), or command(services, given...) with
    // what the configuration opens.
    //   given  made here: what they are when it runs
    template <class Command, class... Given>
    auto configured(Command command, const Given&... given) {
        return [=, this, &given...] {
            run = [=, this, &given...] {
                return with_config(config, [&](const Config& read) {
                    if constexpr (std::invocable<Command, Services&, const Given&...>) {
                        auto services = open_services(read);
                        if (!services) return complain(services.error());
                        return command(*services, given...);
                    } else {
                        return command(read, given...);
                    }
                });
            };
        };
    }

   private:
    std::vector<std::shared_ptr<void>> made_;
};

// Adds the arguments "class" and "name".
void add_object(CLI::App* command, tree::ObjectName& object);

inline constexpr auto about_build =
    "Folder of a build that is not current yet; default: the current build";

using AddCommands = void(Line& line);
AddCommands add_init, add_serve, add_check, add_reading, add_digest, add_prewarm, add_archive,
    add_releases, add_forget, add_token, add_watch_list, add_hub, add_harvest;

}  // namespace app
