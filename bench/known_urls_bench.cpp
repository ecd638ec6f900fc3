// known_urls_bench -- URLs of archives that are known: how much memory they take, and how many are looked up a second.
//   known_urls_bench [URLS…]   default 1000000 and 10000000; status 1 when a goal of docs/performance.md is missed
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harvest/archives.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t lookups = 1'000'000;
constexpr double least_a_second = 1e6, most_bytes_each = 8.5;

net::Url made_url(std::size_t number) {
    auto url = net::parse_url("https://lists.example.org/pipermail/worm/2008-February/" +
                              std::to_string(number) + ".html");
    if (!url) std::exit(2);
    return *std::move(url);
}

// Every second one is known. They are spread over all.
std::vector<net::Url> wanted_urls(std::size_t known) {
    std::vector<net::Url> urls;
    urls.reserve(lookups);
    for (std::size_t i = 0; i < lookups; ++i)
        urls.push_back(made_url(i % 2 == 0 ? i * 7919 % known : known + i));
    return urls;
}

// Returns how many are looked up a second; ends the program if not exactly half of them are known.
template <class Look>
double measure(Look look) {
    const auto began = Clock::now();
    std::size_t found = 0;
    for (std::size_t i = 0; i < lookups; ++i) found += look(i) ? 1 : 0;
    const std::chrono::duration<double> took = Clock::now() - began;
    if (found == lookups / 2) return lookups / took.count();
    std::fprintf(stderr, "known_urls_bench: %zu of %zu found\n", found, lookups);
    std::exit(2);
}

bool run(std::size_t count) {
    std::vector<std::int64_t> hashes(count);
    for (std::size_t i = 0; i < count; ++i) hashes[i] = harvest::hash_of_url(made_url(i));
    std::ranges::sort(hashes);
    const harvest::KnownUrls known(1, std::move(hashes));
    const auto urls = wanted_urls(count);
    std::vector<std::int64_t> wanted;
    for (const auto& url : urls) wanted.push_back(harvest::hash_of_url(url));
    const auto by_hash = measure([&](std::size_t i) { return known.has_hash(wanted[i]); });
    const auto by_url =
        measure([&](std::size_t i) { return known.has_hash(harvest::hash_of_url(urls[i])); });
    const auto bytes_each = static_cast<double>(known.bytes()) / static_cast<double>(count);
    std::printf(
        "known URLs %zu: %.1f MB, %.1f bytes each; %.2f million look-ups/s, %.2f with their "
        "SHA-256\n",
        count, static_cast<double>(known.bytes()) / 1e6, bytes_each, by_hash / 1e6, by_url / 1e6);
    return by_hash >= least_a_second && bytes_each <= most_bytes_each;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::size_t> counts{1'000'000, 10'000'000};
    if (argc > 1) {
        counts.clear();
        for (int i = 1; i < argc; ++i) counts.push_back(std::strtoul(argv[i], nullptr, 10));
    }
    bool is_fast = true;
    for (const auto count : counts) is_fast = run(count) && is_fast;
    return is_fast ? 0 : 1;
}
