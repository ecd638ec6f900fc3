// SPDX-License-Identifier: MIT
#include "net/client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/descriptor.hpp"
#include "net/curl.hpp"
#include "net/transfer.hpp"

namespace net {
namespace {

using base::ErrorKind;
using base::Result;
using Clock = std::chrono::steady_clock;

Limits within_descriptors(Limits limits) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0)
        limits.connections = std::min<std::size_t>(limits.connections, files.rlim_cur / 2);
    limits.connections = std::max<std::size_t>(limits.connections, 1);
    limits.requests_to_address = std::max<std::size_t>(limits.requests_to_address, 1);
    return limits;
}

void check(CURLMcode code) {
    if (code == CURLM_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLM_OK) throw std::logic_error("libcurl: error " + std::to_string(code));
}

Transfer::Outcome busy() {
    return tl::unexpected(Failure{FailureKind::busy, "too many requests to this address"});
}

// A descriptor that a thread waits for and others make readable.
void set_event(int event) {
    const std::uint64_t one = 1;
    // Fails only if the counter is full, and then it is readable already.
    (void)!::write(event, &one, sizeof one);
}

void clear_event(int event) {
    std::uint64_t count = 0;
    (void)!::read(event, &count, sizeof count);  // fails only if it is clear
}

}  // namespace

// A request is looked up (looked_up_), waits for its turn (peers_), is with libcurl (Transfer::handle), and
// is finished (finished_). Lists hold ids: that of a request whose look-up came too late is skipped.
class Client::Loop {
   public:
    Loop(AddressGuard guard, Limits limits, LookUp look_up, base::Descriptor epoll,
         base::Descriptor event)
        : guard_(std::move(guard)), limits_(within_descriptors(limits)),
          certificates_(certificate_file()), epoll_(std::move(epoll)), event_(std::move(event)),
          resolver_(std::move(look_up), limits.resolver,
                    [number = event_.number()] { set_event(number); }),
          multi_(curl_multi_init()) {
        if (!multi_) throw std::bad_alloc();
        check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Loop::on_socket));
        check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this));
        check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Loop::on_timer));
        check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this));
        // A new connection replaces an idle one. Requests queue here, not in libcurl, which would retry each
        // queued one in turn.
        check(curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS,
                                static_cast<long>(limits_.connections)));
        check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                                static_cast<long>(limits_.connections)));
    }
    ~Loop() {
        for (const auto& [id, transfer] : transfers_)
            if (transfer->handle != nullptr) release_handle(*transfer);
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    RequestId add(Request request);
    std::vector<FinishedRequest> wait(std::chrono::milliseconds at_most);
    void wake() {
        is_woken_ = true;
        set_event(event_.number());
    }
    [[nodiscard]] std::size_t open() const { return transfers_.size(); }

   private:
    struct EndMulti {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };
    using Addresses = Result<std::vector<Address>>;

    // The requests to a port of an address.
    struct Port {
        std::size_t open = 0, most = 0;  // with libcurl
        std::deque<RequestId> waiting;
        Clock::time_point lowered{}, used{};  // when `most` was lowered last
    };
    // The requests to one address.
    struct Peer {
        std::size_t open = 0;  // with libcurl, at most limits_.requests_to_address
        std::size_t waiting = 0;
        std::map<std::uint16_t, Port> ports;
        std::uint16_t last_port = 0;  // that had its turn
        bool has_turn = false;        // in turns_, once
    };

    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) noexcept;
    static int on_timer(CURLM*, long milliseconds, void* self) noexcept;

    Transfer* find(RequestId id);
    void route(Transfer& transfer, const Addresses& addresses);
    void queue(Transfer& transfer);
    [[nodiscard]] Port* next_port(Peer& peer) const;
    void give_turn(const Address& owner, Peer& peer);
    void take_answers();
    void take_turns();
    void send(Transfer& transfer, Peer& peer, Port& port);
    void note_answer(Transfer& transfer, CURLcode code);
    void forget_peers();
    void poll(Clock::time_point until);
    void collect();
    void end_overdue();
    void set_deadline(Transfer& transfer, std::optional<Clock::time_point> deadline);
    void leave_connection(Transfer& transfer);
    void release_handle(Transfer& transfer);
    void finish(Transfer& transfer, Transfer::Outcome outcome);

    const AddressGuard guard_;
    const Limits limits_;
    const std::string certificates_;
    const base::Descriptor epoll_, event_;
    std::atomic<bool> is_woken_ = false;
    std::optional<Clock::time_point> timer_;  // when libcurl wants to be called
    Resolver resolver_;
    std::unique_ptr<CURLM, EndMulti> multi_;
    std::vector<CurlHandle> free_handles_;

    RequestId last_id_ = 0;
    std::unordered_map<RequestId, std::unique_ptr<Transfer>> transfers_;
    std::set<std::pair<Clock::time_point, RequestId>> deadlines_;
    std::unordered_map<std::string, std::vector<RequestId>> looked_up_;  // by host
    std::map<Address, Peer> peers_;                                      // by network_of()
    std::deque<Address> turns_;    // of peers for which a request waits that could be sent
    std::size_t known_peers_ = 0;  // of which none was forgotten
    std::size_t open_ = 0;         // with libcurl, at most limits_.connections
    std::vector<FinishedRequest> finished_;
};

