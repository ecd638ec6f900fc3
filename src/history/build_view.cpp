// SPDX-License-Identifier: MIT
#include "history/build_view.hpp"

#include <algorithm>

#include "tree/outline.hpp"
#include "tree/stamp.hpp"

namespace history {

using base::Result;

Result<After> BuildView::load(const std::optional<ObjectName>& spelling,
                              const ObjectName& recorded) const {
    if (!spelling) return After{recorded, {}, {}};
    auto object = build.load(*spelling);
    if (!object) return tl::unexpected(object.error());
    auto signature = tree::signature_of(object->nodes);
    return After{*spelling, std::move(object->nodes), std::move(signature)};
}

Result<std::string> BuildView::absent_from(const ObjectName& spelling) const {
    if (previous == nullptr) return std::string();
    const auto known = previous->find(spelling);
    if (!known) return tl::unexpected(known.error());
    return *known ? std::string() : previous->release().version;
}

Result<Outcome> BuildView::decide(const Before& before, const After& after,
                                  const tables::Releases& releases) const {
    auto evidence = evidence_for(before, releases);
    if (!evidence) return tl::unexpected(evidence.error());
    const DecisionInput input{current(),
                              releases,
                              context.settings.names,
                              context.settings.search,
                              context.settings.ignored,
                              build.models(),
                              std::move(*evidence),
                              context.clock()};
    auto outcome = history::decide(before, after, input);
    for (auto& row : outcome.rows)
        if (auto content = content_of(row, before, after))
            row.content = std::move(*content);
        else
            return tl::unexpected(content.error());
    return outcome;
}

Result<std::string> BuildView::content_of(const tables::Row& row, const Before& before,
                                          const After& after) const {
    static const auto no_content = tree::signature_of({});
    const bool has_vanished = row.kind == tables::RowKind::vanished;
    const auto& content = has_vanished ? before.row->signature : after.signature;
    if (previous == nullptr || row.release.version != current().version || content == no_content)
        return std::string();
    const auto known = previous->find(after.spelling);
    if (!known) return tl::unexpected(known.error());
    return known->has_value() == has_vanished ? content : std::string();
}

Result<compare::Evidence> BuildView::evidence_for(const Before& before,
                                                  const tables::Releases& releases) const {
    const auto after = before.row ? before.row->last_modified : context.settings.first_seen_since;
    const bool is_first_sight = !before.tree && before.absent_from.empty();
    if (!is_first_sight) return compare::Evidence{after, {}, {}};  // the trees decide (C2)
    // Samples the build, so that what follows cannot fail.
    if (const auto sampled = build.is_loading_stamp(""); !sampled)
        return tl::unexpected(sampled.error());
    return compare::Evidence{after, releases.up_to(current()),
                             [this](std::string_view stamp) { return is_of_the_build(stamp); }};
}

bool BuildView::is_of_the_build(std::string_view text) const {
    const auto stamp = tree::parse_stamp(text);
    const auto& users = context.settings.build_users;
    if (stamp && std::find(users.begin(), users.end(), stamp->by) != users.end()) return true;
    return build.is_loading_stamp(text).value_or(true);
}

}  // namespace history
