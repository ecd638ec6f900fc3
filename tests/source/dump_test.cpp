// SPDX-License-Identifier: MIT
#include "source/files_build.hpp"
#include "source/index/index_folder.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "source/build_site.hpp"
#include "source/dumps.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using build_site::name_found;
using build_site::Site;
using build_site::text_in;
using build_site::zstd;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using source::open_files;
using support::gzipped;
using support::TempDir;

namespace {

namespace fs = std::filesystem;

const std::string head = "\n\n // Class Gene \n\n";
const std::string gene_a = "Gene : \"a\" -O \"s\"\nRemark\t \"one\"\n\n";
const std::string gene_b = "Gene : \"b\"\nRemark\t \"two\"\nCGC_name\t \"b-1\"\n\n";

}  // namespace

TEST_CASE("A build finds its objects in several files and in a continued class") {
    Site site;
    site.write("dump_A.1.ace", head + gene_a + dumps::trailer);
    site.write("dump_A.2.ace",
               head + gene_b + "\n\n // Class Paper \n\nPaper : \"P1\"\n\n" + dumps::trailer);
    site.write("models.wrm", "?Gene Remark ?Text\n      CGC_name UNIQUE ?Gene_name\n");
    site.write("notes.txt", "no dump file");
    const auto build = site.open();
    CHECK(build->release().version == "WS1");
    CHECK(build->digest().size() == 32);
    CHECK(build->class_counts() == std::vector<source::ClassCount>{{"Gene", 2}, {"Paper", 1}});
    CHECK(name_found(build, {"gene", "A"}) == "Gene a");
    CHECK(name_found(build, {"Gene", "c"}) == "none");
    CHECK(text_in(build, "a") == "one");
    const auto b = build->load({"Gene", "b"});
    REQUIRE(b);
    CHECK(b->nodes.at(1).children.at(0).cell.class_name == "Gene_name");
    CHECK(build->load({"Gene", "A"}).error().kind == ErrorKind::absent);
    CHECK(build->load({"Paper", "P1"})->nodes.empty());

    std::set<std::string> names;
    each_object(*build, [&](const source::Listed& listed) {
        CHECK(build->digest_of(listed.id()).value() == listed.digest);
        CHECK(listed.bytes > 0);
        return names.insert(std::string(listed.name)), true;
    });
    CHECK(names == std::set<std::string>{"a", "b", "P1"});
    CHECK_FALSE(build->digest_of({"Gene", "A"})->has_value());
}

TEST_CASE("A sample build opens without its session objects, and its list comes in parts") {
    TempDir folder;
    const auto build = open_files({"examples/builds/WS186", folder.path().string(), 64}).value();
    CHECK(build->release().version == "WS186");
    std::size_t objects = 0;
    each_object(*build, [&](const source::Listed& listed) {
        CHECK(listed.class_name != "UserSession");
        CHECK(build->load(listed.id()));
        return ++objects, true;
    });
    CHECK(objects > 1490);
    for (const std::uint64_t in_one : {1U, 7U, 1000U, 100000U}) {
        const auto parts = build->parts(in_one);
        CHECK(parts.size() <= (objects + in_one - 1) / in_one);
        CHECK(parts.order == build->parts(1).order);
        std::size_t listed = 0;
        for (std::size_t i = 0; i < parts.size(); ++i)
            build->each(parts.places[i], parts.places[i + 1],
                        [&](const source::Listed&) { return ++listed, true; });
        CHECK(listed == objects);
    }
    CHECK(name_found(build, {"gene", "wbgene00006763"}) == "Gene WBGene00006763");
}

