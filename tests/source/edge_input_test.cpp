// Curators' files compared with AceDB's own stamped dump after it had read them.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "source/ace_classes.hpp"
#include "source/curated_loading.hpp"
#include "tree/outline.hpp"

using curated_files::drop_stamps;
using curated_files::objects_of_dump;

namespace {

// The order of tags is that of the models, and ours differ from WormBase's in places.
std::vector<std::string> sorted(std::vector<std::string> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

// Drops the one value that AceDB took from the clock: `CGC_received now`, with the time of day.
void drop_now(tree::Object& object) {
    for (auto& tag : object.nodes)
        for (auto& second : tag.children)
            std::erase_if(second.children, [](const tree::Node& node) {
                return node.cell.text == "2008-05-01_10:00:00";
            });
}

}  // namespace

TEST_CASE("Unusual curators' files are read as AceDB stores them") {
    const auto& models = curated_files::sample_models();
    source::curated::Reader written(curated_files::settings_of(models));
    for (const std::string name : {"input-1.ace", "input-2.ace"})
        REQUIRE(written.load(name, dumps::read("tests/data/edge/" + name)));
    const auto loaded = curated_files::taken(written);

    std::set<std::string> compared;
    for (auto& stored : objects_of_dump("tests/data/edge/dump.ace", models)) {
        const auto name = stored.id.class_name + ' ' + stored.id.name;
        // The others are in other files, or exist only through cross references.
        if (!loaded.objects.contains(name)) continue;
        INFO(name);
        drop_stamps(stored.nodes);  // of the session that loaded them
        if (name == "Strain edge-s") drop_now(stored);
        const auto& read = loaded.at(name);
        CHECK(read.nodes == stored.nodes);
        CHECK(tree::signature_of(read.nodes) == tree::signature_of(stored.nodes));
        compared.insert(name);
    }
    CHECK(compared.size() == loaded.objects.size());
    CHECK(compared.size() == 26);
}

TEST_CASE("What AceDB refuses in unusual files is reported with its place") {
    source::curated::Reader written(curated_files::settings_of(curated_files::sample_models()));
    for (const std::string name : {"input-1.ace", "input-2.ace"})
        REQUIRE(written.load(name, dumps::read("tests/data/edge/" + name)));
    std::vector<std::string> told;
    for (const auto& rejection : written.rejections())
        told.push_back(rejection.place + ": " + rejection.reason);
    CHECK(told == std::vector<std::string>{
                      "input-1.ace:8: Gene \"edge-1\": tag \"Remark\": a blank name",
                      "input-2.ace:20: Gene \"e07\": tag \"Remark\": a blank name",
                      "input-2.ace:23: Gene \"e08\": tag \"Remark\": a blank name",
                      "input-2.ace:51: Gene \"e30\": no tag \"quoted'\" in the model"});
}

TEST_CASE("A whole dump gives the same objects when read as a curators' file") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    for (const auto& file : dumps::sample_files) {
        source::curated::Reader written(curated_files::settings_of(models));
        REQUIRE(written.load("dump.ace", dumps::read(file)));
        const auto loaded = curated_files::taken(written);
        for (const auto& rejection : loaded.rejections) UNSCOPED_INFO(rejection.reason);
        CHECK(loaded.rejections.empty());
        const auto stored = objects_of_dump(file, models);
        CHECK(loaded.objects.size() == stored.size());
        for (const auto& object : stored) {
            const auto& read = loaded.at(object.id.class_name + ' ' + object.id.name);
            INFO(object.id.class_name << ' ' << object.id.name);
            const bool is_array = source::form_of(object.id.class_name) != source::Form::tree;
            CHECK(read.stamp == (is_array ? "" : object.stamp));
            CHECK(sorted(curated_files::paths_of(read)) ==
                  sorted(curated_files::paths_of(object)));
            REQUIRE(tree::signature_of(read.nodes) == tree::signature_of(object.nodes));
        }
    }
}
