// bench/notation_bench.cpp -- the rows of builds in XML and JSON Lines: reading each against the
// bare library on the same bytes. Medians of 5 alternating runs, page cache warm, as ratios of
// speeds.
//   notation_bench BUILD [MB]    writes the first MB (200) of BUILD/dump.ace's objects in both
//                                notations beside it: in BUILD/notations
// Prints a line a row: what, our seconds, theirs, ratio, bar. Status 1 below a bar.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <libxml/xmlreader.h>
#include <memory>
#include <simdjson.h>

#include "rows.hpp"
#include "source/ace_object.hpp"
#include "source/dump/ace_reader.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/xml_reader.hpp"
#include "xml_pen.hpp"

namespace {

namespace fs = std::filesystem;
using bench::require;

constexpr std::size_t largest = 64 << 20;

template <class T>
T must(base::Result<T> result) {
    require(result.has_value(), result ? "" : result.error().text);
    return std::move(*result);
}

std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_out(std::ofstream& file, std::string& buffer) {
    require(file.write(buffer.data(), static_cast<std::streamsize>(buffer.size())).good(),
            "the disk is full");
    buffer.clear();
}

// One object at a time, until `bytes` of the dump are through. One element stands around all of
// them in XML, since libxml2's own reader wants that.
void write_notations(const fs::path& build, const fs::path& folder, std::uint64_t bytes) {
    const auto models = tree::Models::parse(text_of(build / "models.wrm"));
    const auto dump = must(source::open_file(AT_FDCWD, build / "dump.ace"));
    source::dump::AceReader reader(dump, "dump.ace", largest);
    std::ofstream xml(folder / "dump.xml"), json(folder / "dump.jsonl");
    std::string xml_text = "<?xml version=\"1.0\"?>\n<ace>\n", json_text;
    bench::XmlPen pen(xml_text);
    for (;;) {
        const auto found = must(reader.next());
        if (!found || found->offset > bytes) break;
        const auto object = source::parse_object(found->bytes, models);
        require(object.has_value(), "an object of the made build can't be parsed");
        pen.write(*object);
        source::dump::append_json_line(json_text, *object);
        if (xml_text.size() > (1 << 20)) write_out(xml, xml_text);
        if (json_text.size() > (1 << 20)) write_out(json, json_text);
    }
    write_out(xml, xml_text += "</ace>\n");
    write_out(json, json_text);
}

void read_xml(const std::string& path, const std::string& lines) {
    const auto file = must(source::open_file(AT_FDCWD, path));
    auto written = must(source::dump::JsonLinesWriter::create(lines));
    const auto done = source::import::read_xml(
        file, path, largest, [&](const auto& object) { return written.add(object.object); });
    require(done.has_value(), "the file cannot be read, or the disk is full");
}

// Every node, and every attribute once.
void walk_bare(const std::string& path) {
    const std::unique_ptr<xmlTextReader, decltype(&xmlFreeTextReader)> reader(
        xmlReaderForFile(path.c_str(), nullptr, XML_PARSE_NONET | XML_PARSE_HUGE),
        xmlFreeTextReader);
    require(reader != nullptr, path);
    std::size_t bytes = 0;
    int more = 0;
    while ((more = xmlTextReaderRead(reader.get())) == 1)
        while (xmlTextReaderMoveToNextAttribute(reader.get()) == 1)
            bytes += static_cast<std::size_t>(xmlStrlen(xmlTextReaderConstValue(reader.get())));
    require(more == 0 && bytes > 0, "libxml2 can't read what was written");
}

void index_json(const std::string& path) {
    const auto file = must(source::open_file(AT_FDCWD, path));
    source::dump::JsonLinesReader reader(file, path, largest);
    while (must(reader.next())) {
    }
}

// Calls `visit` with each line, which stands with simdjson's padding behind it.
template <class Visit>
void each_line(const std::string& path, const Visit& visit) {
    constexpr std::size_t block = 1 << 20;
    const auto file = must(source::open_file(AT_FDCWD, path));
    std::vector<char> buffer(largest + block + simdjson::SIMDJSON_PADDING);
    std::size_t kept = 0;
    for (std::uint64_t offset = 0;;) {
        const auto got = must(file.read_at(buffer.data() + kept, block, offset));
        if (got == 0) return;
        offset += got;
        const char *at = buffer.data(), *end = at + kept + got;
        while (const auto* lf = static_cast<const char*>(
                   std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) {
            visit(std::string_view(at, static_cast<std::size_t>(lf - at)));
            at = lf + 1;
        }
        kept = static_cast<std::size_t>(end - at);
        require(kept < largest, "a line too long");
        std::memmove(buffer.data(), at, kept);
    }
}

void parse_bare(const std::string& path) {
    simdjson::dom::parser parser;
    require(parser.allocate(largest) == simdjson::SUCCESS, "no memory");
    each_line(path, [&](std::string_view line) {
        simdjson::dom::element json;
        require(parser.parse(line.data(), line.size(), false).get(json) == simdjson::SUCCESS,
                "no JSON");
    });
}

void make_trees(const std::string& path) {
    each_line(path, [](std::string_view line) {
        require(source::dump::parse_json_object(line).has_value(), "no object");
    });
}

}  // namespace

int main(int argc, char** argv) {
    require(argc > 1, "notation_bench BUILD [MB]");
    const fs::path build = argv[1], folder = build / "notations";
    const auto bytes = std::stoull(argc > 2 ? argv[2] : "200") << 20;
    xmlInitParser();
    fs::create_directories(folder);
    write_notations(build, folder, bytes);
    const auto xml = (folder / "dump.xml").string(), json = (folder / "dump.jsonl").string();
    std::printf("XML of %ju MB, JSON Lines of %ju MB\n", fs::file_size(xml) >> 20,
                fs::file_size(json) >> 20);

    const bool xml_met = bench::compare(
        "XML to JSON Lines : libxml2's bare reader", 0.5,
        [&] { read_xml(xml, folder / "written.jsonl"); }, [&] { walk_bare(xml); });
    const bool json_met = bench::compare(
        "index JSON Lines : bare lines and simdjson", 0.5, [&] { index_json(json); },
        [&] { parse_bare(json); });
    bench::compare(
        "JSON Lines to trees : bare, as above", 0, [&] { make_trees(json); },
        [&] { parse_bare(json); });
    fs::remove_all(folder);
    return xml_met && json_met ? 0 : 1;
}
