// SPDX-License-Identifier: MIT
#include <algorithm>

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
    is_busy_ = false;
    const auto current = context_.site.current_release();
    if (current.empty()) return;
    mark(current);
    const auto due = context_.read(due_topics, topics_at_once);
    if (due.empty()) return;
    auto claimed = context_.write(claim_topics, due, current, context_.new_claim());
    is_busy_ = !claimed.empty();
    if (is_busy_) look_at(std::move(claimed), current);
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
    context_.write(note_looker_is_there, current);
    present_until_ = now + note_presence_every;
}

void Looker::look_at(std::vector<DueTopic> topics, const std::string& current) {
    const auto began = context_.steady();
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
    constexpr std::string_view complaint = "what was found in a topic cannot be recorded";
    if (store::is_written(complaint, "all", [&] { write(looks, current); })) return;
    for (auto& look : looks) {
        const auto& url = look.topic.topic.url;
        if (store::is_written(complaint, url, [&] { write(std::span(&look, 1), current); }))
            continue;
        look.outcome = Look::Outcome::failed;
        look.pause = pause_after_failed_looks(look.topic.tries);
        store::is_written(complaint, url, [&] { write(std::span(&look, 1), current); });
    }
}

void Looker::write(std::span<const Look> looks, const std::string& current) {
    const auto denied = context_.write([&](Transaction& transaction, base::Seconds now) {
        std::vector<Denied> all;
        const bool are_valid = are_marked_for(transaction, current);
        for (const auto& look : looks) {
            const auto& valid = are_valid ? look : Look{.topic = look.topic};
            for (auto& one : finish_look(transaction, valid, now)) all.push_back(std::move(one));
        }
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
        if (look.topic.position.empty()) look.pause = longest_unknown;
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
