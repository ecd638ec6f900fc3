// A fresh database for one test. Most tests run on SQLite, and on MariaDB too in `make nightly`:
//
//   TEST_CASE("…") {
//       const support::FreshStore fresh(GENERATE(support::engines()));
//       store::Pool pool(fresh.connect(), 4);
//
// Where the engine matters (the rooms store and tables, what locks or is run again, one scenario
// of each other room), a test asks for support::both_engines().
//
// A store that many iterations of a test begin with is made once and copied:
//
//       const auto fresh = support::FreshStore::copy_of(recorded);
//
// or, without sections of its own:  support::each_store([](const store::Connect& connect) { … });
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "store/sqlite.hpp"
#include "store/store.hpp"
#include "support/catch.hpp"
#include "support/mariadb.hpp"
#include "support/sql_texts.hpp"
#include "support/temp_dir.hpp"

// Shows rows of a failed comparison.
template <>
struct Catch::StringMaker<store::Row> {
    static std::string convert(const store::Row& row) {
        std::string text;
        for (std::size_t column = 0; column < row.size(); ++column)
            text += (column == 0 ? "" : " | ") + value(row, column);
        return text;
    }

   private:
    static std::string value(const store::Row& row, std::size_t column) {
        if (row.is_null(column)) return "NULL";
        try {
            return std::to_string(row.integer(column));
        } catch (const std::logic_error&) {
        }
        try {
            return "'" + row.text(column) + "'";
        } catch (const std::logic_error&) {
            return "x'" + row.blob(column) + "'";
        }
    }
};

namespace support {

// Whether this is the run that leaves nothing out: all tests on both engines, all statements.
inline bool is_nightly() { return std::getenv("NIGHTLY") != nullptr; }

inline Catch::Generators::GeneratorWrapper<store::Engine> both_engines() {
    return Catch::Generators::values({store::Engine::sqlite, store::Engine::mysql});
}

inline Catch::Generators::GeneratorWrapper<store::Engine> engines() {
    if (is_nightly()) return both_engines();
    return Catch::Generators::values({store::Engine::sqlite});
}

inline std::string name_of(store::Engine engine) {
    return engine == store::Engine::sqlite ? "SQLite" : "MariaDB";
}

// With Varve's schema, or empty. It is gone when the test ends.
enum class Schema { ours, none };

class FreshStore {
   public:
    explicit FreshStore(store::Engine engine, Schema schema = Schema::ours) : schema_(schema) {
        if (engine == store::Engine::sqlite) {
            url_.path = folder_.path() / "history.db";
            if (schema == Schema::ours) copy_from(initialised_file());
        } else {
            auto& server = MariaDb::only();
            url_ = server.url_of(schema == Schema::ours ? server.borrow_database()
                                                        : server.create_database());
        }
    }
    // Returns a store of the same engine and with the same rows. Nobody is connected to
    // `original`, which has our schema.
    static FreshStore copy_of(const FreshStore& original) {
        return {original, original.engine()};
    }
    ~FreshStore() {
        if (url_.engine == store::Engine::sqlite) return;
        try {
            if (schema_ == Schema::ours)
                MariaDb::only().give_back(url_.database);
            else
                MariaDb::only().drop_database(url_.database);
        } catch (const std::exception&) {
            // No other test uses this database, and it goes with the server.
        }
    }
    FreshStore(const FreshStore&) = delete;
    FreshStore& operator=(const FreshStore&) = delete;

    [[nodiscard]] store::Engine engine() const { return url_.engine; }
    [[nodiscard]] const store::Url& url() const { return url_; }
    [[nodiscard]] store::Connect connect() const {
        auto real = store::connector(url_, "", store::IfMissing::create);
        // Other schemas have tables that MariaDB lacks.
        const bool keeps = engine() == store::Engine::sqlite && schema_ == Schema::ours;
        return keeps ? keeping_texts(std::move(real)) : real;
    }

   private:
    FreshStore(const FreshStore& original, store::Engine engine) : FreshStore(engine) {
        if (engine == store::Engine::sqlite)
            copy_from(original.url_.path);
        else
            MariaDb::only().copy_rows(original.url_.database, url_.database);
    }

    void copy_from(const std::filesystem::path& file) const {
        // A connection that is open keeps what it wrote in a file of its own.
        if (std::filesystem::exists(file.string() + "-wal"))
            throw std::logic_error(file.string() + " is in use");
        std::filesystem::copy_file(file, url_.path,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    // Returns a file as `varve init` leaves it.
    static const std::filesystem::path& initialised_file() {
        static const TempDir folder{quick_folder()};
        static const auto file = [] {
            auto path = folder.path() / "history.db";
            const auto done =
                store::initialise(*store::open_sqlite(path, store::IfMissing::create));
            if (!done) throw std::runtime_error(done.error().text);
            return path;
        }();
        return file;
    }

    TempDir folder_{quick_folder()};
    store::Url url_;
    Schema schema_;
};

inline store::Failure failure_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const store::Failure& failure) {
        return failure;
    }
    throw std::logic_error("nothing failed");
}

// Gives rows of `history` that a test inserted by itself the class and name that the product writes.
inline void name_rows(store::Connection& connection) {
    connection.execute(
        "UPDATE history SET class = (SELECT o.class FROM objects o WHERE o.oid = history.oid),"
        " name = (SELECT o.name FROM objects o WHERE o.oid = history.oid) WHERE name = ''");
}

// Calls fn(const store::Connect&) with a fresh store of each engine.
template <class F>
void both_stores(F fn) {
    for (const auto engine : {store::Engine::sqlite, store::Engine::mysql}) {
        INFO("engine: " << name_of(engine));
        const FreshStore fresh(engine);
        fn(fresh.connect());
    }
}

// The same with the engines that engines() has.
template <class F>
void each_store(F fn) {
    if (is_nightly()) return both_stores(fn);
    const FreshStore fresh(store::Engine::sqlite);
    fn(fresh.connect());
}

}  // namespace support
