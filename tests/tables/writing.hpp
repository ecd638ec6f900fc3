// For TEST_CASE_METHOD: a writing transaction on a fresh store of each engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "support/catch.hpp"
#include "support/stores.hpp"
#include "tables/releases.hpp"

namespace tables_tests {

struct Writing {
    Writing()
        : fresh(GENERATE(support::both_engines())), connection(fresh.connect()()),
          transaction(*connection, store::Access::write) {}
    // Records releases, which rows and trees refer to.
    void know(std::initializer_list<const char*> versions) {
        for (const std::string version : versions)
            tables::record_release(transaction, {version, *base::parse_date("2008-02-15")});
    }
    const support::FreshStore fresh;
    const std::unique_ptr<store::Connection> connection;
    store::Transaction transaction;
};

}  // namespace tables_tests
