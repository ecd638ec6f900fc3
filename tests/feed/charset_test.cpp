// SPDX-License-Identifier: MIT
#include "feed/charset.hpp"

#include <string>

#include "support/catch.hpp"

using namespace std::string_literals;
using feed::decode_text;

namespace {

const std::string utf16_le = "\xFF\xFE<\0a\0>\0\xE9\0<\0/\0a\0>\0"s,
                  utf16_be = "\xFE\xFF\0<\0a\0>\0\xE9\0<\0/\0a\0>"s;
const std::string utf32_le = "\xFF\xFE\0\0<\0\0\0a\0\0\0>\0\0\0\xE9\0\0\0"s;

std::string xml_in(const std::string& encoding, const std::string& text) {
    return "<?xml version='1.0' encoding='" + encoding + "'?><a>" + text + "</a>";
}

}  // namespace

TEST_CASE("A byte order mark decides, then HTTP, then the XML declaration, then the bytes") {
    const auto [bytes, content_type,
                text] = GENERATE(table<std::string, std::string, std::string>({
        {"\xEF\xBB\xBF<a>é</a>", "text/xml; charset=iso-8859-2", "<a>é</a>"},
        {"<a>\xB1</a>", "text/xml; charset=\"ISO-8859-2\"", "<a>ą</a>"},
        {xml_in("koi8-r", "\xC1"), "text/xml; charset=iso-8859-5", xml_in("koi8-r", "С")},
        {xml_in("koi8-r", "\xC1"), "text/xml", xml_in("koi8-r", "а")},
        {xml_in("shift_jis", "\x83\x65"), "", xml_in("shift_jis", "テ")},
        {"<a>café</a>", "", "<a>café</a>"},
        // UTF-16 and UTF-32, with and without a byte order mark, whatever is declared.
        {utf16_le, "", "<a>é</a>"},
        {utf16_be, "text/xml; charset=utf-8", "<a>é</a>"},
        {utf16_le.substr(2), "", "<a>é</a>"},
        {utf16_be.substr(2), "", "<a>é</a>"},
        {utf32_le, "", "<a>é"},
        {utf32_le.substr(4), "", "<a>é"},
        {xml_in("utf-16", "é"), "", xml_in("utf-16", "é")},
        // UTF-8 that is declared as another charset of single bytes.
        {xml_in("iso-8859-1", "café"), "", xml_in("iso-8859-1", "café")},
        {xml_in("windows-1251", "café"), "", xml_in("windows-1251", "café")},
        // A few wrong bytes do not spoil the rest.
        {"<a>café naïve \x92quoted\x92 ü</a>", "", "<a>café naïve ’quoted’ ü</a>"},
        // UTF-8 that was encoded twice, and right texts that look like it.
        {"<a>cafÃ© â€™</a>", "", "<a>café ’</a>"},
        {"<a>Ão é</a>", "", "<a>Ão é</a>"},
        {"<a>âge</a>", "", "<a>âge</a>"},
        {"<a>naïve Ângela</a>", "", "<a>naïve Ângela</a>"},
        // Control characters that are meant as those of windows-1252.
        {"<a>it\u0092s</a>", "", "<a>it’s</a>"},
        {xml_in("iso-8859-2", "it\x92s \xB1"), "", xml_in("iso-8859-2", "it’s ą")},
        {"<a>\u0085\u00A0é</a>", "", "<a>…\u00A0é</a>"},
        // CESU-8: the halves of a surrogate pair are encoded by themselves.
        {"<a>\xED\xA0\xBD\xED\xB8\x80 é</a>", "", "<a>😀 é</a>"},
        {"<a>\xED\xA0\xBD\xED\xB8\x80</a>", "text/xml; charset=utf-8", "<a>😀</a>"},
        // What no charset explains, and characters that are cut off.
        {xml_in("shift_jis", "a\x81"), "", xml_in("shift_jis", "a\uFFFD")},
        {"\xFF\xFE" + "a\0\0\xD8"s, "", "a\uFFFD"},
        {"<a>No\xC3\xABl \x93 \x94</a>", "", "<a>Noël “ ”</a>"},
        {"<a>\x93"
         "caf\xE9\x94</a>",
         "", "<a>“café”</a>"},
        {"<a>café it\xE2\x80</a> <a>\xF0\x9F\x98</a>", "", "<a>café it\uFFFD</a> <a>\uFFFD</a>"},
    }));
    CHECK(decode_text(bytes, content_type) == text);
}

TEST_CASE("A letter that an accent might follow is not lost where nothing follows") {
    CHECK(decode_text("\xE0\xFF \xE0", "text/xml; charset=windows-1255") == "א\uFFFD א");
}

TEST_CASE("Windows-1252 is found where ISO-8859-1, ASCII or UTF-8 is declared") {
    const auto* declared = GENERATE("iso-8859-1", "us-ascii", "ANSI_X3.4-1968", "utf-8", "latin1",
                                    "windows-1252", "no-such-charset");
    CHECK(decode_text(xml_in(declared, "\x93smart\x94 \x96 \x80"), "") ==
          xml_in(declared, "“smart” – €"));
}

TEST_CASE("UTF-7, and other charsets in which ASCII is not ASCII, are not used") {
    const auto* charset =
        GENERATE("utf-7", "hz-gb-2312", "../../etc/passwd", "utf-8//IGNORE", "", "UTF-7-IMAP",
                 "WCHAR_T", "INTERNAL", "IBM037", "UCS-4", "utf-16");
    CHECK(decode_text("<a>+ADw-script+AD4- \xE9</a>", "text/xml; charset="s + charset) ==
          "<a>+ADw-script+AD4- é</a>");
}
