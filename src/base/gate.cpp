// SPDX-License-Identifier: MIT
#include "base/gate.hpp"

#include <algorithm>

namespace base {

Gate::Limits Gate::limits_of(std::size_t threads, std::size_t processors) {
    const auto half = [](std::size_t number) { return std::max<std::size_t>(number / 2, 1); };
    Limits limits;
    limits.admitted = half(threads);
    limits.computing = std::min(half(threads), half(processors));
    return limits;
}

void Gate::Leave::operator()(std::size_t* count) const {
    {
        const std::lock_guard lock(gate->mutex_);
        --*count;
    }
    gate->has_turn_.notify_one();
}

Gate::Pass Gate::admit() {
    const std::lock_guard lock(mutex_);
    if (admitted_ == limits_.admitted) return nullptr;
    ++admitted_;
    return Pass(&admitted_, {this});
}

Gate::Pass Gate::wait_for_turn() {
    std::unique_lock lock(mutex_);
    const bool came = has_turn_.wait_for(lock, limits_.wait_at_most,
                                         [this] { return computing_ < limits_.computing; });
    if (!came) return nullptr;
    ++computing_;
    return Pass(&computing_, {this});
}

std::size_t Gate::admitted() const {
    const std::lock_guard lock(mutex_);
    return admitted_;
}

}  // namespace base
