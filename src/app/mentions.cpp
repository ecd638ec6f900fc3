// SPDX-License-Identifier: MIT
#include "app/mentions.hpp"

#include <span>
#include <vector>

#include "query/search.hpp"

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
                                  .release =
                                      [&history] {
                                          const auto builds = history.read_context().builds;
                                          return builds.build ? builds.build->release().version
                                                              : std::string();
                                      }};
}

}  // namespace app
