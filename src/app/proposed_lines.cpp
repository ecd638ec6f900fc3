// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/proposed_lines.hpp"

#include <array>

#include "app/config_keys.hpp"
#include "app/print.hpp"
#include "base/text.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"

namespace app {
namespace {

using base::with_separators;
using compare::TagPaths;
using release::ClassProposal;
using Paths = TagPaths::value_type::second_type;

// A section of paths by class.
struct Section {
    std::string name;
    const TagPaths& (*lines)(const history::Settings&);
    const std::vector<release::ProposedPlace> ClassProposal::* places;
    std::string_view effect;
};
const std::array<Section, 4> sections{{
    {"names", [](auto& settings) -> auto& { return settings.names; }, &ClassProposal::names, ""},
    {"important", [](auto& settings) -> auto& { return settings.ranking.important; },
     &ClassProposal::important, "They would lead."},
    {"minor", [](auto& settings) -> auto& { return settings.ranking.minor; },
     &ClassProposal::minor, "They would come last, and lead only where nothing else changed."},
    {"ignore", [](auto& settings) -> auto& { return settings.ignored; }, &ClassProposal::ignore,
     "{} changed nowhere else, and would have no new row. Below [minor] they would keep it."},
}};

std::string text_of(const Paths& paths) {
    std::vector<std::string> texts;
    for (const auto& path : paths) texts.push_back(base::join(path, ">"));
    return base::join(texts, ", ");
}

// Returns whether the configuration is read as meant when it has this line.
bool can_be_written(const Section& section, const std::string& class_name, const Paths& paths) {
    const auto line = class_name + " = " + text_of(paths);
    const bool is_key =
        class_name != "*" && base::trim(class_name) == class_name &&
        class_name.find('=') == std::string::npos &&
        std::string_view(";#[").find(class_name.front()) == std::string_view::npos;
    Draft draft("varve.conf");
    return is_key && on_one_line(line) == line &&
           take_line(draft, section.name, class_name, text_of(paths)) &&
           section.lines(draft.config.history) == TagPaths{{class_name, paths}};
}

// Returns why, and what the line would change, as comments.
std::string reason_of(const Section& section, const ClassProposal& proposal,
                      const std::vector<release::ProposedPlace>& places) {
    const auto objects = on_one_line(compare::several(proposal.class_name));
    if (section.name == "names")
        return fmt::format("# {} of {} {} looked at have a name of their own there.\n"
                           "# By itself Varve found one for {}.\n",
                           places.front().objects, proposal.sampled, objects, proposal.labelled);
    std::vector<std::string> texts;
    for (const auto& place : places) {
        texts.push_back(base::join(place.path, ">") + " in " + with_separators(place.objects));
        if (section.name == "important")
            texts.back() += ", behind other changes in " + with_separators(place.behind);
    }
    return fmt::format(
        "# {} of {} {} changed: {}.\n# {}\n", with_separators(proposal.changed),
        with_separators(proposal.looked_at), objects, base::join(texts, "; "),
        fmt::format(fmt::runtime(section.effect), with_separators(proposal.unchanged)));
}

std::string heading_of(const release::Proposals& proposals, const base::Release& before,
                       const base::Release& after) {
    auto text = fmt::format("# {} compared with {}: {} of {} in both changed.\n", after.version,
                            before.version, with_separators(proposals.changed),
                            render::counted(proposals.looked_at, "object", "objects"));
    if (proposals.is_sample)
        text += "# These are a sample, because a running database is asked for each object.\n";
    if (proposals.unreadable > 0)
        text +=
            fmt::format("# {} more could not be read.\n", with_separators(proposals.unreadable));
    if (proposals.are_places_left_out)
        text += "# There are more places than Varve counts; some are left out.\n";
    return text;
}

}  // namespace

std::string proposed_lines(const release::Proposals& proposals, const Config& config,
                           const base::Release& before, const base::Release& after) {
    std::string text;
    std::size_t left_out = 0;
    for (const auto& section : sections) {
        std::string lines;
        for (const auto& proposal : proposals.classes) {
            auto places = proposal.*section.places;
            left_out += std::erase_if(places, [&](const auto& place) {
                return !can_be_written(section, proposal.class_name, {place.path});
            });
            if (places.empty()) continue;
            lines += reason_of(section, proposal, places);
            auto key = proposal.class_name;
            Paths paths;
            for (const auto& [class_name, there] : section.lines(config.history)) {
                if (!base::equal_ignoring_case(class_name, key)) continue;
                key = class_name;
                paths = there;
                lines += "# Put this in the place of the line " + on_one_line(key) +
                         " that is there.\n";
            }
            for (const auto& place : places) paths.push_back(place.path);
            lines += key + " = " + text_of(paths) + "\n";
        }
        if (!lines.empty()) text += "\n[" + section.name + "]\n" + lines;
    }
    if (text.empty())
        text = "# Nothing is proposed: no values changed in most objects of a class, no name or\n"
               "# status changed behind other changes, and no better names were found.\n";
    if (left_out > 0)
        text += fmt::format("\n# {} cannot be written in a configuration.\n",
                            render::counted(left_out, "more place", "more places"));
    return heading_of(proposals, before, after) + text;
}

}  // namespace app
