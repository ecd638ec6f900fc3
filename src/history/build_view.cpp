// SPDX-License-Identifier: MIT
#include "history/build_view.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "tables/objects.hpp"
#include "tree/outline.hpp"
#include "tree/stamp.hpp"

namespace history {
namespace {

using base::Result;
using compare::Reference;
using Fate = Reference::Fate;

constexpr std::size_t most_references = 200;  // of a row

class ReferenceFinder {
   public:
    explicit ReferenceFinder(const BuildView& view) : view_(view) {}

    Result<void> describe(std::span<tables::Row* const> rows) {
        for (auto* row : rows) {
            auto names = compare::objects_named_in(row->notes.changes, most_references + 1);
            // Where some are left out, what the others have become says little.
            // Only `changed` rows have echoes; creation and removal are reported for themselves.
            const bool with_fates = row->kind == tables::RowKind::changed &&
                                    view_.previous != nullptr && names.size() <= most_references;
            if (names.size() > most_references) names.pop_back();
            for (const auto& name : names) {
                auto reference = find(*row, name, with_fates);
                if (!reference) return tl::unexpected(reference.error());
                row->notes.references.push_back(std::move(*reference));
            }
        }
        add_stored_labels(rows);
        for (auto* row : rows)
            std::erase_if(row->notes.references, [](const Reference& reference) {
                return reference.label.empty() && reference.fate == Fate::stays;
            });
        return {};
    }

   private:
    // Returns what became of an object that a row names.
    //   here  whether the build has it
    Result<Fate> fate_of(const tables::Row& row, const ObjectName& name, bool with_fates,
                         bool here) {
        const bool has_fate =
            with_fates && !view_.context.settings.ranking.is_helper(name.class_name);
        if (here && !has_fate) return Fate::stays;
        if (!here && !view_.build.confirm_absent()) return Fate::stays;
        if (view_.previous == nullptr) {
            // For removed references the earlier build would be needed.
            const bool is_all_here = row.kind == tables::RowKind::created ||
                                     row.kind == tables::RowKind::reconstructed;
            return !here && is_all_here ? Fate::absent : Fate::stays;
        }
        if (view_.previous->skips(name.class_name)) return Fate::stays;
        const auto before = view_.previous->find(name);
        if (!before) return tl::unexpected(before.error());
        if (!*before && !view_.previous->confirm_absent()) return Fate::stays;
        if (!here && !*before) return Fate::absent;
        if (!has_fate || here == before->has_value()) return Fate::stays;
        return here ? Fate::created : Fate::vanished;
    }

    Result<Reference> find(const tables::Row& row, const ObjectName& name, bool with_fates) {
        Reference reference{name, {}, Fate::stays};
        const bool has_label =
            may_have_label(name.class_name, view_.context.settings.names, view_.build.models());
        if (view_.build.skips(name.class_name)) return reference;
        const auto here = view_.build.find(name);
        if (!here) return tl::unexpected(here.error());
        const auto fate = fate_of(row, name, with_fates, here->has_value());
        if (!fate) return tl::unexpected(fate.error());
        reference.fate = *fate;
        if (!has_label) return reference;
        if (!*here || !view_.build.loads_at_once()) {
            stored_labels_.try_emplace(name);
            return reference;
        }
        auto label = view_.context.labels.of(**here, view_.build, view_.context.settings.names);
        if (!label) return tl::unexpected(label.error());
        reference.label = std::move(*label);
        return reference;
    }

    void add_stored_labels(std::span<tables::Row* const> rows) {
        if (stored_labels_.empty()) return;
        std::vector<ObjectName> names;
        for (const auto& [name, label] : stored_labels_) names.push_back(name);
        const auto objects =
            store::perform(view_.context.pool, store::Access::read, tables::objects_named, names);
        for (auto& [name, label] : stored_labels_)
            if (const auto* object = objects.find(name); object != nullptr) label = object->label;
        for (auto* row : rows)
            for (auto& reference : row->notes.references)
                if (const auto known = stored_labels_.find(reference.object);
                    known != stored_labels_.end() && known->second != reference.object.name)
                    reference.label = known->second;
    }

