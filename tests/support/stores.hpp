// A fresh database for one test, on either engine. Every test of a store runs on both:
//
//   TEST_CASE("…") {
//       const support::FreshStore fresh(GENERATE(support::engines()));
//       store::Pool pool(fresh.connect(), 4);
//
// or, without sections of its own:  support::each_store([](const store::Connect& connect) { … });
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "store/store.hpp"
#include "support/catch.hpp"
#include "support/mariadb.hpp"
#include "support/temp_dir.hpp"

// What a failed comparison of rows shows.
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

inline Catch::Generators::GeneratorWrapper<store::Engine> engines() {
    return Catch::Generators::values({store::Engine::sqlite, store::Engine::mysql});
}

inline std::string name_of(store::Engine engine) {
    return engine == store::Engine::sqlite ? "SQLite" : "MariaDB";
}

// With Varve's schema, or empty. Gone when the test ends.
enum class Schema { ours, none };

class FreshStore {
   public:
    explicit FreshStore(store::Engine engine, Schema schema = Schema::ours) {
        if (engine == store::Engine::sqlite) {
            url_.path = folder_.path() / "history.db";
        } else {
            url_ = MariaDb::only().url_of(MariaDb::only().create_database());
        }
        if (schema == Schema::none) return;
        const auto done = store::initialise(*connect()());
        if (!done) throw std::runtime_error(done.error().text);
    }
    ~FreshStore() {
        if (url_.engine == store::Engine::sqlite) return;
        try {
            MariaDb::only().drop_database(url_.database);
        } catch (const std::exception&) {
            // The server goes with all its databases when the test program ends.
        }
    }
    FreshStore(const FreshStore&) = delete;
    FreshStore& operator=(const FreshStore&) = delete;

    [[nodiscard]] store::Engine engine() const { return url_.engine; }
    [[nodiscard]] const store::Url& url() const { return url_; }
    [[nodiscard]] store::Connect connect() const {
        return store::connector(url_, "", store::IfMissing::create);
    }

   private:
    TempDir folder_{quick_folder()};
    store::Url url_;
};

// Calls fn(const store::Connect&) with a fresh store of each engine.
template <class F>
void each_store(F fn) {
    for (const auto engine : {store::Engine::sqlite, store::Engine::mysql}) {
        INFO("engine: " << name_of(engine));
        const FreshStore fresh(engine);
        fn(fresh.connect());
    }
}

}  // namespace support
