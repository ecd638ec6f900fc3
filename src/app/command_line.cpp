// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/suggestion.hpp"
#include "base/log.hpp"

namespace app {
namespace {

std::vector<CLI::App*> parts_of(CLI::App& command) {
    return command.get_subcommands([](CLI::App*) { return true; });
}

// Adds --config to every command, so that each help shows it and it can come before or after.
void add_config(CLI::App& command, std::string& file) {
    command.add_option("--config", file,
                       "Configuration file; default: ./varve.conf, else /etc/varve/varve.conf");
    for (auto* part : parts_of(command)) add_config(*part, file);
}

// Returns what is wrong with the command line: with its first word that is no argument, if this should be a command
// or a long option ("no such command: token ad; did you mean add?"), or else what `error` says.
std::string complaint_of(CLI::App& program, const CLI::ParseError& error) {
    auto* command = &program;
    std::string path;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += command->get_name() + " ";
    }
    const auto help = "; varve " + path + "--help ";
    auto unknown = program.remaining(true);
    std::erase(unknown, "--");
    const auto name = unknown.empty() ? "" : unknown.front().substr(0, unknown.front().find('='));
    std::vector<std::string> candidates;
    if (name.starts_with("--")) {
        for (const auto* each = command; each != nullptr; each = each->get_parent())
            for (const auto* option : each->get_options())
                for (const auto& known : option->get_lnames()) candidates.push_back("--" + known);
        const auto meant = did_you_mean(name, candidates);
        return "no such option: " + name + (meant.empty() ? help + "lists the options" : meant);
    }
    for (const auto* part : parts_of(*command)) candidates.push_back(part->get_name());
    if (name.empty() || candidates.empty()) return error.what() + help + "says more";
    const auto meant = did_you_mean(name, candidates);
    return "no such command: " + path + name +
           (meant.empty() ? help + "lists the commands" : meant);
}

}  // namespace

int with_config(const std::string& file, const std::function<int(const Config&)>& run) {
    const auto config = load_config(file);
    if (!config) return complain(config.error().text, wrong_use);
    using base::log::Level;
    base::log::send_to(2, config->log_level == Level::info ? Level::warning : config->log_level);
    return run(*config);
}

void add_object(CLI::App* command, tree::ObjectName& object) {
    command->add_option("class", object.class_name, "Class of the object, e.g. Gene")->required();
    command
        ->add_option("name", object.name,
                     "Name of the object; put -- before a name that begins with -")
        ->required();
}

int run_command_line(int argc, char** argv) {
    Line line;
    auto& program = line.program;
    program.set_version_flag("--version", "varve " + std::string(program_version));
    program.require_subcommand(1);
    program.fallthrough();
    for (const auto add :
         {add_init, add_serve, add_check, add_reading, add_digest, add_prewarm, add_archive,
          add_releases, add_forget, add_token, add_watch_list, add_hub, add_harvest})
        add(line);
    add_config(program, line.config);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool is_help = error.get_exit_code() == 0;
        return is_help ? program.exit(error) : complain(complaint_of(program, error), wrong_use);
    }
    if (line.config.empty()) {
        line.config = usual_config_file();
        if (std::error_code unknown; !std::filesystem::exists(line.config, unknown))
            return complain("there is neither varve.conf in this folder nor "
                            "/etc/varve/varve.conf; name the configuration with --config FILE",
                            wrong_use);
    }
    const int status = line.run();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    const bool is_diff = program.got_subcommand("diff");  // its exit status 1 means different
    return complain("cannot write the result", is_diff ? wrong_use : failed);
}

}  // namespace app
