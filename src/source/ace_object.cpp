// SPDX-License-Identifier: MIT
#include "source/ace_object.hpp"

#include <iterator>

#include "base/utf8.hpp"
#include "source/array_object.hpp"
#include "source/distinct_stamps.hpp"
#include "tree/number.hpp"

namespace source {
namespace {

// Builds nodes. A node on the path is the last of its siblings, so nothing moves it while the
// scanner may still add below it.
class NodeSink {
   public:
    struct Place {
        std::vector<tree::Node>* children;
        tree::Models::Position in_model;
    };
    NodeSink(tree::Object& object, const tree::Models& models)
        : models_(models), root_{&object.nodes, models.of_class(object.id.class_name)} {}

    [[nodiscard]] Place root() const { return root_; }

    Place add(Place parent, const RawCell& raw) {
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

   private:
    const tree::Models& models_;
    Place root_;
};

class StampSink {
   public:
    struct Place {};
    [[nodiscard]] static Place root() { return {}; }
    Place add(Place, const RawCell& cell) {
        stamps_.add(cell.stamp.bytes);
        return {};
    }
    [[nodiscard]] std::vector<std::string_view> take() { return stamps_.take(); }

   private:
    DistinctStamps stamps_;
};

tl::unexpected<Fault> moved(Fault fault, std::size_t by) {
    fault.at += by;
    return tl::unexpected<Fault>(std::move(fault));
}

}  // namespace

Parsed<tree::Object> parse_object(std::string_view bytes, const tree::Models& models) {
    auto header = parse_header(bytes);
    if (!header) return tl::unexpected(header.error());
    tree::Object object{std::move(header->id), std::move(header->stamp), {}};
    const auto body = bytes.substr(header->size);
    if (const auto form = form_of(object.id.class_name); form != Form::tree) {
        auto nodes = parse_array(form, body);
        if (!nodes) return moved(nodes.error(), header->size);
        object.nodes = std::move(*nodes);
    } else {
        NodeSink sink(object, models);
        TreeScanner<NodeSink> scanner;
        if (auto fault = scanner.scan(body, sink)) return moved(*fault, header->size);
    }
    tree::merge_duplicates(object.nodes);
    return object;
}

Parsed<std::vector<std::string_view>> stamps_of(std::string_view bytes) {
    const auto header = read_header(bytes);
    if (!header) return tl::unexpected(header.error());
    StampSink sink;
    if (form_of(header->class_name) != Form::tree) return sink.take();
    TreeScanner<StampSink> scanner;
    if (auto fault = scanner.scan(bytes.substr(header->size), sink))
        return moved(*fault, header->size);
    return sink.take();
}

OutlineSink::Place OutlineSink::add(Place parent, const RawCell& cell) {
    const bool is_bare = cell.notation == tree::Notation::bare;
    const auto bytes = cell.text.bytes;
    if (cell.text.escaped || !is_plain_ascii(bytes)) {
        auto text = text_of(cell.text);
        if (is_bare && tree::is_number(text)) text = tree::canonical_number(text);
        return outline_.add_copy(parent, cell.notation, text);
    }
    if (is_bare && tree::is_number(bytes) && !tree::is_canonical_number(bytes))
        return outline_.add_copy(parent, cell.notation, tree::canonical_number(bytes));
    return outline_.add(parent, cell.notation, bytes);
}

Parsed<std::string> Signer::sign(std::string_view bytes) {
    const auto header = read_header(bytes);
    if (!header) return tl::unexpected(header.error());
    outline_.clear();
    if (auto fault = outline(form_of(header->class_name), bytes.substr(header->size)))
        return moved(*fault, header->size);
    return outline_.signature();
}

std::optional<Fault> Signer::outline(Form form, std::string_view body) {
    if (form == Form::tree) return scanner_.scan(body, sink_);
    const auto nodes = parse_array(form, body);
    if (!nodes) return nodes.error();
    for (const auto& node : *nodes)
        outline_.add_copy(tree::Outline::root, tree::notation_of(node.cell.kind),
                          tree::key_of(node.cell));
    return std::nullopt;
}

}  // namespace source