    const BuildView& view_;
    std::map<ObjectName, std::string> stored_labels_;  // empty: it is not recorded
};

Result<compare::Evidence> evidence_for(const BuildView& view, const Before& before,
                                       const tables::Releases& releases) {
    const auto& settings = view.context.settings;
    const auto after = settings.first_seen_since;
    if (before.is_known()) return compare::Evidence{after, {}, {}};  // the trees decide (C2)
    // Samples the build, so that what follows cannot fail.
    if (const auto sampled = view.build.is_loading_stamp(""); !sampled)
        return tl::unexpected(sampled.error());
    const auto is_of_the_build = [&view](std::string_view text) {
        const auto stamp = tree::parse_stamp(text);
        const auto& users = view.context.settings.build_users;
        if (stamp && std::ranges::count(users, stamp->by) > 0) return true;
        return view.build.is_loading_stamp(text).value_or(true);
    };
    return compare::Evidence{after, releases.up_to(view.current()), is_of_the_build};
}

std::vector<ObjectName> names_spread_over(const source::Source& build) {
    constexpr std::uint64_t most = 1'000;
    std::uint64_t objects = 0, at = 0;
    for (const auto& count : build.class_counts()) objects += count.objects;
    const auto stride = std::max<std::uint64_t>(1, (objects + most - 1) / most);
    std::vector<ObjectName> names;
    source::each_object(build, [&](const source::Listed& listed) {
        if (at++ % stride == 0) names.push_back(listed.id());
        return true;
    });
    return names;
}

void collect_users(const std::vector<tree::Node>& nodes, std::set<std::string>& users) {
    for (const auto& node : nodes) {
        if (const auto stamp = tree::parse_stamp(node.stamp)) users.emplace(stamp->by);
        collect_users(node.children, users);
    }
}

std::set<std::string> users_in(const Outcome& outcome) {
    std::set<std::string> users;
    for (const auto& row : outcome.rows)
        for (const auto& change : row.notes.changes) collect_users(change.after, users);
    return users;
}

}  // namespace

Result<After> BuildView::load(const std::optional<ObjectName>& spelling,
                              const ObjectName& recorded) const {
    if (!spelling) {
        const auto confirmed = build.confirm_absent();
        if (!confirmed) return tl::unexpected(confirmed.error());
        return After{recorded, {}, {}};
    }
    auto object = build.load(*spelling);
    if (!object) return tl::unexpected(object.error());
    auto signature = tree::signature_of(object->nodes);
    return After{*spelling, std::move(object->nodes), std::move(signature)};
}

Result<std::optional<std::int64_t>> BuildView::bytes_before(const ObjectName& name) const {
    if (previous == nullptr) return std::nullopt;
    auto spelling = previous->find(name);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling && !previous->confirm_absent()) return std::nullopt;
    if (*spelling) {
        const auto two = are_two(build, name, **spelling);
        if (!two) return tl::unexpected(two.error());
        if (*two) spelling->reset();
    }
    const auto bytes = bytes_in(*previous, *spelling);
    if (!bytes) return tl::unexpected(bytes.error());
    return *bytes;
}

Result<Outcome> BuildView::decide(const Before& before, const After& after,
                                  const tables::Releases& releases) const {
    auto evidence = evidence_for(*this, before, releases);
    if (!evidence) return tl::unexpected(evidence.error());
    const auto* earlier = releases.before(current());
    const DecisionInput input{current(),
                              earlier == nullptr ? std::string() : earlier->version,
                              context.settings.names,
                              context.settings.search,
                              context.settings.ignored,
                              build.models(),
                              std::move(*evidence),
                              context.clock()};
    return history::decide(before, after, input);
}

Result<void> describe(const BuildView& view, std::span<tables::Row* const> rows) {
    return ReferenceFinder(view).describe(rows);
}

Result<FirstSightSample> sample_first_sight(const BuildView& view) {
    auto& pool = view.context.pool;
    const auto names = names_spread_over(view.build);
    const auto releases = store::perform(pool, store::Access::read, known_releases,
                                         view.context.settings, &view.build, view.previous);
    const auto identities =
        store::perform(pool, store::Access::read, identify, &view.build, names);
    if (!identities) return tl::unexpected(identities.error());
    FirstSightSample sample;
    std::map<std::string, std::size_t> objects_of;  // by user
    for (std::size_t i = 0; i < names.size(); ++i) {
        if ((*identities)[i].row) continue;
        const auto before = view.bytes_before(names[i]);
        if (!before) return tl::unexpected(before.error());
        if (*before && **before == 0) continue;
        ++sample.objects;
        const auto after = view.load(names[i], names[i]);
        if (!after && after.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(after.error());
        if (!after) continue;
        const auto outcome = view.decide({}, *after, releases);
        if (!outcome) return tl::unexpected(outcome.error());
        if (outcome->rows.empty()) continue;
        ++sample.reported;
        for (const auto& user : users_in(*outcome)) ++objects_of[user];
    }
    sample.users.assign(objects_of.begin(), objects_of.end());
    std::ranges::stable_sort(sample.users, std::ranges::greater(),
                             &std::pair<std::string, std::size_t>::second);
    return sample;
}

}  // namespace history
