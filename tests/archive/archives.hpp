// Stores to export and archives as strings, for the tests of the archive.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "archive/archive.hpp"
#include "archive/format.hpp"
#include "store/dialect.hpp"
#include "support/stores.hpp"

namespace archives {

inline std::string exported(const store::Connect& connect) {
    std::string bytes;
    const auto connection = connect();
    const auto done = archive::export_store(*connection, [&](std::string_view some) {
        bytes += some;
        return base::Result<void>();
    });
    if (!done) throw std::runtime_error(done.error().text);
    return bytes;
}

// Reads `bytes` in pieces of at most `piece`.
inline archive::ReadBytes reading(const std::string& bytes, std::size_t piece = 1U << 16U) {
    return [&bytes, piece, at = std::size_t{0}](std::span<char> into) mutable {
        const auto size = std::min({piece, into.size(), bytes.size() - at});
        std::memcpy(into.data(), bytes.data() + at, size);
        at += size;
        return base::Result<std::size_t>(size);
    };
}

inline base::Result<archive::RowCounts> imported(
    const store::Connect& connect, const std::string& bytes,
    archive::Leftovers leftovers = archive::Leftovers::refuse) {
    store::Pool pool(connect, 2);
    return archive::import_store(pool, reading(bytes), leftovers);
}

inline void insert(store::Connection& connection, std::string_view table,
                   const std::vector<store::Value>& values) {
    store::Insert insert{.table = table, .columns = {}, .keys = {}};
    const auto columns = store::columns_of(connection, std::string(table));
    for (const auto& column : columns) insert.columns.emplace_back(column.name);
    store::Transaction transaction(connection, store::Access::write);
    insert_many(transaction, insert, values);
    transaction.commit();
}

// Returns the columns of an object after its oid, class and name.
inline std::vector<store::Value> object(std::int64_t oid, const std::string& name) {
    return {oid,
            "Gene",
            name,
            name,
            "label",
            "0123456789abcdef0123456789abcdef",
            "2008-02-15",
            std::int64_t{2},
            INT64_MIN,
            "WS186",
            std::int64_t{7},
            "2008-02-16T09:15:20Z",
            "label's key",
            "one other name\nanother"};
}

// Returns all columns of objects 1 to `count`, called n1 and so on.
inline std::vector<store::Value> objects(std::int64_t count) {
    std::vector<store::Value> all;
    for (std::int64_t oid = 1; oid <= count; ++oid) {
        const auto one = object(oid, "n" + std::to_string(oid));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

// Writes rows into every table, with bytes that careless programs lose.
inline void fill(store::Connection& connection) {
    using store::Blob;
    using store::Value;
    const std::int64_t one = 1;
    const std::string awkward = std::string("\0\x01\x1F\"\\'\t\r\n/ \x7F", 13) +
                                " \xC2\x80 \xE2\x80\xA8 \xEF\xBF\xBD \xF0\x9F\xA7\xAC \\u0041 ";
    insert(connection, "objects", object(INT64_MAX - 1, awkward));
    for (const auto* version : {"WS187", "WS188", "ws", "WS"})
        insert(connection, "releases", {Value(version), "2008-02-15"});
    insert(connection, "releases", {Value("WS\xF0\x9F\xA7\xAC"), ""});
    insert(connection, "objects", object(-5, "negative"));
    insert(connection, "objects", object(0, ""));
    insert(connection, "objects", object(1, "unc-26"));
    insert(connection, "history",
           {Value(INT64_MIN), Value(INT64_MAX - 1), "WS187", INT64_MAX, "WS186", "2008-02-15",
            "2008-02-16T09:15:20Z", "", "changed", awkward, awkward, "Gene", awkward, "",
            "mass"});
    insert(connection, "history",
           {Value(INT64_MAX), one, "WS187", std::int64_t{-1}, "", "2008-02-15", "", "", "created",
            "", "{\"changes\":[]}", "Gene", "unc-26", std::string(32, 'f'), ""});
    insert(connection, "trees",
           {Value(one), "WS187", "WS186", Blob{std::string("\0\xFF\xFE'\n\"\0", 7)}});
    insert(connection, "trees", {Value(one), "WS188", "", Blob{""}});
    insert(connection, "trees", {Value(one), "ws", "", Value()});
    insert(connection, "trees", {Value(one), "WS", "", Blob{"ab"}});
    insert(connection, "accepted", {Value("WS187"), awkward, ""});
    insert(connection, "mass_changes", {Value("WS187"), "Gene", "A > B", one, one});
    insert(connection, "words", {Value("unc-26"), "Gene", awkward});
    insert(connection, "tokens", {Value(awkward), std::string(64, 'f'), ""});
    insert(connection, "watch_lists", {Value("abcdefghijklmnop"), awkward, "", "2008-02-15"});
    insert(connection, "builds",
           {Value(one), "digest", "WS187", "2008-02-16T09:15:20Z", "", one});
    const std::int64_t none = 0;
    insert(connection, "feeds",
           {Value(one),
            awkward,
            std::string(64, 'f'),
            "https://f.example",
            awkward,
            "2026-01-02T03:04:05Z",
            "",
            awkward,
            awkward,
            "",
            "en",
            none,
            one,
            one,
            "Working",
            "",
            "",
            "",
            one,
            Blob{std::string("\"\0\xFF\"", 4)},
            Blob{""},
            none,
            "",
            none,
            none,
            none,
            "",
            "",
            "",
            none});
    insert(connection, "entries",
           {Value(one), one, awkward, std::string(32, 'f'), std::string(32, '0'), "", awkward, "",
            "2026-01-02T03:04:05Z", "2026-01-02", one, none, Blob{"tree"},
            Blob{std::string("\0\xFF", 2)}});
    insert(connection, "entry_changes", {Value(one), one, one, "2026-01-02T03:04:05Z", awkward});
    insert(connection, "mentions",
           {Value("Gene"), awkward, "2026-01-02T03:04:05Z", one, "2026-01-02T03:04:05Z"});
    insert(connection, "archives",
           {Value(one), "pipermail", awkward, "https://f.example", "walking", awkward, one, none,
            one, "2026-01-02T03:04:05Z", "", "", none});
    insert(connection, "known_urls", {Value(one), awkward});
    connection.execute("INSERT INTO meta (name, value) VALUES ('a note', 3), ('another', 12)");
}

inline store::Engine other(store::Engine engine) {
    return engine == store::Engine::sqlite ? store::Engine::mysql : store::Engine::sqlite;
}

// Returns whether the store is as varve init leaves it.
inline bool is_as_new(const store::Connect& connect) {
    const auto connection = connect();
    if (!store::check_schema(*connection)) return false;
    for (const auto& table : archive::tables()) {
        const auto rows = connection->query("SELECT count(*) FROM " + std::string(table.name));
        if (rows.at(0).integer(0) != (table.name == "meta" ? 3 : 0)) return false;
    }
    return true;
}

}  // namespace archives
