// Malicious or truncated XML gives a clear error in bounded memory.
// SPDX-License-Identifier: MIT
#include <sys/resource.h>
#include <unistd.h>

#include "source/xml.hpp"

using base::ErrorKind;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string object_of(const std::string& inside) {
    return "<S class=\"S\" value=\"s\">" + inside + "</S>";
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

// Returns the largest memory of this process in bytes.
std::size_t peak_memory() {
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

}  // namespace

TEST_CASE("A DOCTYPE is refused anywhere, and its declarations are never read") {
    const std::string laughs = "<!DOCTYPE S [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>"
                               "<!ENTITY c '&b;&b;&b;&b;'>]>";
    const std::string file = GENERATE_COPY(
        laughs + object_of("<T class='#txt' value='&c;'/>"), laughs + object_of("<T>&c;</T>"),
        "<!DOCTYPE S SYSTEM 'file:///etc/passwd'>" + object_of(""),
        "<!DOCTYPE S PUBLIC '-//x' 'http://127.0.0.1:1/x.dtd'>" + object_of(""),
        "<!doctype html>" + object_of(""),
        "<?xml version='1.0'?>\n<!-- c -->\n<!DOCTYPE S [<!ENTITY % p SYSTEM 'file:///x'> %p;]>",
        "<x><!DOCTYPE S>", object_of("<!DOCTYPE S [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"));
    const auto error = xml::error_of(file);
    CHECK(error.kind == ErrorKind::refused);
    CHECK_THAT(error.text, Contains("DOCTYPE"));
    CHECK(xml::read(file).objects.empty());
}

TEST_CASE("Undeclared entities are errors in values of any kind") {
    for (const std::string value :
         {"&lol9;", "&amp;&e;", "&#1;", "&#xFFFE;", "&#x110000;", "&a", "&"}) {
        const auto error =
            xml::error_of("\n" + object_of("<T class='#txt' value='" + value + "'/>"));
        INFO(error.text);
        CHECK(error.kind == ErrorKind::malformed);
        CHECK_THAT(error.text, StartsWith("x.xml:2:") && Contains(": not well-formed XML: "));
    }
}

TEST_CASE("XInclude and stylesheets load nothing") {
    const auto all = xml::objects("<?xml-stylesheet href='file:///etc/passwd'?>"
                                  "<x xmlns:xi='http://www.w3.org/2001/XInclude'>"
                                  "<xi:include href='file:///etc/passwd' parse='text'/>" +
                                  object_of("<xi:include href='file:///etc/passwd'/>") + "</x>");
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].object.nodes.size() == 1);
    CHECK(all[0].object.nodes[0].cell.text == "xi:include");
    CHECK(all[0].object.nodes[0].children.empty());
}

TEST_CASE("Content that is not XML is an error with its place") {
    const std::string bad = GENERATE(
        as<std::string>(), "<S class='S' value='s'></T>", "</S>", "</varve>", "<S>< /S>",
        "<S class='S' class='T' value='s'/>", "<S class=S value='s'/>", "<S class='a<b'/>",
        "<S class='S' value='s'/", "<1/>", "<S class='S' value='s'/><", "plain text",
        "<S a='\"/>", "<S\x01/>", "<\xE9/>", "<S class='S' value='s'>></varve><varve>",
        "<!ENTITY a 'b'><S/>", "<S class='S' value='s'><!ELEMENT a ANY></S>");
    const auto read = xml::read("\n\n" + bad);
    INFO(bad);
    REQUIRE(read.error);
    INFO(read.error->text);
    CHECK((read.error->kind == ErrorKind::malformed || read.error->kind == ErrorKind::refused));
    CHECK_THAT(read.error->text, StartsWith("x.xml:3:"));
}

TEST_CASE("An error of libxml2 gives the place in the file, whatever was skipped before it") {
    const auto error =
        xml::error_of("<?xml version='1.0'\n?>\n<!-- \n --><S class='S' value='a\nb\n'"
                      ">\n text \n <?p\n?><T\n class='#txt' value='\n'\n/></U>");
    CHECK_THAT(error.text, StartsWith("x.xml:12:3: not well-formed XML: </U> where"));
}

