// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "release/forget_steps.hpp"
#include "store/dialect.hpp"
#include "tables/tables.hpp"
#include "tree/outline.hpp"

namespace release {
namespace {

using base::Release;
using base::Result;
using store::Access;
using store::Transaction;
using store::Value;
using tables::ObjectRow;
using tables::Releases;

// Objects looked at by one statement that reads.
constexpr std::int64_t slice = 20'000;

// A history row, without its notes.
struct Item {
    std::string version, since, date, kind, label;
};

// All that is known of an object.
struct Record {
    ObjectRow row;
    std::vector<std::string> trees;  // versions, newest first
    std::vector<Item> items;

    [[nodiscard]] const Item* item_of(const std::string& version) const {
        const auto found = std::ranges::find(items, version, &Item::version);
        return found == items.end() ? nullptr : &*found;
    }
};
using Records = std::map<std::int64_t, Record>;

Records read_records(Transaction& transaction, Oids oids, const Releases& releases) {
    Records records;
    const auto lock = std::string(store::for_update(transaction.engine()));
    const auto values = with_oids({}, oids);
    for (const auto& row : transaction.query(
             in_oids(std::string(tables::object_columns) + "WHERE oid") + lock, values))
        records[row.integer(0)].row = tables::object_from(row);
    // Objects that are gone by now have no rows either.
    for (const auto& row :
         transaction.query(in_oids("SELECT oid, version FROM trees WHERE oid"), values))
        records.at(row.integer(0)).trees.push_back(row.text(1));
    for (const auto& row : transaction.query(
             in_oids("SELECT oid, version, since, date, kind, label FROM history WHERE oid"),
             values))
        records.at(row.integer(0))
            .items.push_back({row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)});
    for (auto& [oid, record] : records)
        std::ranges::sort(record.trees,
                          [&](const auto& a, const auto& b) { return releases.is_later(a, b); });
    return records;
}

class ReleaseForgetter {
   public:
    ReleaseForgetter(const Forgetting& forgetting, Release release)
        : forgetting_(forgetting), release_(std::move(release)) {}

    Result<Share> run() {
        // First, so that nothing says of objects that they are compared which are so no more.
        write([&](Transaction& transaction) {
            transaction.execute("DELETE FROM warmed WHERE version = ?", {version()});
            drop_leases(transaction);
        });
        auto gone = sweep();
        if (!gone) return gone;
        write([&](Transaction& transaction) { drop_rows(transaction); });
        // What requests have recorded behind the sweep's back, when it is the current release.
        // Those that come from now on find no row of the release, and write it again.
        const auto late = sweep();
        if (!late) return late;
        add(*gone, *late);
        return gone;
    }

   private:
    [[nodiscard]] Value version() const { return Value{release_.version}; }

    template <class F>
    void write(F&& change) const {
        store::perform(forgetting_.pool, Access::write, std::forward<F>(change));
    }

    void drop_rows(Transaction& transaction) const {
        for (const auto* table : {"failed", "mass_changes", "accepted", "releases"})
            transaction.execute("DELETE FROM " + std::string(table) + " WHERE version = ?",
                                {version()});
        tables::move_generation(transaction);
    }

    Result<Share> sweep() const {
        Share gone;
        const auto highest = highest_oid();
        for (std::int64_t from = 0; from < highest; from += slice) {
            const auto touched = touched_in(from);
            withdraw_claims(touched.classes);
            const auto deleted = delete_in_steps(forgetting_, touched.oids,
                                                 [this](Transaction& transaction, Oids oids) {
                                                     return take_back(transaction, oids);
                                                 });
            if (!deleted) return deleted;
            add(gone, *deleted);
            if (forgetting_.told) tell(from + slice, highest);
        }
        return gone;
    }

    void tell(std::int64_t done, std::int64_t all) const {
        forgetting_.told(static_cast<std::uint64_t>(std::min(done, all)),
                         static_cast<std::uint64_t>(all));
    }

    [[nodiscard]] std::int64_t highest_oid() const {
        return store::perform(forgetting_.pool, Access::read, [](Transaction& transaction) {
            return transaction.query("SELECT COALESCE(MAX(oid), 0) FROM objects")
                .at(0)
                .integer(0);
        });
    }

    struct Touched {
        std::vector<std::int64_t> oids;
        std::set<std::string> classes;
    };
    // Objects above `from` that the release has something of.
    [[nodiscard]] Touched touched_in(std::int64_t from) const {
        const auto rows =
            store::perform(forgetting_.pool, Access::read, [&](Transaction& transaction) {
                return transaction.query(
                    "SELECT o.oid, o.class FROM objects o WHERE o.oid > ? AND o.oid <= ? AND"
                    " (o.ace_version = ?"
                    " OR EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version = ?)"
                    " OR EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version = ?)"
                    " OR EXISTS (SELECT 1 FROM replacements r WHERE r.version = ? AND"
                    " r.oid = o.oid)) ORDER BY o.oid",
                    {Value{from}, Value{from + slice}, version(), version(), version(),
                     version()});
            });
        Touched touched;
        for (const auto& row : rows) {
            touched.oids.push_back(row.integer(0));
            touched.classes.insert(row.text(1));
        }
        return touched;
    }

