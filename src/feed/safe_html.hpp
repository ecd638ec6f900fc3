// feed/safe_html.hpp -- makes foreign HTML safe to show on our pages and in our feeds.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace feed {

// Returns the HTML with those elements and attributes only that an allow-list names, read as browsers read
// it: no script, style, class, id, form, frame or object; no attribute that starts with "on";
// http(s) and mailto URLs alone, made absolute against base_url; links with rel="nofollow noopener noreferrer"; of
// images, those with an http(s) URL, without those of one pixel that only count readers. Characters that turn the
// direction of text are left out (base::without_directions). The result is well-formed XML too, with every text escaped.
//   most     bytes of the result; what is beyond is left out, with all elements closed
//   returns  safe_html(safe_html(x)) == safe_html(x), unless it was cut
// A video, frame or object becomes a link to it.
//   cost     O(html), of which 1 MB is read. The tags of elements deeper than 200 are left out
[[nodiscard]] std::string safe_html(std::string_view html, const std::string& base_url,
                                    std::size_t most = 100'000);

// Returns the text that a reader of the HTML sees, in plain words: one blank between words, one line break
// between paragraphs. "Caf&eacute; <b>open</b>" gives "Café open".
[[nodiscard]] std::string plain_text(std::string_view html, std::size_t most = 100'000);

struct SafeAndPlain {
    std::string html;  // safe_html()
    std::string text;  // plain_text()
};
// Returns both readings of the same HTML, which is parsed once: most of what they cost.
[[nodiscard]] SafeAndPlain safe_and_plain(std::string_view html, const std::string& base_url,
                                          std::size_t most = 100'000);

// Returns text that is not HTML on one line, with one blank between words.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t most = 2'000);

// Returns the plain text on one line; quick where there is neither < nor &.
[[nodiscard]] std::string plain_line(std::string_view html, std::size_t most = 2'000);

}  // namespace feed