TEST_CASE("Many loading sessions of one user and day are recognised, a curator's days are not") {
    const Site site;
    std::string bytes = head;
    for (int i = 0; i < 1000; ++i) {
        // 25 steps of loading, each of 4 % of the objects; and an object a day for three years.
        const auto step = 10 + i % 25;
        const auto day = base::format_date(base::Date(std::chrono::days(13'000 + i)));
        bytes += "Gene : \"g" + std::to_string(i) +
                 "\"\nTag\t -O \"2008-01-25_10:00:" + std::to_string(step) + "_loader\" 1 -O \"" +
                 day + "_09:00:00_curator\"\n\n";
    }
    site.write("x.ace", bytes + dumps::trailer);
    const auto build = site.open();
    CHECK(build->is_loading_stamp("2008-01-25_10:00:12_loader") == true);
    // The same sessions of which the sample has none.
    CHECK(build->is_loading_stamp("2008-01-25_23:59:59.3_loader") == true);
    // Loading goes on past midnight.
    CHECK(build->is_loading_stamp("2008-01-26_00:40:00_loader") == true);
    CHECK(build->is_loading_stamp("2008-01-27_00:00:00_loader") == false);
    CHECK(build->is_loading_stamp("2008-01-25_10:00:12_curator") == false);
    CHECK(build->is_loading_stamp("2006-01-25_09:00:00_curator") == false);
}

TEST_CASE("A truncated dump opens for a caller that accepts it, without the truncated object") {
    const Site site;
    site.write("x.ace", head + gene_a + "Gene : \"b\"\nRemark\t \"tw");
    REQUIRE_FALSE(site.try_open());
    const auto build = open_files({site.build().string(), site.index().string(), 64, true});
    REQUIRE(build);
    CHECK(text_in(*build, "a") == "one");
    CHECK(name_found(*build, {"Gene", "b"}) == "none");
    CHECK_FALSE(site.try_open());
}

TEST_CASE("The index of a version is kept when other content takes its name") {
    const Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto digest = site.open()->digest();
    site.write("x.ace", head + gene_a + gene_b + dumps::trailer);
    CHECK(site.open()->digest() != digest);
    const auto kept = source::kept_indexes(site.index().string());
    REQUIRE(kept.size() == 2);
    CHECK(std::any_of(kept.begin(), kept.end(), [&](const auto& index) {
        return (*source::open_kept_index(index.path))->digest() == digest;
    }));
    site.write("x.ace", head + gene_a + gene_b + dumps::trailer + "\n");
    REQUIRE(site.try_open());
    CHECK(source::kept_indexes(site.index().string()).size() == 2);
}

TEST_CASE("A build has the same digests however it is packed and split") {
    const auto bytes = dumps::read(dumps::sample_files[2]);
    Site plain, packed;
    plain.write("x.ace", bytes);
    const auto middle = bytes.find("\n\n // Class Paper ");
    REQUIRE(middle != std::string::npos);
    // Two members of a gzip file and two frames of a zstd file read as one.
    const auto first = bytes.substr(0, middle) + "\n" + dumps::trailer,
               rest = bytes.substr(middle);
    packed.write("a.ace.gz", gzipped(first.substr(0, 1000)) + gzipped(first.substr(1000)));
    packed.write("b.ace.zst", zstd(rest.substr(0, 5000)) + zstd(rest.substr(5000)));
    const auto a = plain.open(), b = packed.open();
    CHECK(a->digest() == b->digest());
    const tree::ObjectName id{"Gene", "WBGene00006763"};
    CHECK(a->digest_of(id) == b->digest_of(id));
    CHECK(a->load(id) == b->load(id));
    CHECK(packed.open()->digest() == a->digest());
}

TEST_CASE("Unpacked files are removed when their build is gone, and its index stays") {
    Site site;
    site.write("x.ace.gz", gzipped(head + gene_a + dumps::trailer));
    (void)site.open();
    const auto next = site.path() / "next";
    fs::create_directory(next);
    std::ofstream(next / "release.ini") << "version = WS2\ndate = 2008-03-01\n";
    std::ofstream(next / "y.ace") << head + gene_b + dumps::trailer;
    const source::FilesSettings settings{next.string(), site.index().string(), 64};
    REQUIRE(open_files(settings));
    CHECK(fs::exists(site.index() / "WS1.plain"));
    // An index of the version that was made of something else says nothing of the plain files.
    const Site gone;
    gone.write("x.ace", head + gene_b + dumps::trailer);
    (void)gone.open();
    fs::copy_file(gone.index() / "WS1.index", site.index() / "WS1-server-0.index");
    fs::remove_all(gone.build());
    std::ofstream(next / "y.ace") << head + gene_a + dumps::trailer;
    REQUIRE(open_files(settings));
    CHECK(fs::exists(site.index() / "WS1.plain"));
    fs::remove_all(site.build());
    std::ofstream(next / "y.ace") << head + gene_b + gene_a + dumps::trailer;
    REQUIRE(open_files(settings));
    CHECK_FALSE(fs::exists(site.index() / "WS1.plain"));
    CHECK(fs::exists(site.index() / "WS1.index"));
}

TEST_CASE("A build without a valid release.ini is refused with what to write") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto why = [&](const std::string& text) {
        site.write("release.ini", text);
        return site.why_not();
    };
    // The folder, build, is not called like a release.
    const auto hint = [](const std::string& version, const std::string& date) {
        return "; write two lines there: \"version = " + version + "\" and \"date = " + date +
               "\", the day of the release";
    };
    const auto nothing = hint("WS187", "2008-02-15");
    const std::string no_date = "/release.ini: date is missing, or not a day such as 2008-02-15";
    CHECK(why("version = WS1\n") == no_date + hint("WS1", "2008-02-15"));
    CHECK(why("version = WS1\ndate = 2008-02-30\n") == no_date + hint("WS1", "2008-02-15"));
    CHECK_THAT(why("version = ../x\ndate = 2008-02-01\n"),
               StartsWith("/release.ini: version is missing, or holds more than") &&
                   EndsWith(hint("WS187", "2008-02-01")));
    CHECK(why("version = WS1\nday = 2008-02-01\n") ==
          "/release.ini: unknown key \"day\"" + hint("WS1", "2008-02-15"));
    CHECK_THAT(why("version = WS1\nversion = WS2\n"),
               StartsWith("/release.ini:2: ") && EndsWith(nothing));
    CHECK(why(std::string(5000, '#')) == "/release.ini is too large" + nothing);
    site.remove("release.ini");
    CHECK(site.why_not() == "/release.ini is missing" + nothing);
}

TEST_CASE("What to write into release.ini names the release that the folder is called after") {
    const support::TempDir folder;
    const auto why = [&](const char* name) {
        folder.write(std::string(name) + "/x.ace", head + gene_a + dumps::trailer);
        return source::open_files(
                   {(folder.path() / name).string(), (folder.path() / "index").string()})
            .error()
            .text;
    };
    CHECK_THAT(why("WS189"), Contains("\"version = WS189\""));
    CHECK_THAT(why("2008.1"), Contains("\"version = 2008.1\""));
    CHECK_THAT(why("dumps"), Contains("\"version = WS187\""));
    CHECK_THAT(why("WS189 new"), Contains("\"version = WS187\""));
}

TEST_CASE("A folder without object files is refused, and a missing one is unavailable") {
    Site site;
    CHECK(site.why_not() ==
          " holds no files of objects (*.ace, *.xml, *.jsonl, each also .gz or .zst)");
    const auto none = open_files({(site.path() / "none").string(), site.index().string(), 64});
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::unavailable);
}

TEST_CASE("Names that are too long are skipped, and the rest is read") {
    Site site;
    const std::string name(10'000, 'n');
    site.write("x.ace", head + "Gene : \"" + name + "\"\nTag\t 1\n\nGene : \"" +
                            std::string(512, 'm') + "\"\nRemark\t \"held\"\n\n" + gene_b +
                            dumps::trailer);
    const auto build = site.open();
    CHECK(name_found(build, {"Gene", name}) == "none");
    CHECK(build->load({"Gene", name}).error().kind == ErrorKind::absent);
    CHECK(build->load({"Gene", std::string(512, 'm')}));
    CHECK(build->class_counts() == std::vector<source::ClassCount>{{"Gene", 2}});
}

TEST_CASE("A class with a colon is skipped, since CLASS:NAME could not name its objects") {
    Site site;
    site.write("x.jsonl", R"({"class": "A:B", "name": "x", "tree": []}
{"class": "A", "name": "B:x", "tree": []}
)");
    const auto build = site.open();
    CHECK(build->class_counts() == std::vector<source::ClassCount>{{"A", 1}});
    CHECK(name_found(build, {"A:B", "x"}) == "none");
    CHECK(name_found(build, {"A", "B:x"}) == "A B:x");
    CHECK(build->skips("A:B"));
}

TEST_CASE("An index is made again only when a dump file changed") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto first = site.open();
    const auto made = fs::last_write_time(site.index() / "WS1.index");
    CHECK(site.open()->digest() == first->digest());
    CHECK(fs::last_write_time(site.index() / "WS1.index") == made);

    site.write("y.ace", head + gene_b + dumps::trailer);
    CHECK(text_in(site.open(), "b") == "two");
    // The size is the same, the inode another.
    site.write("new",
               head + "Gene : \"b\"\nRemark\t \"six\"\nCGC_name\t \"b-1\"\n\n" + dumps::trailer);
    fs::rename(site.build() / "new", site.build() / "y.ace");
    CHECK(text_in(site.open(), "b") == "six");
    site.release("WS1", "2008-02-02");
    CHECK(base::format_date(site.open()->release().released_on) == "2008-02-02");
    site.remove("y.ace");
    CHECK(name_found(site.open(), {"Gene", "b"}) == "none");
}

TEST_CASE("Several processes can make the same index at once") {
    Site site;
    site.write("x.ace", dumps::read(dumps::sample_files[2]));
    site.write("y.ace.gz", gzipped(head + gene_a + dumps::trailer));
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const auto build = open_files({site.build().string(), site.index().string(), 64});
            const bool ok = build && (*build)->load({"Gene", "WBGene00006763"}) &&
                            (*build)->load({"Gene", "a"});
            ::_exit(ok ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    std::set<std::string> left;
    for (const auto& entry : fs::directory_iterator(site.index()))
        left.insert(entry.path().filename().string());
    CHECK(left == std::set<std::string>{"WS1.index", "WS1.lock", "WS1.plain"});
}

TEST_CASE("What killed processes left of an index is removed, and what living ones write stays") {
    Site site;
    site.write("x.ace.gz", gzipped(head + gene_a + dumps::trailer));
    const auto left = [&](const std::string& name) {
        fs::create_directories((site.index() / name).parent_path());
        std::ofstream(site.index() / name) << "x";
        return site.index() / name;
    };
    std::vector<fs::path> dead, living, others;
    for (const auto* name : {"WS1.index.tmp-a1b2c3", "WS1.plain/x.ace.gz.tmp-a1b2c3",
                             "WS9.index.tmp-a1b2c3", "WS9.plain/y.ace"})
        dead.push_back(left(name));
    // Another process makes this one.
    const auto lock = source::lock_version(site.index().string(), "WS2");
    REQUIRE(lock);
    for (const auto* name :
         {"WS2.index.tmp-a1b2c3", "WS2.plain/x.ace.tmp-a1b2c3", "WS2.plain/y.ace"})
        living.push_back(left(name));
    // "WS1.index" is a version, too; and what is not ours is not touched.
    for (const auto* name : {"WS1.index.index", "notes.txt", "WS1.index.old", "WS1.index.backup"})
        others.push_back(left(name));
    (void)site.open();
    for (const auto& file : dead) CHECK_FALSE(fs::exists(file));
    for (const auto& file : living) CHECK(fs::exists(file));
    for (const auto& file : others) CHECK(fs::exists(file));
    CHECK(text_in(site.open(), "a") == "one");
}

TEST_CASE("The locks of versions are for nobody else") {
    const Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto before = ::umask(0);
    (void)site.open();
    ::umask(before);
    CHECK(fs::status(site.index() / "WS1.lock").permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("Many threads can read one build") {
    Site site;
    site.write("x.ace", dumps::read(dumps::sample_files[0]));
    const auto build = site.open();
    std::atomic<int> right{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 50; ++n)
                if (build->load({"Gene", "WBGene00006763"}) &&
                    build->is_loading_stamp("2008-01-25_10:00:00.1_wormpub") == true)
                    ++right;
        });
    threads.clear();
    CHECK(right == 400);
}

TEST_CASE("Switching a link while a build is open does not mix two builds") {
    TempDir folder;
    const auto link = folder.path() / "current";
    const auto samples = fs::absolute("examples/builds");
    fs::create_directory_symlink(samples / "WS186", link);
    const source::FilesSettings settings{link.string(), (folder.path() / "index").string(), 64};
    const auto before = open_files(settings);
    const auto identity = source::identity_of(settings.folder);
    fs::remove(link);
    fs::create_directory_symlink(samples / "WS188", link);
    const auto after = open_files(settings);
    REQUIRE(before);
    REQUIRE(after);
    CHECK((*before)->release().version == "WS186");
    CHECK((*after)->release().version == "WS188");
    CHECK((*before)->load({"Gene", "WBGene00006763"}) !=
          (*after)->load({"Gene", "WBGene00006763"}));
    CHECK(identity != source::identity_of(settings.folder));
}

TEST_CASE("The identity of a build changes with each of its files and with nothing else") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto identity = [&] {
        const auto text = source::identity_of(site.build().string());
        REQUIRE(text);
        return *text;
    };
    const auto first = identity();
    (void)site.open();
    fs::create_directory(site.build() / "folder");
    site.write(".hidden", "x");
    CHECK(identity() == first);
    site.write("models.wrm", "?Gene\n");
    const auto second = identity();
    CHECK(second != first);
    site.write("dump.log", "grows");
    CHECK(identity() == second);
    site.release("WS12", "2008-02-01");
    CHECK(identity() != second);
    const auto third = identity();
    site.write("x.ace", head + gene_a + gene_b + dumps::trailer);
    CHECK(identity() != third);
    CHECK(source::identity_of((site.path() / "none").string()).error().kind ==
          ErrorKind::unavailable);
}

TEST_CASE("An unreachable file beside the object files is ignored") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    const auto first = source::identity_of(site.build().string());
    const std::string no_name(300, 'x');  // too long: an error even for root
    fs::create_symlink(no_name, site.build() / "dump.log");
    CHECK(name_found(site.open(), {"Gene", "a"}) == "Gene a");
    REQUIRE(first);
    CHECK(source::identity_of(site.build().string()) == first);
    fs::create_symlink(no_name, site.build() / "models.wrm");
    CHECK(site.try_open().error().kind == ErrorKind::unavailable);
}

