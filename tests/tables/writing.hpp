// For TEST_CASE_METHOD: a writing transaction on a fresh store of each engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "support/catch.hpp"
#include "support/stores.hpp"

namespace tables_tests {

struct Writing {
    Writing()
        : fresh(GENERATE(support::both_engines())), connection(fresh.connect()()),
          transaction(*connection, store::Access::write) {}
    const support::FreshStore fresh;
    const std::unique_ptr<store::Connection> connection;
    store::Transaction transaction;
};

}  // namespace tables_tests
