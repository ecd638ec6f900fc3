// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/progress_line.hpp"
#include "app/selection.hpp"
#include "app/sources.hpp"
#include "app/stop_signals.hpp"
#include "release/prewarm.hpp"
#include "render/display_text.hpp"
#include "tables/releases.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
using std::chrono::steady_clock;

// The build as it was published again, judged by all but its version's being recorded.
Result<history::Builds> open_again(Services& services, const PrewarmOptions& options) {
    const auto config = with_folder(services.config, options.build);
    history::CurrentBuild judge(build_opener(config), *services.pool,
                                history::Purpose::republishing);
    judge.look();
    if (const auto why = judge.why(); !why.empty()) return base::fail(ErrorKind::refused, why);
    return judge.builds();
}

Result<release::JobResult> record_again(Services& services, const history::Builds& builds,
                                        const PrewarmOptions& options) {
    // An earlier run may have given it its number.
    const auto number = store::perform(*services.pool, store::Access::write, tables::number_build,
                                       builds.build->release(), builds.build->digest(),
                                       tables::Publication::again, base::system_clock_now());
    if (!number) return tl::unexpected(number.error());
    const base::Clock clock = base::system_clock_now;
    history::LabelCache labels;
    auto job = release_job(services, {*services.pool, services.config.history, clock, labels},
                           builds, options);
    StopSignals signals;
    return run_with_progress(builds.build->release().version, signals,
                             [&](release::Progress& progress, const auto& stop) {
                                 return release::prewarm(job, release::Everything{}, progress,
                                                         stop);
                             });
}

void print_as_text(const std::string& version, const release::JobResult& replaced,
                   double seconds) {
    const auto& counters = replaced.counters;
    fmt::print("{}: published again, {} looked at in {:.1f} s\n", version,
               render::counted(counters.looked_at, "object", "objects"), seconds);
    fmt::print("  before       {:>12}\n  as they were {:>12}\n  new          {:>12}\n  changed   "
               "   {:>12}\n"
               "  vanished     {:>12}\n  withdrawn    {:>12}\n  failed       {:>12}\n",
               counters.compared, counters.unchanged, counters.added, counters.changed,
               counters.vanished, counters.withdrawn, counters.failed);
    print_failures(counters.failures);
}

void print_as_json(const std::string& version, const release::JobResult& replaced,
                   double seconds) {
    const auto& counters = replaced.counters;
    print_json([&](base::JsonWriter& json) {
        json.begin_object()
            .field("changed", counters.changed)
            .field("compared_before", counters.compared)
            .field("failed", counters.failed);
        write_failures(json.key("failures"), counters.failures);
        json.field("finished", replaced.finished)
            .field("looked_at", counters.looked_at)
            .field("new", counters.added)
            .field("release", version)
            .field("seconds", seconds)
            .field("unchanged", counters.unchanged)
            .field("vanished", counters.vanished)
            .field("withdrawn", counters.withdrawn)
            .end_object();
    });
}

}  // namespace

int replace(Services& services, const PrewarmOptions& options) {
    const auto builds = open_again(services, options);
    if (!builds) return complain(builds.error().text, failed);
    if (const auto& version = builds->build->release().version; version != options.replace)
        return complain(name_of(with_folder(services.config, options.build).source) + " is " +
                            version + ", not " + options.replace,
                        wrong_use);
    const auto start = steady_clock::now();
    const auto replaced = record_again(services, *builds, options);
    const std::chrono::duration<double> took = steady_clock::now() - start;
    constexpr auto how_to_continue = "Run the same command to continue";
    if (!replaced && replaced.error().kind == ErrorKind::refused)
        return complain(replaced.error().text, failed);
    if (!replaced)
        return complain(replaced.error().text + ". " + how_to_continue,
                        status_of(replaced.error()));
    if (options.json)
        print_as_json(options.replace, *replaced, took.count());
    else
        print_as_text(options.replace, *replaced, took.count());
    if (replaced->finished) return status_of_finished(options.replace, replaced->counters);
    return complain(options.replace + " was stopped before it finished. " + how_to_continue,
                    failed);
}

}  // namespace app
