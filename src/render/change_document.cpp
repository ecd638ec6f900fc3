// SPDX-License-Identifier: MIT
#include "render/change_document.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "compare/change.hpp"

namespace render {
namespace {

using compare::Change;

// Returns the mass change that accounts for this change; nullptr: none does.
const tables::MassChange* mass_change_of(const Change& change, const query::MassPlaces& places) {
    if (places.empty() || !compare::has_sides(change)) return nullptr;
    const auto found = places.find(compare::place_of(change));
    return found == places.end() ? nullptr : found->second;
}

// A field stands below its first tag, which then is no part of its words. Without a heading, what follows another group
// would seem to be part of it.
void give_headings(std::vector<FieldDocument::Section>& sections) {
    const auto says_more = [](const FieldDocument::Section& section) {
        return section.rank == compare::Rank::ordinary &&
               (section.fields.size() > 1 || section.fields.front().path.size() > 1);
    };
    const bool has_headings = std::ranges::any_of(sections, says_more);
    for (auto& section : sections) {
        if (!has_headings) section.tag = {};
        if (section.tag.empty()) continue;
        for (auto& field : section.fields)
            if (field.path.size() > 1) field.telling = std::max<std::size_t>(field.telling, 1);
    }
}

//   fields  sorted by rank
FieldDocument document_of(std::vector<compare::FieldChange> fields) {
    using compare::Rank;
    FieldDocument document;
    auto& sections = document.sections;
    std::map<std::pair<Rank, std::string_view>, std::size_t> known;
    for (auto& field : fields) {
        const auto rank = std::max(field.rank, Rank::ordinary);
        const auto tag = rank == Rank::ordinary ? field.first_tag() : std::string_view();
        const auto [found, is_new] = known.try_emplace({rank, tag}, sections.size());
        if (is_new) sections.push_back({rank, tag, {}});
        sections[found->second].fields.push_back(std::move(field));
    }
    give_headings(sections);
    return document;
}

}  // namespace

bool is_plain_text(const tree::Cell& cell) {
    // ?Text values are objects in AceDB, whose name is the text itself.
    constexpr std::string_view text_class = "Text";
    return cell.kind == tree::CellKind::text ||
           (cell.kind == tree::CellKind::reference && cell.class_name == text_class);
}

FieldDocument field_document(const tables::Row& row, const query::HistoryPage& page,
                             const Site& site, const std::set<std::size_t>& without) {
    std::size_t filtered = 0;
    std::vector<MassChangeLine> lines;
    // The number of the first change of each, shown or not: the page of the release has its line there.
    std::unordered_map<const tables::MassChange*, std::size_t> first;
    const auto places = query::mass_places(row, page);
    const compare::ClassRules rules(site.ranking, row.object.class_name, page.models.get());
    const bool are_all_shared = row.headline.rank == compare::Rank::echo &&
                                std::ranges::all_of(row.notes.changes, [&](const Change& change) {
                                    return mass_change_of(change, places) != nullptr;
                                });
    auto fields = compare::field_changes(
        row.notes.changes, rules, row.notes.references,
        [&](const Change& change, std::size_t number) {
            const auto* mass = mass_change_of(change, places);
            if (mass != nullptr) first.try_emplace(mass, number);
            if (page.filter.is_set() && !page.filter.shows(change)) {
                ++filtered;
                return true;
            }
            if (mass == nullptr || are_all_shared || without.contains(number))
                return without.contains(number);
            if (std::ranges::find(lines, mass, &MassChangeLine::mass_change) == lines.end())
                lines.push_back({mass, first.at(mass)});
            return true;
        });
    auto document = document_of(std::move(fields));
    document.filtered = filtered;
    document.mass_changes = std::move(lines);
    return document;
}

FieldDocument field_document(std::span<const Change> changes, std::string_view class_name,
                             const Site& site, const tree::Models* models) {
    const compare::ClassRules rules(site.ranking, class_name, models);
    return document_of(compare::field_changes(changes, rules, {}));
}

}  // namespace render
