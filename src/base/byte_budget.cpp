// SPDX-License-Identifier: MIT
#include "base/byte_budget.hpp"

namespace base {

ByteBudget::Share::~Share() {
    if (budget_ == nullptr) return;
    {
        const std::lock_guard lock(budget_->mutex_);
        budget_->taken_ -= bytes_;
    }
    budget_->changed_.notify_all();
}

std::optional<ByteBudget::Share> ByteBudget::take(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    const auto fits = [&] {
        return taken_ == 0 || (taken_ <= limits_.bytes && bytes <= limits_.bytes - taken_);
    };
    if (!queue_.empty() || !fits()) {
        if (queue_.size() >= limits_.waiting) return std::nullopt;
        const auto number = ++last_number_;
        queue_.push_back(number);
        const bool came = changed_.wait_for(lock, limits_.wait_at_most,
                                            [&] { return queue_.front() == number && fits(); });
        std::erase(queue_, number);
        changed_.notify_all();  // the next one may fit as well
        if (!came) return std::nullopt;
    }
    taken_ += bytes;
    return Share(this, bytes);
}

std::size_t ByteBudget::taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
}

std::size_t ByteBudget::waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

}  // namespace base
