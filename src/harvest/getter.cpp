// SPDX-License-Identifier: MIT
#include "harvest/getter.hpp"

#include <algorithm>

namespace harvest {

using namespace std::chrono_literals;

void Getter::send(Open open) {
    auto request = request_of(open.fetch, context_.options);
    if (!request)
        return open.use(std::move(open.fetch), tl::unexpected(failed_redirect(request.error())));
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(open.fetch.until - context_.steady());
    request->total = std::clamp<std::chrono::milliseconds>(left, 1ms, request->total);
    open_.emplace(client_.add(*std::move(request)), std::move(open));
}

void Getter::receive(std::chrono::milliseconds at_most) {
    for (auto& finished : client_.wait(at_most)) take_answer(std::move(finished));
}

void Getter::take_answer(net::FinishedRequest finished) {
    auto found = open_.extract(finished.id);
    if (found.empty()) return;
    auto& [fetch, use, next_base_url] = found.mapped();
    if (!finished.response)
        return use(std::move(fetch), tl::unexpected(failed_request(finished.response.error())));
    auto next = redirected(fetch, *finished.response);
    if (!next) return use(std::move(fetch), *std::move(finished.response));
    if (!*next) return use(std::move(fetch), tl::unexpected(failed_redirect(next->error())));
    fetch = **std::move(next);
    const auto url = net::parse_url(fetch.url);
    next_base_url = url ? net::origin_of(*url) : std::string();
    redirected_.push_back(std::move(found.mapped()));
}

void Getter::follow() {
    const auto now = context_.steady();
    if (redirected_.empty() || now < follow_at_) return;
    follow_at_ = now + 1s;
    std::vector<bool> is_free;
    context_.write([&](store::Transaction& transaction, base::Seconds time) {
        is_free.clear();  // the transaction may be run again
        for (const auto& [fetch, use, next_base_url] : redirected_) {
            release_base_url(transaction, fetch.base_url, fetch.claim, time);
            is_free.push_back(claim_base_url(transaction, next_base_url, fetch.claim, time));
        }
    });
    std::vector<Open> waited = std::exchange(redirected_, {});
    for (std::size_t i = 0; i < waited.size(); ++i) {
        auto& open = waited[i];
        // Released once: other requests of this claim may have it next.
        open.fetch.base_url = is_free[i] ? open.next_base_url : std::string();
        if (now >= open.fetch.until)
            open.use(std::move(open.fetch), tl::unexpected(busy_redirect()));
        else if (is_free[i])
            send(std::move(open));
        else
            redirected_.push_back(std::move(open));
    }
}

}  // namespace harvest
