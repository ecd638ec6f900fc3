// Curators' files and unstamped dumps under WormBase's own models, and WormBase's own curation
// read by both readers. Read from VARVE_REAL_DATA: not ours to ship.
// SPDX-License-Identifier: MIT
#include "source/curated/reader.hpp"
#include "source/import/ace_head.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "source/ace_object.hpp"
#include "source/curated_loading.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

namespace {

std::string real(const std::string& name) {
    const char* folder = std::getenv("VARVE_REAL_DATA");
    return std::string(folder != nullptr ? folder : "../shared/data/real") + "/" + name;
}

const tree::Models& real_models() {
    static const auto models = tree::Models::parse(dumps::read(real("models.wrm")));
    return models;
}

std::vector<tree::Object> objects_of(const std::string& path, const tree::Models& models) {
    std::vector<tree::Object> objects;
    for (const auto& bytes : dumps::objects_in(path)) {
        const auto object = source::parse_object(bytes, models);
        REQUIRE(object);
        objects.push_back(*object);
    }
    return objects;
}

void drop_stamps(std::vector<tree::Node>& nodes) {
    for (auto& node : nodes) {
        node.stamp.clear();
        drop_stamps(node.children);
    }
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

TEST_CASE("under the real models unstamped objects are the stamped ones") {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        auto path = entry.path();
        if (path.extension() != ".a") continue;
        INFO(path.string());
        auto object = objects_of(path.string(), real_models()).at(0);
        const auto whole =
            objects_of(path.replace_extension(".aT").string(), real_models()).at(0);
        tree::restore_paths(object.nodes, real_models(),
                            real_models().of_class(object.id.class_name));
        CHECK(bare(object.nodes) == bare(whole.nodes));
        CHECK(tree::signature_of(object.nodes) == tree::signature_of(whole.nodes));
        ++compared;
    }
    CHECK(compared == 14);
}

TEST_CASE("under the real models awkward files give what AceDB stored of them") {
    source::curated::Reader written(hand::settings_of(real_models()));
    for (const std::string name : {"input-1.ace", "input-2.ace"})
        REQUIRE(written.load(name, dumps::read("tests/data/edge/" + name)));
    const auto loaded = hand::taken(written);
    CHECK(loaded.rejections.size() == 4);
    std::size_t compared = 0;
    for (const auto& stored : objects_of("tests/data/edge/dump.ace", real_models())) {
        const auto name = stored.id.class_name + ' ' + stored.id.name;
        if (!loaded.objects.contains(name) || name == "Strain edge-s") continue;  // `now`
        INFO(name);
        CHECK(bare(loaded.at(name).nodes) == bare(stored.nodes));
        ++compared;
    }
    CHECK(compared == 25);
}

TEST_CASE("under the real models whole dumps are read as curators' files to the same end") {
    for (const auto& file : dumps::sample_files) {
        source::curated::Reader written(hand::settings_of(real_models()));
        REQUIRE(written.load("dump.ace", dumps::read(file)));
        const auto loaded = hand::taken(written);
        for (const auto& rejection : loaded.rejections) UNSCOPED_INFO(rejection.reason);
        CHECK(loaded.rejections.empty());
        for (const auto& object : objects_of(file, real_models())) {
            const auto name = object.id.class_name + ' ' + object.id.name;
            INFO(name);
            // Here the order of tags is that of AceDB, too.
            CHECK(hand::paths_of(loaded.at(name)) == hand::paths_of(object));
        }
    }
}

TEST_CASE("WormBase's curation of 1999 to 2006 is a dump, and as a curators' file the same") {
    const auto bytes = dumps::read(real("variation-2006.ace"));
    CHECK(source::import::is_dumped(std::string_view(bytes).substr(0, 64 << 10)));
    const tree::Models none;
    source::curated::Reader written(hand::settings_of(none));
    REQUIRE(written.load("variation-2006.ace", bytes));
    const auto loaded = hand::taken(written);
    // `Variation : "ct417" -O ` and nothing behind it: AceDB's parser wants a stamp there.
    REQUIRE(loaded.rejections.size() == 1);
    CHECK(loaded.rejections[0].place == "variation-2006.ace:108");
    CHECK(loaded.rejections[0].reason == "Variation \"ct417\": no stamp after -O");
    CHECK(loaded.objects.size() == 2113);
    for (const auto& object : objects_of(real("variation-2006.ace"), none)) {
        const auto& read = loaded.at(object.id.class_name + ' ' + object.id.name);
        INFO(object.id.name);
        if (object.id.name == "ct417") continue;
        CHECK(read.stamp == object.stamp);
        CHECK(hand::paths_of(read) == hand::paths_of(object));
    }
}
