// SPDX-License-Identifier: MIT
#include "harvest/harvester.hpp"

#include <algorithm>

#include "harvest/workers.hpp"

namespace harvest {

namespace {

using store::Transaction;
using namespace std::chrono_literals;

constexpr auto sweep_every = 60s, sweep_again_after = 1s;
constexpr auto review_again_after = 100ms;
constexpr std::size_t dropped_at_once = 500;
constexpr auto one_batch = 20ms;

base::Result<net::Client> make_client(const HarvestOptions& options) {
    net::Limits limits;
    limits.connections = options.connections + ArchiveWalker::most_open;
    // Hosts of one address are asked at once: a request that waits for its turn would outlive its claim.
    limits.requests_to_address = limits.connections;
    return net::Client::make(options.guard, limits, options.look_up);
}

}  // namespace

class Harvester::Loop {
   public:
    Loop(store::Pool& pool, HarvestOptions options, net::Client client)
        : options_(std::move(options)),
          context_{{.pool = pool, .clock = options_.clock, .steady = options_.steady}, options_},
          getter_(context_, std::move(client)), fetcher_(context_, getter_),
          walker_(context_, getter_) {}

    void step(std::chrono::milliseconds at_most) {
        try_store([&] { getter_.follow(); });
        const bool is_reached = try_store([&] { fetcher_.work(); });
        try_store([&] { walker_.work(); });
        try_store([&] { sweep_sometimes(); });
        try_store([&] { review_mentions(); });
        receive(is_reached && fetcher_.has_more() ? 0ms : at_most);
        if (is_reached) receive_more();
        try_store([&] { walker_.write_results(); });
        try_store([&] { fetcher_.write_results(); });
    }

    bool is_done() {
        if (fetcher_.open() > 0 || walker_.open() > 0 || is_reviewing_) return false;
        return context_.read([&](Transaction& transaction, base::Seconds now) {
            return !is_any_due(transaction, feed_queue, now, now) &&
                   !is_any_due(transaction, archive_queue, now + page_spacing, now);
        });
    }

    [[nodiscard]] bool is_fetching() const {
        return getter_.is_waiting() || fetcher_.is_reading();
    }

    void stop(std::chrono::milliseconds at_most) {
        context_.repeat(
            at_most, [&] { return is_fetching(); }, [&](auto left) { receive(left); });
        try_store([&] { fetcher_.write_results(); });
        try_store([&] { walker_.write_results(); });
    }

    void wake() { getter_.wake(); }

   private:
    template <class Work>
    static bool try_store(Work work) {
        return store::attempt("harvester", work);
    }

    void receive(std::chrono::milliseconds at_most) {
        getter_.receive(at_most);
        fetcher_.take_read();
    }

    // Receives for a little while more, because a transaction for each answer would take longer than the answers.
    void receive_more() {
        context_.repeat(
            one_batch,
            [&] { return is_fetching() && fetcher_.results() < Fetcher::results_at_once; },
            [&](auto) { receive(2ms); });
    }

    void sweep_sometimes() {
        const auto now = context_.steady();
        if (now < sweep_at_) return;
        const auto dropped = context_.write([&](Transaction& transaction, base::Seconds time) {
            note_harvester(transaction, time);
            sweep(transaction, time);
            if (!options_.keep) return std::size_t{0};
            return drop_old_entries(transaction, *options_.keep, time, dropped_at_once);
        });
        sweep_at_ = now + (dropped < dropped_at_once ? sweep_every : sweep_again_after);
    }

    // Searches some of the entries that the present rules have not searched.
    void review_mentions() {
        const auto now = context_.steady();
        if (now < review_at_) return;
        is_reviewing_ = review_.step(context_.pool, options_.mentions, options_.clock);
        context_.rules = review_.rules();
        review_at_ =
            now + (is_reviewing_ ? SteadyTime::duration(review_again_after) : sweep_every);
    }

    const HarvestOptions options_;
    HarvestContext context_;
    Getter getter_;
    Fetcher fetcher_;
    ArchiveWalker walker_;
    MentionReview review_;
    bool is_reviewing_ = !options_.mentions.rules.empty();  // there may be more
    SteadyTime sweep_at_{}, review_at_{};
};

Harvester::Harvester(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Harvester::~Harvester() = default;
Harvester::Harvester(Harvester&&) noexcept = default;
Harvester& Harvester::operator=(Harvester&&) noexcept = default;

base::Result<Harvester> Harvester::make(store::Pool& pool, HarvestOptions options) {
    auto client = make_client(options);
    if (!client) return tl::unexpected(client.error());
    return Harvester(std::make_unique<Loop>(pool, std::move(options), *std::move(client)));
}

void Harvester::step(std::chrono::milliseconds at_most) { loop_->step(at_most); }
bool Harvester::is_done() { return loop_->is_done(); }
bool Harvester::is_fetching() const { return loop_->is_fetching(); }
void Harvester::stop(std::chrono::milliseconds at_most) { loop_->stop(at_most); }
void Harvester::wake() { loop_->wake(); }

}  // namespace harvest