int Client::Loop::on_socket(CURL*, curl_socket_t socket, int what, void* self,
                            void* known) noexcept {
    auto& loop = *static_cast<Loop*>(self);
    epoll_event event{};
    event.data.fd = socket;
    if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
    const bool is_removed = what == CURL_POLL_REMOVE;
    const int operation = is_removed         ? EPOLL_CTL_DEL
                          : known == nullptr ? EPOLL_CTL_ADD
                                             : EPOLL_CTL_MOD;
    const int status = ::epoll_ctl(loop.epoll_.number(), operation, socket, &event);
    if (is_removed) return 0;  // the socket may be closed already
    const bool is_known =
        known != nullptr || curl_multi_assign(loop.multi_.get(), socket, self) == CURLM_OK;
    return status == 0 && is_known ? 0 : -1;
}

int Client::Loop::on_timer(CURLM*, long milliseconds, void* self) noexcept {
    auto& timer = static_cast<Loop*>(self)->timer_;
    timer.reset();
    if (milliseconds >= 0) timer = Clock::now() + std::chrono::milliseconds(milliseconds);
    return 0;
}

RequestId Client::Loop::add(Request request) {
    const auto id = ++last_id_;
    auto& transfer =
        *transfers_.emplace(id, std::make_unique<Transfer>(id, std::move(request))).first->second;
    const auto& host = transfer.request().url.host;
    if (auto wrong = transfer.wrong_field()) {
        finish(transfer, tl::unexpected(Failure{FailureKind::refused, std::move(*wrong)}));
    } else if (const auto address = parse_address(host)) {
        route(transfer, Addresses({*address}));
    } else if (const auto* kept = resolver_.ask(host)) {
        route(transfer, *kept);
    } else {
        looked_up_[host].push_back(id);
        set_deadline(transfer, Clock::now() + transfer.request().connect);
    }
    return id;
}

Transfer* Client::Loop::find(RequestId id) {
    const auto found = transfers_.find(id);
    return found == transfers_.end() ? nullptr : found->second.get();
}

// Refuses the request, or lets it wait for its turn.
void Client::Loop::route(Transfer& transfer, const Addresses& addresses) {
    const auto refuse = [&](FailureKind kind, std::string text) {
        finish(transfer, tl::unexpected(Failure{kind, std::move(text)}));
    };
    const auto& url = transfer.request().url;
    if (!addresses) {
        refuse(FailureKind::look_up, url.host + ": " + addresses.error().text);
        return;
    }
    for (const auto& address : *addresses)
        if (auto refusal = guard_.refusal(address, url.port)) {
            refuse(FailureKind::refused, std::move(*refusal));
            return;
        }
    set_deadline(transfer, std::nullopt);
    transfer.take_addresses(*addresses);
    queue(transfer);
}

void Client::Loop::queue(Transfer& transfer) {
    const auto owner = network_of(transfer.address());
    auto& peer = peers_[owner];
    if (peer.waiting >= limits_.waiting_for_address) return finish(transfer, busy());
    auto& port = peer.ports[transfer.request().url.port];
    if (port.most == 0)
        port.most =
            std::min(limits_.first_to_port.value_or(SIZE_MAX), limits_.requests_to_address);
    port.waiting.push_back(transfer.id());
    ++peer.waiting;
    // The second address has what is left of the time.
    if (const auto turn = transfer.request().turn; turn && !transfer.deadline)
        set_deadline(transfer, Clock::now() + *turn);
    give_turn(owner, peer);
}

