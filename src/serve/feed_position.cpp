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

// A row as it is, or as it was before a release was replaced.
struct RowIdentity {
    const tables::Row* row = nullptr;
    int revision = 0;
};

std::string digest_of(std::span<const RowIdentity> document) {
    constexpr std::size_t digits = 32;
    std::string text;
    for (const auto& [row, revision] : document) {
        for (const auto& part : {row->object.class_name, row->object.name, row->release.version,
                                 std::to_string(revision)})
            text.append(std::to_string(part.size())).append(":").append(part);
    }
    return base::sha256_hex(text).substr(0, digits);
}

std::vector<RowIdentity> document_of(const query::HistoryPage& page, std::size_t most) {
    std::vector<RowIdentity> document;
    for (std::size_t i = 0; i < std::min(most, page.rows.size()); ++i)
        document.push_back({&page.rows[i], page.rows[i].revision});
    return document;
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

// Returns the document at the position, as far as its rows are still there; nullopt: they are not loaded.
//   page  newest rows
std::optional<std::vector<RowIdentity>> earlier_document(const query::HistoryPage& page,
                                                         std::size_t most,
                                                         const Position& since) {
    std::vector<RowIdentity> earlier;
    for (const auto& row : page.rows) {
        if (earlier.size() == most) break;
        if (!is_new(row, since))
            earlier.push_back({&row, row.revision});
        else if (row.revision > 0 && !(since.newest < row.release))
            earlier.push_back({&row, row.revision - 1});
    }
    if (earlier.size() < most && page.rows.size() < page.recorded) return std::nullopt;
    return earlier;
}

}  // namespace

std::string position_of(const query::HistoryPage& page, std::size_t most) {
    const auto document = document_of(page, most);
    Position position;
    for (const auto& [row, revision] : document) {
        position.newest = std::max(position.newest, row->release);
        position.recorded_at = std::max(position.recorded_at, row->recorded_at);
    }
    return position.newest.version + "," + base::format_date(position.newest.released_on) + "," +
           std::to_string(position.recorded_at.time_since_epoch().count()) + "," +
           std::to_string(page.recorded) + "," + digest_of(document);
}

std::optional<NewRows> rows_since(const query::HistoryPage& page, std::size_t most,
                                  std::string_view since) {
    const auto position = parse(since);
    if (!position) return NewRows{.all = true};
    const auto document = document_of(page, most);
    if (digest_of(document) == position->digest) return std::nullopt;
    NewRows found;
    for (std::size_t i = 0; i < document.size(); ++i)
        if (is_new(page.rows[i], *position)) found.rows.push_back(i);
    if (found.rows.empty() && page.recorded < position->recorded) return std::nullopt;
    const auto earlier = earlier_document(page, most, *position);
    const bool is_known = earlier && digest_of(*earlier) == position->digest;
    if (!is_known || found.rows.size() == document.size()) return NewRows{.all = true};
    return found;
}

}  // namespace serve
