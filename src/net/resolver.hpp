// net/resolver.hpp -- the addresses of hosts, looked up by threads of its own.
// getaddrinfo() blocks for as long as name servers are silent, and cannot be interrupted. libcurl starts a
// thread for each name, and shows the addresses one by one when it connects to them; here a limited number
// of threads looks names up, and whoever asks sees all addresses before anything is sent.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "net/address.hpp"

namespace net {

// All addresses of a host, in the order in which they should be tried (RFC 6724).
//   error  unavailable: no address, or no answer of the name servers
using LookUp = std::function<base::Result<std::vector<Address>>(const std::string& host)>;

// Asks getaddrinfo(3), and so /etc/hosts and DNS. Returns addresses of IPv6 too where the host has none
// itself, because all of them are judged.
//   blocks  as long as /etc/resolv.conf lets it, by default 10 s for each name server
[[nodiscard]] base::Result<std::vector<Address>> look_up_by_system(const std::string& host);

// Used by one thread. The look-up runs on several, and may still run when the resolver is gone.
class Resolver {
   public:
    struct Limits {
        // Hosts whose name servers are silent delay others once they have all threads.
        std::size_t threads = 32;
        // How long an answer is kept. getaddrinfo() does not say for how long it holds; what was judged
        // stays judged meanwhile, because nothing else than these addresses is connected to.
        std::chrono::seconds keep{60};
        std::size_t kept = 10'000;  // answers
    };
    // What was looked up; the error of a host is not kept for the next one who asks.
    struct Answer {
        std::string host;
        base::Result<std::vector<Address>> addresses;
    };

    //   answered  called by other threads when there is something to take(); must not throw
    Resolver(LookUp look_up, Limits limits, std::function<void()> answered);
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    // Returns the kept addresses, or nullptr and looks the host up, once however often it is asked for
    // before the answer. The addresses are valid until the next call.
    [[nodiscard]] const std::vector<Address>* ask(const std::string& host);
    // Returns the answers that came since the last call, each once. Does not block.
    [[nodiscard]] std::vector<Answer> take();

   private:
    struct Kept {
        std::vector<Address> addresses;
        std::chrono::steady_clock::time_point until;
    };
    struct Shared;
    static void work(const std::shared_ptr<Shared>& shared);
    void keep(const Answer& answer);

    const Limits limits_;
    std::unordered_map<std::string, Kept> kept_;
    std::shared_ptr<Shared> shared_;  // with the threads, which nobody waits for
};

}  // namespace net
