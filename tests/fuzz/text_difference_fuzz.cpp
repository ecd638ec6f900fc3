// Two texts of any bytes, with a line `////` between them: the runs are parts of the texts and
// cover them.
// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.hpp"
#include "render/text_difference.hpp"

namespace {

bool is_within(std::string_view part, std::string_view text) {
    return part.empty() ||
           (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

void check_alignment(const render::Pieces& before, const render::Pieces& after) {
    std::size_t i = 0, j = 0;
    for (const auto& run : render::align(before, after)) {
        require(run.before == i && run.after == j);
        require(run.before_end >= i && run.after_end >= j);
        if (run.same)
            for (std::size_t k = 0; k < run.before_end - run.before; ++k)
                require(before[i + k] == after[j + k]);
        i = run.before_end;
        j = run.after_end;
    }
    require(i == before.size() && j == after.size());
}

}  // namespace

void fuzz(std::string_view bytes) {
    constexpr std::string_view between = "\n////\n";
    const auto middle = bytes.find(between);
    if (middle == std::string_view::npos) return;
    const auto before = bytes.substr(0, middle), after = bytes.substr(middle + between.size());
    check_alignment(render::lines_of(before), render::lines_of(after));
    check_alignment(render::words_of(before), render::words_of(after));
    if (before == after) return;
    const auto difference = render::difference_of(before, after);
    require(!difference.places.empty() && difference.places.size() <= 20);
    for (const auto& place : difference.places) {
        require(place.runs.size() <= 40);
        for (const auto& run : place.runs)
            require(is_within(run.text, before) || is_within(run.text, after));
    }
}
