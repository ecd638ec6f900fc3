// SPDX-License-Identifier: MIT
#include "tables/releases.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "store/dialect.hpp"

namespace tables {
namespace {

using base::Result;
using store::Transaction;
using store::Value;

const store::Insert a_release{"releases", {"version", "released_on", "digest"}, {"version"}};

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

void Releases::add_build(const std::string& version) {
    const auto* first = first_build();
    const auto* each = find(version);
    if (each != nullptr && (first == nullptr || *each < *first)) first_build_ = version;
}

void Releases::add_replacing(std::string version, std::string digest) {
    replacing_.push_back({std::move(version), std::move(digest)});
}

Releases load_releases(Transaction& transaction) {
    const auto rows =
        transaction.query("SELECT version, released_on, replacing, digest FROM releases");
    std::vector<Release> recorded;
    for (const auto& row : rows) recorded.push_back({row.text(0), date_of(row.text(1))});
    Releases releases(std::move(recorded));
    for (const auto& row : rows) {
        if (row.integer(2) != 0) releases.add_replacing(row.text(0), row.text(3));
        if (!row.text(3).empty()) releases.add_build(row.text(0));
    }
    return releases;
}

std::optional<RecordedRelease> recorded_release(Transaction& transaction,
                                                std::string_view version) {
    const auto rows =
        transaction.query("SELECT released_on, digest FROM releases WHERE version = ?",
                          {Value{std::string(version)}});
    if (rows.empty() || rows.front().text(1).empty()) return std::nullopt;
    return RecordedRelease{date_of(rows.front().text(0)), rows.front().text(1)};
}

std::optional<std::string> other_release_of_date(Transaction& transaction,
                                                 const Release& release) {
    const auto rows =
        transaction.query("SELECT version FROM releases WHERE released_on = ? ORDER BY version",
                          {Value{base::format_date(release.released_on)}});
    const bool is_known = std::ranges::any_of(
        rows, [&](const auto& row) { return row.text(0) == release.version; });
    if (rows.empty() || is_known) return std::nullopt;
    return rows.front().text(0);
}

Result<void> record_release(Transaction& transaction, const Release& release,
                            std::string_view digest) {
    const Value version{release.version}, new_digest{std::string(digest)};
    // Shared, so that no re-publication takes force before what this transaction writes.
    const auto read = [&] {
        return transaction.query("SELECT digest FROM releases WHERE version = ?" +
                                     std::string(store::for_share(transaction.engine())),
                                 {version});
    };
    auto rows = read();
    if (rows.empty()) {
        // Its process does not know yet that it was forgotten.
        const auto releases = load_releases(transaction);
        if (const auto* newest = releases.newest();
            !digest.empty() && newest != nullptr && release < *newest)
            return base::fail(base::ErrorKind::conflict,
                              release.version + " is not recorded, and " + newest->version +
                                  " is recorded after it");
        const std::vector<Value> values{version, Value{base::format_date(release.released_on)},
                                        new_digest};
        if (store::insert_unless_there(transaction, a_release, values)) return {};
        rows = read();  // another was first
    }
    const auto& recorded = rows.at(0).text(0);
    if (digest.empty() || recorded == digest) return {};
    if (!recorded.empty() && base::contradict(recorded, digest))
        return base::fail(base::ErrorKind::conflict,
                          release.version + " was recorded with different content");
    if (!recorded.empty())
        // One is of files and the other of a server: the next build is compared with this one.
        transaction.execute("UPDATE releases SET digest = ? WHERE version = ?",
                            {new_digest, version});
    else
        // Known by name alone until now: the build has its date.
        transaction.execute("UPDATE releases SET digest = ?, released_on = ? WHERE version = ?",
                            {new_digest, Value{base::format_date(release.released_on)}, version});
    return {};
}

std::optional<OtherVersion> other_version_of(Transaction& transaction, const std::string& version,
                                             const std::string& digest) {
    bool is_newest = true;
    for (const auto& row : transaction.query(
             "SELECT version, digest FROM releases WHERE digest <> '' AND version <> ?"
             " ORDER BY released_on DESC",
             {Value{version}})) {
        if (row.text(1) == digest) return OtherVersion{row.text(0), is_newest};
        is_newest = false;
    }
    return std::nullopt;
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

base::Date date_of(const std::string& text) {
    const auto date = base::parse_date(text);
    if (!date) throw std::logic_error("no date in the store: " + text);
    return *date;
}

}  // namespace tables
