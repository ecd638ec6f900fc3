// Recording into a store: one object as a request does it, and a site that does it.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "history/recorder.hpp"
#include "support/catch.hpp"
#include "support/contents.hpp"
#include "tables/releases.hpp"

namespace support {

// Records what the build has of the object.
//   error  of the load; absent: the object is neither in the build nor recorded
inline base::Result<history::Recorded> record(const history::Context& context,
                                              const source::Source& build,
                                              const source::Source* previous,
                                              const tree::ObjectName& name) {
    auto results = history::bring_up_to_date(context, build, previous, std::span(&name, 1));
    if (!results) return tl::unexpected(results.error());
    auto& result = results->front();
    if (result.error) return tl::unexpected(*result.error);
    if (result.status == history::Status::absent)
        return base::fail(base::ErrorKind::absent, name.name + " is nowhere");
    return std::move(result);
}

// Returns the object's row in the table.
inline std::optional<tables::ObjectRow> row_of(store::Transaction& transaction,
                                               const tree::ObjectName& name) {
    const auto rows = tables::objects_named(transaction, std::span(&name, 1));
    const auto* row = rows.find(name);
    return row != nullptr ? std::optional(*row) : std::nullopt;
}

// Returns the rows that objects have of a release, in the order of the objects.
inline std::vector<tables::Row> rows_of_release(store::Transaction& transaction,
                                                std::span<const std::int64_t> oids,
                                                const std::string& version) {
    std::vector<tables::Row> rows;
    for (const auto& oid : oids)
        for (const auto& key : tables::row_keys(transaction, std::span(&oid, 1)))
            if (key.version == version)
                rows.push_back(tables::rows_numbered(transaction, std::span(&key.sid, 1),
                                                     tables::log_unreadable)
                                   .by_sid.at(key.sid));
    return rows;
}

// One process that records into a store. A site of several processes has several of these.
struct RecordingSite {
    explicit RecordingSite(store::Connect connect, store::RetryPolicy retry_policy = {})
        : pool(std::move(connect), 8, std::move(retry_policy)) {}

    history::Context context() { return {pool, settings, clock, labels}; }

    // Gives the build its number, as when it becomes current.
    //   error  of tables::number_build()
    base::Result<std::int64_t> number_build(const source::Source& build,
                                            tables::Publication publication) {
        return store::perform(pool, store::Access::write, tables::number_build, build.release(),
                              build.digest(), publication, clock());
    }
    // Records the object as a request does. Fails the test on errors other than absent.
    void ask(const source::Source& build, const source::Source* previous,
             const tree::ObjectName& name) {
        const auto done = record(context(), build, previous, name);
        if (!done && done.error().kind != base::ErrorKind::absent) FAIL(done.error().text);
    }
    std::string contents() { return contents_of(pool); }
    [[nodiscard]] store::Rows query(std::string_view sql) {
        return store::perform(pool, store::Access::read,
                              [&](auto& transaction) { return transaction.query(sql); });
    }

    store::Pool pool;
    history::Settings settings;
    base::Clock clock = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    history::LabelCache labels;
};

}  // namespace support
