// SPDX-License-Identifier: MIT
#include "store/archive_tables.hpp"

#include <algorithm>
#include <array>

namespace store {

std::span<const ArchiveTable> archive_tables() {
    static const std::array<ArchiveTable, 12> tables{{
        {"objects", {"oid"}, {}},
        {"history", {"sid"}, {"label", "notes"}},
        {"trees", {"oid", "version"}, {"tree"}},
        {"accepted", {"version", "digest"}, {}},
        {"warmed", {"class", "version"}, {}},
        {"failed", {"version", "class", "name"}, {"reason"}},
        {"leases", {"task", "part"}, {"result"}},
        {"mass_changes", {"version", "class", "path"}, {}},
        {"replacements", {"version", "oid"}, {"label", "notes", "tree"}},
        {"tokens", {"name"}, {}},
        {"releases", {"version"}, {}},
        {"meta", {"name"}, {}},
    }};
    return tables;
}

std::optional<std::size_t> TableShape::place_of(std::string_view column) const {
    const auto found = std::ranges::find(columns, column, &Column::name);
    if (found == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns.begin());
}

std::vector<TableShape> shapes_of(Connection& connection) {
    std::vector<TableShape> shapes;
    for (const auto& table : archive_tables())
        shapes.push_back({&table, described_columns_of(connection, std::string(table.name))});
    return shapes;
}

}  // namespace store
