// SPDX-License-Identifier: MIT
#include "source/index/index.hpp"

#include <algorithm>
#include <csignal>
#include <random>
#include <sys/resource.h>

#include "base/text.hpp"
#include "source/dumps.hpp"
#include "source/index/index_folder.hpp"
#include "source/index/index_format.hpp"

using source::Entry;
using source::Index;
using source::IndexWriter;
using support::TempDir;

namespace {

struct Made {
    std::string class_name, name;
};

std::optional<IndexWriter::Duplicate> write_index(const std::string& path,
                                                  const std::vector<Made>& objects) {
    auto writer = IndexWriter::create(path);
    REQUIRE(writer);
    std::uint64_t offset = 0;
    for (const auto& object : objects) {
        Entry entry;
        entry.digest = XXH3_128bits(object.name.data(), object.name.size());
        entry.offset = offset += 100;
        entry.length = object.name.size();
        entry.line = offset / 10;
        entry.name = object.name;
        REQUIRE(writer->add(entry, object.class_name));
    }
    source::Facts facts;
    facts.release = {"WS1", *base::parse_date("2008-02-01")};
    facts.origin = "/a folder\twith\nodd %41 bytes";
    facts.untracked = 3;
    facts.files = {{"dump.ace", {~std::uint64_t{0}, 5, -7}, 5}};
    auto twins = writer->finish(facts);
    REQUIRE(twins);
    return *twins;
}

Index opened(const std::string& path) {
    auto index = Index::open(path);
    INFO((index ? "" : index.error().text));
    REQUIRE(index);
    return std::move(*index);
}

std::string digest_of(const TempDir& folder, const std::vector<Made>& objects) {
    const auto path = (folder.path() / "y.index").string();
    REQUIRE_FALSE(write_index(path, objects));
    return opened(path).facts().digest;
}

const std::vector<Made> some = {{"Gene", "unc-26"},
                                {"Gene", "UNC-26"},
                                {"Gene", "daf-16"},
                                {"Paper", "unc-26"},
                                {"Paper", "a name of several words"}};

}  // namespace

TEST_CASE("An index contains what was written to it, unchanged") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto index = opened(path);
    const auto entry = index.find_exact({"Paper", "a name of several words"});
    REQUIRE(entry);
    CHECK(entry->offset == 500);
    CHECK(entry->line == 50);
    CHECK(index.name_of(*entry) == tree::ObjectName{"Paper", "a name of several words"});
    CHECK_FALSE(index.find_exact({"Gene", "a name of several words"}));

    const auto& facts = index.facts();
    CHECK(facts.origin == "/a folder\twith\nodd %41 bytes");
    CHECK(facts.untracked == 3);
    CHECK(facts.release.version == "WS1");
    CHECK(facts.files ==
          std::vector<source::BuildFile>{{"dump.ace", {~std::uint64_t{0}, 5, -7}, 5}});
    CHECK(facts.classes == std::vector<source::ClassCount>{{"Gene", 3}, {"Paper", 2}});
    const auto alone = Index::read_facts(path);
    REQUIRE(alone);
    CHECK(alone->digest == facts.digest);
}

TEST_CASE("Entries are listed by name, in whatever order they were added") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto index = opened(path);
    std::vector<tree::ObjectName> names;
    const auto visit = [&](const Entry& entry) {
        names.push_back(index.name_of(entry));
        return true;
    };
    index.each(0, UINT64_MAX, visit);
    const std::vector<tree::ObjectName> all{{"Paper", "a name of several words"},
                                            {"Gene", "daf-16"},
                                            {"Gene", "UNC-26"},
                                            {"Gene", "unc-26"},
                                            {"Paper", "unc-26"}};
    CHECK(names == all);
    // Names that differ in case alone stay together.
    const auto places = index.places(2);
    REQUIRE(places.size() == 3);
    names.clear();
    for (std::size_t i = 0; i < 2; ++i) index.each(places[i], places[i + 1], visit);
    CHECK(names == all);
}