TEST_CASE("A build whose folder is deleted still answers, and its kept index has its names, "
          "counts and digests") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    site.write("y.xml", "<Gene class='Gene' value='b'/>");
    const auto build = site.open();
    fs::remove_all(site.build());
    CHECK(text_in(build, "a") == "one");
    CHECK(site.try_open().error().kind == ErrorKind::unavailable);
    const auto kept = source::kept_indexes(site.index().string());
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].release == build->release());
    const auto index = source::open_kept_index(kept[0].path).value();
    CHECK(index->digest() == build->digest());
    CHECK(index->class_counts() == build->class_counts());
    CHECK(index->digest_of({"Gene", "a"}) == build->digest_of({"Gene", "a"}));
    CHECK(name_found(index, {"gene", "B"}) == "Gene b");
    CHECK(index->load({"Gene", "a"}).error().kind == ErrorKind::unavailable);
}

TEST_CASE("Kept indexes are listed oldest release first, without damaged ones") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    for (const auto* version : {"WS100", "WS99", "WS98"}) {
        site.release(version, "2008-02-01");
        (void)site.open();
    }
    std::ofstream(site.index() / "WS98.index") << "damaged";
    const auto kept = source::kept_indexes(site.index().string());
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].release.version == "WS99");
    CHECK(kept[1].release.version == "WS100");
    CHECK(source::kept_indexes((site.path() / "none").string()).empty());
    CHECK(source::open_kept_index((site.index() / "WS98.index").string()).error().kind ==
          ErrorKind::malformed);
}

TEST_CASE("An index folder that cannot be written is named") {
    Site site;
    site.write("x.ace", head + gene_a + dumps::trailer);
    std::ofstream(site.path() / "index") << "a file";
    const auto build = site.try_open();
    REQUIRE_FALSE(build);
    CHECK(build.error().text.find((site.path() / "index").string()) != std::string::npos);
}
