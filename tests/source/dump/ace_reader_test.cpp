// SPDX-License-Identifier: MIT
#include "source/dump/ace_reader.hpp"

#include "source/dumps.hpp"

using support::TempDir;

namespace {

std::vector<std::string> split(const TempDir& folder, const std::string& bytes,
                               std::size_t most = 64 << 20) {
    const auto objects = dumps::try_objects_in(folder.write("x.ace", bytes).string(), most);
    INFO((objects ? "" : objects.error().text));
    REQUIRE(objects);
    return *objects;
}

std::string error_of(const TempDir& folder, const std::string& bytes,
                     base::ErrorKind kind = base::ErrorKind::refused) {
    const auto path = folder.write("x.ace", bytes).string();
    const auto objects = dumps::try_objects_in(path);
    REQUIRE_FALSE(objects);
    CHECK(objects.error().kind == kind);
    REQUIRE(objects.error().text.starts_with(path + ":"));
    return objects.error().text.substr(path.size() + 1);
}

const std::string small_dump = "\n\n // Class LongText \n\n"
                               "LongText : \"l\" -O \"s\"\n\n // Class Gene \n\nGene : \"no "
                               "object\"\n\n***LongTextEnd***\n\n"
                               "\n\n // Class Gene \n\n"
                               "Gene : \"a\" -O \"s\"\nRemark\t \"one\\n\\\n\\n\\\ntwo\" 1\n\n"
                               "Gene : \"b\"\n\n"
                               "DNA : \"d\"\n         acgt\n\n" +
                               dumps::trailer;

}  // namespace

TEST_CASE("Objects end at an empty line, and a LongText at its terminator") {
    TempDir folder;
    const auto objects = split(folder, small_dump);
    REQUIRE(objects.size() == 4);
    CHECK(objects[0].ends_with("Gene : \"no object\"\n\n***LongTextEnd***\n"));
    CHECK(objects[1] == "Gene : \"a\" -O \"s\"\nRemark\t \"one\\n\\\n\\n\\\ntwo\" 1\n");
    CHECK(objects[2] == "Gene : \"b\"\n");
    CHECK(objects[3] == "DNA : \"d\"\n         acgt\n");
}

TEST_CASE("A file without banners may end with its last object") {
    TempDir folder;
    CHECK(split(folder, "Gene : \"a\"\nTag\t\n").size() == 1);
    CHECK(split(folder, "// a comment\n  \nGene : \"a\"\nTag\t\n\n//\n\nGene : \"b\"\n").size() ==
          2);
    CHECK(split(folder, "LongText : \"a\"\n\n\n***LongTextEnd***").size() == 1);
}

TEST_CASE("Every prefix of a dump is refused, except those that lack only empty lines") {
    TempDir folder;
    const auto whole = split(folder, small_dump);
    for (std::size_t size = 0; size < small_dump.size(); ++size) {
        const auto path = folder.write("x.ace", small_dump.substr(0, size)).string();
        const auto objects = dumps::try_objects_in(path);
        const bool is_whole = small_dump.find_first_not_of(" \n", size) == std::string::npos;
        INFO(size);
        REQUIRE(objects.has_value() == is_whole);
        if (objects) CHECK(*objects == whole);
        // Half a banner is not a line of a dump.
        else
            CHECK((objects.error().kind == base::ErrorKind::refused ||
                   objects.error().text.find("a line that belongs to no object") !=
                       std::string::npos));
    }
}

TEST_CASE("A truncated file is reported with its place") {
    TempDir folder;
    const std::string begin = "\n\n // Class Gene \n\nGene : \"a\"\nTag\t \"x\"\n";
    CHECK(error_of(folder, begin + "Tag\t \"y") == "7:8: the file ends inside a line");
    CHECK(error_of(folder, begin) == "7:1: the file ends inside an object");
    CHECK(error_of(folder, begin + "\n") ==
          "8:1: the file ends without \"// End of this dump file\"");
    CHECK(error_of(folder, begin + "\n // End of this dump file \n\nGene : \"b\"\n\n") ==
          "12:1: the file ends without \"// End of this dump file\"");
    CHECK(error_of(folder, "LongText : \"a\"\n***LongTextEnd** \n") ==
          "3:1: the file ends inside a LongText");
    CHECK(error_of(folder, "\n\n") == "3:1: the file holds no objects");
    CHECK(
        error_of(folder, "\n blanks first\n", base::ErrorKind::malformed) ==
        "2:1: a line that belongs to no object; load it into AceDB, and give Varve what AceDB's "
        "`dump -T` writes");
}

TEST_CASE("Objects keep their places, lines and digests across blocks of any size") {
    TempDir folder;
    std::string bytes = "\n\n // Class Gene \n\n";
    std::vector<std::pair<std::size_t, std::string>> expected;
    for (int i = 0; i < 1200; ++i) {
        std::string object = "Gene : \"g" + std::to_string(i) + "\"\n";
        for (int line = 0; line < i % 40; ++line)
            object += "Tag\t \"" + std::string(static_cast<std::size_t>(i), 'x') + "\"\n";
        expected.emplace_back(bytes.size(), object);
        bytes += object + "\n";
    }
    REQUIRE(bytes.size() > (10U << 20));
    const auto path = folder.write("x.ace", bytes + dumps::trailer).string();
    const auto file = source::open_file(AT_FDCWD, path);
    REQUIRE(file);
    // The second time most objects are above the limit.
    for (const std::size_t most : {std::size_t{64} << 20, std::size_t{1}}) {
        source::dump::AceReader reader(*file, path, most);
        std::uint64_t line = 5;
        for (const auto& [offset, object] : expected) {
            const auto read = reader.next();
            REQUIRE(read);
            REQUIRE(*read);
            REQUIRE((*read)->offset == offset);
            REQUIRE((*read)->length == object.size());
            REQUIRE((*read)->line == line);
            REQUIRE((*read)->digest.low64 == XXH3_128bits(object.data(), object.size()).low64);
            if ((*read)->is_whole) REQUIRE((*read)->bytes == object);
            line +=
                static_cast<std::uint64_t>(std::count(object.begin(), object.end(), '\n')) + 1;
        }
        const auto end = reader.next();
        REQUIRE(end);
        CHECK_FALSE(*end);
    }
}

TEST_CASE("An object larger than the limit is skipped, and the next one is found") {
    TempDir folder;
    const std::string row = "Tag\t \"" + std::string(100, 'x') + "\"\n";
    std::string large = "Gene : \"large\"\n";
    while (large.size() < (5U << 20)) large += row;
    std::string text = "LongText : \"large\"\n";
    while (text.size() < (5U << 20)) text += "\n***LongTextEnd*** no\n";
    text += "***LongTextEnd***\n";
    const auto objects =
        split(folder, large + "\n" + text + "\nGene : \"next\"\n\n" + large, 1 << 20);
    REQUIRE(objects.size() == 4);
    CHECK(objects[0].size() == 1 << 16);
    CHECK(objects[1].starts_with("LongText : \"large\"\n"));
    CHECK(objects[2] == "Gene : \"next\"\n");
    CHECK(objects[3].size() == 1 << 16);
    CHECK(error_of(folder, large + "Tag") ==
          std::to_string(1 + std::count(large.begin(), large.end(), '\n')) +
              ":4: the file ends inside a line");
}
