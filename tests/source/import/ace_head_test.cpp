// SPDX-License-Identifier: MIT
#include <filesystem>
#include <rapidcheck.h>

#include "base/text.hpp"
#include "source/dumps.hpp"
#include "source/import/ace_head.hpp"

using source::import::is_dumped;

namespace {

constexpr std::size_t head_size = std::size_t{64} << 10;

// Returns the head of a file: its first 64 KiB.
bool begins_as_dump(std::string_view bytes) { return is_dumped(bytes.substr(0, head_size)); }

const std::string header = "Gene : \"x\"\n";

}  // namespace

TEST_CASE("What AceDB writes is a dump: whole files, and objects that a server shows") {
    for (const auto& file : dumps::sample_files) CHECK(begins_as_dump(dumps::read(file)));
    CHECK(begins_as_dump(dumps::read("tests/data/edge/dump.ace")));
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        const auto kind = entry.path().extension();
        if (kind != ".a" && kind != ".aT") continue;
        INFO(entry.path().string());
        CHECK(begins_as_dump(dumps::read(entry.path().string())));
    }
}

TEST_CASE("A dump without its banners is recognised, wherever its head ends") {
    const auto whole = dumps::read(dumps::sample_files[2]);
    std::string plain;
    for (const auto line : base::split(whole, '\n'))
        if (!line.starts_with(" // ")) plain.append(line) += '\n';
    CHECK(begins_as_dump(plain));
    // Returns the head of a file that begins with an object of `skip` bytes.
    for (std::size_t skip = 0; skip < 3000; skip += 7)
        CHECK(begins_as_dump("LongText : \"l\"\n" + std::string(skip, 'x') +
                             "\n***LongTextEnd***\n\n" + plain));
    for (std::size_t size = 0; size < 3000; size += 7) {
        const auto large = header + "Remark\t \"" + std::string(head_size - size, 'x') + "\"\n\n";
        CHECK(begins_as_dump(large + plain.substr(plain.find("Gene : "))));
    }
}

TEST_CASE("What people write is not a dump") {
    for (const auto* name : {"input-1.ace", "input-2.ace"})
        CHECK_FALSE(begins_as_dump(dumps::read("tests/data/edge/" + std::string(name))));
    for (const auto* lines :
         {"CGC_name \"a\"\n", "CGC_name\t\"a\"\t\n", "CGC_name\t \"a\n", "CGC_name\t \"a\"b\n",
          "CGC_name\t a\"b\n", " CGC_name\t \"a\"\n", "CGC_name\t a // why\n\"",
          "\"CGC_name\"\t \"a\"\n", "Live\n", "-D CGC_name \"a\"\n", "// a comment\n",
          "Live \nCGC_name \"a\"\n", "CGC_name\t \"a\" // why\n", "CGC_name\t \"http://a\"\n",
          "CGC_name\t \"a\" -D\n", "CGC_name\t \"a\" -R \"b\"\n", "Live\t\n-D Live\n",
          "CGC_name\t \"a\" -X\n"}) {
        INFO(lines);
        CHECK_FALSE(is_dumped(header + lines + "\n"));
    }
    for (const auto* first :
         {"Gene : x\n", "Gene \"x\"\n", "Gene: \"x\"\n", "Gene :\"x\"\n", "Gene : \"x\" -O s\n",
          "-D Gene : \"x\"\n", ">fasta\nacgt\n", "!Gene : \"x\"\n", "@more.ace\n", "Gene : \"x",
          "Gene : \"x\n", "  Gene : \"x\"\n", "Gene : \"x\" // note\n", "Gene : \"a//b\"\n",
          "Gene : \"x\"\r\n"}) {
        INFO(first);
        CHECK_FALSE(is_dumped(std::string(first) + "\nGene : \"y\"\nLive\t\n"));
    }
}

TEST_CASE("What the strict reader accepts is a dump unless it looks hand-written") {
    for (const auto* lines :
         {"CGC_name\t  \"a\"\n", "CGC_name\t \"a\" \n", "CGC_name\t \"a\" \t \"b\"\t\n",
          "CGC_name\t \"a\"\nRemark b\n", "Remark \"b\"\nLive\t\n", "_Remark\t \"a\"\n",
          "1st\t -inf -2\n", "CGC_name\t \"http:\\/\\/a\"\n", "CGC_name\t a/b\n"}) {
        INFO(lines);
        CHECK(is_dumped(header + lines + "\n"));
    }
    for (const auto* first : {"gene  :\t\"x\"\n", "Gene : \"x\" \n", "_Cls : \"x\"\n"}) {
        INFO(first);
        CHECK(is_dumped(std::string(first) + "Live\t\n"));
        CHECK(is_dumped(std::string(first) + "\nGene : \"y\"\nLive\t\n"));
    }
}

