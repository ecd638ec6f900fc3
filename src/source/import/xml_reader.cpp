// SPDX-License-Identifier: MIT
#include "source/import/xml_reader.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <exception>
#include <functional>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_object.hpp"
#include "source/import/xml_input.hpp"

namespace source::import {
namespace {

// ---- Objects of elements ----

// An element and its known attributes. All of it is legal text.
struct XmlElement {
    std::string_view name;  // lives as long as the element is open
    std::optional<std::string_view> class_name, value;
    std::string_view stamp, comment, type;
    Position at;
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
    [[nodiscard]] base::Result<void> begin(const XmlElement& element) {
        if (in_object_) return begin_node(element);
        if (is_of_show(element)) return no_xml();
        if (element.class_name || element.value) return begin_object(element);
        if (open_.size() >= tree::deepest_node) return too_deep();
        open_.push_back({element.name, {}, nullptr, element.at.line, Role::wrapper, 0});
        return {};
    }

    // Reports that there is text (not only blanks) between the tags.
    //   error  as begin()
    [[nodiscard]] base::Result<void> text() const {
        if (open_.empty()) return malformed("not XML: there is text in place of an element");
        if (open_.back().role == Role::wrapper) return no_xml();
        if (open_.back().role == Role::tag)
            return malformed(quoted(open_.back().name) +
                             " contains text: values belong into the " +
                             "attributes class and value, as AcePerl's asXML writes them");
        return {};
    }

    // Ends an element. Returns the object that ends with it, if any.
    //   needs  is_open()
    [[nodiscard]] std::optional<XmlObject> end() {
        assert(is_open());
        const auto closed = open_.back();
        open_.pop_back();
        depth_ -= closed.levels;
        if (closed.role != Role::object) return std::nullopt;
        in_object_ = false;
        finish(object_.object, form_);
        return std::exchange(object_, {});
    }

    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    enum class Role : unsigned char { wrapper, object, tag, value };
    struct Open {
        std::string_view name;    // of the element
        std::string_view column;  // the tag of a value, for `TAG-2`
        std::vector<tree::Node>* children;
        std::uint64_t line;
        Role role;
        unsigned levels;  // of nodes that it adds
    };
    // The outermost element of the open object, or of all.
    //   needs  is_open()
    [[nodiscard]] const Open& outermost() const { return open_[in_object_ ? root_ : 0]; }

   private:
    [[nodiscard]] base::Result<void> begin_object(const XmlElement& element) {
        const auto class_name = element.class_name.value_or("");
        if (class_name.empty() || class_name.starts_with('#') ||
            element.value.value_or("").empty())
            return malformed(quoted(element.name) +
                             " should be an object: it needs a class and a value");
        form_ = form_of(class_name);
        // AcePerl says `Keyset`.
        const auto spelling = form_ == Form::key_set ? std::string_view("KeySet") : class_name;
        object_ = {};
        object_.object.id = {std::string(spelling), std::string(*element.value)};
        object_.object.stamp = element.stamp;
        object_.line = element.at.line;
        in_object_ = true;
        root_ = open_.size();
        depth_ = size_ = 0;
        return open(
            {element.name, element.name, &object_.object.nodes, element.at.line, Role::object, 0},
            element);
    }

