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
    using Answer = tl::expected<net::Response, FetchOutcome>;
    // Gets a fetch as it ended, and an answer that is no redirect, or why there is none.
    using Use = std::function<void(Fetch, Answer)>;

    Getter(HarvestContext& context, net::Client client)
        : context_(context), client_(std::move(client)) {}

    // Begins a fetch whose base URL is claimed.
    //   use  called by this function, follow() or receive() before fetch.until; owns the claim of the base URL then
    void get(Fetch fetch, Use use);
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
        Use use;
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
