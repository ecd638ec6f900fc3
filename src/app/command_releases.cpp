// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "base/log.hpp"
#include "release/releases.hpp"
#include "source/build_folder.hpp"

namespace app {
namespace {

using release::Listed;

constexpr std::size_t terminal = 80, counts_begin = 47;

// release.ini alone is read: no index is made.
std::optional<base::Release> current_release(const Config& config) {
    const auto folder = source::open_folder(config.source.path.string());
    if (folder) return folder->release;
    base::log::warning("no current build", {{"reason", folder.error().text}});
    return std::nullopt;
}

void write_release(base::JsonWriter& json, const Listed& listed) {
    json.begin_object()
        .field("version", listed.release.version)
        .field("date", base::format_date(listed.release.released_on))
        .field("current", listed.is_current)
        .field("newest", listed.is_newest)
        .field("digest_known", listed.has_digest)
        .field("compared", listed.compared)
        .field("all_warmed", listed.is_all_warmed)
        .field("classes_warmed", listed.warmed)
        .field("failed", listed.failed);
    json.key("history").begin_object();
    for (const auto& [kind, count] : listed.rows) json.field(tables::name_of(kind), count);
    json.end_object().end_object();
}

std::string_view build_of(const Listed& listed) {
    if (listed.is_current) return "current";
    return listed.has_digest ? "known" : "-";
}

std::string warmed_of(const Listed& listed) {
    return listed.is_all_warmed ? "all" : std::to_string(listed.warmed);
}

// "3 changed, 1 created", broken where the terminal ends.
std::string counts_of(const Listed& listed) {
    std::string text;
    std::size_t column = counts_begin;
    for (const auto& [kind, count] : listed.rows) {
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

void print_table(const std::vector<Listed>& list) {
    fmt::print("{:<10} {:<10} {:<7} {:>9} {:>6} {}\n", "RELEASE", "DATE", "BUILD", "COMPARED",
               "WARMED", "HISTORY");
    for (const auto& listed : list) {
        fmt::print("{:<10} {:<10} {:<7} {:>9} {:>6} {}\n", listed.release.version,
                   base::format_date(listed.release.released_on), build_of(listed),
                   listed.compared, warmed_of(listed), counts_of(listed));
        if (listed.failed > 0)
            fmt::print("{:>{}}{} failed to be read\n", "", counts_begin, listed.failed);
    }
}

}  // namespace

int releases(const Config& config, bool json) {
    const auto rooms = open_rooms(config);
    if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
    const auto list =
        release::list_releases(*rooms->pool, config.history, current_release(config));
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
