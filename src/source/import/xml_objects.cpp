// SPDX-License-Identifier: MIT
#include "source/import/xml_objects.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/import/xml_feed.hpp"
#include "source/import/xml_tree.hpp"

namespace source::import {
namespace {

// Objects may follow each other without an element around them.
constexpr std::string_view root_begin = "<varve>", root_end = "</varve>";
// Names of elements and attributes are kept to the end of the file, each once.
constexpr std::size_t most_of_names = 16 << 20;
constexpr std::size_t fields_of_attribute = 5;  // name, prefix, URI, value, end of value

struct FreeParser {
    void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};
using Parser = std::unique_ptr<xmlParserCtxt, FreeParser>;

const char* chars(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

std::string_view view(const xmlChar* begin, const xmlChar* end) {
    return {chars(begin), static_cast<std::size_t>(end - begin)};
}

}  // namespace

// libxml2 calls back, by SAX2; what comes of it waits in `ready` and `error` to be asked for.
struct XmlReader::State {
    State(const File& file, std::string called, std::size_t most)
        : name(std::move(called)), feed(file, name, most), tree(most) {}

    void make_parser();
    void parse_batch();
    void finish();

    void on_start(const xmlChar* prefix, const xmlChar* local, const xmlChar** attributes,
                  int count);
    void read_attribute(XmlElement& element, const xmlChar** attribute);
    std::string_view meant(std::string_view value, std::size_t place);
    void on_end();
    void on_text(std::string_view text);
    void on_error(const xmlError& found);
    void parse(std::string_view bytes, bool is_last);
    void fail(std::uint64_t line, base::Kind kind, const std::string& what);
    // Exceptions don't cross libxml2, which is C.
    template <class Work>
    void caught(const Work& work);
    template <class Work>
    void guarded(const Work& work) {
        caught(work);
        if (error || thrown) xmlStopParser(parser.get());
    }

    static State& of(void* context) { return *static_cast<State*>(context); }
    static void start_element(void* context, const xmlChar* local, const xmlChar* prefix,
                              const xmlChar*, int, const xmlChar**, int count, int,
                              const xmlChar** attributes) {
        auto& state = of(context);
        state.guarded([&] { state.on_start(prefix, local, attributes, count); });
    }
    static void end_element(void* context, const xmlChar*, const xmlChar*, const xmlChar*) {
        auto& state = of(context);
        state.guarded([&] { state.on_end(); });
    }
    static void characters(void* context, const xmlChar* text, int size) {
        auto& state = of(context);
        state.guarded([&] { state.on_text(view(text, text + size)); });
    }
    static void structured_error(void* context, xmlErrorPtr found) {
        auto& state = of(context);
        state.caught([&] { state.on_error(*found); });  // it stops by itself
    }

