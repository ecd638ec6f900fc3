// SPDX-License-Identifier: MIT
#include "release/attempt.hpp"

#include <optional>
#include <random>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "store/dialect.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using base::Kind;
using base::Result;
using store::Access;
using store::Transaction;
using store::Value;

// An attempt is a lease that never ends, of a task of its own.
std::string task_of(const std::string& version) { return version + " replacing"; }
const store::Insert a_lease{
    "leases", {"task", "part", "owner", "expires_at", "done", "result"}, {"task", "part"}};

struct Recorded {
    base::Date released_on{};
    std::string digest;
    bool replacing = false;
};

std::optional<Recorded> read_release(Transaction& transaction, const std::string& version) {
    const auto rows = transaction.query(
        "SELECT released_on, digest, replacing FROM releases WHERE version = ?" +
            std::string(store::for_update(transaction.engine())),
        {Value{version}});
    if (rows.empty() || rows.front().text(1).empty()) return std::nullopt;
    return Recorded{tables::date_of(rows.front().text(0)), rows.front().text(1),
                    rows.front().integer(2) != 0};
}

std::optional<Attempt> read_attempt(Transaction& transaction, const std::string& version) {
    const auto rows = transaction.query("SELECT result FROM leases WHERE task = ? AND part = 0",
                                        {Value{task_of(version)}});
    if (rows.empty()) return std::nullopt;
    const auto text = rows.front().text(0);
    const auto words = base::split(text, ' ');
    if (words.size() != 4) return std::nullopt;
    return Attempt{version, std::string(words[0]), std::string(words[1]), std::string(words[2]),
                   words[3] == "after"};
}

void write_attempt(Transaction& transaction, const Attempt& attempt) {
    const std::vector<Value> values{Value{task_of(attempt.version)},
                                    Value{std::int64_t{0}},
                                    Value{std::string()},
                                    Value{std::string("9999-12-31T23:59:59Z")},
                                    Value{std::int64_t{1}},
                                    Value{attempt.from + ' ' + attempt.to + ' ' + attempt.name +
                                          ' ' + (attempt.after_another ? "after" : "first")}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_lease), values);
}

std::string new_name() {
    std::random_device device;
    std::string noise;
    for (int i = 0; i < 4; ++i) noise += std::to_string(device()) + ' ';
    return base::md5_hex(noise);
}

// Empty: it is the newest.
std::string newer_than(Transaction& transaction, const base::Release& release) {
    const auto releases = tables::load_releases(transaction);
    const auto* newest = releases.newest();
    return newest != nullptr && release < *newest ? newest->version : "";
}

Result<void> refuse_newer(Transaction& transaction, const base::Release& release) {
    const auto newer = newer_than(transaction, release);
    if (newer.empty()) return {};
    return base::fail(Kind::refused, release.version + " can't be replaced any more: " + newer +
                                         " is recorded after it");
}

Result<void> may_begin(Transaction& transaction, const base::Release& release,
                       const std::string& digest, const std::optional<Recorded>& recorded) {
    if (!recorded)
        return base::fail(Kind::refused,
                          "no build of " + release.version + " is recorded: nothing to replace");
    if (recorded->released_on != release.released_on)
        return base::fail(Kind::refused, release.version + " is recorded as of " +
                                             base::format_date(recorded->released_on) +
                                             ", the build says " +
                                             base::format_date(release.released_on) +
                                             "; the date of a release stays");
    if (recorded->digest == digest)
        return recorded->replacing
                   ? Result<void>()
                   : base::fail(Kind::refused, release.version +
                                                   " is recorded with this very content: there "
                                                   "is nothing to replace");
    return refuse_newer(transaction, release);
}

// Deletes what attempts left that are given up: all but what is in force, and of this digest.
void clear(store::Pool& pool, const std::string& but) {
    constexpr std::int64_t together = 200;
    const auto clear_some = [&](Transaction& transaction) {
        const auto rows = transaction.query(
            "SELECT version, oid FROM replacements WHERE digest <> ? AND NOT EXISTS (SELECT 1"
            " FROM releases r WHERE r.version = replacements.version AND r.replacing <> 0"
            " AND r.digest = replacements.digest) LIMIT ?",
            {Value{but}, Value{together}});
        for (const auto& row : rows)
            transaction.execute("DELETE FROM replacements WHERE version = ? AND oid = ?",
                                {Value{row.text(0)}, Value{row.integer(1)}});
        return !rows.empty();
    };
    while (store::perform(pool, Access::write, clear_some)) continue;
}

}  // namespace

Result<Standing> begin(store::Pool& pool, const base::Release& release,
                       const std::string& digest) {
    const auto before = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return read_attempt(transaction, release.version);
    });
    // What lies there of this build was computed from rows that may be others by now, when
    // nobody tells of the attempt any more (varve forget).
    clear(pool, before && before->to == digest ? digest : "");
    return store::perform(pool, Access::write, [&](Transaction& transaction) -> Result<Standing> {
        const auto recorded = read_release(transaction, release.version);
        if (const auto may = may_begin(transaction, release, digest, recorded); !may)
            return tl::unexpected(may.error());
        const auto known = read_attempt(transaction, release.version);
        const bool is_in_force = recorded->digest == digest;
        if (!is_in_force && recorded->replacing)
            return Standing{{release.version, "", recorded->digest, "", false}, Step::put_away};
        const auto step = is_in_force ? Step::place : Step::compute;
        if (known && known->to == digest && (is_in_force || known->from == recorded->digest))
            return Standing{*known, step};
        Attempt attempt{release.version, is_in_force ? "" : recorded->digest, digest, new_name(),
                        known && known->to == recorded->digest};
        write_attempt(transaction, attempt);
        return Standing{std::move(attempt), step};
    });
}

Result<bool> put_in_force(store::Pool& pool, const Attempt& attempt, const base::Release& release,
                          std::optional<std::int64_t> generation) {
    return store::perform(pool, Access::write, [&](Transaction& transaction) -> Result<bool> {
        const auto recorded = read_release(transaction, attempt.version);
        if (recorded && recorded->digest == attempt.to) return true;
        if (const auto newest = refuse_newer(transaction, release); !newest)
            return tl::unexpected(newest.error());
        if (generation && tables::generation(transaction) != *generation) return false;
        const auto done = transaction.execute(
            "UPDATE releases SET digest = ?, replacing = 1 WHERE version = ? AND digest = ?",
            {Value{attempt.to}, Value{attempt.version}, Value{attempt.from}});
        if (done != 1)
            return base::fail(Kind::conflict,
                              attempt.version + " was replaced by another build meanwhile");
        tables::move_generation(transaction);
        return true;
    });
}

void note_finished(Transaction& transaction, const Attempt& attempt) {
    transaction.execute("UPDATE releases SET replacing = 0 WHERE version = ? AND digest = ?",
                        {Value{attempt.version}, Value{attempt.to}});
    if (const auto known = read_attempt(transaction, attempt.version);
        known && known->to == attempt.to)
        transaction.execute("DELETE FROM leases WHERE task = ? AND part = 0",
                            {Value{task_of(attempt.version)}});
}

}  // namespace release
