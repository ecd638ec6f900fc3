// SPDX-License-Identifier: MIT
#include "release/attempt.hpp"

#include <random>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "release/leases.hpp"
#include "tables/objects.hpp"
#include "tables/presentations.hpp"
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

// Deletes the replacements of abandoned attempts: all that are not in force, but those of `keep`.
void delete_abandoned(store::Pool& pool, const std::string& keep) {
    constexpr std::size_t rows_at_once = 200;
    while (store::perform(pool, Access::write, [&](Transaction& transaction) {
               return tables::delete_abandoned_replacements(transaction, keep, rows_at_once);
           }) > 0)
        continue;
}

}  // namespace

Result<Attempt> begin(store::Pool& pool, const base::Release& release,
                      const std::string& digest) {
    const auto before = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return read_attempt(transaction, release.version);
    });
    // Without its attempt (varve forget deletes it), a replacement of this build may have been
    // computed from rows that are others by now.
    delete_abandoned(pool, before && before->to == digest ? digest : "");
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
        if (known && known->to == digest && (is_in_force || known->from == recorded->digest)) {
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
                          const base::Release& release, std::optional<std::int64_t> generation) {
    return store::perform(
        context.pool, Access::write, [&](Transaction& transaction) -> Result<bool> {
            const auto recorded = tables::lock_build(transaction, attempt.version);
            if (recorded && recorded->digest == attempt.to) return true;
            if (const auto newest = refuse_unless_newest(transaction, release); !newest)
                return tl::unexpected(newest.error());
            if (generation && tables::generation(transaction) != *generation) return false;
            if (!tables::begin_replacing(transaction, attempt.version, attempt.from, attempt.to))
                return base::fail(ErrorKind::conflict,
                                  attempt.version + " was replaced by another build meanwhile");
            tables::note_rewrite(transaction, context.clock());
            return true;
        });
}

void end(Transaction& transaction, const Attempt& attempt) {
    tables::end_replacing(transaction, attempt.version, attempt.to);
    if (const auto known = read_attempt(transaction, attempt.version);
        known && known->to == attempt.to)
        delete_note(transaction, task_of(attempt.version));
}

}  // namespace release
