// SPDX-License-Identifier: MIT
#include "harvest/push_subscriber.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "feed/reference.hpp"
#include "harvest/push.hpp"
#include "net/url.hpp"

namespace harvest {

namespace {

using store::Access;
using store::Transaction;

using namespace std::chrono_literals;

constexpr auto look_for_requests_every = 1s;
constexpr int most_hub_redirects = 3;
// How long a redirected request waits for its new base URL. The claim lasts longer.
constexpr auto longest_wait_for_base = 30s;

std::string subscription_form(const ClaimedHubRequest& request, const std::string& push_url) {
    std::string form = "hub.mode=subscribe";
    for (const auto& [name, value] :
         {std::pair<std::string_view, std::string>{"hub.topic", request.topic},
          {"hub.callback", push_url + request.token},
          {"hub.secret", request.secret},
          {"hub.lease_seconds", std::to_string(lease_asked_for.count())}}) {
        form.append("&").append(name).append("=");
        base::append_percent_encoded(form, value);
    }
    return form;
}

// Returns where a hub redirects a request to that is to be sent again as it is (WebSub section 5.1).
std::optional<net::Url> redirection_of(const net::FinishedRequest& finished,
                                       const std::string& url) {
    if (!finished.response) return std::nullopt;
    const auto& response = *finished.response;
    if (response.status != 307 && response.status != 308) return std::nullopt;
    const auto location = net::find_field(response.fields, "Location");
    if (!location) return std::nullopt;
    auto target = net::parse_url(feed::resolve_reference(url, *location));
    if (!target) return std::nullopt;
    return std::move(*target);
}

}  // namespace

void PushSubscriber::work() {
    const auto& options = context_.options;
    const auto now = options.steady();
    if (options.push_url.empty() || now < look_at_) return;
    look_at_ = now + look_for_requests_every;
    write_finished();
    follow_redirects();
    if (open_.size() >= most_open) return;
    const bool is_due =
        store::perform(context_.pool, Access::read, [&](Transaction& transaction) {
            return is_hub_request_due(transaction, options.clock(transaction));
        });
    if (!is_due) return;
    auto claimed = store::perform(context_.pool, Access::write, [&](Transaction& transaction) {
        return claim_hub_requests(
            transaction, {.claim = context_.new_claim(), .most = most_open - open_.size()},
            options.clock(transaction));
    });
    for (auto& request : claimed) {
        auto url = net::parse_url(request.hub_url);
        if (url) send({.request = std::move(request), .url = *std::move(url)});
    }
}

void PushSubscriber::send(Open open) {
    const auto& options = context_.options;
    net::Request request;
    open.request.hub_url = open.url.text;
    request.url = open.url;
    request.method = net::Method::post;
    request.fields = {{"User-Agent", options.user_agent},
                      {"Content-Type", "application/x-www-form-urlencoded"}};
    request.body =
        std::make_shared<const std::string>(subscription_form(open.request, options.push_url));
    request.connect = options.connect;
    request.total = options.total;
    request.most_body = 4096;
    request.needed = net::Needed::status;
    open_.emplace(client_.add(std::move(request)), std::move(open));
}

void PushSubscriber::receive(std::chrono::milliseconds at_most) {
    // What is redirected waits for the next call of work().
    for (const auto& finished : client_.wait(open_.empty() ? 0ms : at_most))
        take_answer(finished);
    write_finished();
}

void PushSubscriber::take_answer(const net::FinishedRequest& finished) {
    auto found = open_.extract(finished.id);
    if (found.empty()) return;
    auto open = std::move(found.mapped());
    if (auto url = redirection_of(finished, open.request.hub_url);
        url && open.redirects < most_hub_redirects) {
        ++open.redirects;
        open.url = *std::move(url);
        auto base_url = base_url_of(open.url);
        redirected_.add(std::move(open), std::move(base_url),
                        context_.options.steady() + longest_wait_for_base);
        return;
    }
    const int status = finished.response ? finished.response->status : 0;
    if (status < 200 || status >= 300)
        base::log::warning("a hub takes no subscription",
                           {{"hub", open.request.hub_url},
                            {"feed", std::to_string(open.request.feed)},
                            {"reason", finished.response ? "status " + std::to_string(status)
                                                         : finished.response.error().text}});
    finished_.push_back(std::move(open.request));
}

void PushSubscriber::follow_redirects() {
    auto followed = redirected_.follow(context_);
    for (auto& open : followed.free) send(std::move(open));
    for (auto& open : followed.late) finished_.push_back(std::move(open.request));
}

void PushSubscriber::write_finished() {
    if (finished_.empty()) return;
    store::perform(context_.pool, Access::write, [&](Transaction& transaction) {
        const auto now = context_.options.clock(transaction);
        for (const auto& request : finished_) finish_hub_request(transaction, request, now);
    });
    finished_.clear();
}

void PushSubscriber::give_back() {
    auto abandoned = redirected_.take();
    for (auto& [id, open] : open_) abandoned.push_back(std::move(open));
    open_.clear();
    write_finished();
    if (abandoned.empty()) return;
    store::perform(context_.pool, Access::write, [&](Transaction& transaction) {
        const auto now = context_.options.clock(transaction);
        for (const auto& open : abandoned) harvest::give_back(transaction, open.request, now);
    });
}

}  // namespace harvest
