// hub/workers.hpp -- the three things that a hub does by turns: it looks for news, verifies what subscribers
// ask for, and delivers. Each does a small part of its work at a time, so that none waits for the others.
// Whatever a worker knows and has not written to the store, another hub does again when its claim has ended. How many
// requests an address gets at once is up to net::Client; what is busy is given back.
// All belong to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hub/deliveries.hpp"
#include "hub/news.hpp"
#include "hub/requests.hpp"
#include "hub/topic.hpp"
#include "net/client.hpp"
#include "store/worker.hpp"

namespace hub {

using store::SteadyTime;

struct HubContext : store::WorkerContext {
    Site site;
    std::string user_agent;
};

// Sends verifications and denials with a client of its own: strangers name their addresses, and must not take
// the places of deliveries.
class Verifier {
   public:
    // How many verifications are open at once.
    static constexpr std::size_t most_open = 100;

    Verifier(HubContext& context, net::Client client)
        : context_(context), client_(std::move(client)) {}

    // Claims and sends what is due.
    void work();
    // Waits for answers and writes what came of them.
    void receive(std::chrono::milliseconds at_most);
    void write_results();
    // Tells a subscriber that its subscription has ended. The answer is ignored, and nothing is repeated.
    void deny(const std::string& callback, const std::string& topic_url, std::string_view reason);

    // Denials are open too.
    [[nodiscard]] bool is_open() const { return client_.open() > 0 || !open_.empty(); }
    void wake() { client_.wake(); }

   private:
    struct Open {
        PendingRequest request;
        std::string challenge;
    };
    struct Result {
        PendingRequest request;
        Verified outcome = Verified::confirmed;
        std::chrono::seconds pause{0};  // not_sent: before it is due again
    };
    // Returns what has come of it if nothing was sent.
    [[nodiscard]] std::optional<Result> send(PendingRequest request);

    HubContext& context_;
    net::Client client_;
    std::unordered_map<net::RequestId, Open> open_;
    std::vector<Result> results_;  // that are not written
};

// Finds news and records notifications.
class Looker {
   public:
    //   every   how often it is asked whether something is new, if the same release is served
    //   settle  how long the site may answer from what it knew before: it reads releases once a second
    Looker(HubContext& context, Verifier& verifier, std::chrono::seconds every,
           std::chrono::seconds settle)
        : context_(context), verifier_(verifier), every_(every), settle_(settle) {}

    // Marks the topics that may have news, if it is time, and looks at some that are due.
    void work();
    [[nodiscard]] bool is_busy() const { return is_busy_; }

   private:
    void mark(const std::string& current);
    void look_at(std::vector<DueTopic> topics, const std::string& current);
    void write(std::span<const Look> looks, const std::string& current);
    [[nodiscard]] Look look_at(DueTopic topic);

    HubContext& context_;
    Verifier& verifier_;
    const std::chrono::seconds every_, settle_;
    std::string last_release_;  // for which topics were marked
    bool is_busy_ = false;
    SteadyTime mark_at_{}, present_until_{};
};

// Sends notifications.
class Deliverer {
   public:
    struct Limits {
        std::size_t most_claimed = 2000;
        std::chrono::milliseconds connect{5'000}, total{20'000};
    };

    Deliverer(HubContext& context, Verifier& verifier, net::Client client, Limits limits)
        : context_(context), verifier_(verifier), client_(std::move(client)), limits_(limits) {}

    // Claims and sends what is due.
    void work();
    void receive(std::chrono::milliseconds at_most);
    void write_results();
    // Ends what is open, and gives its claims back.
    void give_back();

    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    [[nodiscard]] std::size_t results() const { return results_.size(); }  // that are not written
    // True when there was more to claim than there was room for.
    [[nodiscard]] bool has_more() const { return has_more_; }
    void wake() { client_.wake(); }

   private:
    void send(Delivery& delivery);
    void finish(Delivery delivery, Delivered outcome, std::chrono::seconds pause = {});
    void take_answer(const net::FinishedRequest& finished);
    void finish_busy(Delivery delivery);
    [[nodiscard]] std::shared_ptr<const Notification> notification(const NotificationKey& key);

    HubContext& context_;
    Verifier& verifier_;
    net::Client client_;
    const Limits limits_;
    std::unordered_map<net::RequestId, Delivery> open_;
    std::map<NotificationKey, std::weak_ptr<const Notification>> notifications_;  // being sent
    std::vector<DeliveryResult> results_;  // that are not written
    // How often in a row deliveries to a host were given back because its address was busy.
    std::unordered_map<std::string, int> busy_;
    // What is claimed at once: less after claims for addresses that were busy, and else more.
    std::size_t claim_size_ = 64, given_back_ = 0;
    bool has_more_ = false;
};

}  // namespace hub
