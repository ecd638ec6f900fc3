// The models parser with any bytes, and a walk through its result.
// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.hpp"
#include "tree/model.hpp"

void fuzz(std::string_view text) {
    using tree::Notation;
    const auto models = tree::Models::parse(text);
    constexpr std::pair<Notation, std::string_view> cells[] = {
        {Notation::bare, "Tag"}, {Notation::quoted, "x"},     {Notation::bare, "1992"},
        {Notation::bare, "1.5"}, {Notation::bare, "1992-03"}, {Notation::comment, "c"},
        {Notation::member, "m"}};
    for (const auto* class_name : {"A", "Gene", "Evidence"}) {
        for (std::size_t first = 0; first < std::size(cells); ++first) {
            auto place = models.of_class(class_name);
            for (std::size_t i = 0; i < 8; ++i) {
                const auto& [notation, word] = cells[(first + i * i) % std::size(cells)];
                place = models.below(place, notation, word);
                require(models.cell_at(place, notation, std::string(word)).text == word);
                (void)models.is_unique(place);
            }
        }
    }
}
