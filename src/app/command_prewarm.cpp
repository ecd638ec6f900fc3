// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/notify.hpp"
#include "app/print.hpp"
#include "app/progress_line.hpp"
#include "app/selection.hpp"
#include "app/sources.hpp"
#include "app/stop_signals.hpp"
#include "base/json.hpp"
#include "release/prewarm.hpp"
#include "render/display_text.hpp"
#include "render/links.hpp"

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
    auto job = release_job(services, {*services.pool, services.config.history, clock, labels},
                           builds, options);
    const auto start = steady_clock::now();
    auto result = run_with_progress(builds.build->release().version, signals,
                                    [&](release::Progress& progress, const auto& stop) {
                                        return release::prewarm(job, *selection, progress, stop);
                                    });
    if (!result) return tl::unexpected(result.error());
    const std::chrono::duration<double> took = steady_clock::now() - start;
    return Outcome{builds.build->release(), std::move(*result), took.count()};
}

void write_outcome(base::JsonWriter& json, const Outcome& outcome, const Outcome* before) {
    const auto& counters = outcome.result.counters;
    json.begin_object();
    if (before != nullptr) write_outcome(json.key("before"), *before, nullptr);
    json.field("bytes", counters.bytes)
        .field("changed", counters.changed)
        .field("compared_before", counters.compared)
        .field("failed", counters.failed);
    write_failures(json.key("failures"), counters.failures);
    json.field("finished", outcome.result.finished).field("looked_at", counters.looked_at);
    json.key("mass_change").begin_array();
    for (const auto& change : outcome.result.mass_changes)
        json.begin_object()
            .field("class", change.class_name)
            .field("objects", change.objects)
            .field("of", change.of)
            .field("path", change.place)
            .end_object();
    json.end_array();
    json.field("new", counters.added)
        .field("release", outcome.release.version)
        .field("seconds", outcome.seconds)
        .field("unchanged", counters.unchanged)
        .field("vanished", counters.vanished)
        .end_object();
}

void print_text(const Outcome& outcome) {
    const auto& counters = outcome.result.counters;
    fmt::print("{}: {} in {:.1f} s, {:.1f} MB of the build\n", outcome.release.version,
               render::counted(counters.looked_at, "object", "objects"), outcome.seconds,
               static_cast<double>(counters.bytes) / 1e6);
    fmt::print("  new        {:>12}\n  changed    {:>12}\n  unchanged  {:>12}\n"
               "  before     {:>12}   (compared by requests or earlier jobs)\n"
               "  vanished   {:>12}\n  failed     {:>12}\n",
               counters.added, counters.changed, counters.unchanged, counters.compared,
               counters.vanished, counters.failed);
    for (const auto& change : outcome.result.mass_changes)
        fmt::print("  {} changed in {} of {} of class {}\n", on_one_line(change.place),
                   change.objects, render::counted(change.of, "object", "objects"),
                   on_one_line(change.class_name));
    print_failures(counters.failures);
}

// The job that brought the objects up to the current build, if it found anything to do.
void print_before(const Outcome& outcome) {
    const auto& counters = outcome.result.counters;
    const auto recorded = counters.added + counters.changed + counters.vanished;
    if (recorded + counters.unchanged + counters.failed == 0) return;
    fmt::print(
        "{}, the current release, was brought up to date before: {} recorded, {} unchanged,"
        " {} failed in {:.1f} s\n",
        outcome.release.version, recorded, counters.unchanged, counters.failed, outcome.seconds);
    print_failures(counters.failures);
}

void print(const std::vector<Outcome>& outcomes, const PrewarmOptions& options) {
    if (!options.json) {
        print_text(outcomes.back());
        if (outcomes.size() > 1) print_before(outcomes.front());
        return;
    }
    // The requested build; "before" holds the job that brought the objects up to the current one.
    const auto* before = outcomes.size() > 1 ? &outcomes.front() : nullptr;
    print_json([&](base::JsonWriter& json) { write_outcome(json, outcomes.back(), before); });
}

// A build that is not current yet, judged as it would be at the switch.
struct Staged {
    std::unique_ptr<history::CurrentBuild> judge;
    history::Builds builds;
};

Result<Staged> open_staged(Services& services, const std::string& folder) {
    Staged staged;
    staged.judge = std::make_unique<history::CurrentBuild>(
        build_opener(with_folder(services.config, folder)), *services.pool);
    staged.judge->look();
    if (const auto why = staged.judge->why(); !why.empty())
        return base::fail(ErrorKind::refused, why);
    staged.builds = staged.judge->builds();
    const auto current = services.current->build();
    if (current && staged.builds.build->release() < current->release())
        return base::fail(ErrorKind::refused, staged.builds.build->release().version +
                                                  " is older than the current build, " +
                                                  current->release().version);
    return staged;
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
    if (last.result.finished) {
        int status = ok;
        for (const auto& outcome : outcomes)
            status = std::max(
                status, status_of_finished(outcome.release.version, outcome.result.counters));
        return status;
    }
    return complain(last.release.version +
                        " was stopped before it finished. Run the same command to "
                        "continue",
                    failed);
}

int complain_of(const base::Error& error, const std::string& version) {
    // The list cannot be read, or another build is in force: there is nothing to continue.
    if (error.kind == ErrorKind::refused || error.kind == ErrorKind::conflict)
        return complain(error.text, status_of(error));
    return complain(version + ": " + error.text + ". Run the same command to continue",
                    status_of(error));
}

int run(Services& services, const PrewarmOptions& options) {
    // Until the job begins, a signal ends the program at once: the index of a build may take hours
    // to make, and leaves nothing behind.
    if (options.build.empty())
        services.current->look();
    else
        look_at_build(*services.current);
    std::vector<history::Builds> to_warm;
    if (services.current->build()) to_warm.push_back(services.current->builds());
    Staged staged;
    if (!options.build.empty()) {
        auto opened = open_staged(services, options.build);
        if (!opened) return complain(opened.error().text, failed);
        staged = std::move(*opened);
        // The current build itself, by another way to its folder.
        if (!to_warm.empty() &&
            to_warm.front().build->release() == staged.builds.build->release())
            to_warm.clear();
        to_warm.push_back(staged.builds);
    }
    if (to_warm.empty()) return complain(services.current->why(), failed);
    StopSignals signals;
    std::vector<Outcome> outcomes;
    for (const auto& builds : to_warm) {
        auto outcome = warm_one(services, builds, options, signals);
        if (!outcome) return complain_of(outcome.error(), builds.build->release().version);
        outcomes.push_back(std::move(*outcome));
        if (!outcomes.back().result.finished) break;
    }
    print(outcomes, options);
    notify_of(outcomes, services.config);
    return status_after(outcomes);
}

}  // namespace

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
    if (!services) return complain(services.error().text, status_of(services.error()));
    if (!options.replace.empty()) return replace(*services, options);
    return options.dry_run ? dry_run(*services, options) : run(*services, options);
}

}  // namespace app
