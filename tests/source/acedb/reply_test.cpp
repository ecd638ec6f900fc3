// SPDX-License-Identifier: MIT
#include "source/acedb/protocol.hpp"

#include <algorithm>
#include <filesystem>

#include "source/recordings.hpp"

namespace acedb = source::acedb;

namespace {

const std::string one_active = "// 1 Active Objects\n";

std::string command_reply(const std::string& title) {
    return recordings::reply_in("command_replies.txt", title);
}

template <class Value>
void check_malformed(const base::Result<Value>& value) {
    REQUIRE_FALSE(value);
    CHECK(value.error().kind == base::ErrorKind::malformed);
    CHECK_FALSE(value.error().text.empty());
}

// A reply that lost its end is never accepted as whole.
template <class Parse>
void check_every_cut(const std::string& reply, Parse parse) {
    REQUIRE(parse(reply));
    for (std::size_t size = 0; size < reply.size(); ++size) {
        INFO(size << " of " << reply.size() << " bytes");
        check_malformed(parse(std::string_view(reply).substr(0, size)));
    }
}

// Replies to other commands, and other text.
template <class Parse>
void check_hostile(Parse parse) {
    const std::string nul(1, '\0');
    const std::vector<std::string> all = {
        std::string(),
        nul,
        std::string("\n"),
        one_active,
        std::string("// 1 Active Objects"),
        "// -1 Active Objects\n",
        "//  Active Objects\n",
        "x\n" + one_active,
        "// Found 1 objects in this class\n",
        "\xff\xfe\n" + one_active,
        "// 99999999999999999999 objects dumped\n" + one_active,
        "Gene : \"a\"\n\n// 1 object dumped\n// 1 Active Objects\n// 1 Active Objects\n",
        "// Keyword bogus does not match\n// 0 Active Objects\n"};
    for (const auto& bytes : all) check_malformed(parse(bytes));
}

std::string shown(const std::string& objects, const std::string& count) {
    return "\n" + objects + "// " + count + " dumped\n" + one_active;
}

}  // namespace

TEST_CASE("A status describes the database, and its identity differs for another database") {
    const auto status_reply = recordings::reply_in("status_reply.txt", "status");
    check_every_cut(status_reply, acedb::parse_status);
    const auto status = acedb::parse_status(status_reply);
    CHECK(status->name == "WS188");
    CHECK(status->directory == "/data/acedb/WS188");
    for (const std::string part : {"WS188", "4_0", "/data/acedb/WS188", "5\n", "08:05:09"}) {
        auto other = status_reply;
        other.replace(other.find(part, other.find("Name:")), 1, "X");
        INFO(part);
        CHECK(acedb::parse_status(other)->identity != status->identity);
    }
    auto later = status_reply;
    later.replace(later.find("2026-11-20_20:29:22"), 4, "2027");
    CHECK(acedb::parse_status(later)->identity == status->identity);
}

TEST_CASE("A reply that is not a status is reported, and a database without a name has none") {
    check_hostile(acedb::parse_status);
    check_malformed(acedb::parse_status(" // AceDB status at 2026\n" + one_active));
    check_malformed(acedb::parse_status(command_reply("list -a")));
    const auto status = acedb::parse_status(
        " // AceDB status at 2026\n //   Name: <undefined>\n // Session: 5\n" + one_active);
    CHECK(status.value().name.empty());
}

TEST_CASE("The number found is read from every reply to find") {
    check_every_cut(command_reply("find Gene \"WBGene0000676*\""), acedb::parse_found);
    CHECK(acedb::parse_found(command_reply("find Gene \"WBGene0000676*\"")) == 1U);
    CHECK(acedb::parse_found(command_reply("find Gene")) == 5U);
    CHECK(acedb::parse_found(command_reply("find Phenotype WBPhenotype:0001213")) == 0U);
    CHECK(acedb::parse_found(command_reply("query find Gene CGC_name = unc-26")) == 1U);
    CHECK(acedb::parse_found(command_reply("query find Gene bogus syntax (((")) == 0U);
    // Found by an alias: one is found, none is active.
    CHECK(acedb::parse_found(command_reply("find Person WBPerson625")) == 1U);
}

