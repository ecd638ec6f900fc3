// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <optional>
#include <span>

#include "history/republication.hpp"
#include "release/replace_steps.hpp"
#include "tables/bulk.hpp"
#include "tables/replacement.hpp"

namespace release {

using base::Result;
using std::chrono::steady_clock;
using store::Access;
using store::Transaction;
using store::Value;
using tables::ObjectRow;
using tables::Replacement;

namespace {

// A transaction is ended once it has run so long.
constexpr std::chrono::milliseconds longest_write{8};
// Replacements written together hold at most so many bytes of trees, or are one.
constexpr std::size_t most_bytes = 4 << 20, most_together = 64;

std::set<std::int64_t> oids(Transaction& transaction, std::string_view sql,
                            std::initializer_list<Value> values) {
    std::set<std::int64_t> found;
    for (const auto& row : transaction.query(sql, values)) found.insert(row.integer(0));
    return found;
}

//   error  conflict: neither this attempt's nor what it replaces
Result<bool> is_in_force(Transaction& transaction, const Grounds& grounds) {
    const auto rows =
        transaction.query("SELECT digest, replacing FROM releases WHERE version = ?",
                          {Value{grounds.attempt.version}});
    const auto digest = rows.empty() ? std::string() : rows.front().text(0);
    if (digest == grounds.attempt.from && !digest.empty()) return false;
    if (digest == grounds.attempt.to && rows.front().integer(1) != 0) return true;
    return base::fail(base::Kind::conflict,
                      grounds.attempt.version + " was replaced by others meanwhile");
}

Result<void> write(const Grounds& grounds, std::span<const Replacement> all) {
    while (!all.empty()) {
        const auto done = store::perform(
            grounds.pool(), Access::write, [&](Transaction& transaction) -> Result<std::size_t> {
                const auto in_force = is_in_force(transaction, grounds);
                if (!in_force) return tl::unexpected(in_force.error());
                const auto end = steady_clock::now() + longest_write;
                std::size_t put = 0;
                do tables::put(transaction, all[put]);
                while (++put < all.size() && steady_clock::now() < end);
                if (*in_force) tables::move_generation(transaction);
                return put;
            });
        if (!done) return tl::unexpected(done.error());
        all = all.subspan(*done);
    }
    return {};
}

}  // namespace

// Objects that need not be looked at again in this process, by oid.
class LookOver::Seen {
   public:
    [[nodiscard]] bool has(std::int64_t oid) const {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        return at < bits_.size() && bits_[at];
    }
    void add(std::int64_t oid) {
        const std::lock_guard lock(mutex_);
        const auto at = static_cast<std::size_t>(oid);
        if (at >= most) return;  // a second look costs time, and changes nothing
        if (at >= bits_.size()) bits_.resize(at + at / 2 + 1);
        bits_[at] = true;
    }

   private:
    static constexpr std::size_t most = std::size_t{1} << 30;
    mutable std::mutex mutex_;
    std::vector<bool> bits_;
};

LookOver::LookOver(const Grounds& grounds) : grounds_(grounds), seen_(std::make_unique<Seen>()) {}
LookOver::~LookOver() = default;

struct LookOver::Slice {
    std::vector<ObjectRow> rows;      // compared in this release
    std::set<std::int64_t> replaced;  // by this attempt already
    std::set<std::int64_t> renamed;   // perhaps: came or went in this release
};

LookOver::Slice LookOver::read(const Range& range) const {
    return store::perform(grounds_.pool(), Access::read, [&](Transaction& transaction) {
        Slice slice;
        for (const auto& row :
             transaction.query(std::string(tables::object_columns) + "WHERE oid > ? AND oid <= ?",
                               {Value{range.after}, Value{range.to}}))
            slice.rows.push_back(tables::object_from(row));
        std::vector<ObjectRow*> rows;
        for (auto& row : slice.rows) rows.push_back(&row);
        tables::settle_all(transaction, rows, grounds_.release(), grounds_.releases);
        std::erase_if(slice.rows, [&](const ObjectRow& row) {
            return row.compared_in != grounds_.release().version;
        });
        slice.replaced = oids(transaction,
                              "SELECT oid FROM replacements WHERE version = ? AND digest = ?"
                              " AND oid > ? AND oid <= ?",
                              {Value{grounds_.attempt.version}, Value{grounds_.attempt.to},
                               Value{range.after}, Value{range.to}});
        slice.renamed =
            oids(transaction,
                 "SELECT oid FROM history WHERE version = ? AND kind IN"
                 " ('created', 'vanished') AND oid > ? AND oid <= ?",
                 {Value{grounds_.attempt.version}, Value{range.after}, Value{range.to}});
        return slice;
    });
}

// Answers on their way to the store.
class LookOver::Gathered {
   public:
    Gathered(const Grounds& grounds, Seen& seen) : grounds_(grounds), seen_(seen) {}

