// SPDX-License-Identifier: MIT
#include "feed/opml.hpp"

#include <unordered_set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/xml_parser.hpp"
#include "feed/charset.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

constexpr std::size_t most_feeds = 100'000, most_bytes = 32 << 20;
constexpr std::size_t longest_value = 4096;  // of an attribute; a longer one is cut

// Collects outlines.
class OutlineReader final : public base::XmlHandler {
   public:
    void start(const Tag& tag) override {
        const auto name = base::fold_ascii(tag.local);
        if (!has_root_) is_opml_ = name == "opml";
        has_root_ = true;
        if (is_opml_ && name == "outline") take_outline(tag);
    }
    void end(std::string_view) override {}
    void text(std::string_view) override {}

    base::Result<std::vector<ListedFeed>> finish() {
        using base::ErrorKind;
        if (!is_opml_) return base::fail(ErrorKind::malformed, "this is not OPML");
        if (is_too_long_)
            return base::fail(ErrorKind::too_large, "the list has more than 100,000 feeds");
        return std::move(feeds_);
    }

   private:
    void take_outline(const Tag& tag) {
        ListedFeed feed;
        std::string text;
        for (int i = 0; i < tag.attribute_count; ++i) {
            const base::XmlAttribute attribute(tag.attributes, i);
            const auto name = base::fold_ascii(attribute.name());
            const std::string value(base::trim(attribute.value(longest_value)));
            if (name == "xmlurl") feed.url = value;
            if (name == "title") feed.title = value;
            if (name == "text") text = value;
            if (name == "htmlurl") feed.home_url = value;
        }
        feed.title =
            one_line(base::without_directions(std::move(feed.title.empty() ? text : feed.title)));
        if (feed.url.empty() || !urls_.insert(feed.url).second) return;
        if (feeds_.size() == most_feeds) {
            is_too_long_ = true;
            return;
        }
        feeds_.push_back(std::move(feed));
    }

    std::vector<ListedFeed> feeds_;
    std::unordered_set<std::string> urls_;
    bool is_opml_ = false, has_root_ = false, is_too_long_ = false;
};

bool has_end(std::string_view text) {
    return base::fold_ascii(text).find("</opml") != std::string::npos;
}

}  // namespace

base::Result<std::vector<ListedFeed>> read_opml(std::string_view bytes) {
    if (bytes.size() > most_bytes)
        return base::fail(base::ErrorKind::too_large, "the list is longer than 32 MB");
    const auto mended = mend_xml(decode_text(bytes, ""));
    OutlineReader reader;
    const bool is_whole = base::parse_damaged_xml(mended.text, reader);
    auto feeds = reader.finish();
    if (feeds && mended.is_too_deep)
        return base::fail(base::ErrorKind::too_large, "the outlines are nested too deeply");
    if (!feeds || is_whole) return feeds;
    return base::fail(base::ErrorKind::malformed, has_end(mended.text)
                                                      ? "the OPML is not well-formed XML"
                                                      : "the OPML ends early: it has no </opml>");
}

std::string write_opml(std::string_view title, std::span<const ListedFeed> feeds,
                       std::optional<base::Seconds> modified) {
    const auto attribute = [](std::string_view name, std::string_view value) {
        return value.empty() ? std::string()
                             : ' ' + std::string(name) + "=\"" +
                                   base::escape_html(base::legal_text(value)) + '"';
    };
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n"
                       " <head>\n  <title>" +
                       base::escape_html(base::legal_text(title)) + "</title>\n";
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
