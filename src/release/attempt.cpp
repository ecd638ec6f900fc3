// SPDX-License-Identifier: MIT
#include "release/republish_steps.hpp"

#include <random>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "release/leases.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"

namespace release {
namespace {

using base::ErrorKind;
using base::Result;
using store::Access;
using store::Transaction;
using tables::RecordedBuild;

// The table `leases` holds an attempt as a task of its own, which has one part and never expires.
std::string task_of(const std::string& version) { return version + " replacing"; }

std::optional<Attempt> read_attempt(Transaction& transaction, const std::string& version) {
    const auto text = note_of(transaction, task_of(version));
    if (!text) return std::nullopt;
    const auto fields = base::split(*text, ' ');
    if (fields.size() != 4) return std::nullopt;
    return Attempt{version, std::string(fields[0]), std::string(fields[1]),
                   std::string(fields[2]), fields[3] == "after"};
}

void write_attempt(Transaction& transaction, const Attempt& attempt) {
    write_note(transaction, task_of(attempt.version),
               attempt.from + ' ' + attempt.to + ' ' + attempt.name + ' ' +
                   (attempt.after_another ? "after" : "first"));
}

std::string new_name() {
    std::random_device device;
    std::string noise;
    for (int i = 0; i < 4; ++i) noise += std::to_string(device()) + ' ';
    return base::md5_hex(noise);
}

Result<void> refuse_unless_newest(Transaction& transaction, const base::Release& release) {
    const auto releases = tables::load_releases(transaction);
    const auto* newest = releases.newest();
    if (newest == nullptr || !(release < *newest)) return {};
    return base::fail(ErrorKind::refused, release.version + " can no longer be replaced: " +
                                              newest->version + " is recorded after it");
}

Result<void> check_may_begin(Transaction& transaction, const base::Release& release,
                             const std::string& digest,
                             const std::optional<RecordedBuild>& recorded) {
    if (!recorded || recorded->digest.empty())
        return base::fail(ErrorKind::refused, "no build of " + release.version +
                                                  " is recorded, so there is nothing to replace");
    if (recorded->released_on != release.released_on)
        return base::fail(ErrorKind::refused,
                          release.version + " is recorded with the date " +
                              base::format_date(recorded->released_on) + ", but the build says " +
                              base::format_date(release.released_on) +
                              "; the date of a recorded release cannot change");
    if (recorded->digest != digest) return refuse_unless_newest(transaction, release);
    if (recorded->replacing) return {};
    return base::fail(ErrorKind::refused, release.version +
                                              " is recorded with exactly this content, "
                                              "so there is nothing to replace");
}

tl::unexpected<base::Error> lost_to_another(const Attempt& attempt) {
    return base::fail(ErrorKind::conflict,
                      "another process has replaced " + attempt.version +
                          " meanwhile, or is doing so; see `varve releases`, and run this again "
                          "if the content of this build is not in force");
}

bool continues(const Attempt& known, const RecordedBuild& recorded, const std::string& digest) {
    return known.to == digest && (recorded.digest == digest || known.from == recorded.digest);
}

// Ends an attempt by another build whose rows are not in force: from now on it writes nothing.
Result<void> end_another(store::Pool& pool, const base::Release& release,
                         const std::string& digest) {
    return store::perform(pool, Access::write, [&](Transaction& transaction) -> Result<void> {
        const auto recorded = tables::lock_build(transaction, release.version);
        if (const auto may = check_may_begin(transaction, release, digest, recorded); !may)
            return may;
        const auto known = read_attempt(transaction, release.version);
        if (known && known->to != recorded->digest && !continues(*known, *recorded, digest))
            delete_note(transaction, task_of(release.version));
        return {};
    });
}

// Deletes the replacements that are neither in force nor of the attempt that is noted. Without its
// attempt (varve forget deletes it), a replacement may have been computed from rows that are others
// by now.
void delete_abandoned(store::Pool& pool, const std::string& version) {
    constexpr std::size_t rows_at_once = 200;
    while (store::perform(pool, Access::write, [&](Transaction& transaction) {
               (void)tables::lock_build(transaction, version);
               const auto known = read_attempt(transaction, version);
               return tables::delete_abandoned_replacements(transaction, known ? known->to : "",
                                                            rows_at_once);
           }) > 0)
        continue;
}

}  // namespace

Result<Attempt> begin(store::Pool& pool, const base::Release& release,
                      const std::string& digest) {
    if (const auto may = end_another(pool, release, digest); !may)
        return tl::unexpected(may.error());
    delete_abandoned(pool, release.version);
    return store::perform(pool, Access::write, [&](Transaction& transaction) -> Result<Attempt> {
        const auto recorded = tables::lock_build(transaction, release.version);
        if (const auto may = check_may_begin(transaction, release, digest, recorded); !may)
            return tl::unexpected(may.error());
        auto known = read_attempt(transaction, release.version);
        const bool is_in_force = recorded->digest == digest;
        if (!is_in_force && recorded->replacing)
            return Attempt{release.version,
                           "",
                           recorded->digest,
                           "",
                           false,
                           Attempt::Stage::complete_another};
        const auto stage = is_in_force ? Attempt::Stage::move : Attempt::Stage::compute;
        if (known && continues(*known, *recorded, digest)) {
            known->stage = stage;
            return std::move(*known);
        }
        Attempt attempt{release.version, is_in_force ? "" : recorded->digest,    digest,
                        new_name(),      known && known->to == recorded->digest, stage};
        write_attempt(transaction, attempt);
        return attempt;
    });
}

Result<bool> put_in_force(const history::Context& context, const Attempt& attempt,
                          const source::Source& build, std::optional<std::int64_t> highest_sid) {
    return store::perform(
        context.pool, Access::write, [&](Transaction& transaction) -> Result<bool> {
            const auto recorded = tables::lock_build(transaction, attempt.version);
            if (recorded && recorded->digest == attempt.to) return true;
            if (const auto newest = refuse_unless_newest(transaction, build.release()); !newest)
                return tl::unexpected(newest.error());
            if (highest_sid && tables::highest_sid(transaction) != *highest_sid) return false;
            const auto known = read_attempt(transaction, attempt.version);
            if (!known || known->name != attempt.name ||
                !tables::begin_replacing(transaction, attempt.version, attempt.from, attempt.to))
                return lost_to_another(attempt);
            for (const auto& name : tables::prewarmed_classes(transaction, attempt.version))
                if (!name.empty() && build.skips(name))  // the empty one stands for all
                    tables::delete_prewarmed(transaction, name, attempt.version);
            return true;
        });
}

Result<bool> is_in_force(Transaction& transaction, const Attempt& attempt) {
    const auto recorded = tables::share_build(transaction, attempt.version);
    if (recorded && recorded->digest == attempt.to && recorded->replacing) return true;
    const auto known = read_attempt(transaction, attempt.version);
    if (recorded && recorded->digest == attempt.from && known && known->name == attempt.name)
        return false;
    return lost_to_another(attempt);
}

Result<End> end(Transaction& transaction, const Attempt& attempt) {
    const auto recorded = tables::lock_build(transaction, attempt.version);
    if (!recorded || recorded->digest != attempt.to) return lost_to_another(attempt);
    if (!recorded->replacing) return End::noted_before;
    if (!tables::replaced_oids(transaction, attempt.version, attempt.to, tables::all_oids, 1)
             .empty())
        return End::too_early;
    tables::end_replacing(transaction, attempt.version, attempt.to);
    const auto known = read_attempt(transaction, attempt.version);
    if (known && known->to == attempt.to && known->name == attempt.name)
        delete_note(transaction, task_of(attempt.version));
    return End::noted;
}

}  // namespace release