// Returns the port whose turn it is; nullptr: none for which a request waits may get one.
Client::Loop::Port* Client::Loop::next_port(Peer& peer) const {
    if (peer.open >= limits_.requests_to_address) return nullptr;
    const auto is_ready = [](const auto& port) {
        return !port.second.waiting.empty() && port.second.open < port.second.most;
    };
    const auto behind = peer.ports.upper_bound(peer.last_port);
    auto found = std::find_if(behind, peer.ports.end(), is_ready);
    if (found == peer.ports.end()) found = std::find_if(peer.ports.begin(), behind, is_ready);
    if (found == peer.ports.end() || !is_ready(*found)) return nullptr;
    peer.last_port = found->first;
    return &found->second;
}

void Client::Loop::give_turn(const Address& owner, Peer& peer) {
    if (peer.has_turn || peer.waiting == 0 || peer.open >= limits_.requests_to_address) return;
    peer.has_turn = true;
    turns_.push_back(owner);
}

void Client::Loop::take_answers() {
    for (const auto& answer : resolver_.take()) {
        const auto ids = looked_up_.extract(answer.host);
        if (ids.empty()) continue;
        for (const auto id : ids.mapped())
            if (auto* transfer = find(id)) route(*transfer, answer.addresses);
    }
}

void Client::Loop::take_turns() {
    while (!turns_.empty() && open_ < limits_.connections) {
        const auto owner = turns_.front();
        turns_.pop_front();
        auto& peer = peers_.at(owner);
        peer.has_turn = false;
        auto* port = next_port(peer);
        if (port == nullptr) continue;  // until one of its requests ends
        const auto id = port->waiting.front();
        port->waiting.pop_front();
        --peer.waiting;
        send(*find(id), peer, *port);
        give_turn(owner, peer);
    }
    forget_peers();
}

// Forgets how ports did that were not used for a while, once there are many.
void Client::Loop::forget_peers() {
    constexpr std::size_t most_known = 10'000;
    constexpr std::chrono::minutes known_for{10};
    if (peers_.size() <= known_peers_) return;
    const auto now = Clock::now();
    const auto is_old = [&](const auto& port) {
        return port.second.open == 0 && port.second.waiting.empty() &&
               now - port.second.used > known_for;
    };
    for (auto& [owner, peer] : peers_) std::erase_if(peer.ports, is_old);
    std::erase_if(peers_, [](const auto& entry) {
        return entry.second.ports.empty() && !entry.second.has_turn;
    });
    known_peers_ = std::max(most_known, 2 * peers_.size());
}

void Client::Loop::send(Transfer& transfer, Peer& peer, Port& port) {
    if (!transfer.sent_at) {
        transfer.sent_at = Clock::now();
        set_deadline(transfer, *transfer.sent_at + transfer.request().total);
    }
    if (free_handles_.empty()) free_handles_.push_back(make_curl());
    auto handle = std::move(free_handles_.back());
    free_handles_.pop_back();
    transfer.set_up(handle.get(), guard_, certificates_);
    check(curl_multi_add_handle(multi_.get(), handle.get()));
    transfer.handle = handle.release();
    port.used = Clock::now();
    ++port.open;
    ++peer.open;
    ++open_;
}

std::vector<FinishedRequest> Client::Loop::wait(std::chrono::milliseconds at_most) {
    // An end that time points can have.
    const auto end =
        Clock::now() + std::min<std::chrono::milliseconds>(at_most, std::chrono::hours(1));
    bool is_over = false;
    while (!is_over) {
        end_overdue();
        take_turns();
        poll(finished_.empty() ? end : Clock::now());
        collect();
        take_answers();
        end_overdue();
        is_over = is_woken_.exchange(false) || !finished_.empty() || Clock::now() >= end;
    }
    return std::exchange(finished_, {});
}

void Client::Loop::poll(Clock::time_point until) {
    if (timer_) until = std::min(until, *timer_);
    if (!deadlines_.empty()) until = std::min(until, deadlines_.begin()->first);
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(epoll_.number(), events.data(), events.size(),
                                   static_cast<int>(std::max<std::int64_t>(time.count(), 0)));
    if (count < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "epoll_wait");
    int running = 0;
    for (int at = 0; at < count; ++at) {
        const auto& event = events[static_cast<std::size_t>(at)];
        if (event.data.fd == event_.number()) {
            clear_event(event_.number());
            continue;
        }
        int what = 0;
        if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
        if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
        if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
        check(curl_multi_socket_action(multi_.get(), event.data.fd, what, &running));
    }
    if (!timer_ || Clock::now() < *timer_) return;
    timer_.reset();
    check(curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running));
}

