// SPDX-License-Identifier: MIT
#include "base/log.hpp"
#include "hub/subscriptions.hpp"
#include "hub/workers.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using store::Transaction;

using namespace std::chrono_literals;

// A verification waits for the look-up of its host (net::Request::connect), its turn and its answer: all of it takes
// less than a claim lasts.
constexpr std::chrono::milliseconds longest_wait{20'000}, longest_verification{10'000};
// How long a request waits when its address is busy with others, or it isn't known who may read.
constexpr std::chrono::seconds until_address_has_room{2}, until_site_knows{60};

net::Request request_to(net::Url url, const std::string& user_agent) {
    net::Request request;
    request.url = std::move(url);
    request.fields = {{"User-Agent", user_agent}};
    request.turn = longest_wait;
    request.total = longest_verification;
    request.most_body = 1024;  // a challenge has 64 bytes
    return request;
}

// What an answer means for the subscription. Who answers anything but the challenge has refused; who does not
// answer, or says that it can't now, is asked again.
Verified outcome_of(const net::FinishedRequest& finished, const std::string& challenge) {
    using Kind = net::FailureKind;
    if (!finished.response) {
        const auto kind = finished.response.error().kind;
        if (kind == Kind::busy) return Verified::not_sent;
        return kind == Kind::refused || kind == Kind::too_large ? Verified::refused
                                                                : Verified::failed;
    }
    const auto status = finished.response->status;
    if (status >= 200 && status < 300)
        return finished.response->body == challenge ? Verified::confirmed : Verified::refused;
    return status >= 500 || status == 408 || status == 429 ? Verified::failed : Verified::refused;
}

}  // namespace

void Verifier::work() {
    if (open_.size() >= most_open || !results_.empty()) return;
    const auto due = context_.read(due_requests, most_open - open_.size());
    if (due.empty()) return;
    for (auto& request : context_.write(claim_requests, due, context_.new_claim()))
        if (auto result = send(std::move(request))) results_.push_back(std::move(*result));
    write_results();
}

std::optional<Verifier::Result> Verifier::send(PendingRequest request) {
    const auto callback = net::parse_url(request.callback);
    if (!callback) return Result{std::move(request), Verified::refused};
    if (request.verification.mode == Mode::subscribe) {
        const auto allowed = context_.site.may_read(request.reader);
        if (!allowed) return Result{std::move(request), Verified::not_sent, until_site_knows};
        if (!*allowed) {
            deny(request.callback, request.verification.topic_url,
                 "The token is no longer valid.");
            return Result{std::move(request), Verified::refused};
        }
    }
    auto verification = request.verification;
    verification.challenge = new_challenge();
    const auto id =
        client_.add(request_to(verification_url(*callback, verification), context_.user_agent));
    open_.emplace(id, Open{std::move(request), std::move(verification.challenge)});
    return std::nullopt;
}

void Verifier::deny(const std::string& callback, const std::string& topic_url,
                    std::string_view reason) {
    if (const auto url = net::parse_url(callback))
        client_.add(request_to(denial_url(*url, topic_url, reason), context_.user_agent));
}

void Verifier::receive(std::chrono::milliseconds at_most) {
    for (const auto& finished : client_.wait(at_most)) {
        auto found = open_.extract(finished.id);
        if (found.empty()) continue;  // a denial
        auto& [request, challenge] = found.mapped();
        results_.push_back(
            {std::move(request), outcome_of(finished, challenge), until_address_has_room});
    }
}

void Verifier::write_results() {
    if (results_.empty()) return;
    context_.write([&](Transaction& transaction, base::Seconds now) {
        std::map<std::string, std::int64_t> counts;
        for (const auto& [request, outcome, pause] : results_) {
            const bool is_written = finish_request(transaction, request, outcome, pause, now);
            if (is_written && outcome == Verified::confirmed) ++counts["verified"];
            if (is_written && outcome == Verified::refused) ++counts["refused"];
        }
        tables::count_outcomes(transaction, "hub_notes", counts, tables::slot_of_process());
    });
    results_.clear();
}

}  // namespace hub