    // Jobs that were finished in later releases counted on what goes now.
    void withdraw_claims(const std::set<std::string>& classes) const {
        if (classes.empty()) return;
        write([&](Transaction& transaction) {
            const auto releases = releases_in(transaction);
            for (const auto& row : transaction.query("SELECT class, version FROM warmed"))
                if ((row.text(0).empty() || classes.contains(row.text(0))) &&
                    !releases.is_later(release_.version, row.text(1)))
                    transaction.execute("DELETE FROM warmed WHERE class = ? AND version = ?",
                                        {row.value(0), row.value(1)});
        });
    }

    // Read each time: a new one may become current meanwhile.
    [[nodiscard]] Releases releases_in(Transaction& transaction) const {
        auto releases = tables::load_releases(transaction);
        releases.add(release_);
        return releases;
    }

    Result<Share> take_back(Transaction& transaction, Oids oids) const {
        const auto releases = releases_in(transaction);
        const auto records = read_records(transaction, oids, releases);
        std::vector<std::int64_t> gone;
        std::vector<std::pair<ObjectRow, std::string>> moved;  // with the version read
        for (const auto& [oid, record] : records) {
            if (is_all_there_is(record)) {
                gone.push_back(oid);
                continue;
            }
            auto row = row_without(transaction, record, releases);
            if (!row) return tl::unexpected(row.error());
            if (*row != record.row) moved.emplace_back(std::move(*row), record.row.ace_version);
        }
        auto share = delete_rows(transaction, oids);
        if (!gone.empty()) add(share, delete_objects(transaction, gone));
        for (const auto& [row, version_read] : moved)
            (void)tables::update_object(transaction, row, version_read);
        return share;
    }

    Share delete_rows(Transaction& transaction, Oids oids) const {
        const auto rows_of = [&](const std::string& table) {
            return static_cast<std::uint64_t>(transaction.execute(
                in_oids("DELETE FROM " + table + " WHERE version = ? AND oid"),
                with_oids({version()}, oids)));
        };
        (void)rows_of("replacements");
        return Share{0, rows_of("history"), rows_of("trees")};
    }

    [[nodiscard]] bool is_all_there_is(const Record& record) const {
        const auto is_this = [&](const std::string& version) {
            return version == release_.version;
        };
        if (record.trees.empty() && record.items.empty()) return false;
        return std::ranges::all_of(record.trees, is_this) &&
               std::ranges::all_of(record.items, is_this, &Item::version);
    }

    // The object as it was before the release, or as later ones have made it.
    Result<ObjectRow> row_without(Transaction& transaction, const Record& record,
                                  const Releases& releases) const {
        auto row = record.row;
        auto trees = record.trees;
        const bool was_newest = !trees.empty() && trees.front() == release_.version;
        std::erase(trees, release_.version);
        const auto* item = record.item_of(release_.version);
        if (was_newest || row.ace_version == release_.version)
            row.ace_version = row.compared_in = compared_before(item, trees, releases);
        if (item != nullptr) row.last_modified = changed_before(record);
        if (!was_newest) return row;
        if (!trees.empty()) return as_in(transaction, record, std::move(row), trees.front());
        // As one that was adopted: what comes next is a first sight.
        row.signature.clear();
        row.label.clear();
        return row;
    }

    [[nodiscard]] std::string compared_before(const Item* item,
                                              const std::vector<std::string>& trees,
                                              const Releases& releases) const {
        const bool is_known = item != nullptr && item->since != release_.version &&
                              releases.find(item->since) != nullptr;
        if (is_known) return item->since;
        return trees.empty() ? std::string() : trees.front();
    }

    [[nodiscard]] base::Date changed_before(const Record& record) const {
        std::string newest;
        for (const auto& item : record.items)
            if (item.version != release_.version) newest = std::max(newest, item.date);
        const auto date = base::parse_date(newest);
        return date ? *date : forgetting_.settings.first_seen_since;
    }

    // `row` with the content and the label of the tree of that version.
    Result<ObjectRow> as_in(Transaction& transaction, const Record& record, ObjectRow row,
                            const std::string& tree) const {
        const auto nodes = tables::tree_of(transaction, row.oid, tree);
        if (!nodes) return base::fail_at(row.object.name, nodes.error());
        const auto* item = record.item_of(tree);
        const bool was_gone = item != nullptr && item->kind == name_of(tables::RowKind::vanished);
        row.signature = was_gone ? std::string() : tree::signature_of(*nodes);
        // An object that is gone has no tree to be named by, but its row knows.
        row.label = item != nullptr && !item->label.empty()
                        ? item->label
                        : history::label_of(*nodes, row.object, forgetting_.settings.names);
        return row;
    }

    const Forgetting& forgetting_;
    const Release release_;
};

}  // namespace

Result<Share> forget_release(const Forgetting& forgetting, const std::string& version) {
    const auto releases = store::perform(forgetting.pool, Access::read, tables::load_releases);
    const auto* release = releases.find(version);
    if (release == nullptr)
        return base::fail(base::Kind::absent, "no release " + version + " is recorded");
    return ReleaseForgetter(forgetting, *release).run();
}

}  // namespace release