    [[nodiscard]] base::Result<void> begin_node(const XmlElement& element) {
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

    [[nodiscard]] base::Result<void> begin_tag(const XmlElement& element) {
        auto* children = open_.back().children;
        if (children != nullptr) {
            auto& tag =
                add(*children, {CellKind::tag, std::string(element.name), {}}, element.stamp);
            add_comment(tag, element);
            children = &tag.children;
        }
        return open({element.name, {}, children, element.at.line, Role::tag, 1}, element);
    }

    [[nodiscard]] base::Result<void> begin_value(const XmlElement& element, tree::Cell cell) {
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
        return open(
            {element.name, column, children, element.at.line, Role::value, has_tag ? 2U : 1U},
            element);
    }

    [[nodiscard]] base::Result<void> open(const Open& opened, const XmlElement& element) {
        depth_ += opened.levels;
        if (depth_ + (element.comment.empty() ? 0 : 1) > tree::deepest_node) return too_deep();
        open_.push_back(opened);
        if (element.is_cut || size_ > most_) drop_nodes();
        return {};
    }

    // Adjacent values of one tag share it; others are merged at the end.
    std::vector<Node>& under_tag(std::vector<Node>& siblings, std::string_view name) {
        const bool stands = !siblings.empty() && siblings.back().cell.kind == CellKind::tag &&
                            siblings.back().cell.text == name;
        auto& tag =
            stands ? siblings.back() : add(siblings, {CellKind::tag, std::string(name), {}}, {});
        return tag.children;
    }

    tree::Node& add(std::vector<Node>& siblings, tree::Cell cell, std::string_view stamp) {
        size_ += size_of_node + cell.text.size() + cell.class_name.size() + stamp.size();
        return siblings.emplace_back(Node{std::move(cell), std::string(stamp), {}});
    }

    void add_comment(Node& node, const XmlElement& element) {
        if (element.comment.empty()) return;
        add(node.children, {CellKind::comment, std::string(element.comment), {}}, {});
    }

    void drop_nodes() {
        object_.is_whole = false;
        object_.object.nodes = {};
        for (auto at = open_.begin() + static_cast<std::ptrdiff_t>(root_); at != open_.end();
             ++at)
            at->children = nullptr;
    }

    std::size_t most_;
    std::vector<Open> open_;
    std::size_t root_ = 0;   // of the object in open_, when in_object_
    std::size_t depth_ = 0;  // of nodes, in the object
    bool in_object_ = false;
    std::size_t size_ = 0;
    XmlObject object_;
    Form form_ = Form::tree;
};

// ---- libxml2 ----

// Objects may follow each other without an element around them, so the parser gets one. It never ends.
constexpr std::string_view root = "<varve>";
// libxml2 keeps the names of elements and attributes to the end of the file, each once.
constexpr std::size_t most_of_names = 16 << 20;

std::string_view view_of(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

// Replaces &#38; by &. libxml2 writes &amp; so where it does not substitute entities.
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

class XmlFile {
   public:
    using Visit = std::function<base::Result<void>(XmlObject)>;
    XmlFile(const File& file, const std::string& name, std::size_t most, const Visit& visit)
        : name_(name), input_(file, name, most), builder_(most), visit_(visit) {
        // libxml2 sets itself up when it is first used, which two threads must not do at once.
        [[maybe_unused]] static const bool is_set_up = (xmlInitParser(), true);
        parser_.reset(xmlNewParserCtxt());
        if (!parser_) throw std::bad_alloc();
        xmlSAXHandler callbacks{};
        callbacks.initialized = XML_SAX2_MAGIC;
        callbacks.startElementNs = on_start;
        callbacks.endElementNs = on_end;
        callbacks.characters = callbacks.ignorableWhitespace = callbacks.cdataBlock = on_text;
        callbacks.serror = on_error;
        *parser_->sax = callbacks;
        parser_->userData = this;
        // HUGE for DNA in an attribute; input and builder have limits of their own.
        xmlCtxtUseOptions(parser_.get(), XML_PARSE_NONET | XML_PARSE_HUGE);
        xmlDictSetLimit(parser_->dict, most_of_names);
    }

    base::Result<void> read() {
        parse();
        if (!failure_) failure_ = input_.error();
        if (!failure_ && builder_.is_open())
            fail(input_.next(), base::ErrorKind::refused,
                 "the file is cut off: it ends inside <" +
                     std::string(builder_.outermost().name) + "> of line " +
                     std::to_string(builder_.outermost().line));
        if (!failure_ && !has_objects_)
            fail(input_.next(), base::ErrorKind::refused, "the file holds no objects");
        if (failure_) return tl::unexpected(*failure_);
        return {};
    }

   private:
    void parse() {
        auto* buffer =
            xmlParserInputBufferCreateIO(on_read, nullptr, this, XML_CHAR_ENCODING_NONE);
        if (buffer == nullptr) throw std::bad_alloc();
        auto* input = xmlNewIOInputStream(parser_.get(), buffer, XML_CHAR_ENCODING_NONE);
        if (input == nullptr) throw std::bad_alloc();
        inputPush(parser_.get(), input);
        xmlParseDocument(parser_.get());
        if (thrown_) std::rethrow_exception(thrown_);
    }

    // What libxml2 calls. It is C, so exceptions wait in `thrown_`.
    template <class Work>
    static void run(void* context, const Work& work) {
        auto& self = *static_cast<XmlFile*>(context);
        if (self.thrown_) return;
        try {
            work(self);
        } catch (...) {
            self.thrown_ = std::current_exception();
            xmlStopParser(self.parser_.get());
        }
    }
    static int on_read(void* context, char* into, int room) {
        std::size_t size = 0;
        run(context, [&](XmlFile& self) {
            if (self.root_left_.empty()) {
                size = self.input_.read(into, static_cast<std::size_t>(room));
                return;
            }
            size = self.root_left_.copy(into, static_cast<std::size_t>(room));
            self.root_left_.remove_prefix(size);
        });
        return static_cast<int>(size);
    }
    static void on_start(void* context, const xmlChar* local, const xmlChar* prefix,
                         const xmlChar*, int, const xmlChar**, int count, int,
                         const xmlChar** attributes) {
        run(context, [&](XmlFile& self) { self.start(local, prefix, attributes, count); });
    }
    static void on_end(void* context, const xmlChar*, const xmlChar*, const xmlChar*) {
        run(context, [](XmlFile& self) { self.end(); });
    }
    // A text is one "x" for libxml2, which may report several at once.
    static void on_text(void* context, const xmlChar*, int size) {
        run(context, [&](XmlFile& self) {
            for (int i = 0; i < size; ++i) self.text();
        });
    }
    static void on_error(void* context, xmlErrorPtr found) {
        run(context, [&](XmlFile& self) { self.error(*found); });
    }

    void fail(Position at, base::ErrorKind kind, const std::string& what) {
        if (!failure_) failure_ = fail_in(name_, at, kind, what).value();
    }

    void stop(base::Error error) {
        if (!failure_) failure_ = std::move(error);
        xmlStopParser(parser_.get());
    }

    void stop_at(Position at, const base::Error& error) {
        fail(at, error.kind, error.text);
        xmlStopParser(parser_.get());
    }

    void start(const xmlChar* local, const xmlChar* prefix, const xmlChar** attributes,
               int count) {
        if (failure_ || !std::exchange(is_in_root_, true)) return;
        XmlElement element;
        element.name =
            view_of(prefix == nullptr ? local : xmlDictQLookup(parser_->dict, prefix, local));
        element.at = input_.take_next();
        // Five pointers each: local name, prefix, URI, and begin and end of the value.
        for (const auto** each = attributes; each != attributes + 5 * count; each += 5) {
            const auto* value = reinterpret_cast<const char*>(each[3]);
            if (each[1] == nullptr)
                read_attribute(element, view_of(each[0]),
                               {value, static_cast<std::size_t>(each[4] - each[3])});
        }
        if (const auto begun = builder_.begin(element); !begun)
            stop_at(element.at, begun.error());
    }

    void read_attribute(XmlElement& element, std::string_view key, std::string_view value) {
        if (key == "class") element.class_name = text_of(value, 0);
        if (key == "value") element.value = text_of(value, 1);
        if (key == "timestamp") element.stamp = text_of(value, 2);
        if (key == "comment") element.comment = text_of(value, 3);
        if (key == "type") element.type = text_of(value, 4);
        if (key == cut_mark) element.is_cut = true;
    }

    std::string_view text_of(std::string_view value, std::size_t place) {
        if (value.find('&') == std::string_view::npos) return value;
        return replaced_[place] = with_ampersands(value);
    }

    void end() {
        input_.take_next();
        // The end of our root, or one that libxml2 reports next.
        if (failure_ || !builder_.is_open()) return;
        auto object = builder_.end();
        if (!object) return;
        has_objects_ = true;
        if (auto visited = visit_(*std::move(object)); !visited) stop(std::move(visited.error()));
    }

    void text() {
        const auto at = input_.take_next();
        if (failure_) return;
        if (const auto legal = builder_.text(); !legal) stop_at(at, legal.error());
    }

    void error(const xmlError& found) {
        // The end of the file, where our root at least is open.
        if (found.level != XML_ERR_FATAL || found.code == XML_ERR_TAG_NOT_FINISHED) return;
        std::string message = found.message == nullptr ? "" : found.message;
        // Its text has a line of what libxml2 sees.
        if (found.code == XML_ERR_TAG_NAME_MISMATCH && found.str2 != nullptr)
            message = "</" + std::string(found.str2) + "> where another element ends";
        fail(input_.next(), base::ErrorKind::malformed,
             "not well-formed XML: " + base::legal_text(base::trim(base::cut_at(message, 300))));
    }

    const std::string& name_;
    XmlInput input_;
    XmlBuilder builder_;
    const Visit& visit_;
    struct Free {
        void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
    };
    std::unique_ptr<xmlParserCtxt, Free> parser_;
    std::string_view root_left_ = root;
    std::array<std::string, 5> replaced_;  // values that held `&`, by meaning
    bool is_in_root_ = false, has_objects_ = false;
    std::optional<base::Error> failure_;
    std::exception_ptr thrown_;
};

}  // namespace

base::Result<void> read_xml(const File& file, const std::string& name, std::size_t most,
                            const std::function<base::Result<void>(XmlObject)>& visit) {
    return XmlFile(file, name, most, visit).read();
}

}  // namespace source::import
