// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/log.hpp"
#include "hub/protocol.hpp"
#include "hub/subscriptions.hpp"
#include "hub/workers.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using store::Access;
using store::Transaction;

// What one transaction claims.
constexpr std::size_t claims_least = 128, claims_at_once = 500;
// A delivery is looked up (net::Request::connect), waits for its turn and is sent: all of it takes less than a claim
// lasts, and so does what happens between claiming and sending.
constexpr std::chrono::milliseconds longest_wait{20'000};
constexpr std::chrono::seconds latest_after_claim{10};
// Before what was claimed and could not be sent is due again: doubled each time in a row, up to the longest.
constexpr std::chrono::seconds busy_pause{1}, longest_busy_pause{60}, unknown_pause{60};
// Hosts that are remembered.
constexpr std::size_t most_busy_hosts = 10'000;

}  // namespace

void Deliverer::work() {
    has_more_ = false;
    const auto room = limits_.most_claimed - std::min(limits_.most_claimed, open_.size());
    const auto most = std::min(room, claim_size_);
    if (most == 0) return;
    const auto began = context_.steady();
    const auto due = context_.read(due_deliveries, most);
    if (due.empty()) return;
    auto claimed = context_.write(claim_deliveries, due, context_.new_claim());
    has_more_ = due.size() == most;
    claim_size_ = given_back_ == 0 ? std::min(2 * claim_size_, claims_at_once)
                                   : std::max(claims_least, claim_size_ / 2);
    given_back_ = 0;
    bool is_late = false;  // the store made it wait
    for (auto& delivery : claimed) {
        is_late = is_late || context_.steady() - began > latest_after_claim;
        if (!is_late) is_late = !store::attempt("hub", [&] { send(delivery); });
        if (is_late) finish(std::move(delivery), Delivered::not_sent);
    }
    write_results();
}

std::shared_ptr<const Notification> Deliverer::notification(const NotificationKey& key) {
    if (const auto found = notifications_.find(key); found != notifications_.end())
        if (auto kept = found->second.lock()) return kept;
    auto loaded = store::perform(context_.pool, Access::read, load_notification, key);
    if (!loaded) return nullptr;
    auto shared = std::make_shared<const Notification>(std::move(*loaded));
    notifications_[key] = shared;
    return shared;
}

void Deliverer::send(Delivery& delivery) {
    const auto allowed = context_.site.may_read(delivery.reader);
    if (!allowed) return finish(std::move(delivery), Delivered::not_sent, unknown_pause);
    if (!*allowed) {
        verifier_.deny(delivery.callback, delivery.topic_url, "The token is no longer valid.");
        return finish(std::move(delivery), Delivered::gone);
    }
    auto url = net::parse_url(delivery.callback);
    if (!url) return finish(std::move(delivery), Delivered::gone);
    const auto content = notification(delivery.notification);
    if (!content) return finish(std::move(delivery), Delivered::not_sent, busy_pause);
    net::Request request;
    request.url = std::move(*url);
    request.method = net::Method::post;
    request.fields = {{"User-Agent", context_.user_agent},
                      {"Content-Type", content->content_type},
                      {"Link", link_field(context_.site.hub_url, delivery.topic_url)}};
    if (!delivery.secret.empty())
        request.fields.push_back(
            {"X-Hub-Signature",
             signature_field(delivery.method, delivery.secret, content->body)});
    request.body = std::shared_ptr<const std::string>(content, &content->body);
    request.connect = limits_.connect;
    request.turn = longest_wait;
    request.total = limits_.total;
    request.most_body = 4096;
    request.needed = net::Needed::status;
    open_.emplace(client_.add(std::move(request)), std::move(delivery));
}

void Deliverer::finish(Delivery delivery, Delivered outcome, std::chrono::seconds pause) {
    results_.push_back({std::move(delivery), outcome, pause});
}

void Deliverer::receive(std::chrono::milliseconds at_most) {
    for (const auto& finished : client_.wait(at_most)) take_answer(finished);
}

void Deliverer::take_answer(const net::FinishedRequest& finished) {
    auto found = open_.extract(finished.id);
    if (found.empty()) return;
    auto& delivery = found.mapped();
    if (!finished.response && finished.response.error().kind == net::FailureKind::busy)
        return finish_busy(std::move(delivery));
    const int status = finished.response ? finished.response->status : 0;
    if (status != 0) busy_.erase(delivery.host);
    if (status >= 200 && status < 300) return finish(std::move(delivery), Delivered::delivered);
    if (status == 410) return finish(std::move(delivery), Delivered::gone);
    const double random = std::uniform_real_distribution<double>()(context_.random);
    const auto pause = pause_after(delivery.tries + 1, delivery.given_up, random);
    if (!pause)
        base::log::warning("a notification was given up",
                           {{"subscription", std::to_string(delivery.row.id)},
                            {"host", delivery.host},
                            {"reason", finished.response ? "status " + std::to_string(status)
                                                         : finished.response.error().text}});
    finish(std::move(delivery), Delivered::failed, pause.value_or(std::chrono::seconds(0)));
}

void Deliverer::finish_busy(Delivery delivery) {
    ++given_back_;
    if (busy_.size() >= most_busy_hosts) busy_.clear();
    auto& times = busy_[delivery.host];
    const auto pause = std::min(busy_pause * (1 << times), longest_busy_pause);
    if (pause < longest_busy_pause) ++times;
    finish(std::move(delivery), Delivered::not_sent, pause);
}

void Deliverer::write_results() {
    if (results_.empty()) return;
    context_.write([&](Transaction& transaction, base::Seconds now) {
        const auto counts = finish_deliveries(transaction, results_, now);
        tables::count_outcomes(transaction, "hub_notes", counts, tables::slot_of_process());
    });
    results_.clear();
    std::erase_if(notifications_, [](const auto& entry) { return entry.second.expired(); });
}

void Deliverer::give_back() {
    for (auto& [id, delivery] : open_) finish(std::move(delivery), Delivered::not_sent);
    open_.clear();
    write_results();
}

}  // namespace hub
