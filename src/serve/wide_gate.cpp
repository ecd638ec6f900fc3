// SPDX-License-Identifier: MIT
#include "serve/wide_gate.hpp"

#include <algorithm>

namespace serve {

WideGate::Limits WideGate::limits_of(std::size_t threads, std::size_t processors) {
    const auto half = [](std::size_t number) { return std::max<std::size_t>(number / 2, 1); };
    Limits limits;
    limits.admitted = half(threads);
    limits.computing = std::min(half(threads), half(processors));
    return limits;
}

WideGate::Pass::~Pass() {
    if (gate_ == nullptr) return;
    {
        const std::lock_guard lock(gate_->mutex_);
        --(gate_->*count_);
    }
    gate_->has_turn_.notify_one();
}

std::optional<WideGate::Pass> WideGate::admit() {
    const std::lock_guard lock(mutex_);
    if (admitted_ == limits_.admitted) return std::nullopt;
    ++admitted_;
    return Pass(this, &WideGate::admitted_);
}

std::optional<WideGate::Pass> WideGate::wait_for_turn() {
    std::unique_lock lock(mutex_);
    const bool came = has_turn_.wait_for(lock, limits_.wait_at_most,
                                         [this] { return computing_ < limits_.computing; });
    if (!came) return std::nullopt;
    ++computing_;
    return Pass(this, &WideGate::computing_);
}

}  // namespace serve
