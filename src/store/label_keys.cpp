// The step to schema 4.
// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "store/pool.hpp"
#include "store/schema.hpp"

namespace store {
namespace {

constexpr std::int64_t objects_at_once = 10'000;

// As history::label_key_of() has it.
std::string key_of(const std::string& name, const std::string& label) {
    return label == name ? "" : base::fold_ascii(label);
}

}  // namespace

void fill_label_keys(Connection& connection) {
    std::int64_t last = 0;
    for (;;) {
        Transaction transaction(connection, Access::write);
        const auto objects = transaction.query("SELECT oid, name, label, label_key FROM objects"
                                               " WHERE oid > ? ORDER BY oid LIMIT ?",
                                               {Value{last}, Value{objects_at_once}});
        if (objects.empty()) return;
        for (const auto& object : objects) {
            const auto key = key_of(object.text(1), object.text(2));
            // The label is compared again: who writes one writes its key beside it.
            if (key != object.text(3))
                transaction.execute(
                    "UPDATE objects SET label_key = ? WHERE oid = ? AND label = ?",
                    {Value{key}, object.value(0), object.value(2)});
        }
        transaction.commit();
        last = objects.back().integer(0);
    }
}

}  // namespace store
