// Curators' files against what a real AceDB made of the same bytes: its own stamped dumps.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "source/ace_object.hpp"
#include "source/curated_loading.hpp"
#include "tree/outline.hpp"

namespace {

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

// The order of tags is that of the models, and ours differ from WormBase's in places.
std::vector<std::string> sorted(std::vector<std::string> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

// The one value that AceDB took of the clock: `CGC_received now`, with the time of day.
void drop_now(tree::Object& object) {
    for (auto& tag : object.nodes)
        for (auto& second : tag.children)
            std::erase_if(second.children, [](const tree::Node& node) {
                return node.cell.text == "2008-05-01_10:00:00";
            });
}

}  // namespace

TEST_CASE("what AceDB stores of awkward files is what is read of them") {
    const auto& models = hand::sample_models();
    source::curated::Reader written(hand::settings_of(models));
    for (const std::string name : {"input-1.ace", "input-2.ace"})
        REQUIRE(written.load(name, dumps::read("tests/data/edge/" + name)));
    const auto loaded = hand::taken(written);

    std::set<std::string> compared;
    for (auto& stored : objects_of("tests/data/edge/dump.ace", models)) {
        const auto name = stored.id.class_name + ' ' + stored.id.name;
        // The other ones stand in no file of these two, or exist by cross reference alone.
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

TEST_CASE("what AceDB refuses of awkward files is told with its place") {
    source::curated::Reader written(hand::settings_of(hand::sample_models()));
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

TEST_CASE("a whole dump, read as if a curator had written it, gives the same objects") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    for (const auto& file : dumps::sample_files) {
        source::curated::Reader written(hand::settings_of(models));
        REQUIRE(written.load("dump.ace", dumps::read(file)));
        const auto loaded = hand::taken(written);
        for (const auto& rejection : loaded.rejections) UNSCOPED_INFO(rejection.reason);
        CHECK(loaded.rejections.empty());
        const auto stored = objects_of(file, models);
        CHECK(loaded.objects.size() == stored.size());
        for (const auto& object : stored) {
            const auto& read = loaded.at(object.id.class_name + ' ' + object.id.name);
            INFO(object.id.class_name << ' ' << object.id.name);
            const bool is_array = source::form_of(object.id.class_name) != source::Form::tree;
            CHECK(read.stamp == (is_array ? "" : object.stamp));
            CHECK(sorted(hand::paths_of(read)) == sorted(hand::paths_of(object)));
            REQUIRE(tree::signature_of(read.nodes) == tree::signature_of(object.nodes));
        }
    }
}
