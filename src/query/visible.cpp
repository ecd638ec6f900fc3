// SPDX-License-Identifier: MIT
#include "query/visible.hpp"

#include <cstdint>
#include <map>
#include <string>

#include "tables/lists.hpp"

namespace query {
namespace {

using store::Transaction;
using store::Value;

// What the newest row that is shown calls an object.
struct Shown {
    std::size_t rank = 0;
    std::string label;
};

std::map<std::int64_t, Shown> shown_rows(Transaction& transaction,
                                         const tables::ReleaseOrder& order,
                                         const std::vector<Value>& oids) {
    std::map<std::int64_t, Shown> shown;
    for (const auto& row : tables::query_in(
             transaction, "SELECT oid, version, label FROM history WHERE oid IN", {}, oids)) {
        const auto* place = order.find(row.text(1));
        if (place == nullptr || !place->is_shown) continue;
        const auto [at, is_first] = shown.try_emplace(row.integer(0));
        if (is_first || at->second.rank < place->rank) at->second = {place->rank, row.text(2)};
    }
    return shown;
}

bool has(const source::Build& build, const ObjectName& object) {
    if (!build) return false;
    const auto spelling = build->find(object);
    return spelling && *spelling;
}

}  // namespace

Visible::Visible(Transaction& transaction, const ReadContext& reading)
    : reading_(reading), now_(as_of_now(transaction, reading)) {}

std::vector<Named> Visible::among(Transaction& transaction,
                                  std::span<const store::Row> found) const {
    const auto is_as_of_now = [&](const store::Row& row) {
        const auto* place = now_.order.find(row.text(4));
        return place != nullptr && place->is_shown;
    };
    std::vector<Value> newer;
    for (const auto& row : found)
        if (!is_as_of_now(row)) newer.emplace_back(row.integer(0));
    const auto shown = shown_rows(transaction, now_.order, newer);
    std::vector<Named> named;
    for (const auto& row : found) {
        const ObjectName object{row.text(1), row.text(2)};
        const auto known = shown.find(row.integer(0));
        if (is_as_of_now(row))
            named.push_back({object, row.text(3)});
        else if (known != shown.end())
            named.push_back({object, known->second.label});
        else if (has(reading_.builds.build, object))
            named.push_back({object, ""});
    }
    return named;
}

}  // namespace query
