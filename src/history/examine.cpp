// SPDX-License-Identifier: MIT
#include "history/examine.hpp"

#include <algorithm>

#include "tree/outline.hpp"
#include "tree/stamp.hpp"

namespace history {

using base::Result;

Result<After> Examiner::load(const std::optional<ObjectName>& spelling,
                             const ObjectName& recorded) const {
    if (!spelling) return After{recorded, {}, {}};
    auto object = build_.load(*spelling);
    if (!object) return tl::unexpected(object.error());
    auto signature = tree::signature_of(object->nodes);
    return After{*spelling, std::move(object->nodes), std::move(signature)};
}

Result<std::string> Examiner::absent_from(const ObjectName& spelling) const {
    if (previous_ == nullptr) return std::string();
    const auto known = previous_->find(spelling);
    if (!known) return tl::unexpected(known.error());
    return *known ? std::string() : previous_->release().version;
}

Result<Outcome> Examiner::decide(const Before& before, const After& after,
                                 const tables::Releases& releases) const {
    auto evidence = evidence_for(before, releases);
    if (!evidence) return tl::unexpected(evidence.error());
    const DecisionInput setting{current(),
                                releases,
                                desk_.settings.names,
                                desk_.settings.ignored,
                                build_.models(),
                                std::move(*evidence),
                                desk_.clock()};
    return history::decide(before, after, setting);
}

Result<compare::Evidence> Examiner::evidence_for(const Before& before,
                                                 const tables::Releases& releases) const {
    const auto after = before.row ? before.row->last_modified : desk_.settings.first_seen_since;
    const bool is_first_sight = !before.tree && before.absent_from.empty();
    if (!is_first_sight) return compare::Evidence{after, {}, {}};  // the trees decide (C2)
    // Samples the build, so that what follows can't fail.
    if (const auto sampled = build_.is_loading_stamp(""); !sampled)
        return tl::unexpected(sampled.error());
    return compare::Evidence{after, releases.up_to(current()),
                             [this](std::string_view stamp) { return is_of_the_build(stamp); }};
}

bool Examiner::is_of_the_build(std::string_view text) const {
    const auto stamp = tree::parse_stamp(text);
    const auto& users = desk_.settings.build_users;
    if (stamp && std::find(users.begin(), users.end(), stamp->by) != users.end()) return true;
    return build_.is_loading_stamp(text).value_or(true);
}

Result<std::vector<ObjectName>> Examiner::twins_of(const Before& before,
                                                   const After& after) const {
    if (before.row && after.is_there()) return std::vector<ObjectName>();
    const auto& object = before.row ? before.row->object : after.spelling;
    const auto& signature = after.is_there() ? after.signature : before.row->signature;
    return desk_.renames.created_with(build_, previous_, object.class_name, signature);
}

Result<std::vector<ObjectName>> Examiner::vanished_with(store::Transaction& transaction,
                                                        const ObjectName& object,
                                                        const std::string& signature) const {
    std::vector<ObjectName> gone;
    constexpr std::size_t most = 100;  // one is a rename, that many are a pattern
    for (const auto& row :
         tables::objects_with(transaction, object.class_name, signature, most)) {
        if (row.object == object) continue;
        const auto found = build_.find(row.object);
        if (!found) return tl::unexpected(found.error());
        if (!*found) gone.push_back(row.object);
    }
    return gone;
}

}  // namespace history
