// SPDX-License-Identifier: MIT
#include "release/forget.hpp"

#include <algorithm>

#include "release/forget_steps.hpp"
#include "release/leases.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using base::Kind;
using base::Result;
using store::Access;
using store::Transaction;
using store::Value;
using tree::ObjectName;

// Objects looked at by one statement that reads.
constexpr std::int64_t slice = 20'000;

std::uint64_t counted(Transaction& transaction, std::string_view sql,
                      std::span<const Value> values) {
    return static_cast<std::uint64_t>(transaction.query(sql, values).at(0).integer(0));
}

// `sql` counts rows of objects above its first value, up to its second; `rest` come behind.
std::uint64_t counted_in_slices(store::Pool& pool, std::string_view sql,
                                const std::vector<Value>& rest) {
    const auto highest = store::perform(pool, Access::read, [](Transaction& transaction) {
        return transaction.query("SELECT COALESCE(MAX(oid), 0) FROM objects").at(0).integer(0);
    });
    std::uint64_t sum = 0;
    for (std::int64_t from = 0; from < highest; from += slice) {
        std::vector<Value> values{Value{from}, Value{from + slice}};
        values.insert(values.end(), rest.begin(), rest.end());
        sum += store::perform(pool, Access::read, [&](Transaction& transaction) {
            return counted(transaction, sql, values);
        });
    }
    return sum;
}

Share share(store::Pool& pool, const WholeRelease& what) {
    const Value version{what.version};
    Share share;
    share.history = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return counted(transaction, "SELECT COUNT(*) FROM history WHERE version = ?",
                       std::vector{version});
    });
    share.trees = counted_in_slices(
        pool, "SELECT COUNT(*) FROM trees WHERE oid > ? AND oid <= ? AND version = ?", {version});
    share.objects = counted_in_slices(
        pool,
        "SELECT COUNT(*) FROM objects o WHERE o.oid > ? AND o.oid <= ? AND"
        " (EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version = ?) OR"
        " EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version = ?)) AND"
        " NOT EXISTS (SELECT 1 FROM history h WHERE h.oid = o.oid AND h.version <> ?) AND"
        " NOT EXISTS (SELECT 1 FROM trees t WHERE t.oid = o.oid AND t.version <> ?)",
        {version, version, version, version});
    return share;
}

Share share(store::Pool& pool, const WholeClass& what) {
    const std::vector<Value> class_name{Value{what.class_name}};
    Share share;
    share.objects = store::perform(pool, Access::read, [&](Transaction& transaction) {
        return counted(transaction, "SELECT COUNT(*) FROM objects WHERE class = ?", class_name);
    });
    share.history =
        counted_in_slices(pool,
                          "SELECT COUNT(*) FROM objects o JOIN history h ON h.oid = o.oid"
                          " WHERE o.oid > ? AND o.oid <= ? AND o.class = ?",
                          class_name);
    share.trees = counted_in_slices(pool,
                                    "SELECT COUNT(*) FROM objects o JOIN trees t ON t.oid = o.oid"
                                    " WHERE o.oid > ? AND o.oid <= ? AND o.class = ?",
                                    class_name);
    return share;
}

std::vector<std::int64_t> oids_named(Transaction& transaction, const ObjectName& name) {
    std::vector<std::int64_t> oids;
    for (const auto& row :
         transaction.query("SELECT oid FROM objects WHERE class = ? AND name = ?",
                           {Value{name.class_name}, Value{name.name}}))
        oids.push_back(row.integer(0));
    return oids;
}

Share share(store::Pool& pool, const ObjectName& name) {
    return store::perform(pool, Access::read, [&](Transaction& transaction) {
        const std::vector<Value> oid{Value{oids_named(transaction, name).at(0)}};
        return Share{1, counted(transaction, "SELECT COUNT(*) FROM history WHERE oid = ?", oid),
                     counted(transaction, "SELECT COUNT(*) FROM trees WHERE oid = ?", oid)};
    });
}

// -- whether it may be done

Result<void> known(Transaction& transaction, const WholeRelease& what) {
    const auto rows = transaction.query("SELECT version FROM releases WHERE version = ?",
                                        {Value{what.version}});
    if (!rows.empty()) return {};
    return base::fail(Kind::absent, "no release " + what.version + " is recorded");
}

Result<void> known(Transaction& transaction, const WholeClass& what) {
    // What a run that was broken off may have left.
    for (const auto* table : {"objects", "failed", "mass_changes", "warmed"})
        if (!transaction
                 .query("SELECT class FROM " + std::string(table) + " WHERE class = ? LIMIT 1",
                        {Value{what.class_name}})
                 .empty())
            return {};
    return base::fail(Kind::absent, "no object of a class " + what.class_name + " is recorded");
}

