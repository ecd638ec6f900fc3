// What benchmarks that send requests to this machine share: a server in a process of its own, and what is measured.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace bench {

using Clock = std::chrono::steady_clock;

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::perror(what);
    std::exit(2);
}

// One listening socket on all addresses.
inline int listen_anywhere(std::uint16_t& port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof place;
    require(::bind(listener, reinterpret_cast<sockaddr*>(&place), size) == 0, "bind");
    require(::listen(listener, 4096) == 0, "listen");
    require(::getsockname(listener, reinterpret_cast<sockaddr*>(&place), &size) == 0,
            "getsockname");
    port = ntohs(place.sin_port);
    return listener;
}

inline void allow_all_descriptors() {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

// Runs serve(listener), which does not return, in a process that ends with this one.
template <class Serve>
pid_t serve_beside(int listener, Serve serve) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    require(child >= 0, "fork");
    if (child != 0) {
        ::close(listener);
        return child;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) serve(listener);
    std::_Exit(0);
}
inline void end_server(pid_t child) { ::kill(child, SIGKILL); }

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

//   line  of /proc/self/status: "VmRSS:", or "VmHWM:" for the most so far
inline long memory_kb(std::string_view line) {
    std::ifstream status("/proc/self/status");
    for (std::string text; std::getline(status, text);)
        if (text.starts_with(line)) return std::atol(text.c_str() + line.size());
    return 0;
}
inline long resident_kb() { return memory_kb("VmRSS:"); }

}  // namespace bench
