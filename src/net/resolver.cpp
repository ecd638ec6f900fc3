// SPDX-License-Identifier: MIT
#include "net/resolver.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

namespace net {

using base::ErrorKind;
using base::Result;

Result<std::vector<Address>> look_up_by_system(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const int status = ::getaddrinfo(host.c_str(), nullptr, &hints, &first);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(first, &::freeaddrinfo);
    if (status != 0) return base::fail(ErrorKind::unavailable, ::gai_strerror(status));
    std::vector<Address> addresses;
    for (const auto* each = first; each != nullptr; each = each->ai_next) {
        const auto address = address_of(*each->ai_addr);
        if (address && std::ranges::find(addresses, *address) == addresses.end())
            addresses.push_back(*address);
    }
    if (addresses.empty()) return base::fail(ErrorKind::unavailable, "no address");
    return addresses;
}

struct Resolver::Shared {
    const LookUp look_up;
    std::mutex mutex;                       // guards what follows
    std::function<void()> answered;         // empty once the resolver is gone
    std::deque<std::string> waiting;        // hosts that no thread has taken yet
    std::unordered_set<std::string> asked;  // hosts without an answer
    std::vector<Answer> answers;
    std::size_t threads = 0;

    void answer(Answer answer) {
        asked.erase(answer.host);
        answers.push_back(std::move(answer));
        if (answered) answered();
    }
};

Resolver::Resolver(LookUp look_up, Limits limits, std::function<void()> answered)
    : limits_(limits),
      shared_(new Shared{std::move(look_up), {}, std::move(answered), {}, {}, {}, 0}) {}

Resolver::~Resolver() {
    const std::lock_guard lock(shared_->mutex);
    shared_->answered = nullptr;
    shared_->waiting.clear();
}

// Looks up what waits, and ends when nothing does.
void Resolver::work(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    while (!shared->waiting.empty()) {
        const auto host = std::move(shared->waiting.front());
        shared->waiting.pop_front();
        lock.unlock();
        auto addresses = shared->look_up(host);
        lock.lock();
        shared->answer({host, std::move(addresses)});
    }
    --shared->threads;
}

const std::vector<Address>* Resolver::ask(const std::string& host) {
    const auto kept = kept_.find(host);
    if (kept != kept_.end() && std::chrono::steady_clock::now() < kept->second.until)
        return &kept->second.addresses;
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->asked.insert(host).second) return nullptr;
    shared_->waiting.push_back(host);
    if (shared_->threads >= limits_.threads) return nullptr;
    ++shared_->threads;
    try {
        std::thread(work, shared_).detach();
    } catch (const std::system_error& error) {
        --shared_->threads;
        if (shared_->threads > 0) return nullptr;
        shared_->waiting.pop_back();
        shared_->answer({host, base::fail(ErrorKind::unavailable, error.what())});
    }
    return nullptr;
}

void Resolver::keep(const Answer& answer) {
    const auto now = std::chrono::steady_clock::now();
    if (kept_.size() >= limits_.kept)
        std::erase_if(kept_, [&](const auto& each) { return each.second.until <= now; });
    if (kept_.size() >= limits_.kept) kept_.clear();
    kept_.insert_or_assign(answer.host, Kept{*answer.addresses, now + limits_.keep});
}

std::vector<Resolver::Answer> Resolver::take() {
    std::vector<Answer> answers;
    {
        const std::lock_guard lock(shared_->mutex);
        answers = std::exchange(shared_->answers, {});
    }
    for (const auto& answer : answers)
        if (answer.addresses) keep(answer);
    return answers;
}

}  // namespace net