// Takes what libcurl has ended.
void Client::Loop::collect() {
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const auto code = message->data.result;
        void* owner = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
        auto& transfer = *static_cast<Transfer*>(owner);
        note_answer(transfer, code);
        leave_connection(transfer);
        if ((transfer.could_not_connect(code) && transfer.turn_to_next_address()) ||
            transfer.turn_to_uncoded(code))
            queue(transfer);
        else
            finish(transfer, transfer.outcome(code));
    }
}

void Client::Loop::end_overdue() {
    const auto now = Clock::now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        auto& transfer = *find(deadlines_.begin()->second);
        if (transfer.handle != nullptr) {
            note_answer(transfer, CURLE_OPERATION_TIMEDOUT);
            leave_connection(transfer);
        } else if (transfer.has_address()) {
            auto& peer = peers_.at(network_of(transfer.address()));
            std::erase(peer.ports.at(transfer.request().url.port).waiting, transfer.id());
            --peer.waiting;
            if (!transfer.sent_at) {
                finish(transfer, busy());
                continue;
            }
        }
        finish(transfer, transfer.outcome(CURLE_OPERATION_TIMEDOUT));
    }
}

void Client::Loop::set_deadline(Transfer& transfer, std::optional<Clock::time_point> deadline) {
    if (transfer.deadline) deadlines_.erase({*transfer.deadline, transfer.id()});
    transfer.deadline = deadline;
    if (deadline) deadlines_.emplace(*deadline, transfer.id());
}

// Takes the request from libcurl, which keeps the connection if the answer is whole.
void Client::Loop::leave_connection(Transfer& transfer) {
    release_handle(transfer);
    const auto owner = network_of(transfer.address());
    auto& peer = peers_.at(owner);
    --peer.ports.at(transfer.request().url.port).open;
    --peer.open;
    --open_;
    give_turn(owner, peer);
}

// Lets the port have more requests at once, or fewer.
void Client::Loop::note_answer(Transfer& transfer, CURLcode code) {
    constexpr std::size_t least = 4;
    if (!limits_.first_to_port) return;
    auto& port = peers_.at(network_of(transfer.address())).ports.at(transfer.request().url.port);
    if (transfer.has_status()) {
        port.most = std::min(port.most + 1, limits_.requests_to_address);
    } else if (code != CURLE_OK && *transfer.sent_at >= port.lowered) {
        port.most = std::min(port.most, std::max(port.most / 2, least));
        port.lowered = Clock::now();
    }
}

void Client::Loop::release_handle(Transfer& transfer) {
    constexpr std::size_t most_free_handles = 256;  // 15 KB each
    CurlHandle handle(std::exchange(transfer.handle, nullptr));
    check(curl_multi_remove_handle(multi_.get(), handle.get()));
    if (free_handles_.size() >= most_free_handles) return;
    curl_easy_reset(handle.get());
    free_handles_.push_back(std::move(handle));
}

void Client::Loop::finish(Transfer& transfer, Transfer::Outcome outcome) {
    set_deadline(transfer, std::nullopt);
    finished_.push_back({transfer.id(), std::move(outcome)});
    transfers_.erase(transfer.id());
}

Client::Client(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Client> Client::make(AddressGuard guard, Limits limits, LookUp look_up) {
    base::Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
    base::Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event readable{};
    readable.events = EPOLLIN;
    readable.data.fd = event.number();
    if (!epoll.is_open() || !event.is_open() ||
        ::epoll_ctl(epoll.number(), EPOLL_CTL_ADD, event.number(), &readable) != 0)
        return base::fail(ErrorKind::unavailable,
                          "no descriptors: " + std::generic_category().message(errno));
    return Client(std::make_unique<Loop>(std::move(guard), limits, std::move(look_up),
                                         std::move(epoll), std::move(event)));
}

RequestId Client::add(Request request) { return loop_->add(std::move(request)); }
std::vector<FinishedRequest> Client::wait(std::chrono::milliseconds at_most) {
    return loop_->wait(at_most);
}
void Client::wake() { loop_->wake(); }
std::size_t Client::open() const { return loop_->open(); }

}  // namespace net
