// SPDX-License-Identifier: MIT
#include "feed/xml_parser.hpp"

#include <libxml/dict.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <memory>

namespace feed {
namespace {

constexpr int most_names = 20'000, most_namespaces = 100;

struct Parsing {
    XmlHandler& handler;
    xmlParserCtxt* parser;
};

Parsing& parsing_of(void* context) { return *static_cast<Parsing*>(context); }

void on_start(void* context, const xmlChar* local, const xmlChar* prefix, const xmlChar* uri, int,
              const xmlChar**, int count, int, const xmlChar** attributes) {
    auto& [handler, parser] = parsing_of(context);
    // `nsNr` counts prefixes and URIs.
    if (parser->nsNr > 2 * most_namespaces || xmlDictSize(parser->dict) > most_names) {
        xmlStopParser(parser);
        return;
    }
    handler.start({.local = view_of(local),
                   .prefix = view_of(prefix),
                   .uri = uri,
                   .attributes = attributes,
                   .attribute_count = count});
}
void on_end(void* context, const xmlChar* local, const xmlChar*, const xmlChar*) {
    parsing_of(context).handler.end(view_of(local));
}
void on_text(void* context, const xmlChar* text, int size) {
    parsing_of(context).handler.text(
        {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)});
}

struct FreeParser {
    void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

}  // namespace

bool parse_xml(std::string_view text, XmlHandler& handler) {
    // libxml2 sets itself up when it is first used, which two threads must not do at once.
    [[maybe_unused]] static const bool is_set_up = (xmlInitParser(), true);
    const std::unique_ptr<xmlParserCtxt, FreeParser> parser{
        xmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size()))};
    if (!parser) return false;
    xmlSAXHandler callbacks{};
    callbacks.initialized = XML_SAX2_MAGIC;
    callbacks.startElementNs = on_start;
    callbacks.endElementNs = on_end;
    callbacks.characters = on_text;
    callbacks.ignorableWhitespace = on_text;
    callbacks.cdataBlock = on_text;
    *parser->sax = callbacks;
    Parsing parsing{handler, parser.get()};
    parser->userData = &parsing;
    xmlCtxtUseOptions(parser.get(), XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOERROR |
                                        XML_PARSE_NOWARNING | XML_PARSE_COMPACT);
    xmlParseDocument(parser.get());
    return parser->wellFormed != 0;
}

}  // namespace feed
