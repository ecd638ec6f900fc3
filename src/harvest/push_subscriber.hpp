// harvest/push_subscriber.hpp -- asks hubs for subscriptions, and again before their leases end.
// Belongs to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "harvest/hub_requests.hpp"
#include "harvest/redirect_queue.hpp"
#include "harvest/workers.hpp"
#include "net/client.hpp"

namespace harvest {

// Sends requests with a client of its own: feeds name the hubs, and these must not take the places of fetches.
class PushSubscriber {
   public:
    // How many requests are open at once.
    static constexpr std::size_t most_open = 32;

    PushSubscriber(WorkerContext& context, net::Client client)
        : context_(context), client_(std::move(client)) {}

    // Claims and sends what is due, looking once a second. Does nothing without a push_url.
    void work();
    // Waits for answers and writes that they came.
    void receive(std::chrono::milliseconds at_most);
    // Abandons what is open, and gives its claims back.
    void give_back();

    [[nodiscard]] bool is_open() const {
        return !open_.empty() || !redirected_.empty() || !finished_.empty();
    }
    void wake() { client_.wake(); }

   private:
    struct Open {
        ClaimedHubRequest request;
        net::Url url;  // that is asked now
        int redirects = 0;

        [[nodiscard]] std::int64_t claim() const { return request.claim; }
        [[nodiscard]] std::string& base_url() { return request.base_url; }
    };
    void send(Open open);
    void take_answer(const net::FinishedRequest& finished);
    void follow_redirects();
    void write_finished();

    WorkerContext& context_;
    net::Client client_;
    std::unordered_map<net::RequestId, Open> open_;
    RedirectQueue<Open> redirected_;
    std::vector<ClaimedHubRequest> finished_;  // that are not written
    SteadyTime look_at_{};
};

}  // namespace harvest
