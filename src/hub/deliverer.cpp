// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/log.hpp"
#include "hub/protocol.hpp"
#include "hub/workers.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using store::Access;
using store::Transaction;

// What one transaction claims or writes.
constexpr std::size_t claims_least = 16, claims_at_once = 500;
constexpr std::size_t least_room = 2, most_room = 100;
// What of a host is claimed at least, so that it can be sent as soon as there is room.
constexpr std::size_t claimed_ahead = 128;
// After so many deliveries in a row that did not reach a host, it gets none for a while. Short, because
// other subscribers of a shared host may be alive.
constexpr int unreachable_in_a_row = 4;
constexpr std::chrono::seconds host_pause{60};
// Before what was claimed and could not be sent is due again.
constexpr std::chrono::seconds busy_pause{1}, unknown_pause{60};

}  // namespace

void Deliverer::work() {
    abandon_late();  // the other workers may have waited for the store
    keep_claims();
    claim();
    send_waiting();
    write_results();
}

void Deliverer::abandon_late() {
    if (open_.empty() && waiting_ == 0) return;
    if (context_.steady() < claims_last_until_) return;
    abandon();
}

void Deliverer::abandon() {
    base::log::error("deliveries abandoned because the store could not be reached");
    auto client = make_client_();
    if (!client) throw std::runtime_error(client.error().text);
    client_ = std::move(*client);
    for (auto& [id, delivery] : open_)
        finish(std::move(delivery), Delivered::not_sent, busy_pause);
    open_.clear();
    for (auto& [name, host] : hosts_) {
        host.open = host.open_retries = 0;
        give_back_waiting(host, busy_pause);
    }
}

void Deliverer::keep_claims() {
    const auto now = context_.steady();
    if (now < renew_at_ || (open_.empty() && waiting_ == 0)) return;
    const auto all = claims();
    const bool are_ours = context_.write(renew_claims, all);
    if (!are_ours) return abandon();
    renew_at_ = now + renew_claims_every;
    claims_last_until_ = now + delivery_claim - std::chrono::seconds(20);
}

std::vector<const ClaimedDelivery*> Deliverer::claims() const {
    std::vector<const ClaimedDelivery*> all;
    all.reserve(open_.size() + waiting_);
    for (const auto& [id, delivery] : open_) all.push_back(&delivery);
    for (const auto& [name, host] : hosts_)
        for (const auto* queue : {&host.waiting, &host.retries})
            for (const auto& delivery : *queue) all.push_back(&delivery);
    return all;
}

std::size_t Deliverer::room_of(const Host& host) {
    const auto most = host.unreachable > 0 ? host.room : std::max(claimed_ahead, 2 * host.room);
    return most - std::min(most, host.open + host.waiting.size() + host.retries.size());
}

// Hosts that can take few or no deliveries now, at most most_excluded_hosts.
std::vector<std::string> Deliverer::full_hosts() const {
    const auto now = context_.steady();
    std::vector<std::string> names;
    for (const auto& [name, host] : hosts_)
        if ((room_of(host) < host.room / 2 || room_of(host) == 0 || now < host.paused_until) &&
            names.size() < most_excluded_hosts)
            names.push_back(name);
    return names;
}

