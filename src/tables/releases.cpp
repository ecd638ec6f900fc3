// SPDX-License-Identifier: MIT
#include "tables/releases.hpp"

#include <algorithm>
#include <stdexcept>

#include "store/dialect.hpp"

namespace tables {
namespace {

using base::ErrorKind;
using base::Result;
using store::Transaction;
using store::Value;

const store::Insert a_release{"releases", {"version", "released_on"}, {"version"}};

[[noreturn]] void throw_damaged(const std::string& what) {
    throw store::Failure(what + ": restore the last backup", {.needs_operator = true}, 0);
}

std::string read_forgetting(Transaction& transaction, std::string_view lock) {
    const auto rows =
        transaction.query("SELECT text FROM meta WHERE name = 'forgetting'" + std::string(lock));
    return rows.empty() ? std::string() : rows.front().text(0);
}

}  // namespace

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
    const auto* release = find(version);
    return release == nullptr ? std::nullopt : std::optional(release->released_on);
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
    Releases releases;
    for (const auto& row : transaction.query(
             "SELECT version, released_on FROM releases ORDER BY released_on, version")) {
        const auto date = base::parse_date(row.text(1));
        if (!date)
            throw_damaged("release " + row.text(0) + " has the date '" + row.text(1) + "'");
        releases.add({row.text(0), *date});
    }
    for (const auto& row : transaction.query("SELECT number, digest, version, recorded_at, "
                                             "unreadable FROM builds ORDER BY number, digest")) {
        if (releases.find(row.text(2)) == nullptr)
            throw_damaged("the table releases lacks " + row.text(2) + ", which has a build");
        releases.add_build({row.integer(0), row.text(1), row.text(2), !row.text(3).empty(),
                            static_cast<std::uint64_t>(row.integer(4))});
    }
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

std::string counter_fault(Transaction& transaction) {
    const auto rows =
        transaction.query("SELECT value, (SELECT COALESCE(MAX(number), 0) FROM builds) FROM meta"
                          " WHERE name = 'builds'");
    if (rows.empty()) return "the table meta lacks its row 'builds'";
    if (rows[0].integer(0) >= rows[0].integer(1)) return {};
    return "the row 'builds' of the table meta must be at least " +
           std::to_string(rows[0].integer(1)) + ", the highest number of a build";
}

std::string lock_builds(Transaction& transaction) {
    if (const auto fault = counter_fault(transaction); !fault.empty())
        throw store::Failure(fault, {.needs_operator = true}, 0);
    transaction.execute("UPDATE meta SET value = value + 1 WHERE name = 'builds'");
    return forgetting(transaction);
}

Result<std::int64_t> find_number(Transaction& transaction, const Release& release,
                                 const std::string& digest, Publication publication) {
    const auto known = load_releases(transaction);
    const auto& version = release.version;
    const bool is_again = publication == Publication::again;
    const auto number = known.number_of(version, digest);
    if (number != 0 && !is_again) return number;
    if (const auto going = forgetting(transaction); !going.empty())
        return base::fail(ErrorKind::conflict,
                          going +
                              " is being forgotten, and until that has ended no release is "
                              "recorded; if nothing does so now, run: varve forget release " +
                              going + " --with-later");
    const bool is_published = known.number_of(version) != 0;
    const auto* later = known.build_after(release);
    if (is_again && !is_published)
        return base::fail(ErrorKind::refused, "no build of " + version +
                                                  " is recorded, so there is nothing to replace");
    if (is_again && later != nullptr)
        return base::fail(ErrorKind::refused, version + " can no longer be replaced: " +
                                                  later->version + " is recorded after it");
    if (!is_again && known.contradicts(version, digest))
        return base::fail(ErrorKind::conflict, version + " was recorded with different content");
    if (!is_published && later != nullptr)
        return base::fail(ErrorKind::conflict, version + " is not recorded, and " +
                                                   later->version + " is recorded after it");
    return number;
}

Result<std::int64_t> number_build(Transaction& transaction, const Release& release,
                                  const std::string& digest, Publication publication,
                                  base::Seconds now) {
    static_cast<void>(lock_builds(transaction));
    const auto known = find_number(transaction, release, digest, publication);
    if (!known || *known != 0) return known;
    const auto in_force = share_number_of(transaction, release.version);
    const Value time{base::format_rfc3339(now)};
    // A build of another kind of source joins the publication in force.
    if (publication == Publication::first &&
        transaction.execute(
            "INSERT INTO builds (number, digest, version, accepted_at, recorded_at, unreadable)"
            " SELECT number, ?, version, ?, recorded_at, unreadable FROM builds"
            " WHERE number = ? LIMIT 1",
            {Value{digest}, time, Value{in_force}}) == 1)
        return in_force;
    record_release(transaction, release);
    // Known by timestamps alone until now: the build has its date.
    transaction.execute("UPDATE releases SET released_on = ? WHERE version = ?",
                        {Value{base::format_date(release.released_on)}, Value{release.version}});
    const auto number =
        transaction.query("SELECT value FROM meta WHERE name = 'builds'").at(0).integer(0);
    transaction.execute(
        "INSERT INTO builds (number, digest, version, accepted_at) VALUES (?, ?, ?, ?)",
        {Value{number}, Value{digest}, Value{release.version}, time});
    return number;
}

std::int64_t share_number_of(Transaction& transaction, const std::string& version) {
    // Shares the counter too, which every writer of the table updates first: a row that is not there
    // yet cannot be shared.
    const auto rows = transaction.query(
        "SELECT b.number FROM meta JOIN builds b ON b.version = ? WHERE meta.name = 'builds'"
        " ORDER BY b.number DESC LIMIT 1" +
            std::string(store::for_share(transaction.engine())),
        {Value{version}});
    return rows.empty() ? 0 : rows.front().integer(0);
}

bool note_recorded(Transaction& transaction, const std::string& version, std::int64_t number,
                   base::Seconds now, std::uint64_t unreadable) {
    const bool is_first =
        transaction
            .query("SELECT number FROM builds WHERE version = ? AND recorded_at <> '' LIMIT 1",
                   {Value{version}})
            .empty();
    transaction.execute(
        "UPDATE builds SET unreadable = ?, recorded_at ="
        " CASE WHEN recorded_at = '' THEN ? ELSE recorded_at END WHERE number = ?",
        {Value{static_cast<std::int64_t>(unreadable)}, Value{base::format_rfc3339(now)},
         Value{number}});
    return is_first;
}

std::string forgetting(Transaction& transaction) { return read_forgetting(transaction, ""); }

std::string share_forgetting(Transaction& transaction) {
    return read_forgetting(transaction, store::for_share(transaction.engine()));
}

void begin_forgetting(Transaction& transaction, const std::string& version) {
    transaction.execute("UPDATE meta SET text = ? WHERE name = 'forgetting'", {Value{version}});
    const auto known = load_releases(transaction);
    for (const auto& build : known.builds())
        if (!known.is_later(version, build.version))
            transaction.execute("DELETE FROM builds WHERE number = ?", {Value{build.number}});
}

void end_forgetting(Transaction& transaction) {
    transaction.execute("UPDATE meta SET text = '' WHERE name = 'forgetting'");
}

}  // namespace tables
