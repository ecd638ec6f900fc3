// harvest/options.hpp -- settings of a harvester, with what tests replace.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "harvest/fetch.hpp"
#include "harvest/mentions.hpp"
#include "net/address.hpp"
#include "net/resolver.hpp"
#include "store/dialect.hpp"
#include "store/worker.hpp"

namespace harvest {

using store::SteadyTime;

struct HarvestOptions : FetchSettings {
    net::AddressGuard guard = {};
    net::LookUp look_up = net::look_up_by_system;
    std::size_t connections = 200;
    // How long entries are kept that mention no object; nullopt: forever.
    std::optional<std::chrono::days> keep = std::chrono::days(14);
    MentionFinder mentions = {};      // of objects of the site
    store::Clock clock = store::now;  // of the store; for all recorded times
    std::function<SteadyTime()> steady = std::chrono::steady_clock::now;  // for waiting
};

// What the workers of a harvester share.
struct HarvestContext : store::WorkerContext {
    const HarvestOptions& options;
    std::int64_t rules = 0;  // the number of what finds mentions: MentionReview::rules()
};

}  // namespace harvest