Result<void> known(Transaction& transaction, const ObjectName& name) {
    const auto found = tables::find_object(transaction, name);
    if (found && found->object == name) return {};
    auto text = "no object " + name.class_name + " " + name.name + " is recorded";
    if (found) text += "; there is " + found->object.class_name + " " + found->object.name;
    return base::fail(Kind::absent, std::move(text));
}

Result<void> nobody_is_at_it(Transaction& transaction, base::Seconds now) {
    for (const auto& row :
         transaction.query("SELECT owner FROM leases WHERE done = 0 AND expires_at >= ?",
                           {Value{base::format_rfc3339(now)}}))
        if (!is_gone(row.text(0)))
            return base::fail(Kind::conflict,
                              "a release job is running, which would record what is forgotten; "
                              "stop it first");
    const auto replaced =
        transaction.query("SELECT version FROM releases WHERE replacing <> 0 LIMIT 1");
    if (replaced.empty()) return {};
    return base::fail(Kind::conflict, replaced.front().text(0) +
                                          ", which was published again, is not in place yet; "
                                          "let that job end first");
}

// -- class and object

void drop_claims(Transaction& transaction, const std::string& class_name) {
    // The class without a name stands for all of them.
    transaction.execute("DELETE FROM warmed WHERE class IN (?, '')", {Value{class_name}});
    drop_leases(transaction);
}

struct Page {
    std::vector<std::int64_t> oids;
    std::string last_name;
};

Page page_behind(store::Pool& pool, const std::string& class_name, const std::string& name) {
    return store::perform(pool, Access::read, [&](Transaction& transaction) {
        Page page;
        for (const auto& row :
             transaction.query("SELECT oid, name FROM objects WHERE class = ? AND name > ?"
                               " ORDER BY name LIMIT 4096",
                               {Value{class_name}, Value{name}})) {
            page.oids.push_back(row.integer(0));
            page.last_name = row.text(1);
        }
        return page;
    });
}

Result<Share> delete_class_objects(const Forgetting& forgetting, const std::string& class_name,
                                   std::uint64_t all) {
    Share gone;
    std::string name;  // no name is empty
    for (;;) {
        auto page = page_behind(forgetting.pool, class_name, name);
        if (page.oids.empty()) return gone;
        const auto deleted = delete_in_steps(forgetting, page.oids, delete_objects);
        if (!deleted) return tl::unexpected(deleted.error());
        add(gone, *deleted);
        name = std::move(page.last_name);
        if (forgetting.told) forgetting.told(gone.objects, std::max(all, gone.objects));
    }
}

Result<Share> forget_it(const Forgetting& forgetting, const WholeClass& what) {
    const Value class_name{what.class_name};
    const auto all =
        store::perform(forgetting.pool, Access::write, [&](Transaction& transaction) {
            drop_claims(transaction, what.class_name);
            return counted(transaction, "SELECT COUNT(*) FROM objects WHERE class = ?",
                           std::vector{class_name});
        });
    auto gone = delete_class_objects(forgetting, what.class_name, all);
    if (!gone) return gone;
    store::perform(forgetting.pool, Access::write, [&](Transaction& transaction) {
        transaction.execute("DELETE FROM mass_changes WHERE class = ?", {class_name});
        transaction.execute("DELETE FROM failed WHERE class = ?", {class_name});
        tables::move_generation(transaction);
    });
    return gone;
}

Result<Share> forget_it(const Forgetting& forgetting, const ObjectName& name) {
    return store::perform(forgetting.pool, Access::write, [&](Transaction& transaction) {
        Share gone;
        drop_claims(transaction, name.class_name);
        transaction.execute("DELETE FROM failed WHERE class = ? AND name = ?",
                            {Value{name.class_name}, Value{name.name}});
        if (const auto oids = oids_named(transaction, name); !oids.empty())
            gone = delete_objects(transaction, oids);
        tables::move_generation(transaction);
        return Result<Share>(gone);
    });
}

Result<Share> forget_it(const Forgetting& forgetting, const WholeRelease& what) {
    return forget_release(forgetting, what.version);
}

}  // namespace

Result<Share> share_of(store::Pool& pool, const Forgettable& what, base::Seconds now) {
    const auto may = store::perform(pool, Access::read, [&](Transaction& transaction) {
        auto is_known =
            std::visit([&](const auto& each) { return known(transaction, each); }, what);
        return is_known ? nobody_is_at_it(transaction, now) : is_known;
    });
    if (!may) return tl::unexpected(may.error());
    return std::visit([&](const auto& each) { return share(pool, each); }, what);
}

Result<Share> forget(const Forgetting& forgetting, const Forgettable& what) {
    return std::visit([&](const auto& each) { return forget_it(forgetting, each); }, what);
}

}  // namespace release
