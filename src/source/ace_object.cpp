// SPDX-License-Identifier: MIT
#include "source/ace_object.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <iterator>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source {
namespace {

// ---- Classes ----

// The classes that AceDB itself defines, in any case.
// Source: AceDB 4.9.62, sysClassOptions(), dumpClassPossible() and parseArrayInit().
struct AceClass {
    std::string_view name;
    Form form = Form::tree;
    // Whether AceDB's `dump` writes its objects. It leaves out what is private to the kernel, what
    // may not be loaded (protected), what cross references make (XREF), and arrays that it has no
    // writer for. Options in wspec/options.wrm (-XREF, -Protected, -Array) can leave out more
    // classes; nothing that a client may ask tells which.
    bool is_dumped = true;
};

constexpr auto ace_classes = std::to_array<AceClass>({
    {"LongText", Form::long_text},      {"DNA", Form::sequence},
    {"Peptide", Form::sequence},        {"KeySet", Form::key_set},
    {"TableResult", Form::lines},       {"BaseQuality", Form::lines},
    {"BasePosition", Form::lines},      {"BaseCall", Form::lines},
    {"MatchTable", Form::lines},        {"Match_table", Form::lines},
    {"UserSession", Form::tree, false}, {"Text", Form::tree, false},
    {"Keyword", Form::tree, false},     {"Tag", Form::tree, false},
    {"Model", Form::tree, false},       {"Class", Form::tree, false},
    {"System", Form::tree, false},      {"Session", Form::tree, false},
    {"Comment", Form::tree, false},     {"Global", Form::tree, false},
    {"Voc", Form::tree, false},         {"Bat", Form::tree, false},
    {"Calcul", Form::tree, false},      {"Colour", Form::tree, false},
    {"Display", Form::tree, false},     {"MainClasses", Form::tree, false},
    {"Query", Form::tree, false},       {"Constraint", Form::tree, false},
    {"cMap", Form::tree, false},        {"gMap", Form::tree, false},
    {"pMap", Form::tree, false},        {"vMap", Form::tree, false},
});

const AceClass* find_ace_class(std::string_view name) {
    const auto* found =
        std::find_if(ace_classes.begin(), ace_classes.end(), [&](const AceClass& one) {
            return base::equal_ignoring_case(one.name, name);
        });
    return found == ace_classes.end() ? nullptr : found;
}

}  // namespace

Form form_of(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr ? Form::tree : found->form;
}

bool is_tracked_class(std::string_view class_name) {
    const auto* found = find_ace_class(class_name);
    return found == nullptr || found->is_dumped;
}

namespace {

using tree::CellKind;
using tree::Node;
using Nodes = std::vector<Node>;

tl::unexpected<ParseError> fail_at(std::size_t at, const char* what) {
    return tl::unexpected<ParseError>(ParseError{base::ErrorKind::malformed, at, what});
}

// ---- Objects with a tree ----

// Returns how many bytes `a` and `b` have in common at their start, at most `most`.
std::size_t common_prefix(const char* a, const char* b, std::size_t most) {
    std::size_t at = 0;
    for (; at + 8 <= most; at += 8) {
        const auto differs = load_word(a + at) ^ load_word(b + at);
        if (differs != 0) return at + static_cast<std::size_t>(std::countr_zero(differs)) / 8;
    }
    while (at < most && a[at] == b[at]) ++at;
    return at;
}

// A cell as it is written in the line.
struct RawCell {
    tree::Notation notation = tree::Notation::bare;
    RawText text;
    RawText stamp;  // empty: none
};

// Reads lines of cells, one line a path from the first tag to a leaf, into nodes.
//
// Each line repeats the path of the line before, stamps included (some 110 of 190 bytes), so the
// cells inside the common prefix are kept and only the rest of the line is read.
class TreeParser {
   public:
    TreeParser(tree::Object& object, const tree::Models& models)
        : models_(models), root_{&object.nodes, models.of_class(object.id.class_name)} {}