TEST_CASE("A comment may end where a block of the file ends") {
    for (std::size_t over = 0; over < 5; ++over) {
        auto file = "<!--" + std::string((256 << 10) - 4 - over, '-') + "-->";
        CHECK(xml::objects(file + object_of("")).size() == 1);
    }
}

TEST_CASE("A file without objects is refused") {
    for (const std::string file : {"", "\n", "<x/>", "<x>\n</x>", "<?xml version='1.0'?>",
                                   "\xEF\xBB\xBF", "<!-- none -->"}) {
        const auto error = xml::error_of(file);
        CHECK(error.kind == ErrorKind::refused);
        CHECK_THAT(error.text, Contains("holds no objects"));
    }
}

TEST_CASE("A file truncated at any byte is reported and never gives half an object") {
    const std::string one =
        "<?xml version='1.0' encoding='UTF-8'?><x><!-- c -->\n"
        "<A class='A' value='a&amp;\xC3\xA9' timestamp='s'><T/><![CDATA[ ]]>"
        "<U class='#int' value='1'>\n<U-2 class='#txt' value=\"v\n\"/></U></A>";
    const std::string two = "\n<?p i?><B class='B' value='b'/></x>\n";
    const auto whole = xml::objects(one + two);
    REQUIRE(whole.size() == 2);
    const auto file = one + two;
    for (std::size_t size = 0; size < file.size() - 1; ++size) {
        const auto read = xml::read(file.substr(0, size));
        CAPTURE(size);
        REQUIRE(read.error);
        INFO(read.error->text);
        CHECK((read.error->kind == ErrorKind::refused));
        CHECK((read.error->text.find("cut off") != std::string::npos ||
               read.error->text.find("holds no objects") != std::string::npos));
        REQUIRE(read.objects.size() == (size < one.size() ? 0 : size < file.size() - 5 ? 1 : 2));
        if (!read.objects.empty()) CHECK(read.objects[0].object == whole[0].object);
    }
}

TEST_CASE("Objects before a mistake are returned, and an error of the visitor ends the reading") {
    const auto file = object_of("") + "<S class='S' value='t'></T>";
    CHECK(xml::read(file).objects.size() == 1);
    CHECK(xml::read(file).error->kind == ErrorKind::malformed);
    const source::File two(::memfd_create("x.xml", MFD_CLOEXEC));
    REQUIRE(two.write(object_of("") + object_of("")));
    int visited = 0;
    const auto done = source::import::read_xml(two, "x.xml", 1 << 20, [&](const auto&) {
        ++visited;
        return base::Result<void>(base::fail(ErrorKind::unavailable, "the disk is full"));
    });
    CHECK(visited == 1);
    CHECK(done.error().text == "the disk is full");
}

