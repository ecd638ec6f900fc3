// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/progress_line.hpp"
#include "app/selection.hpp"
#include "app/stop_signals.hpp"
#include "release/republish.hpp"

namespace app {
namespace {

using base::Kind;
using base::Result;
using std::chrono::steady_clock;

// The build as it was published again, judged by all but its version's being recorded.
Result<history::Builds> open_again(Rooms& rooms, const PrewarmWords& words) {
    const auto config =
        words.build.empty() ? rooms.config : with_folder(rooms.config, words.build);
    history::CurrentBuild judge(build_opener(config), *rooms.pool,
                                history::RepublicationPolicy::judged);
    judge.look();
    if (const auto why = judge.why(); !why.empty()) return base::fail(Kind::refused, why);
    auto builds = judge.builds();
    const auto& version = builds.build->release().version;
    if (version != words.replace)
        return base::fail(Kind::refused,
                          name_of(config.source) + " is " + version + ", not " + words.replace);
    return builds;
}

Result<release::JobResult> republish(Rooms& rooms, const history::Builds& builds,
                                     const PrewarmWords& words) {
    const base::Clock clock = base::system_clock_now;
    history::CreatedObjects created;
    auto job = release_job(rooms, {*rooms.pool, rooms.config.history, clock, created}, builds);
    job.options.threads = words.jobs;
    StopSignals signals;
    return run_with_progress(builds.build->release().version, signals,
                             [&](release::Progress& progress, const auto& stop) {
                                 return release::republish(job, progress, stop);
                             });
}

void print_text(const std::string& version, const release::JobResult& replaced, double seconds) {
    const auto& counters = replaced.counters;
    fmt::print("{}: published again, {} objects looked at in {:.1f} s\n", version,
               counters.looked_at, seconds);
    fmt::print("  as they were {:>12}\n  new          {:>12}\n  changed      {:>12}\n"
               "  vanished     {:>12}\n  withdrawn    {:>12}\n  failed       {:>12}\n",
               counters.unchanged, counters.added, counters.changed, counters.vanished,
               counters.withdrawn, counters.failed);
    print_failures(counters.failures);
}

void print_as_json(const std::string& version, const release::JobResult& replaced,
                   double seconds) {
    const auto& counters = replaced.counters;
    print_json([&](base::JsonWriter& json) {
        json.begin_object().field("changed", counters.changed).field("failed", counters.failed);
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

int replace(Rooms& rooms, const PrewarmWords& words) {
    const auto builds = open_again(rooms, words);
    if (!builds) return complain(builds.error().text, failed);
    const auto start = steady_clock::now();
    const auto replaced = republish(rooms, *builds, words);
    const std::chrono::duration<double> took = steady_clock::now() - start;
    constexpr auto how_to_continue = "Run the same command to continue";
    if (!replaced && replaced.error().kind == Kind::refused)
        return complain(replaced.error().text, failed);
    if (!replaced)
        return complain(replaced.error().text + ". " + how_to_continue,
                        status_of(replaced.error()));
    (words.json ? print_as_json : print_text)(words.replace, *replaced, took.count());
    if (replaced->finished) return ok;
    return complain(words.replace + " is not finished: stopped. " + how_to_continue, failed);
}

}  // namespace app
