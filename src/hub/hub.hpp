// hub/hub.hpp -- the WebSub hub: one loop over the store and the network.
// Any number of hubs may run over one store, on one host or several. What a hub was doing when it ended,
// however it ended, the others do again: subscribers get everything at least once, and never an older
// notification after a newer one. libcurl itself sends a request once more if a kept connection is closed
// without an answer; that counts as one delivery here.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "hub/subscriptions.hpp"
#include "hub/topic.hpp"
#include "net/client.hpp"
#include "store/pool.hpp"

namespace hub {

struct HubOptions {
    net::AddressGuard guard = {};
    net::LookUp look_up = net::look_up_by_system;
    std::size_t connections = 1000;                           // for deliveries
    std::chrono::milliseconds connect{5'000}, total{20'000};  // of a delivery
    std::chrono::seconds look_every{10};  // for news, if something was written
    // Between seeing that something was written and asking the site, which may remember for a second.
    std::chrono::seconds settle{2};
    std::string user_agent = "Varve-hub";
    store::Clock clock = store::now;
    std::function<store::SteadyTime()> steady = std::chrono::steady_clock::now;
};

class Hub {
   public:
    // `pool` must outlive the hub.
    //   error  that of net::Client::make()
    [[nodiscard]] static base::Result<Hub> make(store::Pool& pool, Site site, HubOptions options);
    // Drops what is open. Its claims end by themselves; stop() gives them back at once.
    ~Hub();
    Hub(Hub&&) noexcept;
    Hub& operator=(Hub&&) noexcept;

    // Looks for news, verifies and delivers, a small part of each, and waits for answers. A store that can't
    // be reached is logged, and asked again the next time.
    //   at_most  how long it waits if there is nothing to do, 0 or more; a second is a good value, because new
    //            subscriptions and other hubs' failures are seen only then
    void step(std::chrono::milliseconds at_most);

    [[nodiscard]] bool is_open() const;  // answers are awaited

    // Starts nothing new, waits at most this long for answers, and gives deliveries back to other hubs. The claims of
    // verifications end by themselves.
    void stop(std::chrono::milliseconds at_most);

    // Makes step() return soon. Safe from any thread; all else belongs to one.
    void wake();

   private:
    class Loop;
    explicit Hub(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace hub
