// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "app/commands.hpp"
#include "app/version.hpp"

namespace app {
namespace {

struct Words {
    std::string config = "varve.conf";
    ObjectWords object;
    std::string format = "rss";
    std::string release;
    DiffWords diff;
    std::string archive, token;
    bool again = false;
    PrewarmWords prewarm;
    bool json = false, yes = false;
};

// What parsing fills in, and the command to run then.
struct Line {
    CLI::App program{"Varve: change-history feeds for every object of a database that is "
                     "rebuilt at each release",
                     "varve"};
    Words words;
    std::function<int()> run;

    // Returns a callback that runs `command` with the configuration.
    auto configured(std::function<int(const Config&)> command,
                    Speaker speaker = Speaker::command) {
        return [this, command, speaker] {
            run = [this, command, speaker] {
                return with_config(words.config, speaker, command);
            };
        };
    }
};

void add_object(CLI::App* command, ObjectWords& object) {
    command->add_option("class", object.class_name, "Class of the object, e.g. Gene")->required();
    command
        ->add_option("name", object.name,
                     "Name of the object; put -- before a name that begins with -")
        ->required();
}

void add_server(Line& line) {
    line.program
        .add_subcommand("init",
                        "Create the store, upgrade an older one, or adopt the first system's")
        ->callback(line.configured(init));
    line.program
        .add_subcommand("serve", "Answer FastCGI requests, or one request as a CGI program")
        ->callback(line.configured(serve, Speaker::server));
    line.program
        .add_subcommand("check",
                        "Check configuration, templates, store, build, socket, logs and tokens")
        ->callback([&] { line.run = [&] { return check(line.words.config); }; });
    auto* accepting =
        line.program.add_subcommand("accept", "Serve a build that was refused as incomplete");
    accepting->add_option("release", line.words.release, "Its version, e.g. WS189")->required();
    accepting->callback(line.configured(
        [&](const Config& config) { return accept(config, line.words.release); }));
}

void add_objects(Line& line) {
    auto& words = line.words;
    auto* feeding = line.program.add_subcommand(
        "feed", "Print the feed of an object as the server would send it");
    add_object(feeding, words.object);
    feeding->add_option("--format", words.format, "rss, atom, json, or html for the page")
        ->check(CLI::IsMember({"rss", "atom", "json", "html"}))
        ->capture_default_str();
    feeding->callback(line.configured(
        [&](const Config& config) { return feed(config, words.object, words.format); }));

    auto* differing = line.program.add_subcommand(
        "diff",
        "Compare an object in two releases or build folders: 0 same, 1 different, 2 trouble");
    add_object(differing, words.diff.object);
    differing->add_option("--from", words.diff.from, "A release, or a build folder")->required();
    differing->add_option("--to", words.diff.to, "A release, or a build folder")->required();
    differing->add_option("--format", words.diff.format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    differing->callback([&] { line.run = [&] { return diff(words.config, words.diff); }; });

    auto* showing = line.program.add_subcommand("show", "Print the tree of an object");
    add_object(showing, words.object);
    showing->add_option("--release", words.release,
                        "Release to show; default: the current build");
    showing->callback(line.configured(
        [&](const Config& config) { return show(config, words.object, words.release); }));
}

void add_prewarm(Line& line) {
    auto* command = line.program.add_subcommand(
        "prewarm", "Record a release before anyone asks: the release job");
    auto& job = line.words.prewarm;
    command->add_option("--build", job.build,
                        "Folder of a build that is not current yet; default: the current build");
    command->add_option("--popular", job.popular, "The N most requested objects")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_option("--class", job.class_name, "All objects of a class");
    command->add_option("--list", job.list,
                        "The objects listed in a file: lines of class, TAB, name");
    command->add_flag("--all", job.all, "All objects");
    command->add_option("--replace", job.replace,
                        "Record again a release that was re-published with different content");
    job.jobs = std::max(1U, std::thread::hardware_concurrency());
    command->add_option("--jobs", job.jobs, "Number of threads")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    command->add_flag("--json", job.json, "Print the summary as JSON");
    command->add_flag(
        "--dry-run", job.dry_run,
        "Show what would be recorded or refused, by comparing indexes; write nothing");
    command->callback(
        line.configured([&](const Config& config) { return prewarm(config, job); }));
}

void add_archive(Line& line) {
    auto& words = line.words;
    auto* out =
        line.program.add_subcommand("export", "Write the whole store as JSON Lines, as a backup");
    out->add_option("file", words.archive, "Output file; default, or -: standard output");
    out->callback(line.configured(
        [&](const Config& config) { return export_store(config, words.archive); }));
    auto* in = line.program.add_subcommand("import", "Fill a new store from an export");
    in->add_option("file", words.archive, "Input file; default, or -: standard input");
    in->add_flag("--again", words.again, "First delete what an interrupted import left behind");
    in->callback(line.configured([&](const Config& config) {
        return import_store(config, words.archive,
                            words.again ? archive::Leftovers::clear : archive::Leftovers::refuse);
    }));
}

void add_releases(Line& line) {
    auto* command = line.program.add_subcommand(
        "releases", "List the known releases, with what is recorded of each");
    command->add_flag("--json", line.words.json, "Print JSON");
    command->callback(
        line.configured([&](const Config& config) { return releases(config, line.words.json); }));
}

void add_forget(Line& line) {
    auto& words = line.words;
    auto* command = line.program.add_subcommand(
        "forget", "Delete what is recorded of a release, a class or an object");
    command->add_flag("--yes", words.yes, "Do not ask, for scripts");
    command->require_subcommand(1);
    const auto deletes = [&](auto what_of) {
        return line.configured([&words, what_of](const Config& config) {
            return forget(config, what_of(),
                          words.yes ? Asking::not_needed : Asking::on_terminal);
        });
    };
    auto* whole = command->add_subcommand(
        "release", "The rows of a release, as if it had not been recorded");
    whole->add_option("release", words.release, "Its version, e.g. WS187")->required();
    whole->callback(deletes([&] { return release::WholeRelease{words.release}; }));
    auto* of_class = command->add_subcommand("class", "All objects of a class");
    of_class->add_option("class", words.object.class_name, "e.g. Gene")->required();
    of_class->callback(deletes([&] { return release::WholeClass{words.object.class_name}; }));
    auto* object = command->add_subcommand("object", "One object");
    add_object(object, words.object);
    object->callback(
        deletes([&] { return tree::ObjectName{words.object.class_name, words.object.name}; }));
}

void add_token(Line& line) {
    auto& words = line.words;
    auto* command = line.program.add_subcommand("token", "Manage who may read a private site");
    command->require_subcommand(1);
    auto* adding =
        command->add_subcommand("add", "Create a token and print it; it is shown only once");
    adding->add_option("name", words.token, "Reader that it is for")->required();
    adding->callback(
        line.configured([&](const Config& config) { return add_token(config, words.token); }));
    auto* revoking = command->add_subcommand("revoke", "Revoke a token");
    revoking->add_option("name", words.token, "Reader that it was for")->required();
    revoking->callback(
        line.configured([&](const Config& config) { return revoke_token(config, words.token); }));
    auto* listing = command->add_subcommand("list", "List who has a token, and since when");
    listing->add_flag("--json", words.json, "Print JSON");
    listing->callback(
        line.configured([&](const Config& config) { return list_tokens(config, words.json); }));
}

// Adds --config to every command, so that each help shows it and it can come before or after.
void add_config(CLI::App& command, std::string& file) {
    command.add_option("--config", file, "Configuration file")->capture_default_str();
    for (auto* part : command.get_subcommands([](CLI::App*) { return true; }))
        add_config(*part, file);
}

// Returns the words up to the first one that should be a command and is not: "bogus", "token bogus".
std::optional<std::string> unknown_command(const CLI::App& program,
                                           std::span<char* const> arguments) {
    const CLI::App* command = &program;
    std::string path;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string word = arguments[at];
        if (word == "--config") ++at;
        if (word.starts_with('-')) continue;
        path += (path.empty() ? "" : " ") + word;
        const auto parts =
            command->get_subcommands([&](const CLI::App* it) { return it->check_name(word); });
        if (parts.empty()) return path;
        command = parts.front();
        if (command->get_subcommands([](const CLI::App*) { return true; }).empty()) break;
    }
    return std::nullopt;
}

}  // namespace

int with_config(const std::filesystem::path& file, Speaker speaker,
                const std::function<int(const Config&)>& run) {
    const auto config = load_config(file);
    if (!config) return complain(config.error().text, wrong_use);
    if (const auto opened = open_log(config->log, speaker); !opened)
        return complain(opened.error().text, wrong_use);
    return run(*config);
}

int run_words(int argc, char** argv) {
    Line line;
    auto& program = line.program;
    program.set_version_flag("--version", "varve " + std::string(version));
    program.require_subcommand(1);
    program.fallthrough();
    for (const auto add :
         {add_server, add_objects, add_prewarm, add_archive, add_releases, add_forget, add_token})
        add(line);
    add_config(program, line.words.config);
    const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
    if (const auto unknown = unknown_command(program, arguments.subspan(argc > 0 ? 1 : 0)))
        return complain("no such command: " + *unknown + "; varve --help lists the commands",
                        wrong_use);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? ok : wrong_use;
    }
    const int status = line.run();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    const bool is_diff = program.got_subcommand("diff");  // its exit status 1 means different
    return complain("cannot write the result", is_diff ? wrong_use : failed);
}

}  // namespace app
