// SPDX-License-Identifier: MIT
#include "history/renames.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tables/objects.hpp"
#include "tables/rows.hpp"

namespace history {
namespace {

using base::Result;
using store::Transaction;

using Group = std::shared_ptr<RenameGroup>;
using Cases = std::vector<RenameCase*>;

// Finds the groups of the cases of one class.
class ClassRenames {
   public:
    ClassRenames(const BuildView& view, const tables::Releases& releases,
                 tables::RowsOfRelease rows, std::string class_name)
        : view_(view), releases_(releases), rows_(rows), class_name_(std::move(class_name)) {}

    Result<void> find(const Cases& cases) {
        auto difference =
            view_.context.difference.of_class(class_name_, view_.build, view_.previous);
        if (!difference) return tl::unexpected(difference.error());
        difference_ = std::move(*difference);
        if (difference_->created.empty()) return {};
        return store::perform(view_.context.pool, store::Access::read,
                              [&](Transaction& transaction) -> Result<void> {
                                  groups_.clear();
                                  find_groups(transaction, cases);
                                  if (groups_.empty()) return {};
                                  return fill_groups(transaction);
                              });
    }

   private:
    void find_groups(Transaction& transaction, const Cases& cases) {
        std::vector<std::int64_t> gone;
        for (const auto* one : cases)
            if (one->is_gone) gone.push_back(one->oid);
        const auto noted = tables::renames_of(transaction, view_.current().version, gone);
        for (auto* one : cases) {
            one->group = may_be_renamed(*one) ? group_of(one->signature) : nullptr;
            one->outdated.reset();
            one->left.reset();
            const auto known = one->is_gone ? noted.find(one->oid) : noted.end();
            if (known == noted.end() || known->second.signature == one->signature) continue;
            one->outdated = known->second;
            one->left = group_of(known->second.signature);
        }
    }

    // The candidates are the objects that only one of the two builds has.
    [[nodiscard]] bool may_be_renamed(const RenameCase& one) const {
        if (one.is_gone)
            return std::ranges::binary_search(difference_->vanished_keys,
                                              base::fold_ascii(one.object.name));
        const auto [first, last] = difference_->created.equal_range(one.signature);
        return std::any_of(first, last,
                           [&](const auto& created) { return created.second == one.object; });
    }

    // Returns nullptr where not exactly one object was created with this content.
    Group group_of(const std::string& signature) {
        const auto [first, last] = difference_->created.equal_range(signature);
        if (first == last || std::next(first) != last) return nullptr;
        auto& group = groups_[signature];
        if (!group) {
            group = std::make_shared<RenameGroup>();
            group->created = first->second;
            group->signature = signature;
        }
        return group;
    }

    Result<void> fill_groups(Transaction& transaction) {
        tables::FormerContentQuery query{
            view_.current(), class_name_, {}, difference_->vanished_keys, rows_};
        for (const auto& [signature, group] : groups_) query.signatures.push_back(signature);
        for (const auto& content : tables::contents_before(transaction, query, releases_)) {
            const auto there = view_.build.find(content.object);
            if (!there) return tl::unexpected(there.error());
            if (!*there) add(content);
        }
        note_known(transaction);
        return {};
    }

    void add(const tables::FormerContent& content) {
        auto& vanished = groups_.at(content.signature)->vanished;
        if (std::ranges::none_of(vanished,
                                 [&](const auto& one) { return one.oid == content.oid; }))
            vanished.push_back({content.oid, content.object, {}});
    }

    void note_known(Transaction& transaction) {
        std::vector<std::int64_t> oids;
        for (const auto& [signature, group] : groups_)
            for (const auto& one : group->vanished) oids.push_back(one.oid);
        const auto noted = tables::renames_of(transaction, view_.current().version, oids);
        for (const auto& [signature, group] : groups_)
            for (auto& one : group->vanished)
                if (const auto known = noted.find(one.oid); known != noted.end())
                    one.noted = known->second;
    }

    const BuildView& view_;
    const tables::Releases& releases_;
    const tables::RowsOfRelease rows_;
    const std::string class_name_;
    std::shared_ptr<const ClassDifference> difference_;
    std::map<std::string, Group> groups_;  // by signature
};

tables::Rename to_note(const RenameGroup& group, const RenameGroup::Vanished& one,
                       const std::string& version) {
    return {version,
            one.oid,
            group.signature,
            {group.created.class_name, group.is_rename() ? group.created.name : std::string()}};
}

std::set<Group> groups_of(std::span<const RenameCase* const> cases) {
    std::set<Group> groups;
    for (const auto* one : cases) groups.insert({one->group, one->left});
    groups.erase(nullptr);
    return groups;
}

// Writes what a transaction changes of groups.
class RenameWriter {
   public:
    RenameWriter(Transaction& transaction, const std::string& version,
                 std::span<const RenameCase* const> cases)
        : transaction_(transaction), version_(version), cases_(cases), groups_(groups_of(cases)) {
    }

