// render/xml_writer.hpp -- an XML document in memory, by libxml2's writer.
// One writer belongs to one thread. What it is given is filtered: any bytes give well-formed XML.
// SPDX-License-Identifier: MIT
#pragma once

#include <libxml/xmlwriter.h>
#include <memory>
#include <string>
#include <string_view>

namespace render {

// Names of elements and attributes are ours, and legal. Throws std::runtime_error when libxml2
// refuses, which it does for want of memory and for calls out of order.
class XmlWriter {
   public:
    XmlWriter();

    void start(const char* element);
    void attribute(const char* name, std::string_view text);
    void end();

    // Content of the element that is open.
    void text(std::string_view text);

    // Whole elements: with plain text, with a URL, with HTML (render/text.hpp).
    void element(const char* name, std::string_view text);
    void url_element(const char* name, std::string_view url);
    void html_element(const char* name, std::string_view html);

    // Bytes written so far.
    [[nodiscard]] std::size_t size();

    // The document; the writer is of no use afterwards.
    [[nodiscard]] std::string finish() &&;

   private:
    void raw(std::string_view xml);
    void raw_element(const char* name, std::string_view xml);

    struct Free {
        void operator()(xmlTextWriter* writer) const { xmlFreeTextWriter(writer); }
    };
    // Behind a pointer: libxml2 holds its address.
    std::unique_ptr<std::string> bytes_ = std::make_unique<std::string>();
    std::unique_ptr<xmlTextWriter, Free> writer_;
    std::string escaped_;  // kept for its memory
};

}  // namespace render
