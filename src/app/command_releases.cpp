// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "app/command_line.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "history/context.hpp"
#include "tables/release_rows.hpp"

namespace app {
namespace {

struct ListedRelease {
    base::Release release;
    tables::ReleaseCounts counts;
    std::string_view build;  // "current" or "refused": at source.path; "known": it was; "-"
};

// What is at source.path.
struct AtSource {
    std::optional<base::Release> release;  // nullopt: no build
    bool is_refused = false;               // it is not served
};

// Judges the build as a server would, and logs why it is refused, or that there is none.
AtSource look_at_source(const Services& services) {
    history::CurrentBuild judge(build_opener(services.config), *services.pool,
                                history::Purpose::checking);
    judge.look();
    const auto why = judge.why();
    AtSource found{std::nullopt, !why.empty()};
    if (const auto build = judge.candidate().build)
        found.release = build->release();
    else if (const auto named = current_release(services.config))
        found.release = *named;
    if (found.is_refused)
        base::log::warning(found.release ? "build refused" : "no current build",
                           {{"reason", why}});
    return found;
}

// Lists the releases that are recorded or configured, and that of the current build; oldest first.
std::vector<ListedRelease> list_releases(const Services& services, const AtSource& source) {
    return store::perform(
        *services.pool, store::Access::read, [&](store::Transaction& transaction) {
            auto releases =
                history::known_releases(transaction, services.config.history, nullptr, nullptr);
            if (source.release) releases.add(*source.release);
            auto counts = tables::count_by_release(transaction);
            std::vector<ListedRelease> list;
            for (const auto& release : releases.all()) {
                auto& counted = counts[release.version];
                const bool is_here = source.release && release.version == source.release->version;
                const auto* build = is_here ? source.is_refused ? "refused" : "current"
                                    : counted.has_build ? "known"
                                                        : "-";
                list.push_back({release, std::move(counted), build});
            }
            return list;
        });
}

void write_release(base::JsonWriter& json, const ListedRelease& listed) {
    json.begin_object()
        .field("version", listed.release.version)
        .field("date", base::format_date(listed.release.released_on))
        .field("build", listed.build)
        .field("compared", listed.counts.compared)
        .field("recorded", listed.counts.is_recorded)
        .field("failed", listed.counts.unreadable);
    json.key("history").begin_object();
    for (const auto& [kind, count] : listed.counts.rows) json.field(tables::name_of(kind), count);
    json.end_object().end_object();
}

// "3 changed, 1 created"
std::string counts_of(const tables::ReleaseCounts& counts) {
    std::vector<std::string> parts;
    for (const auto& [kind, count] : counts.rows)
        parts.push_back(fmt::format("{} {}", count, tables::name_of(kind)));
    if (counts.unreadable > 0)
        parts.push_back(fmt::format("{} failed to be read", counts.unreadable));
    return parts.empty() ? "-" : base::join(parts, ", ");
}

void print_table(const std::vector<ListedRelease>& list) {
    std::size_t width = 10;  // of the versions
    for (const auto& listed : list) width = std::max(width, listed.release.version.size());
    constexpr auto line = "{:<{}} {:<10} {:<7} {:>9} {:<8} {}\n";
    fmt::print(line, "RELEASE", width, "DATE", "BUILD", "COMPARED", "RECORDED", "HISTORY");
    for (const auto& [release, counts, build] : list)
        fmt::print(line, release.version, width, base::format_date(release.released_on), build,
                   counts.compared, counts.is_recorded ? "all" : "-", counts_of(counts));
}

int releases(Services& services, bool json) {
    const auto list = list_releases(services, look_at_source(services));
    if (json)
        print_list(true, "releases", [&](base::JsonWriter& report) {
            for (const auto& listed : list) write_release(report, listed);
        });
    else
        print_table(list);
    return ok;
}

}  // namespace

void add_releases(Line& line) {
    auto* command = line.program.add_subcommand(
        "releases", "List the known releases, with what is recorded of each");
    command->callback(line.configured(releases, line.json_flag(command)));
}

}  // namespace app
