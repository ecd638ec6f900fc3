// SPDX-License-Identifier: MIT
#include "release/batch_collector.hpp"

namespace release {

bool BatchCollector::pass(const KeepGoing& keep_going) {
    constexpr std::uint64_t objects_between_looks = 4096;
    ++progress_.done;
    return ++passed_ % objects_between_looks != 0 || keep_going();
}

bool BatchCollector::add(ObjectName name, std::uint64_t bytes, const KeepGoing& keep_going) {
    names_.push_back(std::move(name));
    bytes_ += bytes;
    const bool is_full = names_.size() >= limits_.objects || bytes_ >= limits_.bytes;
    return !is_full || (record_batch() && keep_going());
}

base::Result<Counters> BatchCollector::end(const KeepGoing& keep_going) {
    if (!error_ && keep_going()) record_batch();
    if (error_) return tl::unexpected(*error_);
    return std::move(counters_);
}

bool BatchCollector::record_batch() {
    const auto brought =
        history::bring_up_to_date(context_, build_, previous_, names_, longest_write_);
    if (!brought) {
        error_ = brought.error();
        return false;
    }
    for (const auto& one : *brought) count_(counters_, one);
    progress_.done += names_.size();
    names_.clear();
    bytes_ = 0;
    return true;
}

}  // namespace release
