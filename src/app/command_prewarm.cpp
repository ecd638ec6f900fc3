// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/long_running.hpp"
#include "app/notify.hpp"
#include "app/print.hpp"
#include "app/selection.hpp"
#include "app/sources.hpp"
#include "base/in_order.hpp"
#include "base/json.hpp"
#include "release/preview.hpp"
#include "release/prewarm.hpp"
#include "render/display_text.hpp"
#include "render/links.hpp"
#include "tables/releases.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
using std::chrono::steady_clock;

struct Outcome {
    base::Release release;
    release::JobResult result;
    double seconds = 0;
};

// One build prewarmed, with what a person sees meanwhile.
Result<Outcome> warm_one(Services& services, const history::Builds& builds,
                         const PrewarmOptions& options, StopSignals& signals) {
    const auto selection = selection_of(options, *services.pool, *builds.build);
    if (!selection) return tl::unexpected(selection.error());
    const base::Clock clock = base::system_clock_now;
    history::LabelCache labels;
    const history::Context context{*services.pool, services.config.history, clock, labels};
    release::ReleaseJob job{context, builds.build, builds.previous};
    job.mass_change.percent = services.config.mass_change;
    job.options.threads = options.jobs;
    if (options.part_objects > 0) {
        job.options.part_objects = options.part_objects;
        job.options.batch_objects = (options.part_objects + 4) / 5;  // about the usual share
    }
    const auto start = steady_clock::now();
    auto result = run_with_progress(builds.build->release().version, signals,
                                    [&](release::Progress& progress, const auto& stop) {
                                        return release::prewarm(job, *selection, progress, stop);
                                    });
    if (!result) return tl::unexpected(result.error());
    const std::chrono::duration<double> took = steady_clock::now() - start;
    return Outcome{builds.build->release(), std::move(*result), took.count()};
}

void write_outcome(base::JsonWriter& report, const Outcome& outcome) {
    const auto& counters = outcome.result.counters;
    report.field("release", outcome.release.version)
        .field("finished", outcome.result.finished)
        .field("seconds", outcome.seconds)
        .field("bytes", counters.bytes)
        .field("looked_at", counters.looked_at)
        .field("new", counters.added)
        .field("changed", counters.changed)
        .field("unchanged", counters.unchanged)
        .field("compared_before", counters.compared)
        .field("vanished", counters.vanished)
        .field("withdrawn", counters.withdrawn)
        .field("failed", counters.failed);
    report.key("failures").begin_array();
    for (const auto& [object, reason] : counters.failures)
        report.begin_object()
            .field("class", object.class_name)
            .field("name", object.name)
            .field("reason", reason)
            .end_object();
    report.end_array().key("mass_change").begin_array();
    for (const auto& change : outcome.result.mass_changes)
        report.begin_object()
            .field("class", change.class_name)
            .field("objects", change.objects)
            .field("of", change.of)
            .field("path", change.place)
            .end_object();
    report.end_array();
}

// "before" has the job that brought the objects up to the current build first.
void print(const std::vector<Outcome>& outcomes, bool json) {
    print_report(json, [&](base::JsonWriter& report) {
        report.begin_object();
        write_outcome(report, outcomes.back());
        if (outcomes.size() > 1) {
            write_outcome(report.key("before").begin_object(), outcomes.front());
            report.end_object();
        }
        report.end_object();
    });
}

// Returns the build in a folder that is not current yet, judged as it would be at the switch.
Result<history::Builds> open_staged(Services& services, const std::string& folder) {
    history::CurrentBuild judge(build_opener(with_folder(services.config, folder)),
                                *services.pool);
    judge.look();
    if (const auto why = judge.why(); !why.empty()) return base::fail(ErrorKind::refused, why);
    auto staged = judge.builds();
    const auto current = services.current->build();
    if (current && staged.build->release() < current->release())
        return base::fail(ErrorKind::refused, staged.build->release().version +
                                                  " is older than the current build, " +
                                                  current->release().version);
    return staged;
}

