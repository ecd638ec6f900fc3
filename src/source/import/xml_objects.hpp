// source/xml_objects.hpp -- the objects of an XML file in the shape that AcePerl's asXML writes,
// one after the other, by libxml2's streaming parser.
//   <Strain class="Strain" value="CB205" timestamp="…">     the object; a class and a value
//     <Genotype class="#txt" value="unc-26(e205) IV." />     a tag with its value
//     <Contains timestamp="…"> <Gene class="Gene" …/> …      a tag without: tags below it
//     <GPS class="#float" value="52.2"> <GPS-2 …/> </GPS>    TAG-n: the next column, no tag
// Objects follow each other, with or without elements around them that carry neither class nor
// value. Nothing is fetched, no entity is expanded, a DOCTYPE is refused (source/xml_feed.hpp).
// A `timestamp` is that of the value, or else of the tag; a `comment` hangs at the value, or else
// at the tag. Kinds, dates: source/xml_cell.hpp. Text between tags is passed over.
//
// What AcePerl 1.92 does not write, or writes otherwise, is lost: stamps of tags that have a
// value; the last letter of every stamp; the precision of dates; the first digit of a tag
// (`2_point` is `two_point`). So a build in XML is compared with builds in XML.
// One thread at a time. Source: AcePerl 1.92, Ace::Object::asXML; docs/sources.md, "XML".
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/import/file_object.hpp"

namespace source::import {

class XmlReader {
   public:
    // `file` outlives it. Holds one object of up to `most` bytes of text; larger ones are passed
    // over without being held (FileObject::is_whole).
    //   name  of the file, for errors
    XmlReader(const File& file, std::string name, std::size_t most);
    ~XmlReader();
    XmlReader(const XmlReader&) = delete;
    XmlReader& operator=(const XmlReader&) = delete;

    // The next object; nullopt at the end of a whole file.
    //   error  refused: cut off, a DOCTYPE, an encoding that is not read, AceDB's own `show -x`
    //          (which is no XML: what to do instead), no object at all; malformed: no well-formed
    //          XML, an element that is neither tag nor value; too_large: nested deeper than
    //          tree::deepest_node, a tag of thousands of attributes; each with file:line.
    //          unavailable. The same again at each call behind it
    [[nodiscard]] base::Result<std::optional<FileObject>> next();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace source::import
