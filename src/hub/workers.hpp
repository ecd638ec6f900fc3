// hub/workers.hpp -- the three things that a hub does by turns: it looks for news, verifies what subscribers
// ask for, and delivers. Each does a small part of its work at a time, so that none waits for the others.
// Whatever a worker knows and has not written to the store, another hub does again when it is gone.
// All belong to one thread. Functions throw store::Failure; then the worker goes on at the next call.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hub/deliveries.hpp"
#include "hub/news.hpp"
#include "hub/subscriptions.hpp"
#include "hub/topic.hpp"
#include "hub/verifications.hpp"
#include "net/client.hpp"
#include "store/worker.hpp"

namespace hub {

using store::SteadyTime;

struct HubContext : store::WorkerContext {
    Site site;
    std::string user_agent;
};

// Finds news and records notifications.
class Looker {
   public:
    //   settle  how long the site may answer from what it knew before: it reads releases once a second
    Looker(HubContext& context, std::chrono::seconds every, std::chrono::seconds settle)
        : context_(context), every_(every), settle_(settle), me_(context.new_claim()) {}

    // Looks at some topics, or begins a look if one is due and another hub doesn't look: when another release
    // is current, or something was written, and the last look ended `every` and ten times its duration ago.
    void work();
    [[nodiscard]] bool is_busy() const { return plan_ && context_.steady() >= begins_; }

   private:
    void begin();
    // Looks at the first ones, at least at one, and returns how many.
    [[nodiscard]] std::size_t look_at(std::span<const LookPlan::Candidate> candidates);
    void note_presence();
    void end();

    HubContext& context_;
    const std::chrono::seconds every_, settle_;
    const std::int64_t me_;
    std::optional<LookPlan> plan_;
    std::size_t next_ = 0;        // candidate
    bool is_incomplete_ = false;  // a topic could not be read
    std::string last_version_;    // of the last look
    SteadyTime present_until_{};
    SteadyTime began_{}, begins_{}, due_{};  // begins_: to ask the site
};

// Sends verifications and denials with a client of its own: strangers name their addresses, and must not take
// the places of deliveries.
class Verifier {
   public:
    // How many verifications are open at once, and how many of one host.
    static constexpr std::size_t most_open = 100, most_of_host = 8;

    Verifier(HubContext& context, net::Client client)
        : context_(context), client_(std::move(client)) {}

    // Claims and sends what is due, as far as there is room.
    void work();
    // Waits for answers and writes what came of them.
    void receive(std::chrono::milliseconds at_most);
    void write_results();
    // Tells a subscriber that its subscription has ended. The answer is ignored, and nothing is repeated.
    void deny(const std::string& callback, const std::string& topic_url, std::string_view reason);

    // Denials are open too; what was refused at once is not, but has an answer.
    [[nodiscard]] bool is_open() const { return client_.open() > 0 || !open_.empty(); }
    void wake() { client_.wake(); }

   private:
    struct Open {
        ClaimedVerification claimed;
        std::string host, position;
    };
    struct Result {
        ClaimedVerification claimed;
        Verified outcome = Verified::confirmed;
        std::string position;
        std::chrono::seconds postponed{0};  // 0: it is not
    };
    [[nodiscard]] std::optional<Result> send(ClaimedVerification claimed);
    [[nodiscard]] std::optional<Verified> find_position(const ClaimedVerification& claimed,
                                                        std::string& position, bool& later);

    HubContext& context_;
    net::Client client_;
    std::unordered_map<net::RequestId, Open> open_;
    std::map<std::string, std::size_t> open_of_host_;
    std::vector<Result> results_;  // that are not written
};

// Sends notifications.
class Deliverer {
   public:
    struct Limits {
        std::size_t most_claimed = 2000;
        std::chrono::milliseconds connect{5'000}, total{20'000};
    };
    using MakeClient = std::function<base::Result<net::Client>()>;

    Deliverer(HubContext& context, Verifier& verifier, net::Client client, MakeClient make_client,
              Limits limits)
        : context_(context), verifier_(verifier), client_(std::move(client)),
          make_client_(std::move(make_client)), limits_(limits) {}

    // Claims and sends what is due, and keeps the claims.
    void work();
    // Claims that could not be renewed in time end, and another hub may send the next notification meanwhile.
    // So what is open then is abandoned: an older one must not arrive after it. Doesn't use the store.
    //   throws  std::runtime_error if the client can't be made anew
    void abandon_late();
    void receive(std::chrono::milliseconds at_most);
    // Sends what is claimed and waits, as far as hosts have room.
    void send_waiting();
    void write_results();
    // Abandons what is open, and gives its claims back.
    void give_back();

    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    [[nodiscard]] std::size_t results() const { return results_.size(); }  // that are not written
    // True when there was more to claim than there was room for.
    [[nodiscard]] bool has_more() const { return has_more_; }
    void wake() { client_.wake(); }

   private:
    // How a host does. What it may have at once grows with each answer, and falls with each delivery that does
    // not reach it: a host that takes 20 seconds for an answer gets a few, and never all places.
    struct Host {
        std::size_t open = 0, room = 8;
        // Claimed, until there is room: those that have not failed yet, which go first, and the others, which
        // get at most half of the room.
        std::deque<ClaimedDelivery> waiting = {}, retries = {};
        std::size_t open_retries = 0;
        std::optional<SteadyTime> answered_at = {};  // when it answered last, whatever
        int unreachable = 0;                         // deliveries in a row that did not reach it
        SteadyTime paused_until{};
    };
    struct Result {
        ClaimedDelivery delivery;
        Delivered outcome = Delivered::delivered;
        std::chrono::seconds pause{0};
    };
    void abandon();
    void keep_claims();
    void claim();
    void take(ClaimedDelivery delivery);
    void send(ClaimedDelivery delivery, Host& host);
    void give_back_waiting(Host& host, std::chrono::seconds pause);
    [[nodiscard]] std::vector<const ClaimedDelivery*> claims() const;
    // Returns how many more of a host may be claimed.
    [[nodiscard]] static std::size_t room_of(const Host& host);
    void finish(ClaimedDelivery delivery, Delivered outcome, std::chrono::seconds pause);
    void take_answer(const net::FinishedRequest& finished);
    void send_first(std::deque<ClaimedDelivery>& queue, Host& host);
    void note_unreachable(const std::string& name, Host& host);
    [[nodiscard]] std::shared_ptr<const Notification> notification(const NotificationKey& key);
    [[nodiscard]] std::vector<std::string> full_hosts() const;

    HubContext& context_;
    Verifier& verifier_;
    net::Client client_;
    MakeClient make_client_;
    const Limits limits_;
    std::unordered_map<net::RequestId, ClaimedDelivery> open_;
    std::map<std::string, Host> hosts_;
    std::size_t waiting_ = 0;                                                     // of all hosts
    std::map<NotificationKey, std::weak_ptr<const Notification>> notifications_;  // being sent
    std::vector<Result> results_;       // that are not written
    std::vector<std::string> put_off_;  // hosts that are paused from now on
    SteadyTime claims_last_until_{}, renew_at_{};
    // What is claimed at once: less after claims for hosts that were full, and else more.
    std::size_t claim_size_ = 64, given_back_ = 0;
    bool has_more_ = false;
};

}  // namespace hub