    std::string name;
    XmlInput feed;
    XmlTree tree;
    Parser parser;
    const xmlChar *class_key = nullptr, *value_key = nullptr, *stamp_key = nullptr,
                  *comment_key = nullptr, *type_key = nullptr;  // as the parser interns them
    std::array<std::string, 5> replaced;  // values that held `&`, by meaning
    std::size_t next_start = 0;           // of feed.starts()
    bool is_in_root = false;
    std::deque<FileObject> ready;
    bool has_objects = false, is_done = false;
    std::optional<base::Error> error;  // after what is ready
    std::exception_ptr thrown;
};

template <class Work>
void XmlReader::State::caught(const Work& work) {
    if (error || thrown) return;
    try {
        work();
    } catch (...) {
        thrown = std::current_exception();
    }
}

void XmlReader::State::fail(std::uint64_t line, base::Kind kind, const std::string& what) {
    if (error) return;
    error = base::Error{kind, name + ':' + std::to_string(line) + ": " + what};
}

void XmlReader::State::make_parser() {
    // Safe from any thread, as a first call of the library is not: it sets up its tables.
    static const bool is_set_up = (xmlInitParser(), true);
    static_cast<void>(is_set_up);
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start_element;
    handler.endElementNs = end_element;
    handler.characters = handler.ignorableWhitespace = characters;
    handler.serror = structured_error;
    parser.reset(xmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr));
    if (!parser) throw std::bad_alloc();
    // HUGE for DNA in an attribute; how deep and how large is for feed and tree to say. No NOENT.
    xmlCtxtUseOptions(parser.get(), XML_PARSE_NONET | XML_PARSE_HUGE);
    xmlDictSetLimit(parser->dict, most_of_names);
    const auto key = [&](const char* word) {
        return xmlDictLookup(parser->dict, reinterpret_cast<const xmlChar*>(word), -1);
    };
    class_key = key("class"), value_key = key("value"), stamp_key = key("timestamp");
    comment_key = key("comment"), type_key = key("type");
    parse(root_begin, false);
}

void XmlReader::State::parse(std::string_view bytes, bool is_last) {
    xmlParseChunk(parser.get(), bytes.data(), static_cast<int>(bytes.size()), is_last ? 1 : 0);
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    if (parser->wellFormed == 0) fail(feed.line(), base::Kind::malformed, "no well-formed XML");
}

void XmlReader::State::parse_batch() {
    if (!parser) make_parser();
    const auto more = feed.next();
    if (!more) {
        error = more.error();
        return;
    }
    if (!*more) return finish();
    next_start = 0;
    parse(feed.bytes(), false);
}

// At the end of the file. Elements that are open, or nothing at all: it lacks its end.
void XmlReader::State::finish() {
    is_done = true;
    if (tree.is_open())
        return fail(feed.line(), base::Kind::refused,
                    "the file is cut off: it ends inside of <" + std::string(tree.open_name()) +
                        "> of line " + std::to_string(tree.open_line()));
    parse(root_end, true);
    if (!has_objects) fail(feed.line(), base::Kind::refused, "the file holds no objects");
}

void XmlReader::State::on_start(const xmlChar* prefix, const xmlChar* local,
                                const xmlChar** attributes, int count) {
    if (!std::exchange(is_in_root, true)) return;
    const auto start = feed.starts().at(next_start++);
    XmlElement element;
    element.name = chars(prefix == nullptr ? local : xmlDictQLookup(parser->dict, prefix, local));
    element.line = start.line;
    element.is_cut = start.is_cut;
    for (const auto* end = attributes + static_cast<std::size_t>(count) * fields_of_attribute;
         attributes != end; attributes += fields_of_attribute)
        if (attributes[1] == nullptr) read_attribute(element, attributes);
    if (const auto begun = tree.begin(element); !begun)
        fail(start.line, begun.error().kind, begun.error().text);
}

// One without a prefix.
void XmlReader::State::read_attribute(XmlElement& element, const xmlChar** attribute) {
    const auto* key = attribute[0];
    const auto value = view(attribute[3], attribute[4]);
    if (key == class_key) element.class_name = meant(value, 0);
    if (key == value_key) element.value = meant(value, 1);
    if (key == stamp_key) element.stamp = meant(value, 2);
    if (key == comment_key) element.comment = meant(value, 3);
    if (key == type_key) element.type = meant(value, 4);
}

// Where it is not told to replace entities, which would be asking for trouble, libxml2 hands
// every `&` over as `&#38;`, for a second pass. No other `&` can be left in a value.
std::string_view XmlReader::State::meant(std::string_view value, std::size_t place) {
    constexpr std::string_view ampersand = "&#38;";
    if (value.find('&') == std::string_view::npos) return value;
    auto& text = replaced[place];
    text.clear();
    for (std::size_t at = 0; at < value.size(); ++at) {
        text += value[at];
        if (value.substr(at).starts_with(ampersand)) at += ampersand.size() - 1;
    }
    return text;
}

void XmlReader::State::on_end() {
    if (!tree.is_open())
        return;  // that of the root, our own or one that libxml2 complains of next
    auto object = tree.end();
    if (!object) return;
    ready.push_back(std::move(*object));
    has_objects = true;
}

void XmlReader::State::on_text(std::string_view text) {
    if (base::trim(text).empty()) return;
    if (const auto legal = tree.text(); !legal)
        fail(static_cast<std::uint64_t>(xmlSAX2GetLineNumber(parser.get())), legal.error().kind,
             legal.error().text);
}

void XmlReader::State::on_error(const xmlError& found) {
    if (found.level != XML_ERR_FATAL) return;
    const auto message = base::legal_text(found.message == nullptr ? "" : found.message);
    fail(static_cast<std::uint64_t>(std::max(found.line, 1)), base::Kind::malformed,
         "no well-formed XML: " + std::string(base::trim(message.substr(0, 300))));
}

XmlReader::XmlReader(const File& file, std::string name, std::size_t most)
    : state_(std::make_unique<State>(file, std::move(name), most)) {}

XmlReader::~XmlReader() = default;

base::Result<std::optional<FileObject>> XmlReader::next() {
    auto& ready = state_->ready;
    for (;;) {
        if (!ready.empty()) {
            std::optional<FileObject> object(std::move(ready.front()));
            ready.pop_front();
            return object;
        }
        if (state_->error) return tl::unexpected(*state_->error);
        if (state_->is_done) return std::optional<FileObject>();
        state_->parse_batch();
    }
}

}  // namespace source::import
