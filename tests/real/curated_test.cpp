// Curators' files and unstamped dumps with WormBase's own models, and WormBase's own curation
// read by both readers. The data are in VARVE_REAL_DATA, because we may not distribute them.
// SPDX-License-Identifier: MIT
#include "source/curated/reader.hpp"
#include "source/import/ace_head.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "source/curated_loading.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

using curated_files::drop_stamps;
using curated_files::objects_of_dump;

namespace {

std::string real(const std::string& name) {
    const char* folder = std::getenv("VARVE_REAL_DATA");
    return std::string(folder != nullptr ? folder : "../shared/data/real") + "/" + name;
}

const tree::Models& real_models() {
    static const auto models = tree::Models::parse(dumps::read(real("models.wrm")));
    return models;
}

// Kinds and classes too, in any order.
void sort_nodes(std::vector<tree::Node>& nodes) {
    for (auto& node : nodes) sort_nodes(node.children);
    std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
        return std::pair(a.cell.text, a.cell.kind) < std::pair(b.cell.text, b.cell.kind);
    });
}

std::vector<tree::Node> bare(std::vector<tree::Node> nodes) {
    drop_stamps(nodes);
    sort_nodes(nodes);
    return nodes;
}

}  // namespace

TEST_CASE("With the real models, objects without timestamps equal those with timestamps") {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        auto path = entry.path();
        if (path.extension() != ".a") continue;
        INFO(path.string());
        auto object = objects_of_dump(path.string(), real_models()).at(0);
        const auto whole =
            objects_of_dump(path.replace_extension(".aT").string(), real_models()).at(0);
        tree::restore_paths(object.nodes, real_models(),
                            real_models().of_class(object.id.class_name));
        CHECK(bare(object.nodes) == bare(whole.nodes));
        CHECK(tree::signature_of(object.nodes) == tree::signature_of(whole.nodes));
        ++compared;
    }
    CHECK(compared == 14);
}

TEST_CASE("With the real models, unusual files are read as AceDB stored them") {
    source::curated::Reader written(curated_files::settings_of(real_models()));
    for (const std::string name : {"input-1.ace", "input-2.ace"})
        REQUIRE(written.load(name, dumps::read("tests/data/edge/" + name)));
    const auto loaded = curated_files::taken(written);
    CHECK(loaded.rejections.size() == 4);
    std::size_t compared = 0;
    for (const auto& stored : objects_of_dump("tests/data/edge/dump.ace", real_models())) {
        const auto name = stored.id.class_name + ' ' + stored.id.name;
        if (!loaded.objects.contains(name) || name == "Strain edge-s") continue;  // `now`
        INFO(name);
        CHECK(bare(loaded.at(name).nodes) == bare(stored.nodes));
        ++compared;
    }
    CHECK(compared == 25);
}

TEST_CASE(
    "With the real models, whole dumps give the same objects when read as curators' files") {
    for (const auto& file : dumps::sample_files) {
        source::curated::Reader written(curated_files::settings_of(real_models()));
        REQUIRE(written.load("dump.ace", dumps::read(file)));
        const auto loaded = curated_files::taken(written);
        for (const auto& rejection : loaded.rejections) UNSCOPED_INFO(rejection.reason);
        CHECK(loaded.rejections.empty());
        for (const auto& object : objects_of_dump(file, real_models())) {
            const auto name = object.id.class_name + ' ' + object.id.name;
            INFO(name);
            // Here the order of tags is also that of AceDB.
            CHECK(curated_files::paths_of(loaded.at(name)) == curated_files::paths_of(object));
        }
    }
}

TEST_CASE(
    "WormBase's curation of 1999 to 2006 is a dump and gives the same as a curators' file") {
    const auto bytes = dumps::read(real("variation-2006.ace"));
    CHECK(source::import::is_dumped(std::string_view(bytes).substr(0, 64 << 10)));
    const tree::Models none;
    source::curated::Reader written(curated_files::settings_of(none));
    REQUIRE(written.load("variation-2006.ace", bytes));
    const auto loaded = curated_files::taken(written);
    // `Variation : "ct417" -O ` ends there, and AceDB's parser expects a timestamp.
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].place == "variation-2006.ace:108");
    CHECK(loaded.rejections[0].reason == "Variation \"ct417\": no stamp after -O");
    CHECK(loaded.objects.size() == 2113);
    for (const auto& object : objects_of_dump(real("variation-2006.ace"), none)) {
        const auto& read = loaded.at(object.id.class_name + ' ' + object.id.name);
        INFO(object.id.name);
        if (object.id.name == "ct417") continue;
        CHECK(read.stamp == object.stamp);
        CHECK(curated_files::paths_of(read) == curated_files::paths_of(object));
    }
}
