// SPDX-License-Identifier: MIT
#include "tables/releases.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "store/dialect.hpp"

namespace tables {
namespace {

using store::Transaction;
using store::Value;

const store::Insert a_release{"releases", {"version", "released_on"}, {"version"}};

base::Date date_in(const std::string& text) {
    const auto date = base::parse_date(text);
    if (!date) throw std::logic_error("no date in the store: " + text);
    return *date;
}

}  // namespace

Releases::Releases(std::vector<Release> releases) {
    std::erase_if(releases, [this](const Release& release) {
        return !ranks_.emplace(release.version, 0).second;
    });
    std::ranges::stable_sort(releases);
    releases_ = std::move(releases);
    for (std::size_t rank = 0; rank < releases_.size(); ++rank)
        ranks_[releases_[rank].version] = rank;
}

void Releases::add(const Release& release) {
    if (ranks_.contains(release.version)) return;
    const auto at = std::upper_bound(releases_.begin(), releases_.end(), release);
    const auto rank = static_cast<std::size_t>(at - releases_.begin());
    releases_.insert(at, release);
    for (auto i = rank; i < releases_.size(); ++i) ranks_[releases_[i].version] = i;
}

const Release* Releases::find(std::string_view version) const {
    const auto found = ranks_.find(version);
    return found == ranks_.end() ? nullptr : &releases_[found->second];
}

bool Releases::is_later(std::string_view a, std::string_view b) const {
    const auto x = ranks_.find(a);
    if (x == ranks_.end()) return false;
    const auto y = ranks_.find(b);
    return y == ranks_.end() || x->second > y->second;
}

const Release* Releases::before(const Release& release) const {
    const auto at = std::lower_bound(releases_.begin(), releases_.end(), release);
    return at == releases_.begin() ? nullptr : &*std::prev(at);
}

std::vector<Release> Releases::up_to(const Release& release) const {
    return {releases_.begin(), std::upper_bound(releases_.begin(), releases_.end(), release)};
}

std::optional<Releases::Position> Releases::position(std::string_view version) const {
    const auto found = ranks_.find(version);
    if (found == ranks_.end()) return std::nullopt;
    const auto rank = found->second;
    auto first = rank;  // of the same date
    while (first > 0 && releases_[first - 1].released_on == releases_[rank].released_on) --first;
    return Position{rank, static_cast<int>(rank - first)};
}

std::optional<base::Date> Releases::date_of(std::string_view version) const {
    const auto found = ranks_.find(version);
    if (found == ranks_.end()) return std::nullopt;
    return releases_[found->second].released_on;
}

void Releases::add_build(NumberedBuild build) { builds_.push_back(std::move(build)); }

std::int64_t Releases::number_of(std::string_view version) const {
    std::int64_t number = 0;
    for (const auto& build : builds_)
        if (build.version == version) number = build.number;
    return number;
}

std::int64_t Releases::number_of(std::string_view version, std::string_view digest) const {
    const auto newest = number_of(version);
    const auto is_it = [&](const NumberedBuild& build) {
        return build.number == newest && build.digest == digest;
    };
    return newest != 0 && std::ranges::any_of(builds_, is_it) ? newest : 0;
}

bool Releases::contradicts(std::string_view version, std::string_view digest) const {
    const auto newest = number_of(version);
    if (newest == 0 || number_of(version, digest) != 0) return false;
    const auto contradicts = [&](const NumberedBuild& build) {
        return build.number == newest && base::contradict(build.digest, digest);
    };
    return is_superseded(version, digest) || std::ranges::any_of(builds_, contradicts);
}

bool Releases::is_superseded(std::string_view version, std::string_view digest) const {
    const auto is_it = [&](const NumberedBuild& build) {
        return build.version == version && build.digest == digest;
    };
    return number_of(version, digest) == 0 && std::ranges::any_of(builds_, is_it);
}

std::string Releases::version_of(std::int64_t number) const {
    const auto found = std::ranges::lower_bound(builds_, number, {}, &NumberedBuild::number);
    return found != builds_.end() && found->number == number ? found->version : std::string();
}

const Release* Releases::first_build() const {
    return builds_.empty() ? nullptr : find(builds_.front().version);
}

const Release* Releases::build_before(const Release& release) const {
    const Release* before = nullptr;
    for (const auto& build : builds_)
        if (const auto* found = find(build.version); found != nullptr && *found < release)
            before = found;
    return before;
}

const Release* Releases::build_after(const Release& release) const {
    const auto* newest = builds_.empty() ? nullptr : find(builds_.back().version);
    return newest != nullptr && release < *newest ? newest : nullptr;
}

bool Releases::is_recorded(std::int64_t number) const {
    return std::ranges::any_of(builds_, [&](const NumberedBuild& build) {
        return build.number == number && build.is_recorded;
    });
}

bool Releases::is_compared(std::string_view version) const {
    return builds_.empty() || builds_.back().version != version ||
           std::ranges::any_of(builds_, [&](const NumberedBuild& build) {
               return build.version == version && build.is_recorded;
           });
}

Releases load_releases(Transaction& transaction) {
    std::vector<Release> known;
    for (const auto& row : transaction.query("SELECT version, released_on FROM releases"))
        known.push_back({row.text(0), date_in(row.text(1))});
    Releases releases(std::move(known));
    for (const auto& row : transaction.query(
             "SELECT number, digest, version, recorded_at FROM builds ORDER BY number, digest"))
        releases.add_build({row.integer(0), row.text(1), row.text(2), !row.text(3).empty()});
    return releases;
}

void record_release(Transaction& transaction, const Release& release) {
    const std::vector<Value> values{Value{release.version},
                                    Value{base::format_date(release.released_on)}};
    (void)store::insert_unless_there(transaction, a_release, values);
}

bool is_accepted(Transaction& transaction, const std::string& version,
                 const std::string& digest) {
    return !transaction
                .query("SELECT version FROM accepted WHERE version = ? AND digest = ?",
                       {Value{version}, Value{digest}})
                .empty();
}

void accept_build(Transaction& transaction, const std::string& version, const std::string& digest,
                  base::Seconds now) {
    if (is_accepted(transaction, version, digest)) return;
    transaction.execute("INSERT INTO accepted (version, digest, accepted_at) VALUES (?, ?, ?)",
                        {Value{version}, Value{digest}, Value{base::format_rfc3339(now)}});
}

const std::string& slot_of_process() {
    static const std::string slot(slots[std::random_device()() % slots.size()]);
    return slot;
}

}  // namespace tables
