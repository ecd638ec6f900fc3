// SPDX-License-Identifier: MIT
#include "source/index.hpp"

#include <set>

#include "source/dumps.hpp"

using source::Entry;
using source::Index;
using source::IndexWriter;
using support::TempDir;

namespace {

struct Made {
    std::string class_name, name;
};

std::optional<IndexWriter::Twins> write_index(const std::string& path,
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
    facts.folder = "/a folder\twith\nodd %41 bytes";
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

TEST_CASE("an index finds what was written into it, and tells it as it was") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto index = opened(path);
    CHECK(index.size() == 5);
    const auto entry = index.find_exact({"Paper", "a name of several words"});
    REQUIRE(entry);
    CHECK(entry->offset == 500);
    CHECK(entry->line == 50);
    CHECK(index.name_of(*entry) == tree::ObjectName{"Paper", "a name of several words"});
    CHECK_FALSE(index.find_exact({"Gene", "a name of several words"}));

    const auto& facts = index.facts();
    CHECK(facts.folder == "/a folder\twith\nodd %41 bytes");
    CHECK(facts.untracked == 3);
    CHECK(facts.release.version == "WS1");
    CHECK(facts.files ==
          std::vector<source::DumpFile>{{"dump.ace", {~std::uint64_t{0}, 5, -7}, 5}});
    CHECK(facts.classes == std::vector<source::ClassCount>{{"Gene", 3}, {"Paper", 2}});
    const auto alone = Index::read_facts(path);
    REQUIRE(alone);
    CHECK(alone->digest == facts.digest);
}

TEST_CASE("a name is found exactly, else without regard to case where that is one object") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto index = opened(path);
    const auto found = [&](const char* class_name, const char* name) {
        const auto entry = index.find({class_name, name});
        return entry ? index.name_of(*entry).name : "none";
    };
    CHECK(found("Gene", "unc-26") == "unc-26");
    CHECK(found("Gene", "UNC-26") == "UNC-26");
    CHECK(found("Gene", "Unc-26") == "none");  // two, and none exact
    CHECK(found("gene", "DAF-16") == "daf-16");
    CHECK(found("Gene", "daf-1") == "none");
}

TEST_CASE("entries are told in the order of the files, and each once by its hash") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, some));
    const auto index = opened(path);
    std::vector<std::string> names;
    index.each(0, UINT64_MAX, [&](const Entry& entry) {
        names.emplace_back(entry.name);
        return names.size() < 3;
    });
    CHECK(names == std::vector<std::string>{"unc-26", "UNC-26", "daf-16"});
    std::multiset<std::uint64_t> offsets;
    for (std::size_t i = 0; i < index.size(); ++i) offsets.insert(index.entry(i)->offset);
    CHECK(offsets == std::multiset<std::uint64_t>{100, 200, 300, 400, 500});
}

TEST_CASE("the digest of a build knows its objects, not their order") {
    TempDir folder;
    const auto digest = digest_of(folder, some);
    CHECK(digest.size() == 32);
    CHECK(digest_of(folder, {some[4], some[1], some[0], some[3], some[2]}) == digest);
    CHECK(digest_of(folder, {some[0], some[1], some[2], some[3]}) != digest);
}

TEST_CASE("an object that comes twice is told with both places, and no index put in place") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    const auto twins = write_index(path, {some[2], some[0], some[1], some[0]});
    REQUIRE(twins);
    CHECK(twins->name == "unc-26");
    CHECK(twins->first.offset == 200);
    CHECK(twins->second.offset == 400);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("an index with any byte changed, or cut, is refused") {
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
        CHECK(index.error().kind == base::Kind::malformed);
        folder.write("x.index", whole.substr(0, i));
        REQUIRE_FALSE(Index::open(path));
    }
    folder.write("x.index", whole + "x");
    CHECK_FALSE(Index::open(path));
    CHECK(Index::open((folder.path() / "none").string()).error().kind == base::Kind::absent);
}

TEST_CASE("an empty build has an index, too") {
    TempDir folder;
    const auto path = (folder.path() / "x.index").string();
    REQUIRE_FALSE(write_index(path, {}));
    const auto index = opened(path);
    CHECK(index.size() == 0);
    CHECK_FALSE(index.find({"Gene", "x"}));
}