void Deliverer::claim() {
    has_more_ = false;
    const auto claimed_now = std::min(limits_.most_claimed, open_.size() + waiting_);
    const auto room = limits_.most_claimed - claimed_now;
    const ClaimTerms terms{.claim = context_.new_claim(),
                           .most = std::min(room, claim_size_),
                           .without_hosts = full_hosts()};
    if (terms.most == 0) return;
    const auto now = context_.steady();
    // Most of the time nothing is due, and a transaction that writes makes others wait.
    const bool is_due = context_.read(is_delivery_due);
    if (!is_due) return;
    auto claimed = context_.write(claim_deliveries, terms);
    if (claimed.empty()) return;
    if (open_.empty() && waiting_ == 0) {
        renew_at_ = now + renew_claims_every;
        claims_last_until_ = now + delivery_claim - std::chrono::seconds(20);
    }
    has_more_ = claimed.size() == terms.most;
    given_back_ = 0;
    for (auto& delivery : claimed) take(std::move(delivery));
    claim_size_ = given_back_ == 0 ? std::min(2 * claim_size_, claims_at_once)
                                   : std::max(claims_least, claim_size_ - given_back_);
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

void Deliverer::take(ClaimedDelivery delivery) {
    auto& host = hosts_[delivery.host];
    if (context_.steady() < host.paused_until)
        return finish(std::move(delivery), Delivered::not_sent, host_pause);
    if (room_of(host) == 0) {
        ++given_back_;
        return finish(std::move(delivery), Delivered::not_sent, busy_pause);
    }
    auto& queue = delivery.tries > 0 ? host.retries : host.waiting;
    queue.push_back(std::move(delivery));
    ++waiting_;
}

void Deliverer::send_waiting() {
    for (auto& [name, host] : hosts_) {
        while (!host.waiting.empty() && host.open < host.room) send_first(host.waiting, host);
        const auto retries = std::max<std::size_t>(host.room / 2, 1);
        while (!host.retries.empty() && host.open < host.room && host.open_retries < retries)
            send_first(host.retries, host);
    }
}

void Deliverer::send_first(std::deque<ClaimedDelivery>& queue, Host& host) {
    auto delivery = std::move(queue.front());
    queue.pop_front();
    --waiting_;
    send(std::move(delivery), host);
}

void Deliverer::give_back_waiting(Host& host, std::chrono::seconds pause) {
    for (auto* queue : {&host.waiting, &host.retries}) {
        waiting_ -= queue->size();
        for (auto& delivery : *queue) finish(std::move(delivery), Delivered::not_sent, pause);
        queue->clear();
    }
}

void Deliverer::send(ClaimedDelivery delivery, Host& host) {
    const auto allowed = context_.site.may_read(delivery.reader);
    if (!allowed) return finish(std::move(delivery), Delivered::not_sent, unknown_pause);
    if (!*allowed) {
        verifier_.deny(delivery.callback, delivery.topic_url, "The token is no longer valid.");
        return finish(std::move(delivery), Delivered::gone, {});
    }
    auto url = net::parse_url(delivery.callback);
    const auto content = url ? notification(delivery.notification) : nullptr;
    if (!url) return finish(std::move(delivery), Delivered::gone, {});
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
    request.total = limits_.total;
    request.most_body = 4096;
    request.needed = net::Needed::status;
    ++host.open;
    if (delivery.tries > 0) ++host.open_retries;
    open_.emplace(client_.add(std::move(request)), std::move(delivery));
}

void Deliverer::finish(ClaimedDelivery delivery, Delivered outcome, std::chrono::seconds pause) {
    results_.push_back({std::move(delivery), outcome, pause});
}

void Deliverer::receive(std::chrono::milliseconds at_most) {
    for (const auto& finished : client_.wait(at_most)) take_answer(finished);
}

void Deliverer::take_answer(const net::FinishedRequest& finished) {
    auto found = open_.extract(finished.id);
    if (found.empty()) return;
    auto& delivery = found.mapped();
    auto& host = hosts_[delivery.host];
    --host.open;
    if (delivery.tries > 0) --host.open_retries;
    const int status = finished.response ? finished.response->status : 0;
    if (status != 0) {
        host.unreachable = 0;
        host.answered_at = context_.steady();
        host.room = std::min(host.room + 1, most_room);
    } else {
        note_unreachable(delivery.host, host);
    }
    if (status >= 200 && status < 300)
        return finish(std::move(delivery), Delivered::delivered, {});
    if (status == 410) return finish(std::move(delivery), Delivered::gone, {});
    const double random = std::uniform_real_distribution<double>()(context_.random);
    const auto pause = pause_after(delivery.tries + 1, delivery.given_up, random);
    if (!pause)
        base::log::warning("a notification was given up",
                           {{"subscription", std::to_string(delivery.subscription)},
                            {"host", delivery.host},
                            {"reason", finished.response ? "status " + std::to_string(status)
                                                         : finished.response.error().text}});
    finish(std::move(delivery), Delivered::failed, pause.value_or(std::chrono::seconds(0)));
}

void Deliverer::note_unreachable(const std::string& name, Host& host) {
    // It has answered others since this one was sent, so it is the subscriber that doesn't.
    const auto sent_at = context_.steady() - limits_.connect - limits_.total;
    if (host.answered_at && *host.answered_at >= sent_at) return;
    host.room = std::max(host.room / 2, least_room);
    if (++host.unreachable < unreachable_in_a_row) return;
    host.unreachable = 0;
    host.paused_until = context_.steady() + host_pause;
    give_back_waiting(host, host_pause);
    put_off_.push_back(name);
}

void Deliverer::write_results() {
    if (results_.empty() && put_off_.empty()) return;
    context_.write([&](Transaction& transaction, base::Seconds now) {
        std::vector<DeliveryResult> results;
        results.reserve(results_.size());
        for (const auto& [delivery, outcome, pause] : results_)
            results.push_back({&delivery, outcome, pause});
        const auto counts = finish_deliveries(transaction, results, now);
        for (const auto& host : put_off_) put_off(transaction, host, host_pause, now);
        tables::count_outcomes(transaction, "hub_notes", counts, tables::slot_of_process());
    });
    results_.clear();
    put_off_.clear();
    std::erase_if(notifications_, [](const auto& entry) { return entry.second.expired(); });
    const auto now = context_.steady();
    std::erase_if(hosts_, [&](const auto& entry) {
        const auto& host = entry.second;
        return host.open == 0 && host.waiting.empty() && host.retries.empty() &&
               host.unreachable == 0 && host.paused_until < now;
    });
}

void Deliverer::give_back() {
    for (auto& [id, delivery] : open_)
        finish(std::move(delivery), Delivered::not_sent, std::chrono::seconds(0));
    open_.clear();
    for (auto& [name, host] : hosts_) give_back_waiting(host, std::chrono::seconds(0));
    write_results();
}

}  // namespace hub