TEST_CASE("A timestamp in the first object makes a dump, whatever its lines are like") {
    for (const auto* lines :
         {"", "Live\n", "CGC_name \"a\" // why\n", "CGC_name\t \"a\n", "-D Live\n", " Live\n",
          "Live\t\n\nGene : y\nLive\n", "Live\t\n\n-D Gene : \"g9\"\n"}) {
        INFO(lines);
        CHECK(is_dumped("Gene : \"x\" -O \"s\"\n" + std::string(lines)));
        CHECK(is_dumped("// exported\n\nGene : \"a//b\"\t -O \"s\" \n" + std::string(lines)));
    }
    CHECK(is_dumped("Gene : \"x\" -O \"s\nLive\n"));
    CHECK(is_dumped("Gene : \"x\" -O \"s\"\r\nLive\r\n"));
    CHECK(is_dumped("DNA : \"x\" -O \"s\"\nacgt\n\nGene : y\nLive\n"));
}

TEST_CASE("Any paragraph of the head can show a hand-written file, and damage does not") {
    const auto dumped = header + "Live\t\n\n";
    for (const auto* next :
         {"-D Gene : \"g9\"\n", "-R Gene a b\n", "-A Gene a b\n", "!Gene : \"y\"\n",
          "@more.ace\n", "Gene : y\n", "Gene y\n", "Gene : \"y\" // why\n",
          "Gene : \"y\"\n-D Live\n", "Gene : \"y\"\nRemark\t \"a\" // why\n"}) {
        INFO(next);
        CHECK_FALSE(is_dumped(dumped + next));
    }
    for (const auto* next :
         {"Gene : \"y\"\nRemark\t \"a\nLive\t\n", "Gene : \"y\nLive\t\n", "Remark\t \"a\"\n",
          "Gene : \"y\"\nRemark \"a\"\n", "Gene : \"y\" more\n"}) {
        INFO(next);
        CHECK(is_dumped(dumped + next));
    }
}

TEST_CASE("AcePerl's asAce does not write a dump") {
    CHECK_FALSE(is_dumped("Strain : \"CB205\"\nGenotype\t\"unc-26(e205) IV.\"\t\n"
                          "Contains\tGene\t\"WBGene00006763\"\t\n"));
}

TEST_CASE("The decision ignores objects without content and of array classes") {
    const std::string before =
        "// exported\n\nGene : \"e\"\n\nLongText : \"t\" -O \"s\"\n\n any \"thing\n\n"
        "***LongTextEnd***\n\nDNA : \"d\"\n         acgt\n\nKeySet : \"k\"\nGene : \"x\"\n\n";
    CHECK(is_dumped(before));
    CHECK(is_dumped(before + header + "Live\t\n"));
    CHECK(is_dumped(before + header +
                    "Live\t -O \"s\"\nRemark\t \"a\\\"\\n\\\n b\" -C \"c\" -1.5\n"));
    CHECK_FALSE(is_dumped(before + header + "Live\n"));
}

TEST_CASE("A banner is enough for a dump, and so is a file without objects") {
    CHECK(is_dumped("\n\n // Class Gene \n\nwhatever"));
    CHECK(is_dumped(""));
    CHECK(is_dumped("\n\n"));
    CHECK(is_dumped("// nothing here\n"));
    CHECK(is_dumped(std::string(head_size, '\n')));
}

TEST_CASE("A text that continues after the head does not prevent a dump") {
    const auto text = header + "Remark\t \"" + std::string(2 * head_size, 'x');
    CHECK(begins_as_dump(text));
    const auto lines = header + "Remark\t \"" + std::string(1000, 'x') + "\\n\\\n" +
                       std::string(2 * head_size, 'x');
    CHECK(begins_as_dump(lines));
}

TEST_CASE("A dump truncated inside a text is still a dump, to be refused") {
    CHECK(is_dumped("Gene : \"x"));
    CHECK(is_dumped(header + "Remark\t \"tw"));
    CHECK(is_dumped(header + "Remark\t \"tw\\"));
}

TEST_CASE("Any bytes are either a dump or hand-written") {
    CHECK(rc::check([](const std::vector<std::uint8_t>& picks) {
        constexpr std::string_view pieces[] = {
            "Gene", " : ",      "\"x\"", "\n", "\t",
            " ",    "-O \"",    "\"",    "\\", "\\\n",
            " // ", "LongText", "Class", "//", "***LongTextEnd***\n"};
        std::string text;
        for (const auto pick : picks) text += pieces[pick % std::size(pieces)];
        (void)is_dumped(text);
    }));
}
