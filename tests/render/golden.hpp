// Whole documents, compared with files that were reviewed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "sample.hpp"
#include "support/catch.hpp"

namespace sample {

// Compares with tests/render/golden/NAME; VARVE_BLESS=1 writes it.
inline void check_golden(const std::string& name, const std::string& bytes) {
    const auto path = "tests/render/golden/" + name;
    if (const char* bless = std::getenv("VARVE_BLESS"); bless != nullptr && *bless == '1')
        std::ofstream(path, std::ios::binary) << bytes;
    std::ifstream in(path, std::ios::binary);
    INFO(path << ": VARVE_BLESS=1 writes it anew");
    CHECK(bytes == std::string(std::istreambuf_iterator<char>(in), {}));
}

// A gene that vanished, changed, and was seen first, by curators of whom one is known.
inline query::History gene() {
    auto vanished = row("WS188", day(2008, 3, 22), {removed({}, support::tag("Identity"))});
    vanished.kind = RowKind::vanished;
    vanished.since = vanished.notes.previous = "WS187";
    vanished.notes.renamed_to = {{"Gene", "WBGene00000001"}};
    auto seen = row("WS186", day(2008, 2, 1), {added(tags({"A"}), support::text("a < b & c"))});
    seen.kind = RowKind::reconstructed;
    seen.since.clear();
    seen.notes.previous.clear();
    auto history = history_of({vanished, unc_26_in_ws187(), seen});
    history.vanished = true;
    return history;
}
inline query::People people() {
    return {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia Martinelli"}}};
}

}  // namespace sample