TEST_CASE("Elements nested 100,000 deep are an error, inside an object and around it") {
    const std::string open = GENERATE(as<std::string>(), "<T>", "<T class='#txt' value='v'>",
                                      "<T class='#txt' value='v' comment='c'>");
    const auto error = xml::error_of("<S class='S' value='s'>" + repeated(open, 100'000));
    CHECK(error.kind == ErrorKind::too_large);
    CHECK_THAT(error.text, Contains("nest deeper than 2000"));
    CHECK(xml::error_of(repeated("<x>", 100'000)).kind == ErrorKind::too_large);
}

TEST_CASE("Nodes may nest as deeply as in other notations") {
    const auto deep = [](std::size_t levels) {
        return object_of(repeated("<T>", levels) + repeated("</T>", levels));
    };
    CHECK(xml::objects(deep(tree::deepest_node)).size() == 1);
    CHECK(xml::error_of(deep(tree::deepest_node + 1)).kind == ErrorKind::too_large);
    // Siblings do not add to the depth.
    CHECK(xml::objects(object_of(repeated("<T class='#txt' value='v'><U/></T>", 3000))).size() ==
          1);
    // An object that is too large is still parsed, and its depth still limited.
    CHECK(xml::objects(deep(tree::deepest_node), 100).size() == 1);
    CHECK(xml::error_of(deep(tree::deepest_node + 1), 100).kind == ErrorKind::too_large);
}

TEST_CASE("An object above the limit is skipped, and the next one is whole") {
    const auto large = GENERATE(
        object_of(repeated("<T class='#txt' value='" + std::string(500, 'v') + "'/>", 30)),
        object_of(repeated("<T/>", 400)),
        object_of("<T class='#txt' value='" + std::string(20'000, 'v') + "'/>"),
        "<S class='S' value='s' timestamp='" + std::string(20'000, 'v') + "'><T/></S>");
    const auto all = xml::objects(large + "<A class='A' value='a'><T/></A>", 10'000);
    REQUIRE(all.size() == 2);
    CHECK(all[0].object.id == tree::ObjectName{"S", "s"});
    CHECK(!all[0].is_whole);
    CHECK(all[0].object.nodes.empty());
    CHECK(all[1].is_whole);
    CHECK(all[1].object.nodes.size() == 1);
    CHECK(xml::objects(large)[0].is_whole);
}

TEST_CASE("A value that is cut does not end inside a reference or character") {
    const std::string part = GENERATE(as<std::string>(), "&amp;", "\xC3\xA9", "\n", "&#233;");
    for (std::size_t shift = 0; shift < 6; ++shift) {
        const auto value = std::string(shift, 'v') + repeated(part, 4000);
        const auto all = xml::objects(object_of("<T class='#txt' value='" + value + "'/>"), 2000);
        REQUIRE(all.size() == 1);
        CHECK(!all[0].is_whole);
    }
}

TEST_CASE(
    "A value of 100 MB costs proportional time and memory, and nothing when it is too long") {
    const auto bytes = std::size_t{100} << 20;
    const auto file = object_of("<T class='#txt' value='" + std::string(bytes, 'a') + "'/>");
    const auto before = peak_memory();
    const auto cut = xml::objects(file, 1 << 20);
    REQUIRE(cut.size() == 1);
    CHECK(!cut[0].is_whole);
    // The file in memory is one more; sanitizers keep freed memory for a while.
    CHECK(peak_memory() < before + bytes + (std::size_t{64} << 20));
    const auto whole = xml::objects(file, 2 * bytes);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].object.nodes.at(0).children.at(0).cell.text.size() == bytes);
}

TEST_CASE("Endless comments, text, blanks and tags do not collect in memory") {
    const auto bytes = std::size_t{40} << 20;
    const std::string opening =
        GENERATE(as<std::string>(), "<!--", "<?p ", "<![CDATA[", "<T", "<T a='", "<T ", "x");
    const auto file =
        "<S class='S' value='s'>" + opening + std::string(bytes, opening == "<T " ? '\n' : 'a');
    const auto before = peak_memory();
    const auto error = xml::error_of(file, 1 << 20);
    CHECK((error.kind == ErrorKind::refused || error.kind == ErrorKind::too_large));
    CHECK(peak_memory() < before + bytes + (std::size_t{32} << 20));
}

TEST_CASE("A tag of very many attributes is an error") {
    std::string tag = "<T";
    for (int i = 0; i < 10'000; ++i) tag += " a" + std::to_string(i) + "=''";
    CHECK(xml::error_of(object_of(tag + "/>")).kind == ErrorKind::too_large);
}

TEST_CASE("A file with very many names is read as far as they fit into memory") {
    std::string file = "<x>";
    for (int i = 0; i < 400'000; ++i)
        file += "<n" + std::to_string(i) + std::string(100, 'n') + "/>";
    const auto error = xml::error_of(file + object_of("") + "</x>");
    INFO(error.text);
    CHECK(error.kind == ErrorKind::malformed);
}

TEST_CASE("libxml2 prints nothing") {
    const int saved = ::dup(2), into = ::memfd_create("stderr", MFD_CLOEXEC);
    ::dup2(into, 2);
    for (const std::string file :
         {"<S", "<S><T></S>", "<S a='&b;'/>", "<a:b/>", "<S xml:space='1'/>"})
        (void)xml::read(file);
    ::dup2(saved, 2);
    ::close(saved);
    CHECK(::lseek(into, 0, SEEK_END) == 0);
    ::close(into);
}