// Long enough for several places, and for parts that are merged.
TEST_CASE("Whatever was looked for before, a name leads to what a walk over all entries finds") {
    std::vector<tree::ObjectName> names;
    for (int i = 0; i < 2000; ++i) {
        const auto name = (i % 3 == 0   ? "Ab"
                           : i % 3 == 1 ? "aB"
                                        : "b") +
                          std::to_string(i * 37 % 700);
        names.push_back({i % 5 == 0 ? "gene" : i % 2 == 0 ? "Gene" : "Paper", name});
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    auto writer = IndexWriter::create(path);
    REQUIRE(writer);
    constexpr std::size_t parts = 7;
    for (std::size_t part = 0; part < parts; ++part) {
        source::IndexPart some_names;
        for (std::size_t i = names.size(); i-- > 0;) {
            if (i % parts != part) continue;
            Entry entry;
            entry.name = names[i].name;
            REQUIRE(some_names.add(entry, names[i].class_name));
        }
        REQUIRE(writer->append(some_names, 0));
    }
    source::Facts facts;
    facts.release = {"WS1", *base::parse_date("2008-02-01")};
    const auto twins = writer->finish(facts);
    REQUIRE(twins);
    REQUIRE_FALSE(*twins);
    const auto index = opened(path);
    auto asked = names;
    for (const auto& [class_name, name] : names) {
        asked.push_back({class_name, base::fold_ascii(name)});
        asked.push_back({base::fold_ascii(class_name), name + "0"});
    }
    const auto expected = [&](const tree::ObjectName& object) -> std::optional<tree::ObjectName> {
        std::vector<tree::ObjectName> alike;
        for (const auto& each : names) {
            if (each == object) return each;
            if (base::equal_ignoring_case(each.name, object.name) &&
                base::equal_ignoring_case(each.class_name, object.class_name))
                alike.push_back(each);
        }
        return alike.size() == 1 ? std::optional(alike.front()) : std::nullopt;
    };
    for (const bool is_sorted : {true, false}) {
        if (is_sorted)
            std::ranges::sort(asked, {}, &tree::ObjectName::name);
        else
            std::ranges::shuffle(asked, std::minstd_rand(1));
        for (const auto& object : asked) {
            const auto found = index.find(object);
            INFO(object.class_name << ' ' << object.name);
            CHECK((found ? std::optional(index.name_of(*found)) : std::nullopt) ==
                  expected(object));
        }
    }
}

TEST_CASE("The digest of a build depends on its objects and not on their order") {
    TempDir folder;
    const auto digest = digest_of(folder, some);
    CHECK(digest.size() == 32);
    CHECK(digest_of(folder, {some[4], some[1], some[0], some[3], some[2]}) == digest);
    CHECK(digest_of(folder, {some[0], some[1], some[2], some[3]}) != digest);
}

TEST_CASE("An object that comes twice is reported with both places, and no index is written") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    const auto twins = write_index(path, {some[2], some[0], some[1], some[0]});
    REQUIRE(twins);
    CHECK(twins->name == "unc-26");
    CHECK(twins->first.offset == 200);
    CHECK(twins->second.offset == 400);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("An index that is changed in any byte or truncated is refused") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto whole = dumps::read(path);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        auto bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
        folder.write("x.index", bytes);
        INFO(i);
        const auto index = Index::open(path);
        REQUIRE_FALSE(index);
        CHECK(index.error().kind == base::ErrorKind::malformed);
        folder.write("x.index", whole.substr(0, i));
        REQUIRE_FALSE(Index::open(path));
    }
    folder.write("x.index", whole + "x");
    CHECK_FALSE(Index::open(path));
    CHECK(Index::open((folder.path() / "none").string()).error().kind == base::ErrorKind::absent);
}

TEST_CASE("An open index stays as it is when its file is overwritten in place") {
    // Without room for a file, the copy is in memory.
    const bool has_room = GENERATE(true, false);
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    const auto on_full = std::signal(SIGXFSZ, SIG_IGN);
    if (!has_room) REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    const auto index = opened(path);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, on_full);
    const auto check = [&] {
        CHECK(index.find({"gene", "DAF-16"})->offset == 300);
        std::size_t visited = 0;
        for (int twice = 0; twice < 2; ++twice)
            index.each(0, UINT64_MAX, [&](const Entry&) { return ++visited > 0; });
        CHECK(visited == 2 * some.size());
    };
    std::filesystem::resize_file(path, 0);  // as cp does first
    check();
    folder.write("x.index", std::string(4096, 'x'));
    check();
    CHECK(Index::open(path).error().kind == base::ErrorKind::malformed);
}

TEST_CASE("Facts of every kind are returned unchanged") {
    source::Facts facts;
    facts.release = {"WS1", *base::parse_date("2008-02-01")};
    facts.files = {{"a.ace", {~std::uint64_t{0}, 2, -7}, 2}, {"b.xml", {4, 5, 6}, 7}};
    facts.flaw = "/builds/b.xml:9: the file\tends inside a line";
    facts.largest = 64 << 20;
    facts.has_unstamped = true;
    facts.loading_stamps = {"one", ""};
    const auto text = source::index_format::to_text(facts);
    const auto read = source::index_format::parse_facts(text);
    REQUIRE(read);
    CHECK(read->files == facts.files);
    CHECK(read->flaw == facts.flaw);
    CHECK(read->largest == facts.largest);
    CHECK(read->has_unstamped);
    CHECK(read->loading_stamps == facts.loading_stamps);
    CHECK(source::index_format::to_text(*read) == text);
    facts.loading_stamps = std::vector<std::string>();
    CHECK(
        source::index_format::parse_facts(source::index_format::to_text(facts))->loading_stamps ==
        facts.loading_stamps);
}

TEST_CASE("Objects that an older program listed of a class with a colon have not vanished") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, {{"A:B", "x"}, {"Gene", "y"}}));
    const auto build = source::open_kept_index(path);
    REQUIRE(build);
    CHECK((*build)->skips("A:B"));
    CHECK_FALSE((*build)->skips("Gene"));
    CHECK((*build)->class_counts() == std::vector<source::ClassCount>{{"Gene", 1}});
    CHECK((*build)->find({"A:B", "x"}).value() == std::nullopt);
}

TEST_CASE("Invalid facts are dropped") {
    for (const auto* text :
         {"", "release\tWS1", "released\tWS1\n", "file\ta.ace\t1\t5\t7\n",
          "file\ta.ace\t1\t5\t7\t5\txml\n", "file\ta.ace\t1\t5\t7\t5\t\tmore\n",
          "loading\tbefore it is said that there was a sample\n", "largest\t-1\n",
          "unstamped\tyes\n", "remark\n", "untracked\t1%2\n"}) {
        INFO(text);
        CHECK_FALSE(source::index_format::parse_facts(text));
    }
}
