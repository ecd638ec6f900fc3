// SPDX-License-Identifier: MIT
#include "hub/hub.hpp"

#include <algorithm>

#include "hub/workers.hpp"

namespace hub {

namespace {

using store::Access;
using namespace std::chrono_literals;

constexpr auto sweep_every = 60s;
constexpr std::size_t swept_at_once = 1000, results_at_once = 500;
constexpr auto one_batch = 20ms;

// One address gets at most an eighth of the places.
net::Limits limits_of(std::size_t connections) {
    net::Limits limits;
    limits.connections = connections;
    limits.requests_to_address = std::max<std::size_t>(connections / 8, 1);
    limits.waiting_for_address = 2 * limits.requests_to_address;
    limits.first_to_port = 16;
    return limits;
}

}  // namespace

class Hub::Loop {
   public:
    Loop(HubContext context, const HubOptions& options, net::Client verifications,
         net::Client deliveries)
        : context_(std::move(context)), verifier_(context_, std::move(verifications)),
          looker_(context_, verifier_, options.look_every, options.settle),
          deliverer_(context_, verifier_, std::move(deliveries),
                     {.connect = options.connect, .total = options.total}) {}

    void step(std::chrono::milliseconds at_most) {
        try_store([&] { deliverer_.write_results(); });
        try_store([&] { verifier_.write_results(); });
        try_store([&] { looker_.work(); });
        try_store([&] { verifier_.work(); });
        const auto is_reached = try_store([&] { deliverer_.work(); });
        try_store([&] { sweep_sometimes(); });
        const bool is_busy = is_reached && (looker_.is_busy() || deliverer_.has_more());
        receive(is_busy ? 0ms : at_most);
        if (is_reached) try_store([&] { receive_more(); });
        try_store([&] { deliverer_.write_results(); });
        try_store([&] { verifier_.write_results(); });
    }

    [[nodiscard]] bool is_open() const { return verifier_.is_open() || deliverer_.is_open(); }

    void stop(std::chrono::milliseconds at_most) {
        context_.repeat(
            at_most, [&] { return deliverer_.is_open(); },
            [&](auto left) { deliverer_.receive(left); });
        try_store([&] { deliverer_.give_back(); });
        verifier_.receive(0ms);
        try_store([&] { verifier_.write_results(); });
    }

    void wake() {
        deliverer_.wake();
        verifier_.wake();
    }

   private:
    template <class Work>
    static bool try_store(Work work) {
        return store::attempt("hub", work);
    }

    // Both clients may have answers, and only one of them can be waited for.
    void receive(std::chrono::milliseconds at_most) {
        const bool is_verifying = verifier_.is_open();
        const bool both = is_verifying && deliverer_.is_open();
        if (is_verifying) verifier_.receive(both ? 0ms : at_most);
        if (!is_verifying || both) deliverer_.receive(both ? std::min(at_most, 5ms) : at_most);
    }

    // Receives for a little while more, as long as answers come, because a transaction for each answer would take longer
    // than the answers.
    void receive_more() {
        bool has_come = true;
        context_.repeat(
            one_batch,
            [&] {
                return has_come && deliverer_.is_open() && deliverer_.results() < results_at_once;
            },
            [&](auto) {
                const auto before = deliverer_.results();
                receive(2ms);
                has_come = before == 0 || deliverer_.results() > before;
            });
    }

    void sweep_sometimes() {
        const auto now = context_.steady();
        if (now >= sweep_at_) {
            context_.write(sweep);
            delete_topics();
            sweep_at_ = now + sweep_every;
        }
        if (now < clean_at_) return;
        const auto end = context_.write(delete_old_notifications, cleaned_, swept_at_once);
        cleaned_ = end.value_or(NotificationKey{});
        clean_at_ = now + (end ? 1s : 10s);
    }

    void delete_topics() {
        const auto unused =
            store::perform(context_.pool, Access::read, unused_topics, swept_at_once);
        if (unused.empty()) return;
        store::perform(context_.pool, Access::write, delete_unused_topics, unused);
    }

    HubContext context_;
    Verifier verifier_;
    Looker looker_;
    Deliverer deliverer_;
    SteadyTime sweep_at_{}, clean_at_{};
    NotificationKey cleaned_;  // up to which notifications were looked at
};

Hub::Hub(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Hub::~Hub() = default;
Hub::Hub(Hub&&) noexcept = default;
Hub& Hub::operator=(Hub&&) noexcept = default;

base::Result<Hub> Hub::make(store::Pool& pool, Site site, HubOptions options) {
    const auto make_client = [&](std::size_t connections) {
        return net::Client::make(options.guard, limits_of(connections), options.look_up);
    };
    auto verifications = make_client(Verifier::most_open);
    if (!verifications) return tl::unexpected(verifications.error());
    auto deliveries = make_client(options.connections);
    if (!deliveries) return tl::unexpected(deliveries.error());
    HubContext context{{.pool = pool, .clock = options.clock, .steady = options.steady},
                       std::move(site),
                       options.user_agent};
    return Hub(std::make_unique<Loop>(std::move(context), options, std::move(*verifications),
                                      std::move(*deliveries)));
}

void Hub::step(std::chrono::milliseconds at_most) { loop_->step(at_most); }
bool Hub::is_open() const { return loop_->is_open(); }
void Hub::stop(std::chrono::milliseconds at_most) { loop_->stop(at_most); }
void Hub::wake() { loop_->wake(); }

}  // namespace hub
