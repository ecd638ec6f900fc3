// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "base/log.hpp"
#include "release/releases.hpp"
#include "source/build_folder.hpp"

namespace app {
namespace {

using release::Listed;
using Json = nlohmann::ordered_json;

constexpr std::size_t terminal = 80, counts_begin = 47;

// release.ini alone is read: no index is made.
std::optional<base::Release> current_release(const Config& config) {
    const auto folder = source::open_folder(config.source.path.string());
    if (folder) return folder->release;
    base::log::warning("no current build", {{"reason", folder.error().text}});
    return std::nullopt;
}

Json json_of(const Listed& listed) {
    Json rows = Json::object();
    for (const auto& [kind, count] : listed.rows)
        rows[std::string(history::name_of(kind))] = count;
    return {{"version", listed.release.version},
            {"date", base::format_date(listed.release.released_on)},
            {"current", listed.is_current},
            {"newest", listed.is_newest},
            {"digest_known", listed.has_digest},
            {"compared", listed.compared},
            {"all_warmed", listed.is_all_warmed},
            {"classes_warmed", listed.warmed},
            {"failed", listed.failed},
            {"history", std::move(rows)}};
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
        const auto part = fmt::format("{} {}", count, history::name_of(kind));
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
    auto all = Json::array();
    for (const auto& listed : list) all.push_back(json_of(listed));
    fmt::print("{}\n", Json{{"releases", std::move(all)}}.dump(2));
    return ok;
}

}  // namespace app
