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
    bool is_current = false;  // source.path holds its build
    bool is_newest = false;   // the last of the list
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
std::vector<ListedRelease> list_releases(const Services& services,
                                         const std::optional<base::Release>& current) {
    return store::perform(
        *services.pool, store::Access::read, [&](store::Transaction& transaction) {
            auto releases =
                history::known_releases(transaction, services.config.history, nullptr, nullptr);
            if (current) releases.add(*current);
            auto counts = tables::count_by_release(transaction);
            std::vector<ListedRelease> list;
            for (const auto& release : releases.all())
                list.push_back({release, std::move(counts[release.version]),
                                current && release.version == current->version});
            if (!list.empty()) list.back().is_newest = true;
            return list;
        });
}

void write_release(base::JsonWriter& json, const ListedRelease& listed, bool is_refused) {
    json.begin_object()
        .field("version", listed.release.version)
        .field("date", base::format_date(listed.release.released_on))
        .field("current", listed.is_current && !is_refused)
        .field("newest", listed.is_newest)
        .field("digest_known", listed.counts.has_build)
        .field("compared", listed.counts.compared)
        .field("recorded", listed.counts.is_recorded)
        .field("failed", listed.counts.unreadable)
        .field("refused", listed.is_current && is_refused);
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

void print_table(const std::vector<ListedRelease>& list, bool is_refused) {
    std::size_t width = 10;  // of the versions
    for (const auto& listed : list) width = std::max(width, listed.release.version.size());
    constexpr auto line = "{:<{}} {:<10} {:<7} {:>9} {:<8} {}\n";
    fmt::print(line, "RELEASE", width, "DATE", "BUILD", "COMPARED", "RECORDED", "HISTORY");
    for (const auto& [release, counts, is_current, is_newest] : list)
        fmt::print(line, release.version, width, base::format_date(release.released_on),
                   is_current         ? is_refused ? "refused" : "current"
                   : counts.has_build ? "known"
                                      : "-",
                   counts.compared, counts.is_recorded ? "all" : "-", counts_of(counts));
}

int releases(Services& services, bool json) {
    const auto source = look_at_source(services);
    const auto list = list_releases(services, source.release);
    if (!json) {
        print_table(list, source.is_refused);
        return ok;
    }
    print_report(true, [&](base::JsonWriter& report) {
        report.begin_object().key("releases").begin_array();
        for (const auto& listed : list) write_release(report, listed, source.is_refused);
        report.end_array().end_object();
    });
    return ok;
}

}  // namespace

void add_releases(Line& line) {
    auto* command = line.program.add_subcommand(
        "releases", "List the known releases, with what is recorded of each");
    command->callback(line.configured(releases, line.json_flag(command)));
}

}  // namespace app