TEST_CASE("A reply that does not belong to find is reported") {
    check_hostile(acedb::parse_found);
    check_malformed(acedb::parse_found("// Found many objects\n" + one_active));
    CHECK(acedb::parse_active(command_reply("find Gene")) == 5U);
    CHECK(acedb::parse_active(command_reply("find Person WBPerson625")) == 0U);  // an alias
    check_every_cut(command_reply("find Gene"), acedb::parse_active);
    check_malformed(acedb::parse_active("// 1 Active Objects\n// Found 1 objects\n"));
    check_malformed(acedb::parse_found("// Found -1 objects\n" + one_active));
    check_malformed(acedb::parse_found("Gene : \"a\"\n// Found 1 objects\n" + one_active));
}

TEST_CASE("Classes are read with their numbers") {
    // The recording was cut short; this restores the end of the reply.
    const auto reply = command_reply("classes") + "// 0 Active Objects\n";
    check_every_cut(reply, acedb::parse_classes);
    const std::vector<source::ClassCount> classes = {{"Session", 4}, {"KeySet", 1},
                                                     {"Class", 236}, {"Model", 159},
                                                     {"Text", 44},   {"LongText", 1}};
    CHECK(acedb::parse_classes(reply) == classes);
}

TEST_CASE("A reply that does not belong to classes is reported") {
    check_hostile(acedb::parse_classes);
    const std::string head = "These are the known classes and the number of objects in each\n";
    for (const std::string line : {"Gene", "Gene x", "Gene -1", "two words 3", " 7"})
        check_malformed(acedb::parse_classes(head + line + "\n" + one_active));
}

TEST_CASE("Names are read from a list, with the class of each") {
    const auto reply = command_reply("list -a");
    check_every_cut(reply, acedb::parse_list);
    CHECK(acedb::parse_list(reply) ==
          std::vector<tree::ObjectName>{{"Person", "WBPerson625alias"}});
    const auto names =
        acedb::parse_list(recordings::reply_in("command_replies.txt", "list -a", 2));
    REQUIRE(names);
    REQUIRE(names->size() == 10);
    CHECK(names->back().name == "2026-11-20_19:18:43_getLoginFailed");
}

TEST_CASE("Names in a list may be whole paragraphs, and the list itself is not a name") {
    const auto names = acedb::parse_list(
        "\nKeySet : Answer_1\nText : \"He said: \\\"50\\%\\\" http:\\/\\/x\\;\"\n"
        "Text : \"two\\n\\\n\\n\\\nlines\"\n\nKeySet : Answer_1\nKeySet : \"Answer_1\"\n\n\n"
        "// 3 object listed\n// 3 Active Objects\n");
    REQUIRE(names);
    CHECK(*names == std::vector<tree::ObjectName>{{"Text", "He said: \"50%\" http://x;"},
                                                  {"Text", "two\n\nlines"},
                                                  {"KeySet", "Answer_1"}});
}

TEST_CASE("A reply that is not a list is reported") {
    check_hostile(acedb::parse_list);
    check_malformed(acedb::parse_list(command_reply("list -j")));
    const std::string end = "// 1 object listed\n" + one_active;
    for (const std::string lines : {"Gene : a\n", "Gene : \"a\n", "Gene : \"\"\n", ""})
        check_malformed(acedb::parse_list("\nKeySet : Answer_1\n" + lines + end));
}

TEST_CASE("A shown object has the same bytes as in a dump") {
    // The same database was dumped and asked.
    const auto dumped = dumps::objects_in(dumps::sample_files[2]);
    std::size_t compared = 0;
    for (const auto& file : std::filesystem::directory_iterator("tests/data/formats")) {
        if (file.path().extension() != ".aT") continue;
        INFO(file.path());
        const auto reply =
            dumps::read(file.path().string()) + "// 1 object dumped\n" + one_active;
        const auto objects = acedb::parse_shown(reply);
        REQUIRE(objects);
        REQUIRE(objects->size() == 1);
        CHECK(std::count(dumped.begin(), dumped.end(), objects->front()) == 1);
        ++compared;
    }
    CHECK(compared == 14);
}

