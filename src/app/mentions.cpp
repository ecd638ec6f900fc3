// SPDX-License-Identifier: MIT
#include "app/mentions.hpp"

#include <span>
#include <vector>

#include "base/release.hpp"
#include "query/search.hpp"
#include "tables/prewarmed.hpp"
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

// Unrecorded objects are found by name only, so the rules run again when a job has recorded a class.
// Returns "WS186 DIGEST Gene Paper": the release, its publication that is recorded, and the classes of rules that are
// recorded in it; empty: there is no build yet, or another publication is recorded than this host has.
std::string known_objects(const query::HistoryService& history,
                          std::span<const harvest::MentionRule> rules) {
    const auto reads = history.read_context();
    if (!reads.builds.build) return {};
    const auto& build = *reads.builds.build;
    const auto& version = build.release().version;
    return store::perform(reads.pool, store::Access::read, [&](store::Transaction& transaction) {
        auto known = version;
        if (const auto recorded = tables::recorded_release(transaction, version)) {
            if (base::contradict(recorded->digest, build.digest())) return std::string();
            known += ' ' + recorded->digest;
        }
        const auto prewarmed = tables::prewarmed_classes(transaction, version);
        for (const auto& rule : rules)
            if (prewarmed.contains(rule.class_name)) known += ' ' + rule.class_name;
        return known;
    });
}

}  // namespace

base::Result<harvest::MentionFinder> mention_finder(const Config& config,
                                                    const query::HistoryService& history) {
    auto rules = harvest::MentionRules::compile(config.mentions);
    if (!rules) return base::fail_at("[mentions]", rules.error());
    return harvest::MentionFinder{
        .rules = *std::move(rules),
        .find_objects =
            [&history](std::span<const ObjectName> words) {
                return objects_meant(history, words);
            },
        .known_objects = [&history,
                          classes = config.mentions] { return known_objects(history, classes); }};
}

}  // namespace app
