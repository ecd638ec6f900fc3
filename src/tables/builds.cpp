// SPDX-License-Identifier: MIT
#include "tables/builds.hpp"

#include "store/dialect.hpp"

namespace tables {
namespace {

using base::ErrorKind;
using base::Result;
using store::Transaction;
using store::Value;

Result<void> check_number(const Release& release, const std::string& digest,
                          const Releases& known) {
    if (known.contradicts(release.version, digest))
        return base::fail(ErrorKind::conflict,
                          release.version + " was recorded with different content");
    const auto* later = known.build_after(release);
    if (known.number_of(release.version) == 0 && later != nullptr)
        return base::fail(ErrorKind::conflict, release.version + " is not recorded, and " +
                                                   later->version + " is recorded after it");
    return {};
}

Result<void> check_again(const Release& release, const Releases& known) {
    if (known.number_of(release.version) == 0)
        return base::fail(ErrorKind::refused, "no build of " + release.version +
                                                  " is recorded, so there is nothing to replace");
    if (const auto* later = known.build_after(release))
        return base::fail(ErrorKind::refused, release.version + " can no longer be replaced: " +
                                                  later->version + " is recorded after it");
    return {};
}

Result<std::int64_t> find_number(Transaction& transaction, const Release& release,
                                 const std::string& digest, Publication publication) {
    const auto known = load_releases(transaction);
    const bool is_again = publication == Publication::again;
    const auto number = known.number_of(release.version, digest);
    if (number != 0 && !is_again) return number;
    if (const auto going = forgetting(transaction); !going.empty())
        return base::fail(ErrorKind::conflict,
                          going +
                              " is being forgotten, and until that has ended no release is "
                              "recorded; if nothing does so now, run: varve forget release " +
                              going + " --with-later");
    const auto may =
        is_again ? check_again(release, known) : check_number(release, digest, known);
    return may.map([&] { return number; });
}

// Gives a build of another kind of source the number of the publication in force.
bool join_number(Transaction& transaction, std::int64_t number, const std::string& digest,
                 base::Seconds now) {
    return transaction.execute(
               "INSERT INTO builds (number, digest, version, accepted_at, recorded_at, "
               "unreadable)"
               " SELECT number, ?, version, ?, recorded_at, unreadable FROM builds"
               " WHERE number = ? LIMIT 1",
               {Value{digest}, Value{base::format_rfc3339(now)}, Value{number}}) == 1;
}

}  // namespace

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
                                 const std::string& digest) {
    return find_number(transaction, release, digest, Publication::first);
}

Result<std::int64_t> number_build(Transaction& transaction, const Release& release,
                                  const std::string& digest, Publication publication,
                                  base::Seconds now) {
    static_cast<void>(lock_builds(transaction));
    const auto known = find_number(transaction, release, digest, publication);
    if (!known || *known != 0) return known;
    const auto in_force = share_number_of(transaction, release.version);
    if (publication == Publication::first && join_number(transaction, in_force, digest, now))
        return in_force;
    record_release(transaction, release);
    // Known by timestamps alone until now: the build has its date.
    transaction.execute("UPDATE releases SET released_on = ? WHERE version = ?",
                        {Value{base::format_date(release.released_on)}, Value{release.version}});
    const auto number =
        transaction.query("SELECT value FROM meta WHERE name = 'builds'").at(0).integer(0);
    transaction.execute(
        "INSERT INTO builds (number, digest, version, accepted_at) VALUES (?, ?, ?, ?)",
        {Value{number}, Value{digest}, Value{release.version}, Value{base::format_rfc3339(now)}});
    return number;
}

std::int64_t share_number_of(Transaction& transaction, const std::string& version) {
    // With the counter, which whoever writes the table writes first. Rows that do not exist yet
    // cannot be shared.
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

std::string forgetting(Transaction& transaction) {
    const auto rows = transaction.query("SELECT text FROM meta WHERE name = 'forgetting'");
    return rows.empty() ? std::string() : rows.front().text(0);
}

std::string share_forgetting(Transaction& transaction) {
    const auto rows = transaction.query("SELECT text FROM meta WHERE name = 'forgetting'" +
                                        std::string(store::for_share(transaction.engine())));
    return rows.empty() ? std::string() : rows.front().text(0);
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
