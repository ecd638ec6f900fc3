// render/stacked_bars.hpp -- a bar for each of some releases, as a small picture.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace render {

// More columns do not fit on a phone.
inline constexpr std::size_t most_columns = 60;

// What one release did.
struct ReleaseColumn {
    std::string version;
    // From the axis up: read from timestamps (hatched); added or created; replaced or changed; removed
    // or vanished.
    std::array<std::uint64_t, 4> parts{};
    bool is_marked = false;  // it did something that has no numbers
    bool has_tick = true;    // where it did nothing: it was looked at, and the object was there
    std::string url;         // of what it did; empty: none
    std::string words;       // "3 added, 1 removed"

    [[nodiscard]] std::uint64_t all() const { return parts[0] + parts[1] + parts[2] + parts[3]; }
};

struct BarPicture {
    std::vector<ReleaseColumn> columns;  // the oldest first, at most most_columns
    std::string label;                   // says the whole in words, for those who do not see it
    std::optional<std::size_t> first_seen = {};  // the column of the first release seen
    std::optional<std::size_t> vanished = {};  // the column in which the object vanished for good
    // One release that loaded everything would flatten all others.
    bool is_logarithmic = false;
};
// Returns inline SVG without style or script. Positions are in percent, so that text keeps its size at
// any width. The whole height of a column links to its address; the tab key does not stop there,
// because a table has the same links.
//   returns  empty if there is no bar; at most 20 KB with addresses of 100 bytes
[[nodiscard]] std::string stacked_bars(const BarPicture& picture);

// Returns a table with the numbers of a picture.
//   headings, rows  HTML, of as many cells; the first cell of a row is its heading
[[nodiscard]] std::string number_table(std::string_view caption,
                                       const std::vector<std::string>& headings,
                                       const std::vector<std::vector<std::string>>& rows);
// Returns it below a picture, folded.
[[nodiscard]] std::string folded_table(const std::string& table);

// "12.5%": `tenths` of a percent.
[[nodiscard]] std::string percent(std::size_t part, std::size_t of);

// Appends versions below columns at the height y: as many as fit, fewer on a phone, the newest always.
// Those between have only what follows their common beginning: "187" beside "WS190".
//   versions  the oldest first
//   most_bytes_of_row  characters that fit beside each other: on a phone
void append_release_labels(std::string& svg, const std::vector<std::string_view>& versions, int y,
                           std::size_t characters_of_phone);

}  // namespace render
