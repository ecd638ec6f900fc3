// Builds in other notations than AceDB's stamped dump.
// SPDX-License-Identifier: MIT
#include "source/dump/json_lines.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include "base/text.hpp"
#include "source/build_site.hpp"
#include "source/dumps.hpp"
#include "source/index/index_folder.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using build_site::name_found;
using build_site::Site;
using build_site::text_in;
using build_site::zstd;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using source::Build;
using support::gzipped;
using support::TempDir;

namespace {

namespace fs = std::filesystem;

const std::string& models_text() {
    static const auto text = dumps::read("examples/builds/WS188/models.wrm");
    return text;
}

using Signatures = std::map<std::string, std::string>;  // by "Class name"

Signatures signatures_of(const Build& build) {
    Signatures signatures;
    each_object(*build, [&](const source::Listed& listed) {
        const auto object = build->load(listed.id());
        INFO((object ? "" : object.error().text));
        REQUIRE(object);
        CHECK(object->id == listed.id());
        signatures[object->id.class_name + " " + object->id.name] =
            tree::signature_of(object->nodes);
        return true;
    });
    return signatures;
}

const Signatures& sample_signatures() {
    static const auto signatures = [] {
        const TempDir folder;
        return signatures_of(
            source::open_files({"examples/builds/WS188", folder.path().string(), 64}).value());
    }();
    return signatures;
}

// Returns what AceDB shows of objects: `.a` without timestamps and with shortened paths of tags,
// `.aT` with both.
std::string recorded(const char* extension) {
    std::string objects;
    for (const auto& entry : fs::directory_iterator("tests/data/formats"))
        if (entry.path().extension() == extension) objects += dumps::read(entry.path().string());
    return objects;
}

std::string gene(const std::string& name, const std::string& text) {
    return R"({"class":"Gene","name":")" + name +
           R"(","tree":[{"tag":"Remark","children":[{"text":")" + text + "\"}]}]}\n";
}

std::string gene_xml(const std::string& name, const std::string& text) {
    return "<Gene class='Gene' value='" + name + "'>\n<Remark class='#txt' value='" + text +
           "'/>\n</Gene>\n";
}

}  // namespace

TEST_CASE(
    "A dump without timestamps has the signatures of the same dump with them, given the models") {
    const Site stamped, site;
    stamped.write("x.ace", recorded(".aT"));
    stamped.write("models.wrm", models_text());
    site.write("x.ace.gz", gzipped(recorded(".a")));
    const auto without_models = site.open();
    CHECK(signatures_of(without_models) != signatures_of(stamped.open()));
    REQUIRE(without_models->remarks().size() == 1);
    CHECK_THAT(without_models->remarks()[0], Contains("models.wrm"));
    site.write("models.wrm", models_text());
    const auto build = site.open();
    CHECK(signatures_of(build) == signatures_of(stamped.open()));
    CHECK(build->class_counts().size() == 13);
    CHECK(build->remarks().empty());
    CHECK(build->is_loading_stamp("2008-01-25_10:00:00.1_wormpub") == false);
}

TEST_CASE("The models are part of the digests of a dump without timestamps, and of no other") {
    const tree::ObjectName gene{"Gene", "WBGene00006763"};
    for (const bool has_stamps : {false, true}) {
        const Site site;
        site.write("x.ace", recorded(has_stamps ? ".aT" : ".a"));
        const auto digest_with = [&](const std::string& models) {
            site.write("models.wrm", models);
            const auto build = site.open();
            const auto kept = source::open_kept_index((site.index() / "WS1.index").string());
            CHECK(kept.value()->digest_of(gene) == build->digest_of(gene));
            source::each_object(*build, [&](const source::Listed& listed) {
                CHECK(build->digest_of(listed.id()) == listed.digest);
                return true;
            });
            return build->digest_of(gene).value();
        };
        const auto first = digest_with(models_text());
        CHECK((digest_with(models_text() + "\n?New_class Tag\n") == first) == has_stamps);
        CHECK(digest_with(models_text()) == first);
    }
}

TEST_CASE("The sample build in JSON Lines has the signatures of its dump, packed or not") {
    const TempDir folder;
    const auto dump = source::open_files({"examples/builds/WS188", folder.path().string(), 64});
    std::string lines, digest;
    each_object(**dump, [&](const source::Listed& listed) {
        source::dump::append_json_line(lines, (*dump)->load(listed.id()).value());
        return true;
    });
    for (const auto& [name, bytes] : {std::pair("x.jsonl", lines),
                                      {"x.jsonl.gz", gzipped(lines)},
                                      {"x.jsonl.zst", zstd(lines)}}) {
        INFO(name);
        const Site site;
        site.write(name, bytes);
        const auto build = site.open();
        CHECK(signatures_of(build) == sample_signatures());
        if (digest.empty()) digest = build->digest();
        CHECK(build->digest() == digest);
        // The .N of a session is not part of a time.
        CHECK(build->is_loading_stamp("2008-01-25_10:00:00_wormpub") == true);
        CHECK(build->is_loading_stamp("2004-04-07_11:29:19_wormpub") == false);
    }
}

TEST_CASE(
    "A build in XML is read, packed or not, and its index folder has the objects in plain form") {
    const auto xml = "<x>" + gene_xml("a", "one") + gene_xml("b", "two") + "</x>";
    for (const auto& [name, bytes] :
         {std::pair("x.xml", xml), {"x.xml.gz", gzipped(xml)}, {"x.xml.zst", zstd(xml)}}) {
        INFO(name);
        const Site site;
        site.write(name, bytes);
        const auto build = site.open();
        CHECK(text_in(build, "a") == "one");
        CHECK(text_in(build, "b") == "two");
        CHECK(fs::exists(site.index() / "WS1.plain" / name));
        CHECK(std::distance(fs::directory_iterator(site.index() / "WS1.plain"), {}) == 1);
    }
}

TEST_CASE("A file that AceDB's dumper did not write is refused, and the error says what to do") {
    const Site site;
    const std::string advice =
        "; load it into AceDB, and give Varve what AceDB's `dump -T` writes";
    const std::string foreign = ":1: AceDB's dumper did not write this file";
    const std::string gene = "Gene : \"a\"\n";
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {gene + "Remark \"one\"\n", ":1" + foreign},
             {gene + "Remark\t\"one\"\t\n", ":1" + foreign},  // AcePerl's asAce
             {gene + "Live\n", ":1" + foreign},
             {"// ours\n\nGene : \"e\"\n\n" + gene + "Live \n", ":5" + foreign},
             {gene + " Remark\t \"one\"\n", ":1" + foreign},
             {gene + "// why\nRemark\t \"one\"\n", ":1" + foreign},
             {gene + "-D Remark \"one\"\n", ":1" + foreign},
             {"Gene a\nRemark\t \"one\"\n", ":1:6: no object header (Class : \"name\")"},
             {"-D Gene : \"a\"\n", ":1:4: no object header (Class : \"name\")"},
             {"@more.ace\n", ":1:10: no object header (Class : \"name\")"},
             {"Gene : \"a\" // why\n", ":1:12: more words than a header has"},
             {gene + "Live\t\n\nGene b\n\nGene c\n", ":4:6: no object header (Class : \"name\")"},
             {"  Gene : \"a\"\n", ":1:1: a line that belongs to no object"}}) {
        INFO(text);
        site.write("x.ace", text);
        CHECK_THAT(site.why_not(), StartsWith("/x.ace" + why) && Contains(advice));
        site.remove("x.ace");
        site.write("x.ace.gz", gzipped(text));
        CHECK_THAT(site.why_not(), StartsWith("/x.ace.gz" + why) && Contains(advice));
        site.remove("x.ace.gz");
    }
}

TEST_CASE("What AceDB's dumper writes is read without banners and without timestamps") {
    const auto whole = dumps::read(dumps::sample_files[2]);
    std::string plain;
    for (const auto line : base::split(whole, '\n'))
        if (!line.starts_with(" // ")) plain.append(line) += '\n';
    const Site site;
    site.write("models.wrm", models_text());
    site.write("x.ace", plain);
    CHECK(signatures_of(site.open()) == sample_signatures());
}

TEST_CASE("Files of several notations make one build") {
    const Site site;
    site.write("a.ace",
               "\n\n // Class Gene \n\nGene : \"a\"\nRemark\t \"dump\"\n\n" + dumps::trailer);
    site.write("c.jsonl", gene("c", "json"));
    site.write("d.xml.gz", gzipped(gene_xml("d", "xml")));
    site.write("models.wrm", "?Gene Remark ?Text\n");
    const auto build = site.open();
    for (const auto& [name, text] :
         std::map<std::string, std::string>{{"a", "dump"}, {"c", "json"}, {"d", "xml"}})
        CHECK(text_in(build, name) == text);
    CHECK(build->class_counts() == std::vector<source::ClassCount>{{"Gene", 3}});
    CHECK(site.open()->digest() == build->digest());
}

TEST_CASE("An object in two files of different notations is reported with both places") {
    const Site site;
    const auto real = fs::canonical(site.build()).string();
    site.write("a.jsonl", gene("b", "1") + "\n" + gene("a", "1"));
    site.write("b.xml", "<x>\n" + gene_xml("c", "1") + gene_xml("a", "1") + "</x>");
    CHECK(site.why_not() == "/b.xml:5: a is already at " + real + "/a.jsonl:3");
    site.remove("a.jsonl");
    site.write("c.ace", "Gene : \"d\"\n\n\nGene : \"a\"\nRemark\t \"1\"\n");
    CHECK(site.why_not() == "/c.ace:4: a is already at " + real + "/b.xml:5");
    site.remove("b.xml");
    site.write("d.ace", "\nGene : \"e\"\nRemark\t \"1\"\n");
    site.write("e.jsonl", gene("e", "1"));
    CHECK(site.why_not() == "/e.jsonl:1: e is already at " + real + "/d.ace:2");
    CHECK_FALSE(fs::exists(site.index() / "WS1.index"));
}

TEST_CASE(
    "A file that is truncated, damaged, empty or not of its notation is refused with its place") {
    const auto line = gene("a", "1"), packed = gzipped(line), frame = zstd(line);
    const std::string header = "\n\n // Class Gene \n\nGene : \"a\"\nTag\t 1\n";
    struct Case {
        std::string name, bytes, why;
    };
    const Site site;
    for (const auto& [name, bytes, why] : std::vector<Case>{
             {"x.ace", header + "Tag", ":7:4: the file ends inside a line"},
             {"x.ace", header + "\n", ":8:1: the file ends without \"// End of this dump file\""},
             {"x.jsonl", line + line.substr(0, 20), ":2:21: the file ends inside a line"},
             {"x.jsonl", line + "{}\n[]\n", ":2:1: \"class\" is missing (such objects: 2 of 3)"},
             {"x.jsonl", "{}\n", ":1:1: \"class\" is missing (such objects: 1 of 1)"},
             {"x.ace", "Gene : \"a\"\r\nTag\t 1\r\n\r\nGene : \"b\"\r\n",
              ":1:11: lines end in CR LF"},
             {"x.xml", "<x>\n" + gene_xml("a", "1"), ":"},
             {"x.xml", gene_xml("a", "1") + "<Gene class='Gene' value='b'><T/>", ":"},
             {"x.xml", "<Strain type=\"object_ref\" value=\"CB205\">\n",
              ":1:1: this is AceDB's `show -x`, which is not XML"},
             {"x.ace", "", ":"},
             {"x.jsonl", "\n\n", ":"},
             {"x.xml", "\n\n", ":"},
             {"x.jsonl.gz", packed.substr(0, packed.size() - 9),
              ": is damaged: it ends too early"},
             {"x.jsonl.gz", "no gzip", ": is damaged: incorrect header check"},
             {"x.jsonl.gz", "", ": is damaged: "},
             {"x.jsonl.gz", packed + "garbage", ": is damaged: incorrect header check"},
             {"x.jsonl.zst", frame.substr(0, frame.size() - 3),
              ": is damaged: it ends too early"},
             {"x.jsonl.zst", "no zstd at all", ": is damaged: "}}) {
        INFO(name << why);
        site.write(name, bytes);
        CHECK_THAT(site.why_not(), StartsWith("/" + name + why));
        site.remove(name);
    }
}

TEST_CASE("A line or a header that cannot be read costs its object, and nothing counts as gone") {
    const Site site;
    const auto build_with = [&](const std::string& name, const std::string& bytes) {
        site.write(name, bytes);
        auto build = site.open();
        site.remove(name);
        CHECK(text_in(build, "a") == "1");
        CHECK(text_in(build, "c") == "3");
        return build;
    };
    const auto why_without = [](const source::Build& build) {
        const auto is_absent = build->confirm_absent();
        return is_absent ? "" : is_absent.error().text;
    };
    const auto lines = [](const std::string& bad) {
        return gene("a", "1") + bad + "\n" + gene("c", "3");
    };
    const auto dump = [](const std::string& bad) {
        return "Gene : \"a\"\nRemark\t \"1\"\n\n" + bad + "\n\nGene : \"c\"\nRemark\t \"3\"\n";
    };
    for (const auto& [name, bytes, why] : std::vector<std::array<std::string, 3>>{
             {"x.jsonl", lines(R"({"class":"Gene","name":"b"})"),
              "/x.jsonl:2:1: Gene b: \"tree\" is missing"},
             {"x.ace", dump("Gene : \"b\"\nRemark\t \"x\"\nRemark\t \"y"),
              "/x.ace:6:9: Gene b: a quote is not closed"}}) {
        const auto build = build_with(name, bytes);
        const auto bad = build->load({"Gene", "b"});
        REQUIRE_FALSE(bad);
        CHECK(bad.error().kind == ErrorKind::malformed);
        CHECK_THAT(bad.error().text, EndsWith(why));
        CHECK(why_without(build).empty());
    }

    const std::string deep =
        "{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + '}';
    for (const auto& [name, bytes, why] : std::vector<std::array<std::string, 3>>{
             {"x.jsonl", lines("cut"), "/x.jsonl:2:1: not JSON"},
             {"x.jsonl", lines("{\"class\":\"\xE9\""), "/x.jsonl:2:11: not UTF-8"},
             {"x.jsonl", lines(gene("b", "2").substr(0, 60) + gene("d", "4")),
              "/x.jsonl:2:63: not JSON"},
             {"x.jsonl", lines(deep), "/x.jsonl:2:1: too long or too deep"},
             {"x.jsonl", lines("[\"" + std::string(9 << 20, 'x') + "\"]"),
              "/x.jsonl:2:1: too long"},
             {"x.ace", dump("Gene : b"), "/x.ace:4:8: no object header (Class : \"name\")"}}) {
        INFO(name << why);
        const auto with_unknown = build_with(name, bytes);
        CHECK_THAT(
            why_without(with_unknown),
            StartsWith("it may be gone, or in an unreadable line or header: 1, the first at ") &&
                Contains(why));
        CHECK_THAT(with_unknown->remarks().at(0), Contains(why));
    }
}

TEST_CASE("A line of 100 MB is known by name, and the rest is read") {
    const Site site;
    site.write("x.jsonl", gene("a", "1") + R"({"class":"Gene","name":"large","tree":[)");
    const auto path = site.build() / "x.jsonl";
    fs::resize_file(path, 100 << 20);  // sparse, filled with NULs
    std::ofstream(path, std::ios::app) << "]}\n" << gene("b", "2");
    const auto build = site.open();
    CHECK(name_found(build, {"gene", "LARGE"}) == "Gene large");
    const auto large = build->load({"Gene", "large"});
    REQUIRE_FALSE(large);
    CHECK(large.error().kind == ErrorKind::too_large);
    CHECK_THAT(large.error().text, Contains("/x.jsonl:2:1: Gene large is 1048"));
    CHECK(text_in(build, "b") == "2");
    const auto allowed = site.open(200)->load({"Gene", "large"});
    REQUIRE_FALSE(allowed);
    CHECK(allowed.error().kind == ErrorKind::malformed);
}

TEST_CASE("An XML object above max_object_mb is known by name until the limit allows it") {
    const Site site;
    std::string large = "<Gene class='Gene' value='large'>";
    while (large.size() < (3U << 20))
        large += "<Remark class='#txt' value='" + std::to_string(large.size()) + "'/>\n";
    site.write("x.xml", gene_xml("a", "1") + large + "</Gene>\n" + gene_xml("b", "2"));
    const auto build = site.open(1);
    const auto refused = build->load({"Gene", "large"});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::too_large);
    CHECK_THAT(refused.error().text,
               Contains("/x.xml:4:1: Gene large is more than 1048576 bytes"));
    CHECK(text_in(build, "b") == "2");
    CHECK(site.open(16)->load({"Gene", "large"}));
    const auto made = fs::last_write_time(site.index() / "WS1.index");
    CHECK(site.open(1)->load({"Gene", "large"}).error().kind == ErrorKind::too_large);
    CHECK(fs::last_write_time(site.index() / "WS1.index") == made);
}

