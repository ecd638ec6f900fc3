// source/xml_tree.hpp -- objects made of elements that begin and end, in the shape that AcePerl's
// asXML writes (source/xml_objects.hpp). Built without recursion: depth costs a few bytes each.
//   name  `<GPS class=… value=…>` is a tag and its value; below it `<GPS-2 …>` is the next column
//         (no tag), anything else a tag. The root counts as such a value: `<DNA-2 …>`.
// Members of a KeySet are members; DNA is without blanks, a LongText without its last LF, as a
// dump has them. No I/O. One thread at a time.
// Source: AcePerl 1.92, Ace::Object::_asXML.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/ace_text.hpp"
#include "source/import/file_object.hpp"

namespace source::import {

// An element and those of its attributes that mean something. All of it is legal text.
struct XmlElement {
    std::string_view name;  // lives as long as the element is open
    std::optional<std::string_view> class_name, value;
    std::string_view stamp, comment, type;
    std::uint64_t line = 0;
    bool is_cut = false;  // its values are not whole
};

class XmlTree {
   public:
    // Of an object, up to `most` bytes of text are held, each node counting 32 beside its own.
    explicit XmlTree(std::size_t most) : most_(most) {}

    //   error  malformed; refused (AceDB's `show -x`); too_large (nested too deeply)
    [[nodiscard]] base::Result<void> begin(const XmlElement& element);
    // There is text (not only blanks) between the tags.
    //   error  as begin()
    [[nodiscard]] base::Result<void> text() const;
    // The object whose element ends here, if it is one's.
    //   needs  is_open()
    [[nodiscard]] std::optional<FileObject> end();

    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    // The outermost element of the object that is open, or of all; empty when none is.
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
    void pass_over();
    [[nodiscard]] const Open* outermost() const;

    std::size_t most_;
    std::vector<Open> open_;
    std::size_t root_ = 0;   // of the object in open_, when in_object_
    std::size_t depth_ = 0;  // of nodes, in the object
    bool in_object_ = false;
    std::size_t size_ = 0;
    FileObject object_;
    Form form_ = Form::tree;
};

}  // namespace source::import
