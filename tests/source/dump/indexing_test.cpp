// SPDX-License-Identifier: MIT
#include "source/dump/indexing.hpp"

#include <rapidcheck.h>

#include "source/dumps.hpp"

using support::TempDir;

namespace {

// Returns the bytes of the index of a dump, or why there is none.
std::string index_of(const TempDir& folder, const std::string& dump,
                     const source::dump::CutDumps& cut) {
    const auto path = folder.write("x.ace", dump).string();
    const auto index = (folder.path() / "x.index").string();
    std::filesystem::remove(index);
    std::vector<source::dump::PlainFile> files;
    files.push_back({"x.ace", false, *source::open_file(AT_FDCWD, path), std::nullopt});
    auto writer = source::IndexWriter::create(index);
    REQUIRE(writer);
    source::Facts facts;
    facts.release = {"WS1", *base::parse_date("2008-02-01")};
    facts.files = {{"x.ace", {1, 2, 3}, dump.size()}};
    const auto done =
        source::dump::write_index(std::move(*writer), files, std::move(facts), 64 << 20, cut,
                                  [] { return base::Result<void>(); });
    return done ? support::read_file(index) : done.error().text;
}

// Returns how many bytes this process has read from files.
std::uint64_t bytes_read() {
    const auto io = support::read_file("/proc/self/io");
    return std::stoull(io.substr(std::string("rchar: ").size()));
}

// Returns LongTexts of 2 KB that end in this.
std::string long_texts(std::size_t count, const std::string& end) {
    std::string dump;
    for (std::size_t i = 0; i < count; ++i)
        dump +=
            "LongText : \"" + std::to_string(i) + "\"\n\n" + std::string(2000, 'x') + "\n" + end;
    return dump;
}

// What a dump may consist of; @ stands for a number that nothing else has.
const std::vector<std::string> pieces = {
    "Gene : \"@\"\n\n",
    "Gene : \"a twin\"\n\n",
    "Gene : \"one line @\" -O \"2008-02-01_09:15:20_sylvia\"\n\n",
    "Paper : \"@\"\nTitle\t \"one\\n\\\n\\n\\\nGene : \\\"quoted\\\"\\n\\\n\\n\\\ntwo\"\n\n",
    "LongText : \"@\"\n\nGene : \"no object\"\n\nPaper : \"nor this\"\n\n***LongTextEnd***\n\n",
    "LongText : \"short @\"\n***LongTextEnd***\n\n",
    "LongText : \"endless @\"\n\nGene : \"inside @\"\n\n",
    "Wind : \"@\"\r\nTag\t \"y\"\r\n\r\nGene : \"after @\"\r\n\r\n",
    "DNA : \"@\"\n         acgt\n\n",
    "UserSession : \"s\"\n\n",
    "Gene : \"" + std::string(600, 'n') + "\"\n\n",
    " // Class Gene \n\n",
    " // Class Paper \n\n// " + std::string(5000, 'c') + "\n\n",
    "\n\n\n",
    " a line that belongs to no object\n\n",
    "Gene : no quotes\n\n",
    "Gene : \"large @\"\nRemark\t \"" + std::string(70'000, 'r') + "\"\n\n",
    dumps::trailer};

}  // namespace

TEST_CASE("The index of a dump does not depend on how many threads make it, or where they cut") {
    TempDir folder;
    std::vector<std::string> texts;
    for (const auto& file : dumps::sample_files) texts.push_back(dumps::read(file));
    texts.push_back(texts[0] + texts[1]);  // every object twice
    texts.push_back(texts[0].substr(0, texts[0].size() / 2));
    for (const auto& dump : texts) {
        const auto expected = index_of(folder, dump, {1});
        for (std::size_t threads = 2; threads <= 8; ++threads)
            CHECK(index_of(folder, dump, {threads, dump.size() / (3 * threads)}) == expected);
        CHECK(index_of(folder, dump, {2, 700}) == expected);
    }
}

TEST_CASE("Damaged and unusual dumps have the same index or error however they are cut") {
    TempDir folder;
    CHECK(rc::check([&] {
        const auto chosen = *rc::gen::container<std::vector<std::size_t>>(
            rc::gen::inRange<std::size_t>(0, pieces.size()));
        std::string dump;
        for (std::size_t i = 0; i < chosen.size(); ++i)
            for (const char c : pieces[chosen[i]])
                dump += c == '@' ? std::to_string(i) : std::string(1, c);
        const auto lacking = *rc::gen::element<std::size_t>(0, 0, 1, 2, 9);
        dump.resize(dump.size() - std::min(dump.size(), lacking));
        const auto threads = *rc::gen::inRange<std::size_t>(2, 9);
        const auto part = *rc::gen::inRange<std::uint64_t>(1, 3000);
        RC_ASSERT(index_of(folder, dump, {threads, part}) == index_of(folder, dump, {1}));
    }));
}

TEST_CASE(
    "Objects that are larger than a block or a part have the same index however they are cut") {
    TempDir folder;
    const auto gene = "Gene : \"large\"\nRemark\t \"" + std::string(1'500'000, 'r') + "\"\n\n";
    const auto text = long_texts(5000, "\n") + "***LongTextEnd***\n\n";
    const auto dump = pieces[0] + gene + text + pieces[2] + gene + text + dumps::trailer;
    const auto expected = index_of(folder, dump, {1});
    CHECK(expected.find(": 0 is already at x.ace:") != std::string::npos);
    const auto once = pieces[0] + gene + text + pieces[2] + dumps::trailer;
    CHECK(index_of(folder, once, {3}) == index_of(folder, once, {1}));
    CHECK(index_of(folder, dump, {3}) == expected);
}

TEST_CASE(
    "LongTexts without an end are not read again from each place that looks like an object") {
    TempDir folder;
    const auto dump = long_texts(12'000, "***LongTextEnd*** \n\n");
    const auto before = bytes_read();
    const auto index = index_of(folder, dump, {2});
    CHECK(bytes_read() - before < 4 * dump.size());
    CHECK(index == index_of(folder, dump, {1}));
}