    // Reads the lines below the header.
    std::optional<ParseError> parse(std::string_view body) {
        begin_ = at_ = body.data();
        end_ = begin_ + body.size();
        std::size_t previous_size = 0;
        while (at_ != end_) {
            const char* line = at_;
            const auto most = std::min(previous_size, static_cast<std::size_t>(end_ - at_));
            keep_common_cells(line, common_prefix(line - previous_size, line, most));
            if (const char* what = read_line(line)) return error(what);
            previous_size = static_cast<std::size_t>(at_ - line);
        }
        return std::nullopt;
    }

   private:
    // Where a cell's children go, and where the model describes them.
    struct Position {
        Nodes* children;
        tree::Models::Position in_model;
    };
    struct Step {
        std::size_t end;  // of the cell with its stamp, counted from the start of the line
        Position position;
    };

    // A node on the path is the last of its siblings, so nothing moves it while cells may still
    // be added below it.
    Position add(Position parent, const RawCell& raw) {
        auto text = text_of(raw.text);
        const auto place = models_.below(parent.in_model, raw.notation, text);
        auto& siblings = *parent.children;
        if (siblings.empty() || siblings.back().cell.text != text ||
            tree::notation_of(siblings.back().cell.kind) != raw.notation) {
            auto cell = models_.cell_at(place, raw.notation, std::move(text));
            siblings.push_back({std::move(cell), text_of(raw.stamp), {}});
        }
        return {&siblings.back().children, place};
    }

    // Drops the cells of the previous line that end differently in this one: outside the common
    // prefix, in a longer word, or with a stamp that the previous line did not have.
    void keep_common_cells(const char* line, std::size_t common) {
        const auto is_same = [&](std::size_t end) {
            if (end > common) return false;
            at_ = line + end;
            return ends_cell() && !stamp_follows();
        };
        while (!path_.empty() && !is_same(path_.back().end)) path_.pop_back();
        at_ = path_.empty() ? line : line + path_.back().end;
    }

    // Reads the cells of a line from at_ on, and its LF. Returns what is wrong, or nullptr.
    const char* read_line(const char* line) {
        while (more_cells()) {
            if (path_.size() == tree::deepest_node) return too_deep;
            RawCell cell;
            if (const char* what = read_cell(cell)) return what;
            if (const char* what = read_stamp(cell)) return what;
            const auto position = add(path_.empty() ? root_ : path_.back().position, cell);
            path_.push_back({static_cast<std::size_t>(at_ - line), position});
        }
        if (path_.empty()) return "a blank line inside an object";
        if (at_ != end_) ++at_;
        return nullptr;
    }

    bool more_cells() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
        return at_ != end_ && *at_ != '\n';
    }

    const char* read_cell(RawCell& cell) {
        if (*at_ == '"') {
            cell.notation = tree::Notation::quoted;
            return read_quoted(cell.text);
        }
        if (starts_with("-C \"")) {
            at_ += 3;
            cell.notation = tree::Notation::comment;
            return read_quoted(cell.text);
        }
        return read_bare(cell.text.bytes);
    }

    const char* read_bare(std::string_view& text) {
        const char *begin = at_, *at = at_;
        while (at != end_ && *at != ' ' && *at != '\t' && *at != '\n' && *at != '"') ++at;
        at_ = at;
        text = {begin, static_cast<std::size_t>(at - begin)};
        if (!ends_cell()) return "a quote inside a bare word";
        if (text.starts_with("//")) return "a comment inside an object";
        if (is_option(text)) return "an option that is neither -O nor -C, or that has no text";
        return nullptr;
    }

    // Reads ` -O "stamp"`, if it follows. The last of several counts, as in AceDB (WormBase's
    // curation of 1999 to 2006 has such cells).
    const char* read_stamp(RawCell& cell) {
        while (stamp_follows()) {
            at_ += *at_ == '\t' ? 5 : 4;
            if (const char* what = read_quoted(cell.stamp)) return what;
        }
        return nullptr;
    }

    // A TAB precedes the stamp of the first tag.
    [[nodiscard]] bool stamp_follows() const {
        return starts_with(" -O \"") || starts_with("\t -O \"");
    }