// Returns the build as it was published again, judged by all but its version's being recorded. Its publication has
// a number of its own then, which an earlier run may have given it.
Result<history::Builds> open_again(Services& services, const PrewarmOptions& options) {
    const auto config = with_folder(services.config, options.build);
    history::CurrentBuild judge(build_opener(config), *services.pool,
                                history::Purpose::republishing);
    judge.look();
    if (const auto why = judge.why(); !why.empty()) return base::fail(ErrorKind::refused, why);
    auto builds = judge.builds();
    const auto& release = builds.build->release();
    if (release.version != options.replace)
        return base::fail(ErrorKind::malformed, name_of(config.source) + " is " +
                                                    release.version + ", not " + options.replace);
    const auto number = store::perform(*services.pool, store::Access::write, tables::number_build,
                                       release, builds.build->digest(),
                                       tables::Publication::again, base::system_clock_now());
    if (!number) return tl::unexpected(number.error());
    return builds;
}

// Returns the builds to record: before one that is staged the current one.
//   error  malformed: it is not the one that was named
Result<std::vector<history::Builds>> builds_to_warm(Services& services,
                                                    const PrewarmOptions& options) {
    if (!options.replace.empty())
        return open_again(services, options).map([](auto builds) {
            return std::vector{std::move(builds)};
        });
    // Until the job begins, a signal ends the program at once: the index of a build may take hours
    // to make, and leaves nothing behind.
    if (options.build.empty())
        services.current->look();
    else
        look_at_build(*services.current);
    std::vector<history::Builds> builds;
    if (services.current->build()) builds.push_back(services.current->builds());
    if (!options.build.empty()) {
        auto staged = open_staged(services, options.build);
        if (!staged) return tl::unexpected(staged.error());
        // The current build itself, by another way to its folder.
        if (!builds.empty() && builds.front().build->release() == staged->build->release())
            builds.clear();
        builds.push_back(std::move(*staged));
    }
    if (builds.empty()) return base::fail(ErrorKind::refused, services.current->why());
    return builds;
}

// Chat rooms show the field `text`.
std::string summary_of(const Outcome& outcome, const render::Site& site) {
    const auto& release = outcome.release;
    const auto& counters = outcome.result.counters;
    const auto url = render::release_url(release.version, site);
    std::string text;
    base::JsonWriter json(text);
    json.begin_object()
        .field("changed", counters.changed)
        .field("failed", counters.failed)
        .field("new", counters.added)
        .field("release", release.version)
        .field("released_on", base::format_date(release.released_on))
        .field("site", site.title)
        .field("text", fmt::format("{}: {} changed, {} new and {} vanished objects in {}. {}",
                                   site.title, counters.changed, counters.added,
                                   counters.vanished, release.version, url))
        .field("unchanged", counters.unchanged)
        .field("url", url)
        .field("vanished", counters.vanished)
        .end_object();
    return text;
}

// The release is recorded, whatever becomes of the notification.
void notify_of(const std::vector<Outcome>& outcomes, const Config& config) {
    if (config.notify_command.empty()) return;
    for (const auto& outcome : outcomes) {
        if (!outcome.result.newly_recorded) continue;
        if (const auto done = notify(config.notify_command, summary_of(outcome, config.site));
            !done)
            complain(outcome.release.version +
                         " is recorded, but [notify] command failed: " + done.error().text,
                     ok);
    }
}

int status_after(const std::vector<Outcome>& outcomes) {
    const auto& last = outcomes.back();
    if (!last.result.finished)
        return complain(last.release.version + " was stopped before it finished. Run the same "
                                               "command to continue",
                        failed);
    int status = ok;
    for (const auto& [release, result, seconds] : outcomes)
        if (const auto unread = result.counters.failed; unread > 0)
            status = complain(fmt::format("{} is recorded except {} that could not be read. Run "
                                          "the same command to try them again",
                                          release.version,
                                          render::counted(unread, "object", "objects")),
                              unreadable);
    return status;
}

