// SPDX-License-Identifier: MIT
#include "history/renames.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"

namespace history {
namespace {

using base::Result;

using Contents = std::vector<tables::FormerContent>;

// Returns what the objects that may be the other end of a rename had before the release.
Contents contents_of(const BuildView& view, const std::string& class_name,
                     const std::set<ObjectName>& vanished, const std::string& digest) {
    tables::FormerContentQuery query{view.current().version, digest, class_name, {}};
    for (const auto& object : vanished) query.name_keys.push_back(base::fold_ascii(object.name));
    return store::perform(view.context.pool, store::Access::read,
                          [&](store::Transaction& transaction) {
                              return tables::contents_before(transaction, query);
                          });
}

// Returns the objects that had this content and are not in the build any more.
Result<std::set<ObjectName>> vanished_with(const BuildView& view, const std::string& signature,
                                           const Contents& contents) {
    std::set<ObjectName> vanished;
    for (const auto& one : contents) {
        if (one.signature != signature) continue;
        const auto there = view.build.find(one.object);
        if (!there) return tl::unexpected(there.error());
        if (!*there) vanished.insert(one.object);
    }
    return vanished;
}

// Fills in `created` and `renamed`.
Result<void> pair_up(const BuildView& view, RenameCase& one, const ClassDifference& difference,
                     const Contents& contents) {
    const auto [first, last] = difference.created.equal_range(one.signature);
    if (first == last || std::next(first) != last) return {};
    if (!one.is_gone && first->second != one.object) return {};
    one.created = first->second;
    const auto vanished = vanished_with(view, one.signature, contents);
    if (!vanished) return tl::unexpected(vanished.error());
    if (vanished->size() != 1 || (one.is_gone && *vanished->begin() != one.object)) return {};
    one.renamed = one.is_gone ? *one.created : *vanished->begin();
    return {};
}

Result<void> pair_up_class(const BuildView& view, const std::string& class_name,
                           std::span<RenameCase* const> cases, const std::string& digest) {
    const auto difference =
        view.context.difference.of_class(class_name, view.build, view.previous);
    if (!difference) return tl::unexpected(difference.error());
    const auto& created = (*difference)->created;
    if (std::ranges::none_of(cases,
                             [&](const auto* one) { return created.contains(one->signature); }))
        return {};
    const auto contents = contents_of(view, class_name, (*difference)->vanished, digest);
    for (auto* one : cases)
        if (auto done = pair_up(view, *one, **difference, contents); !done) return done;
    return {};
}

}  // namespace

std::optional<RenameCase> rename_case(const Before& before, const After& after) {
    if (before.row && !after.is_there() && !before.row->signature.empty())
        return RenameCase{true, before.row->object, before.row->signature, {}, {}};
    if (!before.row && after.is_there() && !before.absent_from.empty())
        return RenameCase{false, after.spelling, after.signature, {}, {}};
    return std::nullopt;
}

Result<void> find_renames(const BuildView& view, std::span<RenameCase* const> cases,
                          const std::string& digest) {
    std::map<std::string, std::vector<RenameCase*>> by_class;
    for (auto* one : cases) by_class[one->object.class_name].push_back(one);
    for (const auto& [class_name, of_class] : by_class)
        if (auto done = pair_up_class(view, class_name, of_class, digest); !done) return done;
    return {};
}

void note_rename(tables::Row& row, const RenameCase& rename) {
    if (row.kind == tables::RowKind::vanished) row.notes.renamed_to = rename.renamed;
    if (row.kind == tables::RowKind::created) row.notes.renamed_from = rename.renamed;
}

std::optional<tables::Rename> rename_row(const RenameCase& rename, const std::string& version,
                                         std::int64_t oid) {
    if (!rename.is_gone || !rename.created) return std::nullopt;
    return tables::Rename{version, oid, rename.signature, *rename.created};
}

}  // namespace history