    void write() {
        if (groups_.empty() && std::ranges::none_of(cases_, is_outdated)) return;
        lock();
        delete_outdated();
        std::vector<tables::Rename> renames;
        std::set<Group> changed;
        for (const auto& group : groups_)
            for (const auto& one : group->vanished) {
                auto rename = to_note(*group, one, version_);
                if (one.noted == rename) continue;
                renames.push_back(std::move(rename));
                changed.insert(group);
            }
        tables::insert_renames(transaction_, renames);
        mend_rows(changed);
    }

   private:
    static bool is_outdated(const RenameCase* one) { return one->outdated.has_value(); }

    // Whoever writes a group changes the row of each object in it, so that two that do it at once
    // meet here.
    void lock() const {
        std::map<std::int64_t, std::optional<tables::Rename>> expected;
        for (const auto& group : groups_)
            for (const auto& one : group->vanished) expected[one.oid] = one.noted;
        for (const auto* one : cases_)
            if (one->outdated) expected[one->oid] = one->outdated;
        std::vector<std::int64_t> oids;
        for (const auto& [oid, rename] : expected) oids.push_back(oid);
        const auto now = tables::renames_of(transaction_, version_, oids, tables::Lock::yes);
        for (const auto& [oid, rename] : expected) {
            const auto found = now.find(oid);
            if (rename != (found == now.end() ? std::nullopt : std::optional(found->second)))
                throw store::Failure("another was first to record a rename", {.duplicate = true},
                                     0);
        }
    }

    void delete_outdated() const {
        std::vector<std::int64_t> oids;
        for (const auto* one : cases_)
            if (one->outdated) oids.push_back(one->oid);
        tables::delete_renames(transaction_, version_, oids);
    }

    // Rows that were written before, or by this transaction, get the names that hold now. Pages with
    // a row that was written before have other bytes then, and no new row says so.
    void mend_rows(const std::set<Group>& groups) const {
        if (groups.empty()) return;
        std::map<std::int64_t, std::optional<ObjectName>> other_names;
        std::vector<ObjectName> created;
        for (const auto& group : groups) created.push_back(group->created);
        const auto rows = tables::objects_named(transaction_, created);
        for (const auto& group : groups) {
            const auto is_rename = group->is_rename();
            for (const auto& one : group->vanished)
                other_names[one.oid] = is_rename ? std::optional(group->created) : std::nullopt;
            if (const auto* row = rows.find(group->created))
                other_names[row->oid] =
                    is_rename ? std::optional(group->vanished.front().object) : std::nullopt;
        }
        (void)tables::set_other_names(transaction_, version_, other_names);
    }

    Transaction& transaction_;
    const std::string& version_;
    std::span<const RenameCase* const> cases_;
    const std::set<Group> groups_;
};

}  // namespace

std::optional<ObjectName> RenameCase::renamed() const {
    if (!group || !group->is_rename()) return std::nullopt;
    const auto& vanished = group->vanished.front();
    if (!is_gone) return vanished.object;
    return vanished.oid == oid ? std::optional(group->created) : std::nullopt;
}

std::optional<RenameCase> rename_case(const Before& before, const After& after) {
    const auto& row = before.row;
    if (row && !after.is_there() && !row->signature.empty())
        return RenameCase{true, row->object, row->signature, row->oid, {}, {}, {}};
    const bool comes = row ? before.tree && row->signature.empty() : !before.absent_from.empty();
    if (comes && after.is_there())
        return RenameCase{false, after.spelling, after.signature, row ? row->oid : 0, {}, {}, {}};
    return std::nullopt;
}

Result<void> find_renames(const BuildView& view, std::span<RenameCase* const> cases,
                          const tables::Releases& releases, tables::RowsOfRelease rows) {
    std::map<std::string, Cases> by_class;
    for (auto* one : cases) by_class[one->object.class_name].push_back(one);
    for (const auto& [class_name, of_class] : by_class)
        if (auto done = ClassRenames(view, releases, rows, class_name).find(of_class); !done)
            return done;
    return {};
}

void note_rename(tables::Row& row, const RenameCase& rename) {
    if (row.kind == tables::RowKind::vanished) row.notes.renamed_to = rename.renamed();
    if (row.kind == tables::RowKind::created || row.kind == tables::RowKind::reappeared)
        row.notes.renamed_from = rename.renamed();
}

std::optional<tables::Rename> rename_row(const RenameCase& rename, const std::string& version) {
    if (!rename.is_gone || !rename.group) return std::nullopt;
    return to_note(*rename.group, {rename.oid, rename.object, {}}, version);
}

void write_renames(Transaction& transaction, const std::string& version,
                   std::span<const RenameCase* const> cases) {
    RenameWriter(transaction, version, cases).write();
}

void renames_are_written(const std::string& version, std::span<const RenameCase* const> cases) {
    for (const auto& group : groups_of(cases))
        for (auto& one : group->vanished) one.noted = to_note(*group, one, version);
}

}  // namespace history
