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

Result<std::int64_t> BuildView::bytes_in_build(const std::optional<ObjectName>& spelling) const {
    if (!spelling) return 0;
    const auto digest = build.digest_of(*spelling);
    if (!digest) return tl::unexpected(digest.error());
    return *digest ? bytes_of(**digest) : 0;
}

Result<std::optional<std::int64_t>> BuildView::bytes_before(const ObjectName& name) const {
    if (previous == nullptr) return std::nullopt;
    const auto spelling = previous->find(name);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling) return 0;
    const auto digest = previous->digest_of(**spelling);
    if (!digest) return tl::unexpected(digest.error());
    return *digest ? bytes_of(**digest) : 0;
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
    return history::decide(before, after, input);
}

Result<compare::Evidence> BuildView::evidence_for(const Before& before,
                                                  const tables::Releases& releases) const {
    // What it had was forgotten: its rows stay, and timestamps continue them.
    const bool is_continued = before.row && before.row->label.empty();
    const auto after =
        is_continued ? before.row->last_modified : context.settings.first_seen_since;
    if (before.is_known()) return compare::Evidence{after, {}, {}};  // the trees decide (C2)
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
