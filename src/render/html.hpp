// render/cells.hpp -- single cells and stamps as HTML.
// Pure. Safe from any thread. Everything is escaped, long texts are shortened.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "render/item.hpp"

namespace render {

// True for texts, also for those that AceDB keeps as names of objects of class Text.
[[nodiscard]] bool is_plain_text(const tree::Cell& cell);

// Where the object that a cell names is shown; empty for cells that name none, for those that
// are plain texts, and without a template.
[[nodiscard]] std::string link_of(const tree::Cell& cell, const Site& site);

// The cell as text, and as a link to what it names where it can be.
void append_cell_text(std::string& html, const tree::Cell& cell);
void append_cell(std::string& html, const tree::Cell& cell, const Site& site);

// " (sylvia, 2008-02-01)", the curator by label and link where they are known; an opaque stamp as
// it is; nothing for none. Where the site hides curators: " (2008-02-01)", and nothing for what
// is opaque.
void append_stamp(std::string& html, std::string_view stamp, const query::People& people,
                  const Site& site);

// An element <a> with this text.
void append_link(std::string& html, std::string_view url, std::string_view text);

}  // namespace render
