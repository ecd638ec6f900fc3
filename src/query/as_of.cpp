// SPDX-License-Identifier: MIT
#include "query/as_of.hpp"

#include <ranges>

namespace query {

std::vector<const tables::ReleaseOrder::Place*> AsOf::shown() const {
    std::vector<const tables::ReleaseOrder::Place*> places;
    for (const auto& release : releases.up_to(current) | std::views::reverse)
        places.push_back(order.find(release.version));
    return places;
}

AsOf as_of_now(store::Transaction& transaction, const ReadContext& reading) {
    const auto& [build, previous] = reading.builds;
    auto releases =
        history::known_releases(transaction, reading.settings, build.get(), previous.get());
    const auto* newest = releases.newest();
    const auto current = build ? build->release() : newest != nullptr ? *newest : Release{};
    tables::ReleaseOrder order(releases, current);
    return {std::move(releases), current, std::move(order)};
}

tl::unexpected<base::Error> no_release(const std::string& version) {
    return base::fail(base::Kind::absent, "no release " + version + " is known here");
}

}  // namespace query
