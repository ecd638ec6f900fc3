// SPDX-License-Identifier: MIT
#include "query/kept_lists.hpp"

#include "base/log.hpp"

namespace query {
namespace {

using base::ErrorKind;

auto list_unavailable(const store::Failure& failure) {
    base::log::error("store not reachable", {{"error", failure.what()}});
    return base::fail(ErrorKind::unavailable, "the store cannot be reached");
}

}  // namespace

base::Result<std::vector<tree::ObjectName>> kept_list(store::Pool& pool, const std::string& id) {
    try {
        auto objects = store::perform(pool, store::Access::read, [&](store::Transaction& now) {
            return tables::find_watch_list(now, id);
        });
        if (!objects) return base::fail(ErrorKind::absent, "no list is kept under " + id);
        return std::move(*objects);
    } catch (const store::Failure& failure) {
        return list_unavailable(failure);
    }
}

base::Result<std::string> keep_list(store::Pool& pool, std::vector<tree::ObjectName> objects,
                                    base::Seconds now) {
    const auto list = tables::watch_list_of(std::move(objects));
    try {
        const auto kept =
            store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
                return tables::keep_watch_list(transaction, list, now);
            });
        if (kept == tables::KeptList::too_long)
            return base::fail(ErrorKind::too_large, "the list is too long to be kept");
        if (kept == tables::KeptList::full)
            return base::fail(ErrorKind::refused, "no further list can be kept");
        if (kept == tables::KeptList::taken)
            return base::fail(ErrorKind::conflict, "another list has the id " + list.id);
        return list.id;
    } catch (const store::Failure& failure) {
        return list_unavailable(failure);
    }
}

}  // namespace query
