// SPDX-License-Identifier: MIT
#include "render/xml_writer.hpp"

#include <stdexcept>

#include "base/utf8.hpp"
#include "render/text.hpp"

namespace render {
namespace {

void check(int result) {
    if (result < 0) throw std::runtime_error("libxml2's writer refused");
}

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

// libxml2 calls this from C, where no exception may pass.
int append(void* bytes, const char* part, int size) noexcept {
    static_cast<std::string*>(bytes)->append(part, static_cast<std::size_t>(size));
    return size;
}

}  // namespace

XmlWriter::XmlWriter() {
    auto* output = xmlOutputBufferCreateIO(append, nullptr, bytes_.get(), nullptr);
    if (output == nullptr) throw std::runtime_error("libxml2 has no output buffer");
    writer_.reset(xmlNewTextWriter(output));  // takes the buffer over when it succeeds
    if (!writer_) {
        xmlOutputBufferClose(output);
        throw std::runtime_error("libxml2 has no writer");
    }
    check(xmlTextWriterSetIndent(writer_.get(), 1));
    // Not by xmlTextWriterStartDocument: it would convert each byte from UTF-8 to UTF-8.
    raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

void XmlWriter::start(const char* element) {
    check(xmlTextWriterStartElement(writer_.get(), xml(element)));
}

void XmlWriter::attribute(const char* name, std::string_view text) {
    const auto legal = base::legal_text(text);
    check(xmlTextWriterWriteAttribute(writer_.get(), xml(name), xml(legal.c_str())));
}

void XmlWriter::end() { check(xmlTextWriterEndElement(writer_.get())); }

void XmlWriter::element(const char* name, std::string_view text) {
    escaped_.clear();
    append_xml_text(escaped_, text);
    raw_element(name, escaped_);
}

void XmlWriter::url_element(const char* name, std::string_view url) {
    escaped_.clear();
    append_xml_url(escaped_, url);
    raw_element(name, escaped_);
}

void XmlWriter::html_element(const char* name, std::string_view html) {
    escaped_.clear();
    append_xml_of_html(escaped_, html);
    raw_element(name, escaped_);
}

void XmlWriter::text(std::string_view text) {
    escaped_.clear();
    append_xml_text(escaped_, text);
    raw(escaped_);
}

void XmlWriter::raw_element(const char* name, std::string_view escaped) {
    start(name);
    raw(escaped);
    end();
}

void XmlWriter::raw(std::string_view escaped) {
    if (escaped.empty()) return;
    check(xmlTextWriterWriteRawLen(writer_.get(), xml(escaped.data()),
                                   static_cast<int>(escaped.size())));
}

std::size_t XmlWriter::size() {
    check(xmlTextWriterFlush(writer_.get()));
    return bytes_->size();
}

std::string XmlWriter::finish() && {
    check(xmlTextWriterEndDocument(writer_.get()));
    writer_.reset();  // flushes
    return std::move(*bytes_);
}

}  // namespace render
