// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/log.hpp"
#include "hub/workers.hpp"

namespace hub {

namespace {

using store::Transaction;

// Topics of one transaction, and how long a part of a look takes at most.
constexpr std::size_t topics_at_once = 64;
constexpr std::chrono::milliseconds one_part{100};
// Monitors see that a hub looks, also if there is nothing new for weeks, or a look takes long.
constexpr std::chrono::seconds note_presence_every{60};

}  // namespace

void Looker::work() {
    const auto began = context_.steady();
    if (!plan_) {
        if (began < due_ && context_.site.current_release() == last_version_) return;
        begin();
    }
    if (plan_ && began < begins_) return;
    while (plan_ && next_ < plan_->candidates.size()) {
        if (context_.steady() - began > one_part) return;
        const auto rest = std::span(plan_->candidates).subspan(next_);
        next_ += look_at(rest.first(std::min(rest.size(), topics_at_once)));
    }
    if (plan_) end();
}

void Looker::begin() {
    const auto current = context_.site.current_release();
    began_ = context_.steady();
    due_ = began_ + std::min<std::chrono::seconds>(every_, std::chrono::seconds(1));
    if (current.empty()) return;
    plan_ = context_.read(plan_look, current);
    last_version_ = current;
    if (!plan_) return note_presence();
    const bool is_mine = context_.write(claim_look, me_);
    if (!is_mine) plan_.reset();
    begins_ = began_ + settle_;
    next_ = 0;
    is_incomplete_ = false;
}

void Looker::note_presence() {
    if (context_.steady() < present_until_) return;
    context_.write(note_looker_is_there);
    present_until_ = context_.steady() + note_presence_every;
}

std::size_t Looker::look_at(std::span<const LookPlan::Candidate> candidates) {
    const auto began = context_.steady();
    struct State {
        const LookPlan::Candidate* candidate;
        TopicState topic;
    };
    const auto states = context_.read([&](Transaction& transaction, base::Seconds now) {
        std::vector<State> found;
        for (const auto& candidate : candidates)
            if (auto topic = load_topic(transaction, candidate.topic, now))
                found.push_back({&candidate, std::move(*topic)});
        return found;
    });
    std::vector<FoundNews> found;
    std::vector<const LookPlan::Candidate*> without_news;
    auto looked_at = candidates.size();
    for (const auto& [candidate, state] : states) {
        // The feed of a large class takes up to a second, and deliveries wait.
        if (candidate != states.front().candidate && context_.steady() - began > one_part) {
            looked_at = static_cast<std::size_t>(candidate - candidates.data());
            break;
        }
        if (state.position.empty()) continue;  // it was never in force
        auto news = context_.site.read_news(state.topic, state.position);
        if (!news && news.error().kind != base::ErrorKind::absent) {
            is_incomplete_ = true;
            base::log::warning("the news of a topic cannot be read",
                               {{"topic", state.topic.url}, {"reason", news.error().text}});
        } else if (news && *news && !(*news)->body.empty()) {
            found.push_back({.topic = candidate->topic,
                             .before = state.position,
                             .news = std::move(**news),
                             .looked_in = plan_->version,
                             .row_seen = candidate->row_seen});
        } else {
            without_news.push_back(candidate);
        }
    }
    const bool is_mine = context_.write([&](Transaction& transaction, base::Seconds now) {
        for (const auto& news : found) record_notification(transaction, news, now);
        for (const auto* candidate : without_news)
            note_without_news(transaction, *candidate, plan_->version);
        return claim_look(transaction, me_, now);
    });
    note_presence();
    // Another hub looks at the rest, or the rest would be judged by a release that is not current.
    if (!is_mine || context_.site.current_release() != plan_->version) plan_.reset();
    return looked_at;
}

void Looker::end() {
    context_.write([&](Transaction& transaction, base::Seconds now) {
        if (!is_incomplete_) note_finished_look(transaction, *plan_, now);
        end_look(transaction, me_);
    });
    const auto now = context_.steady();
    due_ = now + every_ + 10 * (now - began_);
    if (is_incomplete_) due_ += std::chrono::seconds(30);
    plan_.reset();
}

}  // namespace hub
