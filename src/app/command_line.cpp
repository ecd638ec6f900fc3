// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/config_file.hpp"
#include "app/suggestion.hpp"
#include "app/version.hpp"
#include "base/in_order.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "render/feed.hpp"

namespace app {
namespace {

// A server logs what it does; a command that somebody waits for logs only problems.
enum class Speaker : unsigned char { server, command };

struct Options {
    std::string config;
    tree::ObjectName object;
    FeedOptions feed;
    DigestOptions digest;
    std::string release;
    DiffOptions diff;
    std::string http, archive, token, subscription;
    SourceFeedOptions source_feed;
    std::string which_feed, opml;
    bool once = false, all_feeds = false;
    WatchListOptions watch_list;
    bool again = false, with_later = false;
    PrewarmOptions prewarm;
    bool json = false, yes = false, with_headers = false;
    std::string address;
};

// Runs a command with the configuration in `file` and its level of the log.
int with_config(const std::filesystem::path& file, Speaker speaker,
                const std::function<int(const Config&)>& run) {
    const auto config = load_config(file);
    if (!config) return complain(config.error().text, wrong_use);
    using base::log::Level;
    const bool is_quiet = speaker == Speaker::command && config->log_level == Level::info;
    base::log::send_to(2, is_quiet ? Level::warning : config->log_level);
    return run(*config);
}

// What parsing fills in, and the command to run then.
struct Line {
    CLI::App program{"Varve: change-history feeds for every object of a database that is "
                     "rebuilt at each release",
                     "varve"};
    Options options;
    std::function<int()> run;

    // Return a callback after which `run` is command(config, given...), or command(services, given...) with
    // what the configuration opens.
    //   given  options: what they are when it runs
    template <class Command, class... Given>
    auto configured(Command command, const Given&... given) {
        return runs(Speaker::command, command, given...);
    }
    template <class Command, class... Given>
    auto serving(Command command, const Given&... given) {
        return runs(Speaker::server, command, given...);
    }

