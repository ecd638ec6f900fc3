// SPDX-License-Identifier: MIT
#include "source/ace_object.hpp"

#include <algorithm>
#include <iterator>

#include "base/utf8.hpp"
#include "source/array_object.hpp"
#include "tree/number.hpp"

namespace source {
namespace {

std::string text_of(const RawCell& cell) {
    return cell.escaped ? unescape(cell.text) : base::legal_text(cell.text);
}

std::string stamp_of(std::string_view raw) {
    return raw.find('\\') == std::string_view::npos ? base::legal_text(raw) : unescape(raw);
}

// Builds nodes. A node on the path is the last of its siblings, so nothing moves it while the
// scanner may still add below it.
class NodeSink {
   public:
    struct Place {
        std::vector<tree::Node>* children;
        tree::Models::Place in_model;
    };
    NodeSink(tree::Object& object, const tree::Models& models)
        : models_(models), root_{&object.nodes, models.of_class(object.id.class_name)} {}

    [[nodiscard]] Place root() const { return root_; }

    Place add(Place parent, const RawCell& raw) {
        auto text = text_of(raw);
        const auto place = models_.below(parent.in_model, raw.notation, text);
        auto& siblings = *parent.children;
        if (siblings.empty() || siblings.back().cell.text != text ||
            tree::notation_of(siblings.back().cell.kind) != raw.notation) {
            auto cell = models_.cell_at(place, raw.notation, std::move(text));
            siblings.push_back({std::move(cell), stamp_of(raw.stamp), {}});
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
        if (!cell.stamp.empty() &&
            std::find(stamps_.rbegin(), stamps_.rend(), cell.stamp) == stamps_.rend())
            stamps_.push_back(cell.stamp);
        return {};
    }
    [[nodiscard]] std::vector<std::string_view> take() { return std::move(stamps_); }

   private:
    std::vector<std::string_view> stamps_;
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
    const auto header = parse_header(bytes);
    if (!header) return tl::unexpected(header.error());
    StampSink sink;
    if (form_of(header->id.class_name) != Form::tree) return sink.take();
    TreeScanner<StampSink> scanner;
    if (auto fault = scanner.scan(bytes.substr(header->size), sink))
        return moved(*fault, header->size);
    return sink.take();
}

OutlineSink::Place OutlineSink::add(Place parent, const RawCell& cell) {
    const bool is_bare = cell.notation == tree::Notation::bare;
    if (cell.escaped || !is_plain_ascii(cell.text)) {
        auto text = text_of(cell);
        if (is_bare && tree::is_number(text)) text = tree::canonical_number(text);
        return outline_.add_copy(parent, cell.notation, text);
    }
    if (is_bare && tree::is_number(cell.text) && !tree::is_canonical_number(cell.text))
        return outline_.add_copy(parent, cell.notation, tree::canonical_number(cell.text));
    return outline_.add(parent, cell.notation, cell.text);
}

Parsed<std::string> Signer::sign(std::string_view bytes) {
    const auto header = parse_header(bytes);
    if (!header) return tl::unexpected(header.error());
    outline_.clear();
    if (auto fault = outline(*header, bytes.substr(header->size)))
        return moved(*fault, header->size);
    return outline_.signature();
}

std::optional<Fault> Signer::outline(const Header& header, std::string_view body) {
    const auto form = form_of(header.id.class_name);
    if (form == Form::tree) return scanner_.scan(body, sink_);
    const auto nodes = parse_array(form, body);
    if (!nodes) return nodes.error();
    for (const auto& node : *nodes)
        outline_.add_copy(tree::Outline::root, tree::notation_of(node.cell.kind),
                          tree::key_of(node.cell));
    return std::nullopt;
}

}  // namespace source