int complain_of(const base::Error& error, const std::string& version) {
    // The list cannot be read, or another build is in force: there is nothing to continue.
    if (error.kind == ErrorKind::refused || error.kind == ErrorKind::conflict)
        return complain(error.text, status_of(error));
    return complain(version + ": " + error.text + ". Run the same command to continue",
                    status_of(error));
}

int run(Services& services, const PrewarmOptions& options) {
    const auto builds = builds_to_warm(services, options);
    if (!builds)
        return complain(builds.error().text,
                        builds.error().kind == ErrorKind::malformed ? wrong_use : failed);
    StopSignals signals;
    std::vector<Outcome> outcomes;
    for (const auto& each : *builds) {
        auto outcome = warm_one(services, each, options, signals);
        if (!outcome) return complain_of(outcome.error(), each.build->release().version);
        outcomes.push_back(std::move(*outcome));
        if (!outcomes.back().result.finished) break;
    }
    print(outcomes, options.json);
    if (options.replace.empty()) notify_of(outcomes, services.config);
    return status_after(outcomes);
}

release::ClassPreview total_of(const std::vector<release::ClassPreview>& classes) {
    release::ClassPreview all;
    for (const auto& one : classes) {
        all.same += one.same;
        all.differ += one.differ;
        all.created += one.created;
        all.gone += one.gone;
        all.unknown += one.unknown;
    }
    return all;
}

void write_counts(base::JsonWriter& json, const release::ClassPreview& one) {
    json.begin_object()
        .field("objects", one.objects())
        .field("same", one.same)
        .field("differ", one.differ)
        .field("unknown", one.unknown)
        .field("new", one.created)
        .field("vanished", one.gone)
        .end_object();
}

// Prints what the job would record or refuse, and writes nothing.
int dry_run(const Services& services, const PrewarmOptions& options) {
    const auto config = with_folder(services.config, options.build);
    history::CurrentBuild judge(build_opener(config), *services.pool, history::Purpose::checking);
    judge.look();
    const auto [build, previous] = judge.candidate();
    if (!build) return complain(judge.why(), failed);
    const auto selection = selection_of(options, *services.pool, *build);
    if (!selection) return complain(selection.error());
    const auto classes = release::preview(*build, previous.get(), *selection);
    if (!classes) return complain(classes.error().text, failed);
    const auto why = judge.why();
    print_report(options.json, [&](base::JsonWriter& report) {
        report.begin_object()
            .field("release", build->release().version)
            .field("against", previous ? previous->release().version : "")
            .field("refused", why);
        report.key("classes").begin_object();
        for (const auto& one : *classes) write_counts(report.key(one.class_name), one);
        write_counts(report.end_object().key("all"), total_of(*classes));
        report.end_object();
    });
    return why.empty() ? ok : failed;
}

int prewarm(const Config& config, const PrewarmOptions& options) {
    const int selected = (options.all ? 1 : 0) + (options.popular > 0 ? 1 : 0) +
                         (options.class_name.empty() ? 0 : 1) + (options.list.empty() ? 0 : 1) +
                         (options.replace.empty() ? 0 : 1);
    if (selected != 1)
        return complain(
            "choose what to record with exactly one of --all, --class C, --list FILE, "
            "--popular N and --replace RELEASE",
            wrong_use);
    if (!options.replace.empty() && options.dry_run)
        return complain("--replace has no --dry-run", wrong_use);
    auto patient = config;
    patient.source.endurance = config.source.timeout;
    auto services = open_services(std::move(patient), Waiting::command, options.jobs);
    if (!services) return complain(services.error());
    return options.dry_run ? dry_run(*services, options) : run(*services, options);
}

}  // namespace

void add_prewarm(Line& line) {
    auto* command = line.program.add_subcommand(
        "prewarm", "Record a release before anyone asks: the release job");
    auto& job = line.make<PrewarmOptions>();
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

}  // namespace app