    [[nodiscard]] bool ends_cell() const {
        return at_ == end_ || *at_ == ' ' || *at_ == '\t' || *at_ == '\n';
    }

    const char* read_quoted(RawText& text) {
        const auto closing = find_closing(at_ + 1, end_);
        if (closing.quote == nullptr) return "a quote is not closed";
        text = {{at_ + 1, static_cast<std::size_t>(closing.quote - at_ - 1)}, closing.escaped};
        at_ = closing.quote + 1;
        return ends_cell() ? nullptr : "no blank after a closing quote";
    }

    [[nodiscard]] bool starts_with(std::string_view word) const {
        return static_cast<std::size_t>(end_ - at_) >= word.size() &&
               std::memcmp(at_, word.data(), word.size()) == 0;
    }

    [[nodiscard]] ParseError error(const char* what) const {
        return {what == too_deep ? base::ErrorKind::too_large : base::ErrorKind::malformed,
                static_cast<std::size_t>(at_ - begin_), what};
    }

    static constexpr const char* too_deep = "nodes nest deeper than 2000 levels";

    const tree::Models& models_;
    Position root_;
    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::vector<Step> path_;  // cells of the line so far
};

// ---- Objects of array classes ----

Nodes one_text(std::string_view text) {
    return {Node{{CellKind::text, base::legal_text(text), {}}, {}, {}}};
}

// A LongText ends with its terminator.
tl::expected<Nodes, ParseError> parse_long_text(std::string_view body) {
    auto text = body;
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text == long_text_end) return Nodes{};
    const auto terminator = '\n' + std::string(long_text_end);
    if (!text.ends_with(terminator))
        return fail_at(body.size(), "a LongText without ***LongTextEnd***");
    text.remove_suffix(terminator.size());
    return one_text(text);
}

Nodes parse_sequence(std::string_view body) {
    std::string letters;
    letters.reserve(body.size());
    std::copy_if(body.begin(), body.end(), std::back_inserter(letters),
                 [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
    return letters.empty() ? Nodes{} : one_text(letters);
}

Nodes parse_text_lines(std::string_view body) {
    if (body.empty()) return {};
    if (body.back() == '\n') body.remove_suffix(1);
    return one_text(body);
}

tl::expected<Nodes, ParseError> parse_key_set(std::string_view body) {
    Nodes nodes;
    for (std::size_t at = 0; at < body.size();) {
        auto member = parse_header(body.substr(at));
        if (!member) return fail_at(at + member.error().at, "no member (Class : \"name\")");
        at += member->size;
        auto& id = member->id;
        nodes.push_back(
            {{CellKind::member, std::move(id.name), std::move(id.class_name)}, {}, {}});
    }
    return nodes;
}

tl::expected<Nodes, ParseError> parse_array(Form form, std::string_view body) {
    switch (form) {
        case Form::long_text: return parse_long_text(body);
        case Form::sequence: return parse_sequence(body);
        case Form::lines: return parse_text_lines(body);
        case Form::key_set: return parse_key_set(body);
        case Form::tree: break;
    }
    assert(form != Form::tree);
    return Nodes{};
}

tl::unexpected<ParseError> moved(ParseError error, std::size_t by) {
    error.at += by;
    return tl::unexpected<ParseError>(std::move(error));
}

}  // namespace

tl::expected<tree::Object, ParseError> parse_object(std::string_view bytes,
                                                    const tree::Models& models) {
    auto header = parse_header(bytes);
    if (!header) return tl::unexpected(header.error());
    tree::Object object{std::move(header->id), std::move(header->stamp), {}};
    const auto body = bytes.substr(header->size);
    if (const auto form = form_of(object.id.class_name); form != Form::tree) {
        auto nodes = parse_array(form, body);
        if (!nodes) return moved(nodes.error(), header->size);
        object.nodes = std::move(*nodes);
    } else if (auto error = TreeParser(object, models).parse(body)) {
        return moved(*error, header->size);
    }
    tree::merge_duplicates(object.nodes);
    return object;
}

}  // namespace source
