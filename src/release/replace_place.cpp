// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <span>

#include "history/batch.hpp"
#include "release/replace_steps.hpp"
#include "tables/replacement.hpp"

namespace release {
namespace {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using store::Value;

// A transaction is ended once it has run so long.
constexpr std::chrono::milliseconds longest_write{8};
// Objects brought up to date together take at most so many bytes in the build, or are one.
constexpr std::size_t most_bytes = 4 << 20, most_together = 64;

Result<void> move(const Grounds& grounds, std::span<const std::int64_t> oids) {
    while (!oids.empty()) {
        const auto done = store::perform(
            grounds.pool(), Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                const auto end = steady_clock::now() + longest_write;
                std::size_t moved = 0;
                do {
                    const auto one = tables::move_into_place(
                        transaction, oids[moved], grounds.replacing.desk.settings.keep_trees,
                        grounds.releases);
                    if (!one) return tl::unexpected(one.error());
                } while (++moved < oids.size() && steady_clock::now() < end);
                return moved;
            });
        if (!done) return tl::unexpected(done.error());
        oids = oids.subspan(*done);
    }
    return {};
}

// The first of the objects that have a replacement.
std::vector<std::int64_t> replaced_in(const Grounds& grounds, const Range& range) {
    const auto rows = store::perform(grounds.pool(), Access::read, [&](Transaction& transaction) {
        return transaction.query("SELECT oid FROM replacements WHERE version = ? AND digest = ?"
                                 " AND oid > ? AND oid <= ? ORDER BY oid LIMIT 256",
                                 {Value{grounds.attempt.version}, Value{grounds.attempt.to},
                                  Value{range.after}, Value{range.to}});
    });
    std::vector<std::int64_t> oids;
    for (const auto& row : rows) oids.push_back(row.integer(0));
    return oids;
}

// The build before had it, so its row is there.
bool had(const Grounds& grounds, const ObjectName& name) {
    if (!grounds.replaced) return false;
    const auto known = grounds.replaced->digest_of(name);
    return known && *known;
}

void listed_no_more(const Grounds& grounds, const ObjectName& object) {
    store::perform(grounds.pool(), Access::write, [&](Transaction& transaction) {
        transaction.execute(
            "DELETE FROM failed WHERE version = ? AND class = ? AND name = ?",
            {Value{grounds.attempt.version}, Value{object.class_name}, Value{object.name}});
    });
}

Result<Tally> bring(const Grounds& grounds, std::span<const ObjectName> names) {
    Tally tally;
    const auto brought =
        history::bring_up_to_date(grounds.replacing.desk, *grounds.replacing.build,
                                  grounds.replacing.previous.get(), names, {});
    if (!brought) return tl::unexpected(brought.error());
    for (const auto& one : *brought) {
        using history::Fate;
        if (one.fate == Fate::added || one.fate == Fate::changed || one.fate == Fate::failed)
            tally.note(one);
        if (one.fate != Fate::failed && one.fate != Fate::compared)
            listed_no_more(grounds, one.object);
    }
    return tally;
}

}  // namespace

Result<void> place(const Grounds& grounds, const Range& range, const GoOn& go_on) {
    auto after = range.after;
    while (go_on()) {
        const auto some = replaced_in(grounds, {after, range.to});
        if (some.empty()) break;
        if (const auto moved = move(grounds, some); !moved) return moved;
        after = some.back();
    }
    return {};
}

Result<Tally> add_part(const Grounds& grounds, std::uint64_t from, std::uint64_t to,
                       const std::set<std::string>& classes, const GoOn& go_on) {
    std::vector<ObjectName> names;
    Tally tally;
    std::optional<base::Error> error;
    std::uint64_t bytes = 0;
    const auto flush = [&] {
        const auto brought = bring(grounds, names);
        names.clear();
        bytes = 0;
        if (!brought) error = brought.error();
        if (brought) tally.add(*brought);
        return brought && go_on();
    };
    grounds.replacing.build->each(from, to, [&](const source::Listed& listed) {
        if (!classes.contains("") && !classes.contains(std::string(listed.class_name)))
            return true;
        auto name = listed.id();
        if (had(grounds, name)) return true;
        names.push_back(std::move(name));
        bytes += listed.bytes;
        return (names.size() < most_together && bytes < most_bytes) || flush();
    });
    if (!error) flush();
    if (error) return tl::unexpected(*error);
    return tally;
}

Result<Tally> try_failed(const Grounds& grounds) {
    std::vector<ObjectName> names;
    const auto rows = store::perform(grounds.pool(), Access::read, [&](Transaction& transaction) {
        return transaction.query("SELECT class, name FROM failed WHERE version = ?",
                                 {Value{grounds.attempt.version}});
    });
    for (const auto& row : rows) names.push_back({row.text(0), row.text(1)});
    Tally tally;
    for (std::span<const ObjectName> rest = names; !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), most_together));
        const auto brought = bring(grounds, some);
        if (!brought) return tl::unexpected(brought.error());
        tally.add(*brought);
        rest = rest.subspan(some.size());
    }
    return tally;
}

}  // namespace release