    Tally tally;

    Result<void> take(const ObjectRow& row, Result<history::Republication::Answer> answer,
                      bool first) {
        if (!answer) return note_failed(row, answer.error());
        using Fate = history::Republication::Fate;
        if (!answer->replacement) {
            if (first) tally.note_unchanged();
            seen_.add(row.oid);
            return {};
        }
        ++tally.looked_at;
        if (answer->fate == Fate::vanished)
            ++tally.vanished;
        else if (answer->fate == Fate::withdrawn)
            ++tally.withdrawn;
        else
            ++tally.changed;
        bytes_ += answer->replacement->tree ? answer->replacement->tree->size() : 0;
        all_.push_back(std::move(*answer->replacement));
        return all_.size() < most_together && bytes_ < most_bytes ? Result<void>() : flush();
    }

    Result<void> flush() {
        auto written = write(grounds_, all_);
        if (written)
            for (const auto& replacement : all_) seen_.add(replacement.object.oid);
        all_.clear();
        bytes_ = 0;
        return written;
    }

   private:
    // It stays as it is, and is listed: the others are not kept waiting.
    Result<void> note_failed(const ObjectRow& row, const base::Error& error) {
        if (error.kind != base::Kind::malformed && error.kind != base::Kind::too_large &&
            error.kind != base::Kind::absent)
            return tl::unexpected(error);
        history::Brought brought{row.object, history::Fate::failed, error.text};
        tally.note(brought);
        store::perform(grounds_.pool(), Access::write, [&](Transaction& transaction) {
            tables::list_failed(transaction, grounds_.release(), row.object, error.text);
        });
        seen_.add(row.oid);
        return {};
    }

    const Grounds& grounds_;
    Seen& seen_;
    std::vector<Replacement> all_;
    std::size_t bytes_ = 0;
};

Result<LookOver::Look> LookOver::look(const ObjectRow& row, Side side, bool is_renamed) const {
    const auto now = grounds_.replacing.build->find(row.object);
    if (!now) return tl::unexpected(now.error());
    if (now->has_value() != (side == Side::there)) return Look::other_side;
    if (!grounds_.replaced || is_renamed) return Look::differs;
    const auto then = grounds_.replaced->find(row.object);
    if (!then) return tl::unexpected(then.error());
    if (*then != *now) return Look::differs;
    if (!*now) return Look::same;
    const auto before = grounds_.replaced->digest_of(**now),
               after = grounds_.replacing.build->digest_of(**now);
    if (!before) return tl::unexpected(before.error());
    if (!after) return tl::unexpected(after.error());
    return *before == *after ? Look::same : Look::differs;
}

Result<Tally> LookOver::at(const Range& range, Side side, bool first, const GoOn& go_on) {
    const auto slice = read(range);
    const history::Republication respun(grounds_.replacing.desk, *grounds_.replacing.build,
                                        grounds_.replacing.previous.get(), grounds_.releases);
    Gathered gathered(grounds_, *seen_);
    for (const auto& row : slice.rows) {
        if (slice.replaced.contains(row.oid) || seen_->has(row.oid)) continue;
        if (!go_on()) break;
        const auto may = look(row, side, slice.renamed.contains(row.oid));
        if (!may) return tl::unexpected(may.error());
        if (*may == Look::other_side) continue;
        if (*may == Look::same) {
            if (first) gathered.tally.note_unchanged();
            seen_->add(row.oid);
            continue;
        }
        if (auto done = gathered.take(row, respun.of(row), first); !done)
            return tl::unexpected(done.error());
    }
    if (auto done = gathered.flush(); !done) return tl::unexpected(done.error());
    return std::move(gathered.tally);
}

}  // namespace release
