// SPDX-License-Identifier: MIT
#include <atomic>
#include <fmt/format.h>
#include <thread>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/progress_line.hpp"
#include "app/selection.hpp"
#include "app/stop_signals.hpp"
#include "release/replace.hpp"

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

// With what a person sees meanwhile.
Result<release::Replaced> run_job(const release::Replacing& replacing,
                                  const std::string& version) {
    StopSignals signals;
    release::Progress progress;
    Result<release::Replaced> replaced = base::fail(Kind::unavailable, "the job did not run");
    std::atomic<bool> ended = false;
    std::jthread job([&](const std::stop_token& stop) {
        replaced = release::replace(replacing, progress, stop);
        ended = true;
    });
    ProgressLine line(version);
    while (!ended) {
        if (signals.wait(std::chrono::milliseconds(100))) job.request_stop();
        line.show(progress.done, progress.all);
    }
    job.join();
    return replaced;
}

Result<release::Replaced> replace_with(Rooms& rooms, const history::Builds& builds,
                                       const PrewarmWords& words) {
    const base::Clock clock = base::system_clock_now;
    history::CreatedObjects renames;
    release::Replacing replacing{
        {*rooms.pool, rooms.config.history, clock, renames}, builds.build, builds.previous};
    const auto index_dir = rooms.config.source.index.string();
    replacing.kept = [index_dir](const std::string& version, const std::string& digest) {
        return kept_index(index_dir, version, digest);
    };
    replacing.threads = words.jobs;
    replacing.mass_change.percent = rooms.config.mass_change;
    return run_job(replacing, builds.build->release().version);
}

void print_text(const std::string& version, const release::Replaced& replaced, double seconds) {
    const auto& tally = replaced.tally;
    fmt::print("{}: published again, {} objects looked at in {:.1f} s\n", version,
               tally.looked_at, seconds);
    fmt::print("  as they were {:>12}\n  new          {:>12}\n  changed      {:>12}\n"
               "  vanished     {:>12}\n  withdrawn    {:>12}\n  failed       {:>12}\n",
               tally.unchanged, tally.added, tally.changed, tally.vanished, tally.withdrawn,
               tally.failed);
    print_failures(tally.failures);
}

void print_as_json(const std::string& version, const release::Replaced& replaced,
                   double seconds) {
    const auto& tally = replaced.tally;
    print_json([&](base::JsonWriter& json) {
        json.begin_object().field("changed", tally.changed).field("failed", tally.failed);
        write_failures(json.key("failures"), tally.failures);
        json.field("finished", replaced.finished)
            .field("looked_at", tally.looked_at)
            .field("new", tally.added)
            .field("release", version)
            .field("seconds", seconds)
            .field("unchanged", tally.unchanged)
            .field("vanished", tally.vanished)
            .field("withdrawn", tally.withdrawn)
            .end_object();
    });
}

}  // namespace

int replace(Rooms& rooms, const PrewarmWords& words) {
    const auto builds = open_again(rooms, words);
    if (!builds) return complain(builds.error().text, failed);
    const auto start = steady_clock::now();
    const auto replaced = replace_with(rooms, *builds, words);
    const std::chrono::duration<double> took = steady_clock::now() - start;
    constexpr auto goes_on = "The same command goes on where this one was";
    if (!replaced && replaced.error().kind == Kind::refused)
        return complain(replaced.error().text, failed);
    if (!replaced)
        return complain(replaced.error().text + ". " + goes_on, status_of(replaced.error()));
    (words.json ? print_as_json : print_text)(words.replace, *replaced, took.count());
    if (replaced->finished) return ok;
    return complain(words.replace + " is not finished: stopped. " + goes_on, failed);
}

}  // namespace app
