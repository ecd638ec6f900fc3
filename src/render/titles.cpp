// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "render/item.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using tables::RowKind;

std::string_view verb_of(RowKind kind) {
    switch (kind) {
        case RowKind::created: return " created";
        case RowKind::vanished: return " vanished";
        case RowKind::reappeared: return " reappeared";
        case RowKind::changed:
        case RowKind::reconstructed:
        case RowKind::withdrawn:
        case RowKind::adopted: break;
    }
    return " changed";
}

std::string period_of(const tables::Row& row) {
    return skipped_releases(row) ? " between " + row.since + " and " + row.release.version
                                 : " in " + row.release.version;
}

std::string counted(const std::vector<compare::Change>& changes) {
    const auto counts = compare::count(changes);
    std::string text;
    const auto add = [&text](std::size_t number, std::string_view what) {
        if (number == 0) return;
        text += (text.empty() ? "" : ", ") + std::to_string(number) + " ";
        text += what;
    };
    add(counts.added, "added");
    add(counts.replaced, "replaced");
    add(counts.removed, "removed");
    return text;
}

// What stands behind the release. That an object came or went is said by the verb: how many
// tags it has tells no reader anything.
std::string details_of(const tables::Row& row) {
    if (row.kind == RowKind::withdrawn) return ": withdrawn";
    if (row.kind != RowKind::changed && row.kind != RowKind::reconstructed) return {};
    const auto counts = counted(row.notes.changes);
    const std::string details = row.kind == RowKind::reconstructed ? ", by its timestamps" : "";
    return counts.empty() ? details : details + ": " + counts;
}

}  // namespace

bool skipped_releases(const tables::Row& row) {
    return !row.since.empty() && !row.notes.previous.empty() && row.since != row.notes.previous;
}

std::string title_of(const tables::Row& row) {
    std::string title = row.object.class_name + " ";
    title += row.label.empty() ? row.object.name : row.label;
    title += verb_of(row.kind);
    return plain_line(title + period_of(row) + details_of(row));
}

}  // namespace render