TEST_CASE("Lost or damaged indexes and plain files are made again") {
    const Site site;
    site.write("a.xml", gene_xml("a", "1"));
    site.write("c.jsonl.gz", gzipped(gene("c", "3")));
    const auto check = [&] {
        const auto build = site.open();
        CHECK(text_in(build, "a") == "1");
        CHECK(text_in(build, "c") == "3");
    };
    const auto plain = site.index() / "WS1.plain";
    check();
    fs::remove(site.index() / "WS1.index");
    check();
    fs::remove_all(plain);
    check();
    for (const auto* name : {"a.xml", "c.jsonl.gz"}) {
        fs::remove(plain / name);
        check();
        fs::resize_file(plain / name, 1);
        check();
    }
    std::ofstream(site.index() / "WS1.index") << "damaged";
    check();
}

TEST_CASE("A reader notices a change of the file it reads, and a copied build is not affected") {
    const Site site;
    site.write("a.jsonl", gene("a", "one"));
    site.write("b.xml", gene_xml("b", "two"));
    const auto build = site.open();
    site.write("a.jsonl", gene("a", "six"));
    site.write("b.xml", gene_xml("b", "ten"));
    const auto changed = build->load({"Gene", "a"});
    REQUIRE_FALSE(changed);
    CHECK(changed.error().kind == ErrorKind::unavailable);
    CHECK(text_in(build, "b") == "two");
    CHECK(text_in(site.open(), "a") == "six");
    CHECK(text_in(site.open(), "b") == "ten");
    site.write("a.jsonl", "");
    CHECK(build->load({"Gene", "a"}).error().kind == ErrorKind::unavailable);
}

