// source/import/xml_reader.hpp -- the objects of an XML file in the shape that AcePerl's asXML
// writes, one after the other, by libxml2's streaming parser.
//   <Strain class="Strain" value="CB205" timestamp="…">     the object; a class and a value
//     <Genotype class="#txt" value="unc-26(e205) IV." />     a tag with its value
//     <Contains timestamp="…"> <Gene class="Gene" …/> …      a tag without: tags below it
//     <GPS class="#float" value="52.2"> <GPS-2 …/> </GPS>    TAG-n: the next column, no tag
// Objects follow each other, with or without elements around them that have neither class nor
// value. Nothing is fetched, no entity is expanded, a DOCTYPE is refused
// (source/import/xml_input.hpp). A `timestamp` belongs to the value, or else to the tag; so does
// a `comment`. Text between tags is ignored.
//
// - A value is a tag and its value; the root counts as one: `<DNA-2 …>` below it is its next
//   column.
// - The classes "#txt", "#int", "#float", "#date", "#Comment" are AcePerl's names of AceDB's
//   types; "#dna", "#peptide", "#scalar" are texts; "#Text" or "Gene" is a reference of that
//   class.
// - AcePerl's dates become AceDB's: `15 Mar 1992 10:22:00` is 1992-03-15_10:22:00. AcePerl pads
//   dates of less precision: `01 JAN 1992 00:00:00` (in capitals) is 1992 again and midnight is
//   not a time of day, but `01 Mar 1992 00:00:00` looks like a first of March: 1992-03 becomes
//   1992-03-01.
// - Numbers are %d and %g: 1.2e-07 where a dump has 0.000000. Any other value stays as written.
// - Members of a KeySet are members; DNA has no blanks, a LongText loses its last LF, as in a
//   dump.
//
// What AcePerl 1.92 does not write, or changes, is lost: stamps of tags that have a value; the
// last letter of every stamp; the precision of dates; the first digit of a tag (`2_point` becomes
// `two_point`). So compare a build in XML with builds in XML.
// One thread at a time. Source: AcePerl 1.92, Ace::Object::asXML; docs/sources.md, "XML".
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "source/file.hpp"
#include "tree/object.hpp"

namespace source::import {

struct XmlObject {
    tree::Object object;     // duplicates merged
    std::uint64_t line = 0;  // where it begins in its file, counted from 1
    bool is_whole = true;    // false: above the limit, known by name alone; without nodes
};

// Reads all objects of a file, one at a time, each of up to `most` bytes of text, and of larger ones only the name
// (XmlObject::is_whole).
//   name   of the file, for errors
//   visit  its error ends the reading
//   error  refused: cut off, a DOCTYPE, an unsupported encoding, AceDB's own `show -x` (with what to do instead), no
//          object at all; malformed: not well-formed, an element that is neither tag nor value; too_large: nested deeper
//          than tree::deepest_node, a tag of thousands of attributes; each with file:line. unavailable; that of `visit`
[[nodiscard]] base::Result<void> read_xml(
    const File& file, const std::string& name, std::size_t most,
    const std::function<base::Result<void>(XmlObject object)>& visit);

}  // namespace source::import
