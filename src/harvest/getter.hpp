// harvest/getter.hpp -- gets documents for those who have claimed their base URLs, over redirects to other base URLs, which
// are claimed in their turn.
// Belongs to one thread, but for wake().
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harvest/fetch.hpp"
#include "harvest/options.hpp"
#include "net/client.hpp"

namespace harvest {

class Getter {
   public:
    // An answer that is no redirect, or why there is none.
    using Answer = tl::expected<net::Response, FetchOutcome>;

    Getter(HarvestContext& context, net::Client client)
        : context_(context), client_(std::move(client)) {}

    // Begins a fetch for what was claimed together with its base URL.
    //   claimed  has `claim` and `base_url`
    //   until    when all of it ends: before its claim does
    //   use      called by this function, follow() or receive(), with what was claimed, whose base_url is the one that
    //            is claimed then; the fetch; and its answer
    template <class Claimed, class UseIt>
    void get(Claimed claimed, Fetch fetch, SteadyTime until, UseIt use) {
        fetch.claim = claimed.claim;
        fetch.base_url = claimed.base_url;
        fetch.until = until;
        send({std::move(fetch), [claimed = std::move(claimed),
                                 use = std::move(use)](Fetch ended, Answer answer) mutable {
                  claimed.base_url = ended.base_url;
                  use(std::move(claimed), std::move(ended), std::move(answer));
              }});
    }
    // Follows redirects once a second: those whose base URL is free. Others wait for it until they are out of time.
    //   throws  store::Failure: all of them go on waiting. After a commit in doubt, a base URL may stay claimed until the
    //           claim ends
    void follow();
    // Waits for answers.
    void receive(std::chrono::milliseconds at_most);

    // Answers are awaited.
    [[nodiscard]] bool is_waiting() const { return !open_.empty(); }
    // Makes receive() return soon. Safe from any thread.
    void wake() { client_.wake(); }

   private:
    struct Open {
        Fetch fetch;
        std::function<void(Fetch, Answer)> use;
        std::string next_base_url = {};  // of one that is redirected: what it waits for
    };
    void send(Open open);
    void take_answer(net::FinishedRequest finished);

    HarvestContext& context_;
    net::Client client_;
    std::unordered_map<net::RequestId, Open> open_;
    std::vector<Open> redirected_;
    SteadyTime follow_at_{};
};

}  // namespace harvest
