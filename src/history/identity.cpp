// Which object is meant: its row and the build's spelling of it.
// SPDX-License-Identifier: MIT
#include <functional>

#include "base/text.hpp"
#include "history/refresh.hpp"
#include "tables/bulk.hpp"

namespace history {
namespace {

using base::Result;
using store::Transaction;

// find_object(), from wherever the rows are.
using Find = std::function<std::optional<tables::ObjectRow>(const ObjectName&)>;

// A row whose name differs from what was asked for only by case, though the build has both:
// another object.
Result<bool> is_another(const source::Source& build, const ObjectName& asked,
                        const ObjectName& recorded) {
    if (recorded == asked) return false;
    const auto here = build.find(asked), there = build.find(recorded);
    if (!here) return tl::unexpected(here.error());
    if (!there) return tl::unexpected(there.error());
    return *here == asked && *there == recorded;
}

Result<Identity> identify_by(const Find& find, const source::Source* build,
                             const ObjectName& asked) {
    Identity identity{find(asked), std::nullopt};
    if (build == nullptr) return identity;
    if (identity.row) {
        const auto another = is_another(*build, asked, identity.row->object);
        if (!another) return tl::unexpected(another.error());
        if (*another) identity.row.reset();
    }
    auto spelling = build->find(identity.row ? identity.row->object : asked);
    if (!spelling) return tl::unexpected(spelling.error());
    identity.spelling = std::move(*spelling);
    // The other spelling is taken by an object with a row of its own.
    if (identity.row && identity.spelling && *identity.spelling != identity.row->object) {
        const auto taken = find(*identity.spelling);
        if (taken && taken->object == *identity.spelling) identity.spelling.reset();
    }
    return identity;
}

// Rows by their folded names, in which all spellings of a name are found.
class RowsRead {
   public:
    explicit RowsRead(std::vector<tables::ObjectRow> rows) {
        for (auto& row : rows) {
            auto key = base::fold_ascii(row.object.name);
            by_key_.emplace(std::move(key), std::move(row));
        }
    }

    [[nodiscard]] std::optional<tables::ObjectRow> find(const ObjectName& asked) const {
        const auto [first, last] = by_key_.equal_range(base::fold_ascii(asked.name));
        const tables::ObjectRow* found = nullptr;
        int matches = 0;
        for (auto at = first; at != last; ++at) {
            if (at->second.object == asked) return at->second;
            if (!base::equal_ignoring_case(at->second.object.class_name, asked.class_name))
                continue;
            found = &at->second;
            ++matches;
        }
        if (matches != 1) return std::nullopt;
        return *found;
    }

   private:
    std::multimap<std::string, tables::ObjectRow> by_key_;
};

}  // namespace

Result<Identity> identify(Transaction& transaction, const source::Source* build,
                          const ObjectName& asked) {
    return identify_by(
        [&](const ObjectName& name) { return tables::find_object(transaction, name); }, build,
        asked);
}

Result<std::vector<Identity>> identify_all(Transaction& transaction, const source::Source* build,
                                           std::span<const ObjectName> asked) {
    const RowsRead rows(tables::objects_named(transaction, asked));
    const Find find = [&](const ObjectName& name) { return rows.find(name); };
    std::vector<Identity> identities;
    for (const auto& name : asked) {
        auto identity = identify_by(find, build, name);
        if (!identity) return tl::unexpected(identity.error());
        identities.push_back(std::move(*identity));
    }
    return identities;
}

}  // namespace history
