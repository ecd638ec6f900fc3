// app/main.cpp -- the words of the command line.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <thread>
#include <unistd.h>

#include "app/commands.hpp"
#include "serve/cgi.hpp"

namespace {

using app::Config;
using app::DiffWords;
using app::ObjectWords;
using app::PrewarmWords;

struct Words {
    std::string config = "varve.conf";
    ObjectWords object;
    std::string format = "rss";
    std::string release;
    DiffWords diff;
    std::string archive;
    bool again = false;
    PrewarmWords prewarm;
    bool json = false, yes = false;
};

void add_object(CLI::App* command, ObjectWords& object) {
    command->add_option("class", object.class_name, "Class of the object, e.g. Gene")->required();
    command->add_option("name", object.name, "Name of the object; after -- when it begins with -")
        ->required();
}

// A server tells what it does; a command that somebody waits for tells only what is wrong.
enum class Speaker { server, command };

// Opens the log that the configuration names.
bool start_log(const Config& config, Speaker speaker) {
    const auto least = speaker == Speaker::server || config.log.level != base::log::Level::info
                           ? config.log.level
                           : base::log::Level::warning;
    if (config.log.file.empty()) {
        base::log::send_to(2, least);
        return true;
    }
    const int log =
        ::open(config.log.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (log < 0) return false;
    base::log::send_to(log, least);
    return true;
}

int with_config(const std::string& file, Speaker speaker,
                const std::function<int(const Config&)>& run) {
    const auto config = app::load_config(file);
    if (!config) return app::complain(config.error().text, app::wrong_use);
    if (!start_log(*config, speaker))
        return app::complain("can't write the log " + config->log.file.string(), app::wrong_use);
    return run(*config);
}

using Run = std::function<int()>;

// Every command with what it does; the words are filled in by parsing.
void add_commands(CLI::App& program, Words& words, Run& run) {
    const auto configured = [&](std::function<int(const Config&)> command) {
        return [&, command] {
            run = [&, command] { return with_config(words.config, Speaker::command, command); };
        };
    };
    program.add_subcommand("init", "Create, upgrade or adopt the store")
        ->callback(configured(app::init));
    program.add_subcommand("serve", "Answer FastCGI; as CGI program, one request")->callback([&] {
        run = [&] { return with_config(words.config, Speaker::server, app::serve); };
    });

    auto* feed = program.add_subcommand("feed", "The feed of an object, as the server sends it");
    add_object(feed, words.object);
    feed->add_option("--format", words.format, "rss (others come later)")->capture_default_str();
    feed->callback(configured(
        [&](const Config& config) { return app::feed(config, words.object, words.format); }));

    auto* diff = program.add_subcommand(
        "diff", "Two releases or build folders compared: 0 same, 1 different, 2 trouble");
    add_object(diff, words.diff.object);
    diff->add_option("--from", words.diff.from, "A release, or a build folder")->required();
    diff->add_option("--to", words.diff.to, "A release, or a build folder")->required();
    diff->add_option("--format", words.diff.format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    diff->callback([&] { run = [&] { return app::diff(words.config, words.diff); }; });

    auto* show = program.add_subcommand("show", "The tree of an object");
    add_object(show, words.object);
    show->add_option("--release", words.release,
                     "As of this release; default: the current build");
    show->callback(configured(
        [&](const Config& config) { return app::show(config, words.object, words.release); }));

    program.add_subcommand("check", "What is ready and what is not: configuration, store, build")
        ->callback([&] { run = [&] { return app::check(words.config); }; });
    auto* accept =
        program.add_subcommand("accept", "Serve a build that was refused as not whole");
    accept->add_option("release", words.release, "Its version, e.g. WS189")->required();
    accept->callback(
        configured([&](const Config& config) { return app::accept(config, words.release); }));
}

void add_prewarm(CLI::App& program, Words& words, Run& run) {
    auto* prewarm = program.add_subcommand(
        "prewarm", "Compare objects before anybody asks for them: the release job");
    auto& job = words.prewarm;
    prewarm->add_option("--build", job.build,
                        "Folder of a build that is not current yet; default: the current one");
    prewarm->add_option("--popular", job.popular, "The N objects most asked for")
        ->check(CLI::Range(1, 1'000'000'000));
    prewarm->add_option("--class", job.class_name, "All objects of a class");
    prewarm->add_option("--list", job.list, "Those in a file, lines CLASS TAB NAME");
    prewarm->add_flag("--all", job.all, "All objects");
    prewarm->add_option("--replace", job.replace,
                        "Record this release anew: it was published again with other content");
    job.jobs = std::max(1U, std::thread::hardware_concurrency());
    prewarm->add_option("--jobs", job.jobs, "Threads")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    prewarm->add_flag("--json", job.json, "The summary as JSON");
    prewarm->add_flag("--dry-run", job.dry_run,
                      "Tell by the indexes what would be recorded and refused; write nothing");
    prewarm->callback([&] {
        run = [&] {
            return with_config(words.config, Speaker::command, [&](const Config& config) {
                return app::prewarm(config, words.prewarm);
            });
        };
    });
}

void add_archive(CLI::App& program, Words& words, Run& run) {
    auto* out = program.add_subcommand("export", "The whole store as JSON Lines: a backup");
    out->add_option("file", words.archive, "Where to; default, or -: standard output");
    out->callback([&] {
        run = [&] {
            return with_config(words.config, Speaker::command, [&](const Config& config) {
                return app::export_store(config, words.archive);
            });
        };
    });
    auto* in = program.add_subcommand("import", "Fill a new store from an export");
    in->add_option("file", words.archive, "Where from; default, or -: standard input");
    in->add_flag("--again", words.again, "Clear first what a broken-off import left");
    in->callback([&] {
        run = [&] {
            return with_config(words.config, Speaker::command, [&](const Config& config) {
                return app::import_store(config, words.archive,
                                         words.again ? store::Leftovers::clear
                                                     : store::Leftovers::refuse);
            });
        };
    });
}

void add_releases(CLI::App& program, Words& words, Run& run) {
    auto* releases =
        program.add_subcommand("releases", "The releases that are known, with counts");
    releases->add_flag("--json", words.json, "As JSON");
    releases->callback([&] {
        run = [&] {
            return with_config(words.config, Speaker::command, [&](const Config& config) {
                return app::releases(config, words.json);
            });
        };
    });
}

void add_forget(CLI::App& program, Words& words, Run& run) {
    auto* forget = program.add_subcommand(
        "forget", "Delete what is recorded of a release, a class or an object");
    forget->add_flag("--yes", words.yes, "Without asking: for scripts");
    forget->require_subcommand(1);
    const auto deletes = [&](auto what_of) {
        return [&, what_of] {
            run = [&, what_of] {
                return with_config(words.config, Speaker::command, [&](const Config& config) {
                    const auto asking =
                        words.yes ? app::Asking::not_needed : app::Asking::on_terminal;
                    return app::forget(config, what_of(), asking);
                });
            };
        };
    };
    auto* whole = forget->add_subcommand("release", "Its rows, as if it had never been");
    whole->add_option("release", words.release, "Its version, e.g. WS187")->required();
    whole->callback(deletes([&] { return release::WholeRelease{words.release}; }));
    auto* of_class = forget->add_subcommand("class", "All objects of a class");
    of_class->add_option("class", words.object.class_name, "e.g. Gene")->required();
    of_class->callback(deletes([&] { return release::WholeClass{words.object.class_name}; }));
    auto* object = forget->add_subcommand("object", "One object");
    add_object(object, words.object);
    object->callback(
        deletes([&] { return history::ObjectName{words.object.class_name, words.object.name}; }));
}

int run_words(int argc, char** argv) {
    CLI::App program("Varve: a change-history feed for every object of a database that is "
                     "rebuilt at each release",
                     "varve");
    program.set_version_flag("--version", "varve 0.1.0");
    Words words;
    Run run;
    program.add_option("--config", words.config, "Configuration file")->capture_default_str();
    program.require_subcommand(1);
    program.fallthrough();
    add_commands(program, words, run);
    add_archive(program, words, run);
    add_prewarm(program, words, run);
    add_releases(program, words, run);
    add_forget(program, words, run);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? app::ok : app::wrong_use;
    }
    const int status = run();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    const bool is_diff = program.got_subcommand("diff");  // where 1 means: different
    return app::complain("can't write the result", is_diff ? app::wrong_use : app::failed);
}

// Started by a web server as CGI program: there is no command line.
int run_as_cgi() {
    const char* file = std::getenv("VARVE_CONFIG");
    return with_config(file != nullptr ? file : "varve.conf", Speaker::server, app::serve);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        // A full quota shall be an error of the write that met it, not the end of the program.
        std::signal(SIGXFSZ, SIG_IGN);
        base::log::send_to(2, base::log::Level::warning);  // until a configuration says more
        // A web server may pass words of the query as arguments (RFC 3875 section 4.4).
        return serve::started_as_cgi(::environ) ? run_as_cgi() : run_words(argc, argv);
    } catch (const store::Failure& failure) {
        return app::complain(std::string("the store failed: ") + failure.what(), app::failed);
    } catch (const std::exception& error) {
        return app::complain(error.what(), app::failed);
    }
}
