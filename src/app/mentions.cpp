// SPDX-License-Identifier: MIT
#include "app/mentions.hpp"

#include <span>
#include <vector>

#include "query/search.hpp"
#include "tables/releases.hpp"

namespace app {
namespace {

using tree::ObjectName;

std::vector<ObjectName> objects_meant(const query::HistoryService& history,
                                      std::span<const ObjectName> words) {
    const auto reads = history.read_context();
    std::vector<ObjectName> objects;
    for (const auto& word : words) {
        std::size_t lookups = 1;
        const auto found = query::exactly_named(reads, std::span(&word.class_name, 1), word.name,
                                                most_objects_of_word + 1, lookups);
        if (found.size() > most_objects_of_word) continue;
        for (const auto& named : found) objects.push_back(named.object);
    }
    return objects;
}

// Unrecorded objects are found by name only, so the rules run again when a job has recorded all.
// Returns "WS186 12 recorded": the release, the number of its publication in force, and whether a job has recorded it;
// empty: there is no build yet, or another publication is in force than this host has.
std::string known_objects(const query::HistoryService& history) {
    const auto reads = history.read_context();
    if (!reads.builds.build) return {};
    const auto& build = *reads.builds.build;
    const auto& version = build.release().version;
    const auto releases = store::perform(reads.pool, store::Access::read, tables::load_releases);
    if (releases.contradicts(version, build.digest())) return {};
    const auto number = releases.number_of(version);
    return version + ' ' + std::to_string(number) +
           (releases.is_recorded(number) ? " recorded" : "");
}

}  // namespace

base::Result<harvest::MentionFinder> mention_finder(const Config& config,
                                                    const query::HistoryService& history) {
    auto rules = harvest::MentionRules::compile(config.mentions);
    if (!rules) return base::fail_at("[mentions]", rules.error());
    return harvest::MentionFinder{.rules = *std::move(rules),
                                  .find_objects =
                                      [&history](std::span<const ObjectName> words) {
                                          return objects_meant(history, words);
                                      },
                                  .known_objects = [&history] { return known_objects(history); }};
}

}  // namespace app
