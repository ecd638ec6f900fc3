// SPDX-License-Identifier: MIT
#include "source/import/xml_reader.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <exception>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_object.hpp"
#include "source/import/xml_input.hpp"
#include "tree/object.hpp"

namespace source::import {
namespace {

// ---- Objects of elements ----

// An element and its known attributes. All of it is legal text.
struct XmlElement {
    std::string_view name;  // lives as long as the element is open
    std::optional<std::string_view> class_name, value;
    std::string_view stamp, comment, type;
    std::uint64_t line = 0;
    bool is_cut = false;  // one of its values is cut
};

using tree::CellKind;
using tree::Node;

constexpr std::size_t size_of_node = 32;

bool are_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), base::is_digit);
}

// Returns "03" for "Mar".
std::optional<std::string> month_number(std::string_view name) {
    constexpr auto names = std::to_array<std::string_view>(
        {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"});
    const auto found = std::find(names.begin(), names.end(), base::fold_ascii(name));
    if (found == names.end()) return std::nullopt;
    const auto number = std::to_string(found - names.begin() + 1);
    return number.size() == 1 ? "0" + number : number;
}

// Returns `15 Mar 1992 10:22:00` as AceDB writes it; nullopt for other shapes.
std::optional<std::string> ace_date(std::string_view text) {
    const auto words = base::split(text, ' ');
    if (words.size() != 4) return std::nullopt;
    const auto day = words[0], month = words[1], year = words[2], time = words[3];
    const auto number = month_number(month);
    if (!number || day.size() > 2 || !are_digits(day) || year.size() != 4 || !are_digits(year) ||
        time.size() != 8)
        return std::nullopt;
    constexpr std::string_view midnight = "00:00:00";
    if (time == midnight && month == "JAN" && day == "01") return std::string(year);
    auto date = std::string(year) + '-' + *number + '-' + (day.size() == 1 ? "0" : "");
    date += day;
    if (time != midnight) (date += '_') += time;
    if (tree::kind_of_bare_word(date) != CellKind::date) return std::nullopt;
    return date;
}

// Returns the cell of a type whose values are bare words in a dump.
tree::Cell bare_cell(std::string_view value) {
    const bool is_word = !value.empty() && value.find_first_of(" \t\n\r") == value.npos;
    const auto kind = is_word ? tree::kind_of_bare_word(value) : CellKind::text;
    return {kind, std::string(value), {}};
}

tree::Cell date_cell(std::string_view value) {
    if (auto date = ace_date(value)) return {CellKind::date, std::move(*date), {}};
    if (value.size() == 4 && are_digits(value)) return {CellKind::date, std::string(value), {}};
    return bare_cell(value);
}

tree::Cell real_cell(std::string_view value) {
    auto cell = bare_cell(value);
    if (cell.kind == CellKind::integer) cell.kind = CellKind::real;
    return cell;
}

// Returns the cell of an element. It has no class_name where "#" is followed by nothing, or the
// class is empty.
tree::Cell make_cell(std::string_view class_name, std::string_view value) {
    if (!class_name.starts_with('#'))
        return {CellKind::reference, std::string(value), std::string(class_name)};
    const auto type = class_name.substr(1);
    if (type == "txt") return {CellKind::text, std::string(value), {}};
    if (type == "int") return bare_cell(value);
    if (type == "float") return real_cell(value);
    if (type == "date") return date_cell(value);
    if (type == "Comment" || type == "comment")
        return {CellKind::comment, std::string(value), {}};
    if (type == "dna" || type == "peptide" || type == "scalar")
        return {CellKind::text, std::string(value), {}};
    return {CellKind::reference, std::string(value), std::string(type)};
}

tl::unexpected<base::Error> malformed(std::string what) {
    return base::fail(base::ErrorKind::malformed, std::move(what));
}

tl::unexpected<base::Error> too_deep() {
    return base::fail(base::ErrorKind::too_large,
                      "elements nest deeper than " + std::to_string(tree::deepest_node));
}

tl::unexpected<base::Error> no_xml() {
    return base::fail(base::ErrorKind::refused,
                      "this is AceDB's `show -x`, which is not XML (nothing in it is escaped): "
                      "dump with `dump -T`, or write it with AcePerl's asXML");
}

std::string quoted(std::string_view name) {
    return '<' + std::string(base::cut_at(name, 100)) + '>';
}

// True for elements of `show -x`, which have a type; those of asXML and of other programs have a
// class.
bool is_of_show(const XmlElement& element) {
    constexpr auto types =
        std::to_array<std::string_view>({"object_ref", "tag", "txt", "int", "float", "date"});
    return !element.class_name &&
           std::find(types.begin(), types.end(), element.type) != types.end();
}

// `GPS-2` after `GPS`.
bool continues(std::string_view name, std::string_view column) {
    if (column.empty() || !name.starts_with(column)) return false;
    const auto rest = name.substr(column.size());
    return rest.starts_with('-') && are_digits(rest.substr(1));
}

// Changes the text to what a dump contains.
void tidy(std::string& text, Form form) {
    if (form == Form::sequence)
        std::erase_if(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
    else if (text.ends_with('\n'))
        text.pop_back();
}

void finish(tree::Object& object, Form form) {
    const bool is_text = form != Form::tree && form != Form::key_set;
    if (is_text && object.nodes.size() == 1) {
        auto& cell = object.nodes.front().cell;
        if (cell.kind == CellKind::text) tidy(cell.text, form);
        if (form == Form::sequence && cell.text.empty()) object.nodes.clear();
    }
    tree::merge_duplicates(object.nodes);
}

// Builds objects of elements that begin and end. No recursion: depth costs a few bytes each. No
// I/O.
class XmlBuilder {
   public:
    // Holds up to `most` bytes of an object; a node counts 32 bytes in addition to its text.
    explicit XmlBuilder(std::size_t most) : most_(most) {}

    // Begins an element.
    //   error  malformed; refused (AceDB's `show -x`); too_large (nested too deeply)
    [[nodiscard]] base::Result<void> begin(const XmlElement& element);
    // Reports that there is text (not only blanks) between the tags.
    //   error  as begin()
    [[nodiscard]] base::Result<void> text() const;
    // Ends an element. Returns the object that ends with it, if any.
    //   needs  is_open()
    [[nodiscard]] std::optional<XmlObject> end();

    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    // The outermost element of the open object, or of all; empty when none is open.
    [[nodiscard]] std::string_view open_name() const;
    [[nodiscard]] std::uint64_t open_line() const;

   private:
    enum class Role : unsigned char { wrapper, object, tag, value };
    struct Open {
        std::string_view name;    // of the element
        std::string_view column;  // the tag of a value, for `TAG-2`
        std::vector<tree::Node>* children;
        std::uint64_t line;
        Role role;
        unsigned levels;  // of nodes that it adds
    };

    [[nodiscard]] base::Result<void> begin_object(const XmlElement& element);
    [[nodiscard]] base::Result<void> begin_node(const XmlElement& element);
    [[nodiscard]] base::Result<void> begin_tag(const XmlElement& element);
    [[nodiscard]] base::Result<void> begin_value(const XmlElement& element, tree::Cell cell);
    [[nodiscard]] base::Result<void> open(const Open& opened, const XmlElement& element);
    std::vector<tree::Node>& under_tag(std::vector<tree::Node>& siblings, std::string_view name);
    tree::Node& add(std::vector<tree::Node>& siblings, tree::Cell cell, std::string_view stamp);
    void add_comment(tree::Node& node, const XmlElement& element);
    void drop_nodes();
    [[nodiscard]] const Open* outermost() const;

    std::size_t most_;
    std::vector<Open> open_;
    std::size_t root_ = 0;   // of the object in open_, when in_object_
    std::size_t depth_ = 0;  // of nodes, in the object
    bool in_object_ = false;
    std::size_t size_ = 0;
    XmlObject object_;
    Form form_ = Form::tree;
};

base::Result<void> XmlBuilder::begin(const XmlElement& element) {
    if (in_object_) return begin_node(element);
    if (is_of_show(element)) return no_xml();
    if (element.class_name || element.value) return begin_object(element);
    if (open_.size() >= tree::deepest_node) return too_deep();
    open_.push_back({element.name, {}, nullptr, element.line, Role::wrapper, 0});
    return {};
}

base::Result<void> XmlBuilder::begin_object(const XmlElement& element) {
    const auto class_name = element.class_name.value_or("");
    if (class_name.empty() || class_name.starts_with('#') || element.value.value_or("").empty())
        return malformed(quoted(element.name) +
                         " should be an object: it needs a class and a value");
    form_ = form_of(class_name);
    // AcePerl says `Keyset`.
    const auto spelling = form_ == Form::key_set ? std::string_view("KeySet") : class_name;
    object_ = {};
    object_.object.id = {std::string(spelling), std::string(*element.value)};
    object_.object.stamp = element.stamp;
    object_.line = element.line;
    in_object_ = true;
    root_ = open_.size();
    depth_ = size_ = 0;
    return open(
        {element.name, element.name, &object_.object.nodes, element.line, Role::object, 0},
        element);
}

base::Result<void> XmlBuilder::begin_node(const XmlElement& element) {
    if (element.class_name.has_value() != element.value.has_value())
        return malformed(
            quoted(element.name) +
            " is neither tag nor value: a value has a class and a value, a tag none");
    if (!element.value) return begin_tag(element);
    auto cell = make_cell(*element.class_name, *element.value);
    if (cell.kind == CellKind::reference && cell.class_name.empty())
        return malformed(quoted(element.name) + " has an empty class");
    return begin_value(element, std::move(cell));
}

base::Result<void> XmlBuilder::begin_tag(const XmlElement& element) {
    auto* children = open_.back().children;
    if (children != nullptr) {
        auto& tag = add(*children, {CellKind::tag, std::string(element.name), {}}, element.stamp);
        add_comment(tag, element);
        children = &tag.children;
    }
    return open({element.name, {}, children, element.line, Role::tag, 1}, element);
}

base::Result<void> XmlBuilder::begin_value(const XmlElement& element, tree::Cell cell) {
    const auto& parent = open_.back();
    const bool is_member = form_ == Form::key_set && parent.role == Role::object;
    const bool is_column = continues(element.name, parent.column);
    if (is_member && cell.kind == CellKind::reference) cell.kind = CellKind::member;
    const bool has_tag = !is_column && !is_member;
    auto* children = parent.children;
    if (children != nullptr) {
        auto& siblings = has_tag ? under_tag(*children, element.name) : *children;
        auto& value = add(siblings, std::move(cell), element.stamp);
        add_comment(value, element);
        children = &value.children;
    }
    const auto column = is_column ? parent.column : element.name;
    return open({element.name, column, children, element.line, Role::value, has_tag ? 2U : 1U},
                element);
}

base::Result<void> XmlBuilder::open(const Open& opened, const XmlElement& element) {
    depth_ += opened.levels;
    if (depth_ + (element.comment.empty() ? 0 : 1) > tree::deepest_node) return too_deep();
    open_.push_back(opened);
    if (element.is_cut || size_ > most_) drop_nodes();
    return {};
}

// Adjacent values of one tag share it; others are merged at the end.
std::vector<Node>& XmlBuilder::under_tag(std::vector<Node>& siblings, std::string_view name) {
    const bool stands = !siblings.empty() && siblings.back().cell.kind == CellKind::tag &&
                        siblings.back().cell.text == name;
    auto& tag =
        stands ? siblings.back() : add(siblings, {CellKind::tag, std::string(name), {}}, {});
    return tag.children;
}

tree::Node& XmlBuilder::add(std::vector<Node>& siblings, tree::Cell cell,
                            std::string_view stamp) {
    size_ += size_of_node + cell.text.size() + cell.class_name.size() + stamp.size();
    return siblings.emplace_back(Node{std::move(cell), std::string(stamp), {}});
}

void XmlBuilder::add_comment(Node& node, const XmlElement& element) {
    if (element.comment.empty()) return;
    add(node.children, {CellKind::comment, std::string(element.comment), {}}, {});
}

void XmlBuilder::drop_nodes() {
    object_.is_whole = false;
    object_.object.nodes = {};
    for (auto at = open_.begin() + static_cast<std::ptrdiff_t>(root_); at != open_.end(); ++at)
        at->children = nullptr;
}

base::Result<void> XmlBuilder::text() const {
    if (open_.empty()) return malformed("not XML: there is text in place of an element");
    if (open_.back().role == Role::wrapper) return no_xml();
    if (open_.back().role == Role::tag)
        return malformed(quoted(open_.back().name) + " contains text: values belong into the " +
                         "attributes class and value, as AcePerl's asXML writes them");
    return {};
}

std::optional<XmlObject> XmlBuilder::end() {
    assert(is_open());
    const auto closed = open_.back();
    open_.pop_back();
    depth_ -= closed.levels;
    if (closed.role != Role::object) return std::nullopt;
    in_object_ = false;
    finish(object_.object, form_);
    return std::exchange(object_, {});
}

const XmlBuilder::Open* XmlBuilder::outermost() const {
    if (open_.empty()) return nullptr;
    return &open_[in_object_ ? root_ : 0];
}

std::string_view XmlBuilder::open_name() const {
    const auto* open = outermost();
    return open == nullptr ? std::string_view{} : open->name;
}

std::uint64_t XmlBuilder::open_line() const {
    const auto* open = outermost();
    return open == nullptr ? 0 : open->line;
}

// ---- libxml2 ----

// Objects may follow each other without an element around them, so the parser gets one.
constexpr std::string_view root_begin = "<varve>", root_end = "</varve>";
// libxml2 keeps the names of elements and attributes to the end of the file, each once.
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

// libxml2 calls back by SAX2. The results wait in `ready` and `error` for next().
struct XmlReader::State {
    State(const File& file, std::string called, std::size_t most)
        : name(std::move(called)), input(file, name, most), builder(most) {}

    void make_parser();
    void parse_batch();
    void finish();

    void on_start(const xmlChar* prefix, const xmlChar* local, const xmlChar** attributes,
                  int count);
    void read_attribute(XmlElement& element, const xmlChar** attribute);
    std::string_view text_of(std::string_view value, std::size_t place);
    void on_end();
    void on_text(std::string_view text);
    void on_error(const xmlError& found);
    void parse(std::string_view bytes, bool is_last);
    void fail(std::uint64_t line, base::ErrorKind kind, const std::string& what);
    // Keeps exceptions from crossing libxml2, which is C.
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
        state.caught([&] { state.on_error(*found); });  // the parser stops by itself
    }

    std::string name;
    XmlInput input;
    XmlBuilder builder;
    Parser parser;
    const xmlChar *class_key = nullptr, *value_key = nullptr, *stamp_key = nullptr,
                  *comment_key = nullptr, *type_key = nullptr;  // as the parser interns them
    std::array<std::string, 5> replaced;  // values that held `&`, by meaning
    std::size_t next_start = 0;           // of input.starts()
    bool is_in_root = false;
    std::deque<XmlObject> ready;
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

void XmlReader::State::fail(std::uint64_t line, base::ErrorKind kind, const std::string& what) {
    if (error) return;
    error = base::Error{kind, name + ':' + std::to_string(line) + ": " + what};
}

void XmlReader::State::make_parser() {
    // The library's first call sets up its tables, which is not safe from several threads.
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
    // HUGE for DNA in an attribute; input and builder have limits of their own. No NOENT.
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
    if (parser->wellFormed == 0)
        fail(input.line(), base::ErrorKind::malformed, "not well-formed XML");
}

void XmlReader::State::parse_batch() {
    if (!parser) make_parser();
    const auto more = input.next();
    if (!more) {
        error = more.error();
        return;
    }
    if (!*more) return finish();
    next_start = 0;
    parse(input.bytes(), false);
}

// Handles the end of the file. With elements still open, or without objects, the file is cut off.
void XmlReader::State::finish() {
    is_done = true;
    if (builder.is_open())
        return fail(input.line(), base::ErrorKind::refused,
                    "the file is cut off: it ends inside <" + std::string(builder.open_name()) +
                        "> of line " + std::to_string(builder.open_line()));
    parse(root_end, true);
    if (!has_objects) fail(input.line(), base::ErrorKind::refused, "the file holds no objects");
}

void XmlReader::State::on_start(const xmlChar* prefix, const xmlChar* local,
                                const xmlChar** attributes, int count) {
    if (!std::exchange(is_in_root, true)) return;
    const auto start = input.starts().at(next_start++);
    XmlElement element;
    element.name = chars(prefix == nullptr ? local : xmlDictQLookup(parser->dict, prefix, local));
    element.line = start.line;
    element.is_cut = start.is_cut;
    for (const auto* end = attributes + static_cast<std::size_t>(count) * fields_of_attribute;
         attributes != end; attributes += fields_of_attribute)
        if (attributes[1] == nullptr) read_attribute(element, attributes);
    if (const auto begun = builder.begin(element); !begun)
        fail(start.line, begun.error().kind, begun.error().text);
}

// Reads an attribute without a prefix.
void XmlReader::State::read_attribute(XmlElement& element, const xmlChar** attribute) {
    const auto* key = attribute[0];
    const auto value = view(attribute[3], attribute[4]);
    if (key == class_key) element.class_name = text_of(value, 0);
    if (key == value_key) element.value = text_of(value, 1);
    if (key == stamp_key) element.stamp = text_of(value, 2);
    if (key == comment_key) element.comment = text_of(value, 3);
    if (key == type_key) element.type = text_of(value, 4);
}

// Returns the text of a value. Without NOENT, libxml2 passes every `&` on as `&#38;`, for a
// second pass of the caller. A value contains no other `&`.
std::string_view XmlReader::State::text_of(std::string_view value, std::size_t place) {
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
    if (!builder.is_open()) return;  // the end of our root, or one that libxml2 reports next
    auto object = builder.end();
    if (!object) return;
    ready.push_back(std::move(*object));
    has_objects = true;
}

void XmlReader::State::on_text(std::string_view text) {
    if (base::trim(text).empty()) return;
    if (const auto legal = builder.text(); !legal)
        fail(static_cast<std::uint64_t>(xmlSAX2GetLineNumber(parser.get())), legal.error().kind,
             legal.error().text);
}

void XmlReader::State::on_error(const xmlError& found) {
    if (found.level != XML_ERR_FATAL) return;
    const std::string_view message = found.message == nullptr ? "" : found.message;
    fail(static_cast<std::uint64_t>(std::max(found.line, 1)), base::ErrorKind::malformed,
         "not well-formed XML: " + base::legal_text(base::trim(base::cut_at(message, 300))));
}

XmlReader::XmlReader(const File& file, std::string name, std::size_t most)
    : state_(std::make_unique<State>(file, std::move(name), most)) {}

XmlReader::~XmlReader() = default;

base::Result<std::optional<XmlObject>> XmlReader::next() {
    auto& ready = state_->ready;
    for (;;) {
        if (!ready.empty()) {
            std::optional<XmlObject> object(std::move(ready.front()));
            ready.pop_front();
            return object;
        }
        if (state_->error) return tl::unexpected(*state_->error);
        if (state_->is_done) return std::optional<XmlObject>();
        state_->parse_batch();
    }
}

}  // namespace source::import
