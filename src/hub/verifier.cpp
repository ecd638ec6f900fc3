// SPDX-License-Identifier: MIT

#include "base/log.hpp"
#include "hub/workers.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using store::Transaction;

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds longest_verification{10'000};
// How long a request waits when its host is asked for others, or the site can't be.
constexpr std::chrono::seconds until_host_has_room{2}, until_site_knows{60};

net::Request request_to(net::Url url, const std::string& user_agent) {
    net::Request request;
    request.url = std::move(url);
    request.fields = {{"User-Agent", user_agent}};
    request.total = longest_verification;
    request.most_body = 1024;  // a challenge has 64 bytes
    return request;
}

// What an answer means for the subscription. Who answers anything but the challenge has refused; who does not
// answer, or says that it can't now, is asked again.
Verified outcome_of(const net::FinishedRequest& finished, const std::string& challenge) {
    if (!finished.response) {
        const auto kind = finished.response.error().kind;
        return kind == net::FailureKind::refused || kind == net::FailureKind::too_large
                   ? Verified::refused
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
    const bool is_due = context_.read(is_verification_due);
    if (!is_due) return;
    auto claimed =
        context_.write(claim_verifications, context_.new_claim(), most_open - open_.size());
    for (auto& one : claimed)
        if (auto result = send(std::move(one))) results_.push_back(std::move(*result));
    write_results();
}

// Returns what has come of it if nothing was sent.
std::optional<Verifier::Result> Verifier::send(ClaimedVerification claimed) {
    const auto callback = net::parse_url(claimed.callback);
    if (!callback) return Result{std::move(claimed), Verified::refused, {}, {}};
    const auto of_host = open_of_host_.find(callback->host);
    if (of_host != open_of_host_.end() && of_host->second >= most_of_host)
        return Result{std::move(claimed), Verified::failed, {}, until_host_has_room};
    std::string position;
    bool later = false;
    if (claimed.verification.mode == Mode::subscribe)
        if (const auto outcome = find_position(claimed, position, later))
            return Result{std::move(claimed), *outcome, {}, later ? until_site_knows : 0s};
    claimed.verification.challenge = new_challenge();
    const auto id = client_.add(
        request_to(verification_url(*callback, claimed.verification), context_.user_agent));
    ++open_of_host_[callback->host];
    open_.emplace(id, Open{std::move(claimed), callback->host, std::move(position)});
    return std::nullopt;
}

// Returns an outcome if nothing needs to be asked.
//   position  where the news of the topic begin
//   later     set if the site can't say now
std::optional<Verified> Verifier::find_position(const ClaimedVerification& claimed,
                                                std::string& position, bool& later) {
    const auto allowed = context_.site.may_read(claimed.reader);
    if (allowed && !*allowed) {
        deny(claimed.callback, claimed.verification.topic_url, "The token is no longer valid.");
        return Verified::refused;
    }
    later = !allowed;
    if (later) return Verified::failed;
    if (!claimed.is_first) return std::nullopt;
    auto news = context_.site.read_news(claimed.topic, "");
    if (!news && news.error().kind == base::ErrorKind::absent) {
        deny(claimed.callback, claimed.verification.topic_url, "There is no such feed.");
        return Verified::refused;
    }
    later = !news || !*news || (*news)->position.empty();
    if (later) return Verified::failed;
    position = std::move((*news)->position);
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
        auto& [claimed, host, position] = found.mapped();
        if (--open_of_host_[host] == 0) open_of_host_.erase(host);
        const auto outcome = outcome_of(finished, claimed.verification.challenge);
        results_.push_back({std::move(claimed), outcome, std::move(position), {}});
    }
}

void Verifier::write_results() {
    if (results_.empty()) return;
    context_.write([&](Transaction& transaction, base::Seconds now) {
        std::map<std::string, std::int64_t> counts;
        for (const auto& [claimed, outcome, position, postponed] : results_) {
            if (postponed.count() > 0)
                postpone_verification(transaction, claimed, now + postponed);
            else if (finish_verification(transaction, claimed, outcome, position, now) &&
                     outcome != Verified::failed)
                ++counts[outcome == Verified::confirmed ? "verified" : "refused"];
        }
        tables::count_outcomes(transaction, "hub_notes", counts, tables::slot_of_process());
    });
    results_.clear();
}

}  // namespace hub
