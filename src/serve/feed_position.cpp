// SPDX-License-Identifier: MIT
#include "serve/feed_position.hpp"

#include <algorithm>
#include <span>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace serve {

namespace {

struct Position {
    base::Release newest = {};  // no release is older than this one
    base::Seconds recorded_at{};
    std::size_t recorded = 0;  // of the whole feed
    std::string digest;        // of the document
};

// Adds a row to the text of a document, as it is or as it was before a release was replaced.
void add(std::string& document, const tables::Row& row, int revision) {
    for (const auto& part :
         {row.object.class_name, row.object.name, row.release.version, std::to_string(revision)})
        document.append(std::to_string(part.size())).append(":").append(part);
}

std::string digest_of(const std::string& document) {
    constexpr std::size_t digits = 32;
    return base::sha256_hex(document).substr(0, digits);
}

// The newest rows of a page, which the document has.
std::span<const tables::Row> rows_of(const query::HistoryPage& page, std::size_t most) {
    return std::span(page.rows).first(std::min(most, page.rows.size()));
}

std::string digest_of(std::span<const tables::Row> rows) {
    std::string document;
    for (const auto& row : rows) add(document, row, row.revision);
    return digest_of(document);
}

std::optional<Position> parse(std::string_view text) {
    constexpr std::size_t parts = 5;
    const auto split = base::split(text, ',');
    if (split.size() != parts) return std::nullopt;
    const auto day = base::parse_date(split[1]);
    const auto recorded_at = base::parse_count(split[2]), recorded = base::parse_count(split[3]);
    if (!day || !recorded_at || !recorded) return std::nullopt;
    return Position{{std::string(split[0]), *day},
                    base::Seconds(std::chrono::seconds(*recorded_at)),
                    *recorded,
                    std::string(split[4])};
}

bool is_new(const tables::Row& row, const Position& since) {
    return since.newest < row.release || since.recorded_at < row.recorded_at;
}

// Returns the digest of the document at the position, as far as its rows are still there; nullopt: they are not loaded.
//   page  newest rows
std::optional<std::string> earlier_digest(const query::HistoryPage& page, std::size_t most,
                                          const Position& since) {
    std::string earlier;
    std::size_t count = 0;
    for (const auto& row : page.rows) {
        const bool was_there = !is_new(row, since);
        if (count == most) break;
        if (!was_there && (row.revision == 0 || since.newest < row.release)) continue;
        add(earlier, row, was_there ? row.revision : row.revision - 1);
        ++count;
    }
    if (count < most && page.rows.size() < page.recorded) return std::nullopt;
    return digest_of(earlier);
}

}  // namespace

std::string position_of(const query::HistoryPage& page, std::size_t most) {
    const auto rows = rows_of(page, most);
    Position position;
    for (const auto& row : rows) {
        position.newest = std::max(position.newest, row.release);
        position.recorded_at = std::max(position.recorded_at, row.recorded_at);
    }
    return position.newest.version + "," + base::format_date(position.newest.released_on) + "," +
           std::to_string(position.recorded_at.time_since_epoch().count()) + "," +
           std::to_string(page.recorded) + "," + digest_of(rows);
}

std::optional<NewRows> rows_since(const query::HistoryPage& page, std::size_t most,
                                  std::string_view since) {
    const auto position = parse(since);
    if (!position) return NewRows{.all = true};
    const auto rows = rows_of(page, most);
    if (digest_of(rows) == position->digest) return std::nullopt;
    NewRows found;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (is_new(rows[i], *position)) found.rows.push_back(i);
    if (found.rows.empty() && page.recorded < position->recorded) return std::nullopt;
    const bool is_known = earlier_digest(page, most, *position) == position->digest;
    if (!is_known || found.rows.size() == rows.size()) return NewRows{.all = true};
    return found;
}

}  // namespace serve
