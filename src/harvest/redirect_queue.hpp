// harvest/redirect_queue.hpp -- requests that were redirected, and wait until the base URL they lead to is free.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harvest/claims.hpp"
#include "harvest/fetch.hpp"
#include "harvest/options.hpp"

namespace harvest {

// An open request of a worker that has claimed a base URL for it:
//   Fetch fetch, SteadyTime until   what it fetches, and how long it may take
//   std::int64_t claim() const
//   std::string& base_url()     that is claimed; empty: none is
template <class Open>
class RedirectQueue {
   public:
    //   next  where it leads
    void add(Open open, Fetch next) {
        const auto url = net::parse_url(next.url);
        open.fetch = std::move(next);
        waiting_.push_back({std::move(open), url ? net::origin_of(*url) : std::string()});
    }
    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }

    struct Followed {
        std::vector<Open> free;  // their new base URL is claimed
        std::vector<Open> late;  // have waited long enough
    };
    // Releases the base URLs that requests came from, and claims those that they lead to and that are free.
    //   throws  store::Failure: all requests stay queued. After a commit in doubt, a base URL may stay claimed until the
    //           claim expires
    [[nodiscard]] Followed follow(HarvestContext& context) {
        if (waiting_.empty()) return {};
        std::vector<bool> is_free;
        context.write([&](store::Transaction& transaction, base::Seconds now) {
            is_free.clear();  // the transaction may be run again
            for (auto& [open, base_url] : waiting_) {
                release_base_url(transaction, open.base_url(), open.claim(), now);
                is_free.push_back(claim_base_url(transaction, base_url, open.claim(), now));
            }
        });
        const auto now = context.steady();
        Followed followed;
        std::vector<Waiting> left;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            auto& [open, base_url] = waiting_[i];
            // Released once: other requests of this claim may have it next.
            open.base_url() = is_free[i] ? base_url : std::string();
            if (now >= open.until)
                followed.late.push_back(std::move(open));
            else if (is_free[i])
                followed.free.push_back(std::move(open));
            else
                left.push_back(std::move(waiting_[i]));
        }
        waiting_ = std::move(left);
        return followed;
    }
    [[nodiscard]] std::vector<Open> take() {
        std::vector<Open> all;
        for (auto& waiting : waiting_) all.push_back(std::move(waiting.open));
        waiting_.clear();
        return all;
    }

   private:
    struct Waiting {
        Open open;
        std::string base_url;
    };
    std::vector<Waiting> waiting_;
};

}  // namespace harvest
