// base/xml_parser.hpp -- libxml2 as a source of tags and texts, with limits for hostile documents.
// It loads nothing and expands no entity.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <libxml/parser.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace base {

[[nodiscard]] inline std::string_view view_of(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

// Replaces &#38; by &. libxml2 writes &amp; so where it does not substitute entities.
[[nodiscard]] std::string with_ampersands(std::string_view value);

// One attribute: five pointers for local name, prefix, URI, and begin and end of the value.
class XmlAttribute {
   public:
    XmlAttribute(const xmlChar** all, int index)
        : parts_(all + 5 * static_cast<std::ptrdiff_t>(index)) {}

    [[nodiscard]] std::string_view name() const { return view_of(parts_[0]); }
    [[nodiscard]] std::string_view prefix() const { return view_of(parts_[1]); }
    // Returns the value with &#38; for each &. It lives as long as the call of XmlHandler::start().
    [[nodiscard]] std::string_view written() const {
        return {reinterpret_cast<const char*>(parts_[3]),
                static_cast<std::size_t>(parts_[4] - parts_[3])};
    }
    // Returns the value, cut at a character.
    [[nodiscard]] std::string value(std::size_t most) const;

   private:
    const xmlChar** parts_;
};

// Receives the tags and texts of a document.
class XmlHandler {
   public:
    XmlHandler() = default;
    XmlHandler(const XmlHandler&) = delete;
    XmlHandler& operator=(const XmlHandler&) = delete;
    virtual ~XmlHandler() = default;

    struct Tag {
        std::string_view local, prefix;  // each ends in a NUL, and lives as long as the parser
        const xmlChar* uri;  // of its namespace; equal ones are one pointer; null: none
        const xmlChar** attributes;
        int attribute_count;
    };
    virtual void start(const Tag& tag) = 0;
    virtual void end(std::string_view local) = 0;
    virtual void text(std::string_view text) = 0;
    virtual void error(const xmlError&) {}
};

// The parser stops at the tag with which a document exceeds one of these.
struct XmlLimits {
    int names = std::numeric_limits<int>::max(), namespaces = 1'000'000;  // the latter at once
    std::size_t bytes_of_names = 0;                                       // 0: no limit
};

// For one document, in one thread. Exceptions of the handler and of `read` end the parsing and leave parse_stream().
class XmlParser {
   public:
    //   handler  outlives it
    //   options  of libxml2, in addition to XML_PARSE_NONET
    XmlParser(XmlHandler& handler, int options, const XmlLimits& limits);

    // Writes the next bytes of a document; returns how many, 0 at its end.
    using Read = std::function<std::size_t(char* into, std::size_t room)>;
    // Parses a document of legal UTF-8 that is read piece by piece.
    void parse_stream(const Read& read);
    // Makes the handler's present call its last one.
    void stop() { xmlStopParser(parser_.get()); }

    // Returns the line of what the handler is called for.
    [[nodiscard]] std::uint64_t line() const;
    // Returns `prefix:local`. It lives as long as the parser.
    [[nodiscard]] std::string_view full_name(const XmlHandler::Tag& tag) const;

   private:
    struct Free {
        void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
    };
    struct Callbacks;

    void rethrow();

    const Read* read_ = nullptr;  // of parse_stream()

    XmlHandler& handler_;
    int options_;
    XmlLimits limits_;
    std::unique_ptr<xmlParserCtxt, Free> parser_;
    std::exception_ptr thrown_;
};

}  // namespace base
