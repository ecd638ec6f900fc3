// SPDX-License-Identifier: MIT
#include "feed/opml.hpp"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <memory>
#include <unordered_set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/charset.hpp"
#include "feed/xml_attributes.hpp"

namespace feed {
namespace {

constexpr std::size_t most_feeds = 100'000, most_bytes = 32 << 20;
constexpr std::size_t longest_value = 4096;  // of an attribute; a longer one is cut

// Collects outlines.
struct OpmlReader {
    std::vector<ListedFeed> feeds = {};
    std::unordered_set<std::string> urls = {};
    bool is_opml = false, has_root = false, is_too_long = false;
};

void take_outline(OpmlReader& reader, const xmlChar** attributes, int count) {
    ListedFeed feed;
    std::string text;
    for (int i = 0; i < count; ++i) {
        const XmlAttribute attribute(attributes, i);
        const auto name = base::fold_ascii(attribute.name());
        const std::string value(base::trim(attribute.value(longest_value)));
        if (name == "xmlurl") feed.url = value;
        if (name == "title") feed.title = value;
        if (name == "text") text = value;
        if (name == "htmlurl") feed.home_url = value;
    }
    if (feed.title.empty()) feed.title = std::move(text);
    if (feed.url.empty() || !reader.urls.insert(feed.url).second) return;
    if (reader.feeds.size() == most_feeds) {
        reader.is_too_long = true;
        return;
    }
    reader.feeds.push_back(std::move(feed));
}

void on_opml_start(void* context, const xmlChar* local, const xmlChar*, const xmlChar*, int,
                   const xmlChar**, int count, int, const xmlChar** attributes) {
    auto& reader = *static_cast<OpmlReader*>(context);
    const auto name = base::fold_ascii(view_of(local));
    if (!reader.has_root) reader.is_opml = name == "opml";
    reader.has_root = true;
    if (reader.is_opml && name == "outline") take_outline(reader, attributes, count);
}

struct FreeOpmlParser {
    void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

}  // namespace

base::Result<std::vector<ListedFeed>> read_opml(std::string_view bytes) {
    using base::ErrorKind;
    if (bytes.size() > most_bytes)
        return base::fail(ErrorKind::too_large, "the list is longer than 32 MB");
    const auto text = mend_xml(decode_text(bytes, "").text).text;
    OpmlReader reader;
    const std::unique_ptr<xmlParserCtxt, FreeOpmlParser> parser{
        xmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size()))};
    if (!parser) return base::fail(ErrorKind::malformed, "the list is empty");
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = on_opml_start;
    *parser->sax = handler;
    parser->userData = &reader;
    xmlCtxtUseOptions(parser.get(), XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOERROR |
                                        XML_PARSE_NOWARNING);
    xmlParseDocument(parser.get());
    if (!reader.is_opml) return base::fail(ErrorKind::malformed, "this is no OPML");
    if (reader.is_too_long)
        return base::fail(ErrorKind::too_large, "the list has more than 100,000 feeds");
    return std::move(reader.feeds);
}

std::string write_opml(std::string_view title, std::span<const ListedFeed> feeds) {
    const auto attribute = [](std::string_view name, std::string_view value) {
        return value.empty() ? std::string()
                             : ' ' + std::string(name) + "=\"" +
                                   base::escape_html(base::legal_text(value)) + '"';
    };
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head><title>";
    text += base::escape_html(base::legal_text(title)) + "</title></head>\n<body>\n";
    for (const auto& feed : feeds) {
        const auto& shown = feed.title.empty() ? feed.url : feed.title;
        text += "<outline type=\"rss\"" + attribute("text", shown) +
                attribute("title", feed.title) + attribute("xmlUrl", feed.url) +
                attribute("htmlUrl", feed.home_url) + "/>\n";
    }
    return text + "</body>\n</opml>\n";
}

}  // namespace feed
