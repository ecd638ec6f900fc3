// SPDX-License-Identifier: MIT
#include "base/log.hpp"
#include "hub/workers.hpp"

namespace hub {

namespace {

using store::Transaction;

// Topics of one transaction, and how long a part of the work takes at most.
constexpr std::size_t topics_at_once = 64;
constexpr std::chrono::milliseconds one_part{100};
// Monitors see that a hub looks, also if there is nothing new for weeks.
constexpr std::chrono::seconds note_presence_every{60};
// How long a subscriber waits at most for his verification after the site can be read again.
constexpr std::chrono::seconds longest_unknown{60};

}  // namespace

void Looker::work() {
    const auto current = context_.site.current_release();
    if (current.empty()) return;
    mark(current);
    const auto due = context_.read(due_topics, topics_at_once);
    is_busy_ = !due.empty();
    if (due.empty()) return;
    auto claimed = context_.write(claim_topics, due, context_.new_claim());
    look_at(std::move(claimed));
}

void Looker::mark(const std::string& current) {
    const auto now = context_.steady();
    if (now < mark_at_ && current == last_release_) return;
    const bool is_new = context_.read(is_something_new, current);
    if (is_new)
        context_.write([&](Transaction& transaction, base::Seconds time) {
            mark_topics(transaction, current, time + settle_, time);
        });
    last_release_ = current;
    mark_at_ = now + every_;
    if (now < present_until_) return;
    context_.write(note_looker_is_there);
    present_until_ = now + note_presence_every;
}

void Looker::look_at(std::vector<DueTopic> topics) {
    const auto began = context_.steady();
    const auto current = context_.site.current_release();
    std::vector<Look> looks;
    looks.reserve(topics.size());
    for (auto& topic : topics) {
        // The feed of a large class takes up to a second, and deliveries wait. What another release makes of a topic
        // is looked at when topics are marked for it.
        const bool is_late = !looks.empty() && context_.steady() - began > one_part;
        if (is_late || context_.site.current_release() != current)
            looks.push_back({.topic = std::move(topic)});
        else
            looks.push_back(look_at(std::move(topic)));
    }
    const auto denied = context_.write([&](Transaction& transaction, base::Seconds now) {
        std::vector<Denied> all;
        for (const auto& look : looks)
            for (auto& one : finish_look(transaction, look, now)) all.push_back(std::move(one));
        return all;
    });
    for (const auto& one : denied)
        verifier_.deny(one.callback, one.topic_url, "There is no such feed.");
}

Look Looker::look_at(DueTopic topic) {
    using Outcome = Look::Outcome;
    const bool is_known = topic.is_wanted && !topic.position.empty();
    auto news =
        context_.site.read_news(topic.topic, is_known ? topic.position : std::string_view());
    const double random = std::uniform_real_distribution<double>()(context_.random);
    Look look{.topic = std::move(topic),
              .outcome = Outcome::nothing,
              .pause = pause_after_look(random)};
    if (!news && news.error().kind == base::ErrorKind::absent) {
        look.outcome = Outcome::absent;
    } else if (!news) {
        look.outcome = Outcome::failed;
        look.pause = pause_after_failed_looks(look.topic.tries);
        if (look.topic.position.empty()) look.pause = std::min(look.pause, longest_unknown);
        base::log::warning("the news of a topic cannot be read",
                           {{"topic", look.topic.topic.url}, {"reason", news.error().text}});
    } else if (*news) {
        look.outcome = (*news)->body.empty() ? Outcome::position : Outcome::notification;
        look.news = std::move(**news);
    }
    return look;
}

}  // namespace hub
