// SPDX-License-Identifier: MIT
#include "query/labelled.hpp"

#include "history/record.hpp"

namespace query {
namespace {

using store::Access;
using store::Transaction;

constexpr std::size_t most_loaded = 8;

std::vector<history::Identity> identities_of(const ReadContext& reading,
                                             std::span<const ObjectName> objects) {
    return store::perform(reading.pool, Access::read, [&](Transaction& transaction) {
        auto identities = history::identify_all(transaction, reading.builds.build.get(), objects);
        // A build that can't be asked now has nothing to add; without one nothing can fail.
        if (!identities) identities = history::identify_all(transaction, nullptr, objects);
        return identities.value();
    });
}

std::string label_in(const ReadContext& reading, const ObjectName& object) {
    const auto loaded = reading.builds.build->load(object);
    return loaded ? history::label_of(loaded->nodes, object, reading.settings.names)
                  : object.name;
}

}  // namespace

std::vector<Named> labelled(const ReadContext& reading, std::span<const ObjectName> objects) {
    const auto identities = identities_of(reading, objects);
    std::vector<Named> named;
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto& [row, spelling] = identities[i];
        const ObjectName object = row ? row->object : spelling.value_or(objects[i]);
        std::string label = row ? row->label : "";
        if (!row && spelling && loaded++ < most_loaded) label = label_in(reading, object);
        named.push_back({object, label.empty() ? object.name : label});
    }
    return named;
}

}  // namespace query