   private:
    template <class Command, class... Given>
    auto runs(Speaker speaker, Command command, const Given&... given) {
        return [=, this, &given...] {
            run = [=, this, &given...] {
                return with_config(options.config, speaker, [&](const Config& config) {
                    if constexpr (std::invocable<Command, Services&, const Given&...>) {
                        auto services = open_services(config);
                        if (!services)
                            return complain(services.error().text, status_of(services.error()));
                        return command(*services, given...);
                    } else {
                        return command(config, given...);
                    }
                });
            };
        };
    }
};

constexpr auto about_build =
    "Folder of a build that is not current yet; default: the current build";

std::array<CLI::Option*, 2> add_object(CLI::App* command, tree::ObjectName& object) {
    return {command->add_option("class", object.class_name, "Class of the object, e.g. Gene")
                ->required(),
            command
                ->add_option("name", object.name,
                             "Name of the object; put -- before a name that begins with -")
                ->required()};
}

void add_server(Line& line) {
    line.program.add_subcommand("init", "Create the store")->callback(line.configured(init));
    auto* serving = line.program.add_subcommand(
        "serve", "Answer requests: HTTP, FastCGI, or one as a CGI program");
    serving->add_option("--http", line.options.http,
                        "Answer HTTP at this address of this host, e.g. 127.0.0.1:8080; default: "
                        "FastCGI at [serve] listen");
    serving->callback(line.serving(serve, line.options.http));
    line.program
        .add_subcommand("check",
                        "Check configuration, templates, store, build, socket and tokens")
        ->callback([&] { line.run = [&] { return check(line.options.config); }; });
    auto* accepting = line.program.add_subcommand("accept", "Accept a build that was refused");
    accepting->add_option("release", line.options.release, "Its version, e.g. WS189")->required();
    accepting->add_option("--build", line.options.prewarm.build, about_build);
    accepting->callback(
        line.configured(accept, line.options.release, line.options.prewarm.build));
}

void add_objects(Line& line) {
    auto& options = line.options;
    auto* getting = line.program.add_subcommand(
        "get",
        "Print what the site answers at an address, such as '/history?class=Gene&name=unc-26'");
    getting->add_option("address", options.address, "The address, below base_url or as a URL")
        ->required();
    getting->add_flag("--headers", options.with_headers, "Print the status and the fields too");
    getting->callback(line.configured(app::get, options.address, options.with_headers));

    auto* feeding = line.program.add_subcommand(
        "feed",
        "Print the feed of an object, a class, a release or a watch list as the server would "
        "send it");
    for (auto* positional : add_object(feeding, options.feed.object)) positional->required(false);
    feeding->add_option("--class", options.feed.class_name, "The feed of a whole class");
    feeding->add_option("--release", options.feed.release, "The feed of a release, e.g. WS187");
    feeding
        ->add_option("--object", options.feed.objects,
                     "An object of a watch list, e.g. Gene:WBGene00006763; can be repeated")
        ->allow_extra_args(false);
    feeding
        ->add_option(
            "--mass", options.feed.mass,
            "no: leave out items that hold only changes shared by most objects of the class")
        ->check(CLI::IsMember({"no"}));
    std::vector<std::string> formats;
    for (const auto& format : render::formats()) formats.emplace_back(format.name);
    options.feed.format = formats.front();
    feeding->add_option("--format", options.feed.format, base::join(formats, ", "))
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    feeding->callback(line.configured(feed, options.feed));

    auto* differing = line.program.add_subcommand(
        "diff", "Compare an object in two releases; exits with 0 if they are the same, 1 if "
                "not, 2 on errors");
    add_object(differing, options.diff.object);
    differing->add_option("--from", options.diff.from, "The earlier release")->required();
    differing->add_option("--to", options.diff.to, "The later release")->required();
    differing->add_option("--format", options.diff.format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    differing
        ->add_option("--color", options.diff.colour,
                     "always, never, or auto: on a terminal, unless NO_COLOR is set")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    differing->callback(line.configured(diff, options.diff));

    auto* showing = line.program.add_subcommand("show", "Print the tree of an object");
    add_object(showing, options.object);
    showing
        ->add_option("--release", options.release, "Release to show; default: the current build")
        ->check([](const std::string& release) {
            return release.empty() ? std::string("needs a version, such as WS187")
                                   : std::string();
        });
    showing->callback(line.configured(show, options.object, options.release));
}

void add_digest(Line& line) {
    auto& options = line.options.digest;
    auto* command = line.program.add_subcommand(
        "digest", "Print or send a mail of what changed in objects since a release");
    command->add_option("--watch", options.watch,
                        "The objects: a file with lines of class, TAB, name, or a list such as "
                        "Gene:unc-26,Paper:WBPaper00031000");
    command->add_option("--class", options.class_name, "All objects of a class");
    command->add_option("--since", options.since, "Only what later releases changed, e.g. WS187")
        ->required();
    command
        ->add_option("--to", options.to,
                     "Recipient: name@example.org, or \"Name <name@example.org>\"; can "
                     "be repeated")
        ->allow_extra_args(false);
    command->add_flag("--send", options.send,
                      "Send the mail by the server in [mail] smtp; default: print it");
    command->callback(line.configured(digest, options));
}

void add_prewarm(Line& line) {
    auto* command = line.program.add_subcommand(
        "prewarm", "Record a release before anyone asks: the release job");
    auto& job = line.options.prewarm;
    command->add_option("--build", job.build, about_build);
    command->add_option("--popular", job.popular, "The N most requested objects")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_option("--class", job.class_name, "All objects of a class");
    command->add_option("--list", job.list,
                        "The objects listed in a file: lines of class, TAB, name");
    command->add_flag("--all", job.all, "All objects");
    command->add_option("--replace", job.replace,
                        "Record again a release that was re-published with different content");
    job.jobs = base::processors();
    command->add_option("--jobs", job.jobs, "Number of threads")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    command->add_option("--part-objects", job.part_objects)
        ->check(CLI::Range(1, 1'000'000))
        ->group("");  // is in no help
    command->add_flag("--json", job.json, "Print the summary as JSON");
    command->add_flag(
        "--dry-run", job.dry_run,
        "Show what would be recorded or refused, by comparing indexes; record nothing");
    command->callback(line.configured(prewarm, job));
}

void add_archive(Line& line) {
    auto& options = line.options;
    auto* out =
        line.program.add_subcommand("export", "Write the whole store as JSON Lines, as a backup");
    out->add_option("file", options.archive, "Output file; default, or -: standard output");
    out->callback(line.configured(export_store, options.archive));
    auto* in = line.program.add_subcommand("import", "Fill a new store from an export");
    in->add_option("file", options.archive, "Input file; default, or -: standard input");
    in->add_flag("--again", options.again, "First delete what an interrupted import left behind");
    in->callback(line.configured([&](const Config& config) {
        return import_store(config, options.archive,
                            options.again ? archive::Leftovers::clear
                                          : archive::Leftovers::refuse);
    }));
}

void add_releases(Line& line) {
    auto* command = line.program.add_subcommand(
        "releases", "List the known releases, with what is recorded of each");
    command->add_flag("--json", line.options.json, "Print JSON");
    command->callback(line.configured(releases, line.options.json));
}

void add_forget(Line& line) {
    auto& options = line.options;
    auto* command = line.program.add_subcommand(
        "forget", "Delete what is recorded of a release, a class or an object");
    command->add_flag("--yes", options.yes, "Do not ask for confirmation");
    command->require_subcommand(1);
    const auto deletes = [&](auto what_of) {
        return line.configured([&options, what_of](Services& services) {
            return forget(services, what_of(),
                          options.yes ? Asking::not_needed : Asking::on_terminal);
        });
    };
    auto* whole =
        command->add_subcommand("release", "A release, as if it had never been recorded");
    whole->add_option("release", options.release, "Its version, e.g. WS187")->required();
    whole->add_flag("--with-later", options.with_later, "And all releases after it");
    whole->callback(
        deletes([&] { return release::WholeRelease{options.release, options.with_later}; }));
    auto* of_class = command->add_subcommand("class", "All objects of a class");
    of_class->add_option("class", options.object.class_name, "e.g. Gene")->required();
    of_class->callback(deletes([&] { return release::WholeClass{options.object.class_name}; }));
    auto* object = command->add_subcommand("object", "One object");
    add_object(object, options.object);
    object->callback(deletes([&] { return options.object; }));
}

void add_token(Line& line) {
    auto& options = line.options;
    auto* command = line.program.add_subcommand("token", "Manage who may read a private site");
    command->require_subcommand(1);
    auto* adding =
        command->add_subcommand("add", "Create a token and print it; it is shown only once");
    adding->add_option("name", options.token, "Name of the reader")->required();
    adding->callback(line.configured(app::add_token, options.token));
    auto* revoking = command->add_subcommand("revoke", "Revoke a token");
    revoking->add_option("name", options.token, "Name of the reader")->required();
    revoking->callback(line.configured(revoke_token, options.token));
    auto* listing = command->add_subcommand("list", "List who has a token, and since when");
    listing->add_flag("--json", options.json, "Print JSON");
    listing->callback(line.configured(list_tokens, options.json));
}

void add_watch_list(Line& line) {
    auto& options = line.options;
    auto* command = line.program.add_subcommand(
        "watch-list", "Manage the watch lists that are kept under a short address");
    command->require_subcommand(1);
    auto* listing = command->add_subcommand(
        "list",
        "List their ids, when they were kept and last used, and how many objects they have");
    listing->add_flag("--json", options.json, "Print JSON");
    listing->callback(line.configured(list_watch_lists, options.json));
    auto* deleting = command->add_subcommand("delete", "Delete one, or all that are unused");
    deleting->add_option("id", options.watch_list.id,
                         "Its id, the last part of its address /watch/ID");
    deleting->add_option("--unused", options.watch_list.unused_days,
                         "All that nobody has used for this many days");
    deleting->callback(line.configured(delete_watch_lists, options.watch_list));
}

void add_hub(Line& line) {
    auto& options = line.options;
    auto* command = line.program.add_subcommand(
        "hub", "Run the WebSub hub, which delivers changes to subscribers, until it is stopped");
    command->require_subcommand(0, 1);
    auto* status = command->add_subcommand(
        "status", "Print how many subscriptions there are, and what waits");
    status->add_flag("--json", options.json, "Print JSON");
    status->callback(line.configured(hub_status, options.json));
    auto* listing = command->add_subcommand("list", "List subscriptions");
    listing->add_option("text", options.subscription,
                        "Only those whose callback or topic contains it");
    listing->add_flag("--json", options.json, "Print JSON");
    listing->callback(line.configured(list_subscriptions, options.subscription, options.json));
    command->callback([command, run = line.serving(run_hub)] {
        if (command->get_subcommands().empty()) run();
    });
}

void add_harvest_of_feed(Line& line, CLI::App* command) {
    auto& options = line.options;
    auto* adding = command->add_subcommand("add", "Add a source feed, which is due at once");
    adding->add_option("url", options.source_feed.url, "Its address")->required();
    adding->add_option("--name", options.source_feed.name,
                       "Name to show for it; default: its title");
    adding
        ->add_option("--max-kb", options.source_feed.max_kb,
                     "The largest document that is read; default: [harvest] max_kb")
        ->check(CLI::Range(1, 65536));
    adding->add_option("--archive", options.source_feed.archive,
                       "Walk this archive backwards: a page of older entries, or the index of a "
                       "mailing list; also for a source feed that already exists");
    adding->callback(line.configured(add_source_feed, options.source_feed));
    const auto add_one = [&](const char* name, const char* about, auto run) {
        auto* part = command->add_subcommand(name, about);
        part->add_option("feed", options.which_feed,
                         "Its id, its address, or a part of its address or name")
            ->required();
        part->callback(line.configured(
            [&options, run](Services& services) { return run(services, options.which_feed); }));
    };
    add_one("remove", "Delete a source feed with all of its entries", remove_source_feed);
    add_one("enable", "Fetch a source feed again that was disabled",
            [](Services& services, const std::string& which) {
                return enable_source_feed(services, which, true);
            });
    add_one("disable", "Do not fetch a source feed any more; its entries stay",
            [](Services& services, const std::string& which) {
                return enable_source_feed(services, which, false);
            });
}

void add_harvest(Line& line) {
    auto& options = line.options;
    auto* command = line.program.add_subcommand(
        "harvest",
        "Run the harvester, which fetches source feeds when they are due, until it is stopped");
    command->require_subcommand(0, 1);
    command->add_flag("--once", options.once, "Stop when nothing is due");
    add_harvest_of_feed(line, command);
    auto* kicking = command->add_subcommand("kick", "Make source feeds due now");
    auto* which = kicking->add_option("url", options.which_feed,
                                      "The address of a source feed, or a base URL such as "
                                      "https://example.org for all of that server");
    auto* all = kicking->add_flag("--all", options.all_feeds, "All enabled feeds");
    which->excludes(all);
    kicking->callback(line.configured([&](Services& services) {
        if (options.all_feeds == !options.which_feed.empty())
            return complain("kick needs an address, or --all", wrong_use);
        return kick_source_feeds(services, options.which_feed);
    }));
    auto* status = command->add_subcommand(
        "status", "Print the state of the harvest, or of one source feed");
    status->add_option("feed", options.which_feed,
                       "Its id, its address, or a part of its address or name");
    status->add_flag("--json", options.json, "Print JSON, with all source feeds");
    status->callback(line.configured(harvest_status, options.which_feed, options.json));
    auto* importing = command->add_subcommand("import", "Add the source feeds of an OPML file");
    importing->add_option("file", options.opml, "Its name, or -: standard input")->required();
    importing->callback(line.configured(import_feeds, options.opml));
    command->add_subcommand("export", "Print all source feeds as OPML")
        ->callback(line.configured(export_feeds));
    const auto run = line.serving([&](const Config& config) {
        return run_harvester(config, options.once ? Rounds::one : Rounds::endless);
    });
    command->callback([command, run] {
        if (command->get_subcommands().empty()) run();
    });
}

std::vector<CLI::App*> parts_of(CLI::App& command) {
    return command.get_subcommands([](CLI::App*) { return true; });
}

// Adds --config to every command, so that each help shows it and it can come before or after.
void add_config(CLI::App& command, std::string& file) {
    command.add_option("--config", file,
                       "Configuration file; default: ./varve.conf, else /etc/varve/varve.conf");
    for (auto* part : parts_of(command)) add_config(*part, file);
}

// Returns what is wrong with the first word that is no argument, if it should be a command or a long option:
// "no such command: token ad; did you mean add?"
std::optional<std::string> complaint_of_unknown(CLI::App& program) {
    const auto unknown = program.remaining(true);
    if (unknown.empty()) return std::nullopt;
    auto* command = &program;
    std::string path;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += command->get_name() + " ";
    }
    const auto name = unknown.front().substr(0, unknown.front().find('='));
    const bool is_option = name.starts_with("--");
    std::vector<std::string> candidates;
    if (is_option)
        for (const auto* each = command; each != nullptr; each = each->get_parent())
            for (const auto* option : each->get_options())
                for (const auto& known : option->get_lnames()) candidates.push_back("--" + known);
    else
        for (const auto* part : parts_of(*command)) candidates.push_back(part->get_name());
    if (candidates.empty()) return std::nullopt;
    const auto meant = did_you_mean(name, candidates);
    if (is_option)
        return "no such option: " + name +
               (meant.empty() ? "; varve " + path + "--help lists the options" : meant);
    return "no such command: " + path + name +
           (meant.empty() ? "; varve --help lists the commands" : meant);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    Line line;
    auto& program = line.program;
    program.set_version_flag("--version", "varve " + std::string(program_version));
    program.require_subcommand(1);
    program.fallthrough();
    for (const auto add :
         {add_server, add_objects, add_digest, add_prewarm, add_archive, add_releases, add_forget,
          add_token, add_watch_list, add_hub, add_harvest})
        add(line);
    add_config(program, line.options.config);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool is_help = error.get_exit_code() == 0;
        if (const auto unknown = is_help ? std::nullopt : complaint_of_unknown(program))
            return complain(*unknown, wrong_use);
        return program.exit(error) == 0 ? ok : wrong_use;
    }
    if (line.options.config.empty()) {
        line.options.config = usual_config_file();
        if (std::error_code unknown; !std::filesystem::exists(line.options.config, unknown))
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
