// SPDX-License-Identifier: MIT
#include "feed/opml.hpp"

#include <unordered_set>
#include <utf8.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/charset.hpp"
#include "feed/markup.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

constexpr std::size_t most_feeds = 100'000, most_bytes = 32 << 20;
constexpr std::size_t deepest_outline = 200;
constexpr std::size_t longest_value = 4096;  // of an attribute; a longer one is cut

ListedFeed feed_of(const Tag& outline) {
    const auto value = [&](const char* name) {
        return std::string(base::trim(outline.value(name, longest_value)));
    };
    auto title = value("title");
    if (title.empty()) title = value("text");
    auto url = value("xmlUrl");
    // Programs that know no title write the URL. As a name, everyone would see the key in it.
    if (title == url) title.clear();
    return {.url = std::move(url),
            .title = one_line(base::without_directions(std::move(title))),
            .home_url = value("htmlUrl")};
}

// Returns the text with '?' for DEL and the C1 controls, which XML may have and a terminal obeys.
std::string without_controls(std::string_view text) {
    std::string safe;
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = at;
        const auto c = utf8::unchecked::next(at);
        if (c >= 0x7F && c <= 0x9F)
            safe += '?';
        else
            safe.append(begin, at);
    }
    return safe;
}

}  // namespace

base::Result<std::vector<ListedFeed>> read_opml(std::string_view bytes) {
    if (bytes.size() > most_bytes)
        return base::fail(base::ErrorKind::too_large, "the list is longer than 32 MB");
    const auto text = decode_text(bytes, "");
    std::vector<ListedFeed> feeds;
    std::unordered_set<std::string> urls;
    std::string root;       // in lower case
    std::size_t depth = 0;  // of outlines
    bool is_ended = false;
    XmlTokens tokens(text);
    for (auto token = tokens.next(); token; token = tokens.next()) {
        const auto name = base::fold_ascii(token->tag.name);
        const bool is_start = token->kind == XmlToken::Kind::start;
        if (token->kind == XmlToken::Kind::declaration) root.clear();
        if (token->kind == XmlToken::Kind::end) {
            is_ended = is_ended || name == "opml";
            if (name == "outline" && depth > 0) --depth;
        }
        if (!is_start) continue;
        if (root.empty()) root = name;
        if (is_ended)
            return base::fail(base::ErrorKind::malformed, "the OPML is not well-formed XML");
        if (name != "outline") continue;
        if (!token->tag.is_empty && ++depth > deepest_outline)
            return base::fail(base::ErrorKind::too_large, "the outlines are nested too deeply");
        auto feed = feed_of(token->tag);
        if (root != "opml" || feed.url.empty() || !urls.insert(feed.url).second) continue;
        if (feeds.size() == most_feeds)
            return base::fail(base::ErrorKind::too_large, "the list has more than 100,000 feeds");
        feeds.push_back(std::move(feed));
    }
    if (root != "opml") return base::fail(base::ErrorKind::malformed, "this is not OPML");
    if (!is_ended)
        return base::fail(base::ErrorKind::malformed, "the OPML ends early: it has no </opml>");
    return feeds;
}

std::string write_opml(std::string_view title, std::span<const ListedFeed> feeds,
                       std::optional<base::Seconds> modified) {
    const auto escaped = [](std::string_view text) {
        return without_controls(
            base::escape_html(base::without_directions(base::legal_text(text))));
    };
    const auto attribute = [&](std::string_view name, std::string_view value) {
        return value.empty() ? std::string()
                             : ' ' + std::string(name) + "=\"" + escaped(value) + '"';
    };
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n"
                       " <head>\n  <title>" +
                       escaped(title) + "</title>\n";
    if (modified)
        text += "  <dateModified>" + base::format_http_date(*modified) + "</dateModified>\n";
    text += " </head>\n <body>\n";
    for (const auto& feed : feeds) {
        const auto& shown = feed.title.empty() ? feed.url : feed.title;
        text += "  <outline type=\"rss\"" + attribute("text", shown) +
                attribute("title", feed.title) + attribute("xmlUrl", feed.url) +
                attribute("htmlUrl", feed.home_url) + "/>\n";
    }
    return text + " </body>\n</opml>\n";
}

}  // namespace feed
