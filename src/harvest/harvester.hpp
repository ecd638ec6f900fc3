// harvest/harvester.hpp -- polls the source feeds: one loop over the store and the network.
// Any number of harvesters may run over one store, on one host or several: no feed is fetched by two of them at a time,
// and requests to one base URL stay a second apart over all of them. What a harvester was doing when it ended, however
// it ended, the others do again when its claims have ended. All that is known is in the store, so that one that starts
// again polls nothing before its time.
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
    // Abandons what is open. Its claims end by themselves; stop() gives them back at once.
    ~Harvester();
    Harvester(Harvester&&) noexcept;
    Harvester& operator=(Harvester&&) noexcept;

    // Fetches what is due, a small part at a time, and waits for answers. A store that cannot be reached is logged, and
    // asked again the next time.
    //   at_most  how long it waits if there is nothing to do, 0 or more; a second is a good value, because feeds that
    //            become due are seen only then
    void step(std::chrono::milliseconds at_most);

    // Returns whether all feeds have been fetched that are due, or wait for others of their base URL, all archives are
    // walked to their ends that do not wait after a failure, and all entries have been looked through with the rules of
    // mentions.
    //   throws  store::Failure
    [[nodiscard]] bool is_done();

    // Starts nothing new, waits for answers so long, and gives the rest back to other harvesters.
    void stop(std::chrono::milliseconds at_most);

    // Makes step() return soon. Safe from any thread; all else belongs to one.
    void wake();

   private:
    class Loop;
    explicit Harvester(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace harvest
