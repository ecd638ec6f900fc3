// SPDX-License-Identifier: MIT
#include "base/xml_parser.hpp"

#include <libxml/SAX2.h>
#include <libxml/dict.h>
#include <libxml/parserInternals.h>
#include <new>
#include <utility>

#include "base/utf8.hpp"

namespace base {

std::string with_ampersands(std::string_view value) {
    constexpr std::string_view reference = "&#38;";
    std::string text;
    text.reserve(value.size());
    for (auto at = value.find(reference); at != value.npos; at = value.find(reference)) {
        text.append(value.substr(0, at)).append("&");
        value.remove_prefix(at + reference.size());
    }
    return text.append(value);
}

std::string XmlAttribute::value(std::size_t most) const {
    return with_ampersands(cut_at(written(), most));
}

// What libxml2 calls. It is C, so exceptions wait in `thrown_`.
struct XmlParser::Callbacks {
    template <class Work>
    static void run(void* context, const Work& work) {
        auto& self = *static_cast<XmlParser*>(context);
        if (self.thrown_) return;
        try {
            work(self);
        } catch (...) {
            self.thrown_ = std::current_exception();
            self.stop();
        }
    }
    static void start(void* context, const xmlChar* local, const xmlChar* prefix,
                      const xmlChar* uri, int, const xmlChar**, int count, int,
                      const xmlChar** attributes) {
        run(context, [&](XmlParser& self) {
            // `nsNr` counts prefixes and URIs.
            if (self.parser_->nsNr > 2 * self.limits_.namespaces ||
                xmlDictSize(self.parser_->dict) > self.limits_.names)
                return self.stop();
            self.handler_.start({.local = view_of(local),
                                 .prefix = view_of(prefix),
                                 .uri = uri,
                                 .attributes = attributes,
                                 .attribute_count = count});
        });
    }
    static void end(void* context, const xmlChar* local, const xmlChar*, const xmlChar*) {
        run(context, [&](XmlParser& self) { self.handler_.end(view_of(local)); });
    }
    static void text(void* context, const xmlChar* text, int size) {
        run(context, [&](XmlParser& self) {
            self.handler_.text(
                {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)});
        });
    }
    static int read(void* context, char* into, int room) {
        int got = 0;
        run(context, [&](XmlParser& self) {
            got = static_cast<int>((*self.read_)(into, static_cast<std::size_t>(room)));
        });
        return got;
    }
    static void error(void* context, xmlErrorPtr found) {
        run(context, [&](XmlParser& self) { self.handler_.error(*found); });
    }
};

XmlParser::XmlParser(XmlHandler& handler, int options, const XmlLimits& limits)
    : handler_(handler), options_(options | XML_PARSE_NONET), limits_(limits) {
    // libxml2 sets itself up when it is first used, which two threads must not do at once.
    [[maybe_unused]] static const bool is_set_up = (xmlInitParser(), true);
    xmlSAXHandler callbacks{};
    callbacks.initialized = XML_SAX2_MAGIC;
    callbacks.startElementNs = Callbacks::start;
    callbacks.endElementNs = Callbacks::end;
    callbacks.characters = callbacks.ignorableWhitespace = callbacks.cdataBlock = Callbacks::text;
    callbacks.serror = Callbacks::error;
    parser_.reset(xmlNewParserCtxt());
    if (!parser_) throw std::bad_alloc();
    *parser_->sax = callbacks;
    parser_->userData = this;
    xmlCtxtUseOptions(parser_.get(), options_);
    if (limits_.bytes_of_names > 0) xmlDictSetLimit(parser_->dict, limits_.bytes_of_names);
}

void XmlParser::rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void XmlParser::parse_stream(const Read& read) {
    read_ = &read;
    auto* buffer =
        xmlParserInputBufferCreateIO(Callbacks::read, nullptr, this, XML_CHAR_ENCODING_NONE);
    if (buffer == nullptr) throw std::bad_alloc();
    auto* input = xmlNewIOInputStream(parser_.get(), buffer, XML_CHAR_ENCODING_NONE);
    if (input == nullptr) throw std::bad_alloc();
    inputPush(parser_.get(), input);
    xmlParseDocument(parser_.get());
    rethrow();
}

std::uint64_t XmlParser::line() const {
    return static_cast<std::uint64_t>(xmlSAX2GetLineNumber(parser_.get()));
}

std::string_view XmlParser::full_name(const XmlHandler::Tag& tag) const {
    if (tag.prefix.empty()) return tag.local;
    return view_of(xmlDictQLookup(parser_->dict,
                                  reinterpret_cast<const xmlChar*>(tag.prefix.data()),
                                  reinterpret_cast<const xmlChar*>(tag.local.data())));
}

}  // namespace base
