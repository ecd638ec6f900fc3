// bench/make_build.cpp -- makes builds of any size with the shapes of real ones, and a next
// release whose changes are written down.
//   bench-make_build --objects N|--bytes N [--seed S] --version WS300
//       --date 2010-01-01 --folder DIR [--next DIR2 --next-version WS301
//       --next-date 2010-02-01 --changed 1 --restamped 10 --new 0.5 --vanished 0.2
//       --mass-change CLASS --changes FILE]
// Shares are percent of the objects. FILE has a line for each object that is stamped anew, new or
// gone and for each node that differs: changed|created|vanished|restamped, class, name, + or -,
// JSON array of the cells down to the node. An object renamed is one gone and one new.
// The same arguments give the same bytes, on every machine.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "build_release.hpp"

namespace {

// An object's mean size, array classes and banners included.
constexpr std::uint64_t bytes_of_object = 800;

struct Asked {
    bench::Plan plan;
    bench::Release next;
    std::uint64_t bytes = 0;
    double changed = 1, restamped = 10, created = 0.5, vanished = 0.2;
};

void describe(CLI::App& app, Asked& asked) {
    auto& plan = asked.plan;
    auto* size = app.add_option_group("size")->require_option(1);
    size->add_option("--objects", plan.objects, "how many objects");
    size->add_option("--bytes", asked.bytes, "about how large");
    app.add_option("--seed", plan.seed, "another seed, another build");
    app.add_option("--version", plan.first.version, "of the build");
    app.add_option("--date", plan.first.date, "of its release");
    app.add_option("--folder", plan.first.folder, "where it is written")->required();
    auto* next = app.add_option("--next", asked.next.folder, "folder of the next release");
    app.add_option("--next-version", asked.next.version, "of the next release")->needs(next);
    app.add_option("--next-date", asked.next.date, "of the next release")->needs(next);
    const CLI::Range percent(0.0, 100.0);
    app.add_option("--changed", asked.changed, "percent of the objects")->check(percent);
    app.add_option("--restamped", asked.restamped, "other stamps, same content")->check(percent);
    app.add_option("--new", asked.created, "percent")->check(percent);
    app.add_option("--vanished", asked.vanished, "percent, with renamed ones")->check(percent);
    app.add_option("--mass-change", plan.mass_change, "a class: one path in most objects")
        ->needs(next);
    app.add_option("--changes", plan.changes, "a file that lists them")->needs(next);
}

std::uint64_t millionths(double percent) {
    return static_cast<std::uint64_t>(std::llround(percent * 10000));
}

bench::Plan plan_of(Asked asked) {
    auto plan = asked.plan;
    if (plan.objects == 0) plan.objects = asked.bytes / bytes_of_object;
    if (!asked.next.folder.empty()) plan.next = asked.next;
    plan.shares = {millionths(asked.changed), millionths(asked.restamped),
                   millionths(asked.created), millionths(asked.vanished)};
    return plan;
}

void tell(const bench::Release& release, const bench::Made& made) {
    std::printf("%s: %llu objects, %llu bytes\n", release.version.c_str(),
                static_cast<unsigned long long>(made.objects),
                static_cast<unsigned long long>(made.bytes));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Makes a build of any size, and its next release.");
    Asked asked;
    asked.plan.first = {"WS300", "2010-01-01", {}};
    asked.next = {"WS301", "2010-02-01", {}};
    describe(app, asked);
    CLI11_PARSE(app, argc, argv);
    try {
        const auto plan = plan_of(asked);
        const auto made = bench::BuildMaker(plan).make();
        tell(plan.first, made.first);
        if (plan.next) tell(*plan.next, made.second);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_build: %s\n", error.what());
        return 1;
    }
}