TEST_CASE("A file that changes while it is read never gives a build of both contents") {
    const Site site;
    const auto elements = [](const std::string& text) {
        std::string all = "<x>";
        for (int i = 0; i < 100'000; ++i) all += gene_xml("x" + std::to_string(i), text);
        return all + "</x>";
    };
    site.write("a.xml", elements("old"));
    const auto next = elements("new");
    const auto is_begun = [&] {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(site.index() / "WS1.plain", none))
            if (entry.file_size(none) > 0 && !none) return true;
        return false;
    };
    // Its end is overwritten as soon as its beginning has been read.
    std::atomic<bool> is_over = false;
    std::jthread writer([&] {
        while (!is_begun() && !is_over) std::this_thread::yield();
        std::fstream file(site.build() / "a.xml", std::ios::in | std::ios::out);
        const auto half = static_cast<std::streamoff>(next.size() / 2);
        file.seekp(half).write(next.data() + half, half);
    });
    const auto build = site.try_open();
    is_over = true;
    writer.join();
    if (build)
        CHECK(text_in(*build, "x0") == text_in(*build, "x99999"));
    else
        CHECK(build.error().kind == ErrorKind::unavailable);
    CHECK(text_in(site.open(), "x99999") == "new");
}

TEST_CASE("A full disk is reported and leaves no partial file, and the build opens when there is "
          "room") {
    const Site site;
    std::string elements;
    for (int i = 0; i < 3000; ++i) elements += gene_xml("x" + std::to_string(i), "text");
    site.write("a.xml.gz", gzipped("<x>" + elements + "</x>"));
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // A file size limit acts like a full disk: every write beyond it fails, in the same
        // calls. The text fits and its plain form does not, or neither does.
        const rlimit small{150'000, RLIM_INFINITY};
        ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &small);
        const auto build = site.try_open();
        ::_exit(!build && build.error().kind == ErrorKind::unavailable ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK_FALSE(fs::exists(site.index() / "WS1.index"));
    CHECK(fs::is_empty(site.index() / "WS1.plain"));
    CHECK(text_in(site.open(), "x2999") == "text");
}

TEST_CASE("In an incomplete build an absent object may be in an unreadable place") {
    const Site site;
    site.write("a.xml", "<Strain type=\"object_ref\" value=\"CB205\">\n");
    const auto build =
        source::open_files({site.build().string(), site.index().string(), 64, true});
    REQUIRE(build);
    CHECK_THAT((*build)->load({"Strain", "CB205"}).error().text,
               StartsWith("there is no class Strain in WS1, of which not all could be read: ") &&
                   Contains("/a.xml:1:1: ") && Contains("show -x"));
}

TEST_CASE("An absent class is distinguished from an absent object") {
    const Site site;
    site.write("a.jsonl", gene("a", "1"));
    const auto build = site.open();
    CHECK(build->load({"Gene", "b"}).error().text == "Gene b is not in WS1");
    CHECK(build->load({"Paper", "b"}).error().text == "there is no class Paper in WS1");
    CHECK(build->load({"Paper", "b"}).error().kind == ErrorKind::absent);
}
