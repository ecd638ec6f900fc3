// harvest/harvester.hpp -- polls the source feeds: one loop over the store and the network.
// Any number of harvesters may run over one store, on one host or several: no feed is fetched by two of them at a time,
// and requests to one base URL stay a second apart over all of them. If a harvester ends, however it ends, the others
// repeat its unfinished work as soon as its claims have expired. All state is in the store, so a restart polls nothing
// early.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>

#include "base/result.hpp"
#include "harvest/options.hpp"
#include "store/pool.hpp"

namespace harvest {

class Harvester {
   public:
    // `pool` must outlive the harvester.
    //   error  that of net::Client::make()
    [[nodiscard]] static base::Result<Harvester> make(store::Pool& pool, HarvestOptions options);
    // Abandons what is open. Its claims end by themselves.
    ~Harvester();
    Harvester(Harvester&&) noexcept;
    Harvester& operator=(Harvester&&) noexcept;

    // Fetches what is due, a small part at a time, and waits for answers. If the store cannot be reached, logs that and
    // tries again at the next call.
    //   at_most  how long it waits if there is nothing to do, 0 or more. A second is a good value, because it notices
    //            newly due feeds only between two waits
    void step(std::chrono::milliseconds at_most);

    // Returns whether nothing is left to do now: no feed is due or queued behind others of its base URL, every archive
    // has been walked to its end or waits after a failure, and all stored entries have been searched for mentions.
    //   throws  store::Failure
    [[nodiscard]] bool is_done();

    // Returns whether answers of servers are awaited, or being read.
    [[nodiscard]] bool is_fetching() const;

    // Starts nothing new, and waits at most this long for open answers. The claims of the others end by themselves.
    void stop(std::chrono::milliseconds at_most);

    // Makes step() return soon. Safe from any thread; all other functions belong to one thread.
    void wake();

   private:
    class Loop;
    explicit Harvester(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace harvest
