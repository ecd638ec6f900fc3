// What the store holds, damaged in any way: notes, trees, and zstd frames. What is accepted is
// written as text that is read as the same value.
// SPDX-License-Identifier: MIT
#include "base/compress.hpp"
#include "compare/compare.hpp"
#include "compare/headline.hpp"
#include "fuzz/fuzz.hpp"
#include "tables/rows.hpp"
#include "tables/trees.hpp"

namespace {

void read_notes(std::string_view bytes) {
    const auto notes = tables::notes_from_json(bytes);
    if (!notes) return;
    const auto again = tables::notes_from_json(tables::to_json(*notes));
    require(again && *again == *notes);
    (void)compare::count(notes->changes);
    for (const auto& change : notes->changes) (void)compare::place_of(change);
    (void)compare::apply({}, notes->changes);
    const compare::Ranking ranking{
        .important = {{"*", {{"Status"}}}}, .minor = {}, .helper_classes = {}};
    const auto fields = compare::field_changes(
        notes->changes, compare::ClassRules(ranking, "Gene"), notes->references);
    require(compare::headline_of(fields, notes->references).title.size() < 1'000);
}

void read_tree(std::string_view bytes) {
    const auto nodes = tables::unpacked_tree(bytes);
    if (!nodes) return;
    const auto again = tables::unpacked_tree(tables::packed_tree(*nodes));
    require(again && *again == *nodes);
}

}  // namespace

void fuzz(std::string_view bytes) {
    read_notes(bytes);
    // To compress takes a thousand times longer than to parse.
    if (bytes.starts_with('[')) read_tree(base::compress(bytes));
    if (!bytes.starts_with("\x28\xb5\x2f\xfd")) return;  // RFC 8878 section 3.1.1
    read_tree(bytes);
    const auto content = base::decompress(bytes, 1 << 20);
    require(!content || content->size() <= 1 << 20);
}
