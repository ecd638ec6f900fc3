// SPDX-License-Identifier: MIT
#include "release/gathering.hpp"

namespace release {

bool Gathering::pass(const GoOn& go_on) {
    constexpr std::uint64_t now_and_then = 4096;
    ++done_;
    return ++passed_ % now_and_then != 0 || go_on();
}

bool Gathering::add(ObjectName name, std::uint64_t bytes, const GoOn& go_on) {
    names_.push_back(std::move(name));
    bytes_ += bytes;
    const bool is_full = names_.size() >= limits_.objects || bytes_ >= limits_.bytes;
    return !is_full || (flush() && go_on());
}

base::Result<Tally> Gathering::end(const GoOn& go_on) {
    if (!error_ && go_on()) flush();
    if (error_) return tl::unexpected(*error_);
    return std::move(tally_);
}

history::Brought Gathering::judged(history::Brought brought) const {
    if (brought.fate != history::Fate::absent || !expects_all_) return brought;
    brought.fate = history::Fate::failed;
    brought.reason = "is neither in the build nor recorded";
    return brought;
}

bool Gathering::flush() {
    const auto brought = history::bring_up_to_date(desk_, build_, previous_, names_, settings_);
    if (!brought) {
        error_ = brought.error();
        return false;
    }
    for (const auto& one : *brought) tally_.note(judged(one));
    done_ += names_.size();
    names_.clear();
    bytes_ = 0;
    return true;
}

}  // namespace release