TEST_CASE("Several objects are shown, also empty ones") {
    const auto reply = command_reply("show -a -T");
    check_every_cut(reply, acedb::parse_shown);
    const auto objects = acedb::parse_shown(reply);
    REQUIRE(objects->size() == 3);
    CHECK(objects->at(1) ==
          "UserSession : \"2008-02-01_09:15:20_sylvia\" -O \"2008-02-10_14:30:00_sylvia\"\n");
    CHECK(objects->at(2).ends_with("\"getLoginFailed\" -O \"2008-02-10_14:30:00_sylvia\"\n"));
}

TEST_CASE("Array objects are shown in their own forms") {
    const std::string text = "LongText : \"l\" -O \"s\"\n\nA line.\n\n// 1 object dumped\n"
                             "// 1 Active Objects\n\nGene : \"no object\"\n***LongTextEnd***\n";
    const std::string none = "LongText : \"none\"\n***LongTextEnd***\n";
    const std::string dna = "DNA : \"d\" -O \"s\"\n         acgt\n         ac\n";
    const std::string set = "KeySet : \"k\"\nPaper : \"p\"\nGene : \"g\"\n";
    const std::string gene = "Gene : \"two\\n\\\nlines\"\nRemark\t \"x\\n\\\n\\n\\\ny\"\n";
    const auto reply =
        shown(text + "\n" + none + "\n" + dna + "\n" + set + "\n" + gene + "\n", "5 objects");
    check_every_cut(reply, acedb::parse_shown);
    CHECK(acedb::parse_shown(reply) == std::vector<std::string_view>{text, none, dna, set, gene});
    // Without a blank line after the last one.
    CHECK(acedb::parse_shown(shown(gene, "1 object")) == std::vector<std::string_view>{gene});
    CHECK(acedb::parse_shown(shown(text, "1 object")) == std::vector<std::string_view>{text});
}

TEST_CASE("An empty list has no names and shows nothing, nor does an object without the tag") {
    CHECK(acedb::parse_list("// Active list is empty\n// 0 Active Objects\n")->empty());
    CHECK(acedb::parse_shown(command_reply("show -a"))->empty());
    CHECK(acedb::parse_shown("\n// 1 object dumped\n" + one_active)->empty());
}

TEST_CASE("A reply that does not show whole objects is reported") {
    check_hostile(acedb::parse_shown);
    for (const auto* other : {"list -a", "list -j"})
        check_malformed(acedb::parse_shown(command_reply(other)));
    for (const auto& [objects, count] : {std::pair("Gene : \"a\"\n\n", "2 objects"),
                                         {"Gene : \"a\"\n\nGene : \"b\"\n\n", "1 object"},
                                         {"LongText : \"a\"\nno end\n\n", "1 object"},
                                         {"?Gene?a?\n\n", "1 object"},
                                         {"Gene : \"a\n", "1 object"}})
        check_malformed(acedb::parse_shown(shown(objects, count)));
}

TEST_CASE("The models are the whole reply except its end") {
    CHECK(acedb::model_text("?Map_error Error UNIQUE Float\n// 1 Active Objects\n") ==
          "?Map_error Error UNIQUE Float\n");
    CHECK(acedb::model_text("?A B\n") == "?A B\n");
    CHECK(acedb::model_text("").empty());
}

TEST_CASE("Words of the database are one printable line of limited length") {
    CHECK(acedb::words_of("// Keyword bogus does not match\n// 0 Active Objects\n") ==
          "Keyword bogus does not match");
    CHECK(acedb::words_of("// 0 Active Objects\n// Sorry, emergency shutdown of server now "
                          "executing\n// A bientot\n") ==
          "Sorry, emergency shutdown of server now executing");
    CHECK(acedb::words_of("").empty());
    CHECK(acedb::words_of("\n//\n// 3 Active Objects\n").empty());
    CHECK(acedb::words_of("no comment") == "no comment");
    CHECK(acedb::words_of("a\x1b[31m\xff\x7f") == "a?[31m??");
    CHECK(acedb::words_of(std::string(5000, 'x')) == std::string(200, 'x'));
}
