// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "base/log.hpp"
#include "release/releases.hpp"

namespace app {
namespace {

using release::ListedRelease;

constexpr std::size_t terminal = 80, counts_begin = 47;

// Returns nullopt, and logs why, when there is no current build.
std::optional<base::Release> current_release_or_none(const Config& config) {
    const auto release = current_release(config);
    if (release) return *release;
    base::log::warning("no current build", {{"reason", release.error().text}});
    return std::nullopt;
}

void write_release(base::JsonWriter& json, const ListedRelease& listed) {
    json.begin_object()
        .field("version", listed.release.version)
        .field("date", base::format_date(listed.release.released_on))
        .field("current", listed.is_current)
        .field("newest", listed.is_newest)
        .field("digest_known", listed.counts.has_digest)
        .field("compared", listed.counts.compared)
        .field("all_warmed", listed.counts.is_prewarmed)
        .field("classes_warmed", listed.counts.prewarmed_classes)
        .field("failed", listed.counts.failed);
    json.key("history").begin_object();
    for (const auto& [kind, count] : listed.counts.rows) json.field(tables::name_of(kind), count);
    json.end_object().end_object();
}

std::string_view build_of(const ListedRelease& listed) {
    if (listed.is_current) return "current";
    return listed.counts.has_digest ? "known" : "-";
}

std::string prewarmed_of(const ListedRelease& listed) {
    return listed.counts.is_prewarmed ? "all" : std::to_string(listed.counts.prewarmed_classes);
}

// "3 changed, 1 created", broken where the terminal ends.
std::string counts_of(const ListedRelease& listed) {
    std::string text;
    std::size_t column = counts_begin;
    for (const auto& [kind, count] : listed.counts.rows) {
        const auto part = fmt::format("{} {}", count, tables::name_of(kind));
        if (!text.empty()) {
            const bool fits = column + 2 + part.size() < terminal;
            text += fits ? ", " : ",\n" + std::string(counts_begin, ' ');
            column = fits ? column + 2 : counts_begin;
        }
        text += part;
        column += part.size();
    }
    return text.empty() ? "-" : text;
}

void print_table(const std::vector<ListedRelease>& list) {
    fmt::print("{:<10} {:<10} {:<7} {:>9} {:>6} {}\n", "RELEASE", "DATE", "BUILD", "COMPARED",
               "WARMED", "HISTORY");
    for (const auto& listed : list) {
        fmt::print("{:<10} {:<10} {:<7} {:>9} {:>6} {}\n", listed.release.version,
                   base::format_date(listed.release.released_on), build_of(listed),
                   listed.counts.compared, prewarmed_of(listed), counts_of(listed));
        if (listed.counts.failed > 0)
            fmt::print("{:>{}}{} failed to be read\n", "", counts_begin, listed.counts.failed);
    }
}

}  // namespace

int releases(const Config& config, bool json) {
    const auto services = open_services(config);
    if (!services) return complain(services.error().text, status_of(services.error()));
    const auto list =
        release::list_releases(*services->pool, config.history, current_release_or_none(config));
    if (!json) {
        print_table(list);
        return ok;
    }
    print_json([&](base::JsonWriter& writer) {
        writer.begin_object().key("releases").begin_array();
        for (const auto& listed : list) write_release(writer, listed);
        writer.end_array().end_object();
    });
    return ok;
}

}  // namespace app
