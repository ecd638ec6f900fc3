// The same objects as `show -a` writes them, without timestamps and with shortened paths of tags,
// and as `show -a -T` does: with restored paths they differ only in timestamps.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "source/ace_object.hpp"
#include "source/dumps.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

namespace {

// Returns every cell with kind and class, sorted.
void collect(const std::vector<tree::Node>& nodes, const std::string& left,
             std::vector<std::string>& into) {
    for (const auto& node : nodes) {
        const auto path = left + " > " + std::to_string(static_cast<int>(node.cell.kind)) + " " +
                          node.cell.class_name + " " + node.cell.text;
        into.push_back(path);
        collect(node.children, path, into);
    }
}

std::vector<std::string> cells_of(const tree::Object& object) {
    std::vector<std::string> cells;
    collect(object.nodes, object.id.class_name + " " + object.id.name, cells);
    std::sort(cells.begin(), cells.end());
    return cells;
}

tree::Object parsed(const std::string& path, const tree::Models& models) {
    const auto objects = dumps::objects_in(path);
    REQUIRE(objects.size() == 1);
    auto object = source::parse_object(objects[0], models);
    REQUIRE(object);
    return *object;
}

}  // namespace

TEST_CASE("An object without timestamps, with paths restored, equals the one with timestamps") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    std::size_t compared = 0, shortened = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        auto path = entry.path();
        if (path.extension() != ".a") continue;
        INFO(path.string());
        auto object = parsed(path.string(), models);
        const auto whole = parsed(path.replace_extension(".aT").string(), models);
        shortened += cells_of(object) != cells_of(whole) ? 1 : 0;
        tree::restore_paths(object.nodes, models, models.of_class(object.id.class_name));
        CHECK(cells_of(object) == cells_of(whole));
        CHECK(tree::signature_of(object.nodes) == tree::signature_of(whole.nodes));
        const auto once = object.nodes;
        tree::restore_paths(object.nodes, models, models.of_class(object.id.class_name));
        CHECK(object.nodes == once);
        ++compared;
    }
    CHECK(compared == 14);
    CHECK(shortened == 10);
}

TEST_CASE("Restoring paths leaves every object of the sample dumps unchanged") {
    const auto models = tree::Models::parse(dumps::read("examples/builds/WS188/models.wrm"));
    for (const auto& file : dumps::sample_files) {
        for (const auto& bytes : dumps::objects_in(file)) {
            const auto object = source::parse_object(bytes, models);
            REQUIRE(object);
            auto nodes = object->nodes;
            tree::restore_paths(nodes, models, models.of_class(object->id.class_name));
            INFO(bytes.substr(0, 1000));
            REQUIRE(nodes == object->nodes);
        }
    }
}
