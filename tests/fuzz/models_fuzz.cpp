// The models parser with any bytes, and a walk through its result.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-models_fuzz  this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tree/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using tree::Notation;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
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
                if (models.cell_at(place, notation, std::string(word)).text != word) std::abort();
                (void)models.is_unique(place);
            }
        }
    }
    return 0;
}
