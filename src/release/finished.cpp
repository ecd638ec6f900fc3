// SPDX-License-Identifier: MIT
#include "release/finished.hpp"

#include "release/leases.hpp"
#include "store/dialect.hpp"
#include "tables/tables.hpp"

namespace release {
namespace {

using store::Access;
using store::Transaction;
using store::Value;
using tree::ObjectName;

store::Rows rows_of(store::Pool& pool, std::string_view sql, const std::string& value) {
    return store::perform(pool, Access::read, [&](Transaction& transaction) {
        return transaction.query(sql, {Value{value}});
    });
}

std::vector<ObjectName> names_in(const store::Rows& rows, const std::string& only) {
    std::vector<ObjectName> names;
    for (const auto& row : rows)
        if (only.empty() || row.text(0) == only) names.push_back({row.text(0), row.text(1)});
    return names;
}

void note_warmed(Transaction& transaction, const std::string& version, base::Seconds now,
                 const source::ClassCount& count) {
    static const store::Insert a_class{
        "warmed", {"class", "version", "warmed_at", "objects"}, {"class", "version"}};
    const std::vector<Value> values{Value{count.class_name}, Value{version},
                                    Value{base::format_rfc3339(now)},
                                    Value{static_cast<std::int64_t>(count.objects)}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_class), values);
}

}  // namespace

std::vector<std::string> warmed_in(store::Pool& pool, const std::string& only) {
    std::vector<std::string> versions;
    // In one that is just being replaced, objects that it brought may have no row yet.
    for (const auto& row :
         rows_of(pool,
                 "SELECT version FROM warmed WHERE class IN ('', ?) AND version NOT IN"
                 " (SELECT version FROM releases WHERE replacing <> 0)",
                 only))
        versions.push_back(row.text(0));
    return versions;
}

std::vector<ObjectName> failed_in(store::Pool& pool, const std::string& version,
                                  const std::string& only) {
    return names_in(rows_of(pool, "SELECT class, name FROM failed WHERE version = ?", version),
                    only);
}

std::vector<ObjectName> compared_in(store::Pool& pool, const std::vector<std::string>& versions,
                                    const std::string& only) {
    std::vector<ObjectName> names;
    for (const auto& version : versions)
        for (auto& name : names_in(
                 rows_of(pool, "SELECT class, name FROM objects WHERE ace_version = ?", version),
                 only))
            names.push_back(std::move(name));
    return names;
}

base::Result<void> note_end(Transaction& transaction, const source::Source& build,
                            base::Seconds now, const End& end) {
    const auto& release = build.release();
    // Locked: the release may just be replaced by another content.
    const auto rows = transaction.query("SELECT digest FROM releases WHERE version = ?" +
                                            std::string(store::for_update(transaction.engine())),
                                        {Value{release.version}});
    if (!rows.empty() && base::contradict(rows.front().text(0), build.digest()))
        return base::fail(base::Kind::conflict,
                          release.version + " is recorded with other content");
    for (const auto& count : build.class_counts())
        if (end.only.empty() || count.class_name == end.only)
            note_warmed(transaction, release.version, now, count);
    if (end.only.empty()) note_warmed(transaction, release.version, now, {"", end.looked_at});
    record(transaction, release, end.mass_changes);
    forget_leases(transaction, now - std::chrono::days(7));
    tables::move_generation(transaction);
    return {};
}

}  // namespace release
