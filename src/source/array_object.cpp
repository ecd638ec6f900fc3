// SPDX-License-Identifier: MIT
#include "source/array_object.hpp"

#include <algorithm>
#include <cassert>

#include "base/utf8.hpp"

namespace source {
namespace {

using tree::Kind;
using tree::Node;
using Nodes = std::vector<Node>;

tl::unexpected<Fault> fault(std::size_t at, const char* what) {
    return tl::unexpected<Fault>(Fault{base::Kind::malformed, at, what});
}

Nodes one_text(std::string_view text) {
    return {Node{{Kind::text, base::legal_text(text), {}}, {}, {}}};
}

// Where the line of the terminator begins, or npos.
std::size_t terminator_in(std::string_view body) {
    for (std::size_t at = 0; at < body.size();) {
        const auto end = std::min(body.find('\n', at), body.size());
        if (body.substr(at, end - at) == long_text_end) return at;
        at = end + 1;
    }
    return std::string_view::npos;
}

Parsed<Nodes> long_text(std::string_view body) {
    const auto end = terminator_in(body);
    if (end == std::string_view::npos)
        return fault(body.size(), "a LongText without ***LongTextEnd***");
    if (end == 0) return Nodes{};
    return one_text(body.substr(0, end - 1));
}

Nodes sequence(std::string_view body) {
    std::string letters;
    letters.reserve(body.size());
    std::copy_if(body.begin(), body.end(), std::back_inserter(letters),
                 [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
    return letters.empty() ? Nodes{} : one_text(letters);
}

Nodes lines(std::string_view body) {
    if (body.empty()) return {};
    if (body.back() == '\n') body.remove_suffix(1);
    return one_text(body);
}

Parsed<Nodes> key_set(std::string_view body) {
    Nodes nodes;
    for (std::size_t at = 0; at < body.size();) {
        auto member = parse_header(body.substr(at));
        if (!member) return fault(at + member.error().at, "no member (Class : \"name\")");
        at += member->size;
        auto& id = member->id;
        nodes.push_back({{Kind::member, std::move(id.name), std::move(id.class_name)}, {}, {}});
    }
    return nodes;
}

}  // namespace

Parsed<Nodes> parse_array(Form form, std::string_view body) {
    switch (form) {
        case Form::long_text: return long_text(body);
        case Form::sequence: return sequence(body);
        case Form::lines: return lines(body);
        case Form::key_set: return key_set(body);
        case Form::tree: break;
    }
    assert(form != Form::tree);
    return Nodes{};
}

}  // namespace source
