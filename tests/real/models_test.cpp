// WormBase's own models file and curation data in VARVE_REAL_DATA, which we may not
// distribute.
// SPDX-License-Identifier: MIT
#include "tree/model.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "source/ace_object.hpp"
#include "source/dump/ace_reader.hpp"
#include "support/catch.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

using tree::CellKind;
using tree::Models;
using tree::Notation;
using tree::notation_of;

namespace {

std::string real(const std::string& name) {
    const char* folder = std::getenv("VARVE_REAL_DATA");
    return std::string(folder != nullptr ? folder : "../shared/data/real") + "/" + name;
}

std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    INFO(path);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

const Models& real_models() {
    static const auto models = Models::parse(read(real("models.wrm")));
    return models;
}

// Reads a path of bare words and "quoted" ones.
Models::Position place_of(const std::string& class_name, const std::vector<std::string>& path) {
    auto place = real_models().of_class(class_name);
    for (const auto& word : path) {
        const auto notation = word.starts_with('"') ? Notation::quoted : Notation::bare;
        place = real_models().below(place, notation, word);
    }
    INFO(class_name << " " << base::join(path, " "));
    REQUIRE(place != Models::unknown);
    return place;
}

std::string class_at(const std::string& class_name, const std::vector<std::string>& path) {
    const auto cell = real_models().cell_at(place_of(class_name, path), Notation::quoted, "x");
    return cell.kind == CellKind::reference ? cell.class_name : "Text";
}

bool unique_at(const std::string& class_name, const std::vector<std::string>& path) {
    return real_models().is_unique(place_of(class_name, path));
}

void each_object(const std::string& path, const std::function<void(std::string_view)>& visit) {
    const auto file = source::open_file(AT_FDCWD, path);
    REQUIRE(file);
    source::dump::AceReader reader(*file, path, 64 << 20);
    for (;;) {
        const auto object = reader.next();
        INFO((object ? "" : object.error().text));
        REQUIRE(object);
        if (!*object) return;
        visit((*object)->bytes);
    }
}

// Both models agree about a cell that both know, and the real one knows all of ours.
void agree(const Models& ours, Models::Position our, Models::Position theirs,
           const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes) {
        const auto notation = notation_of(node.cell.kind);
        if (notation == Notation::comment || notation == Notation::member) continue;
        const auto our_place = ours.below(our, notation, node.cell.text);
        const auto their_place = real_models().below(theirs, notation, node.cell.text);
        INFO(node.cell.text);
        REQUIRE((our_place == Models::unknown) == (their_place == Models::unknown));
        REQUIRE(ours.cell_at(our_place, notation, node.cell.text) ==
                real_models().cell_at(their_place, notation, node.cell.text));
        REQUIRE(ours.is_unique(our_place) == real_models().is_unique(their_place));
        agree(ours, our_place, their_place, node.children);
    }
}

// Kinds and classes too, in any order, without timestamps.
std::vector<tree::Node> bare(std::vector<tree::Node> nodes) {
    for (auto& node : nodes) {
        node.stamp.clear();
        node.children = bare(std::move(node.children));
    }
    std::ranges::sort(nodes, {}, [](const tree::Node& node) {
        return std::pair(node.cell.text, node.cell.kind);
    });
    return nodes;
}

tree::Object only_object(const std::string& path) {
    std::optional<tree::Object> found;
    each_object(path, [&](std::string_view bytes) {
        const auto object = source::parse_object(bytes, real_models());
        REQUIRE(object);
        REQUIRE_FALSE(std::exchange(found, *object));
    });
    return found.value();
}

}  // namespace

TEST_CASE("With the real models, objects without timestamps equal those with timestamps") {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data/formats")) {
        auto path = entry.path();
        if (path.extension() != ".a") continue;
        INFO(path.string());
        auto object = only_object(path.string());
        const auto whole = only_object(path.replace_extension(".aT").string());
        tree::restore_paths(object.nodes, real_models(),
                            real_models().of_class(object.id.class_name));
        CHECK(bare(object.nodes) == bare(whole.nodes));
        CHECK(tree::signature_of(object.nodes) == tree::signature_of(whole.nodes));
        ++compared;
    }
    CHECK(compared == 14);
}

TEST_CASE("Every class and hash of the real models is found, with something below it") {
    std::set<std::string> names;
    for (const auto line : base::split(read(real("models.wrm")), '\n'))
        if (line.starts_with('?') || line.starts_with('#'))
            names.insert(std::string(line.substr(1, line.find_first_of(" \t\r") - 1)));
    CHECK(names.size() > 140);
    CHECK(real_models().class_count() == names.size());
    for (const auto& name : names) {
        INFO(name);
        CHECK(real_models().of_class(name) != Models::unknown);
        CHECK(real_models().spelling_of_class(base::fold_ascii(name)) == name);
    }
}

TEST_CASE("Tags of genes, variations and others are where the real models have them") {
    CHECK(class_at("Gene", {"Identity", "Name", "CGC_name", "\"x"}) == "Gene_name");
    CHECK(class_at("Gene", {"Identity", "Name", "CGC_name", "\"x", "Person_evidence", "\"x"}) ==
          "Person");
    CHECK(class_at("Gene", {"Identity", "History", "Version_change", "1", "2004-04-07", "\"x",
                            "Event", "Merged_into", "\"x"}) == "Gene");
    CHECK(class_at("Gene", {"Gene_info", "GO_term", "\"x", "\"y"}) == "GO_code");
    CHECK(class_at("Gene", {"Gene_info", "Structured_description", "Concise_description",
                            "\"x"}) == "Text");
    CHECK(class_at("Gene", {"Models_disease_inferred", "\"x"}) == "Disease_model_annotation");
    CHECK(class_at("Variation", {"Description", "Phenotype", "\"x", "Remark", "\"y"}) == "Text");
    CHECK(class_at("Clone", {"FingerPrint", "Gel", "\"x"}) == "Motif");
    place_of("Clone", {"FingerPrint", "Gel", "\"x", "Bands", "1.0", "2.0", "3.0"});
    place_of("Position_Matrix", {"Site_values", "\"A", "1.0", "2.0", "3.0"});
    place_of("Protein",
             {"Homol", "Pep_homol", "\"x", "\"y", "1.0", "1", "2", "3", "4", "Align", "1", "2"});
    place_of("2_point_data", {"Evidence", "Paper_evidence", "\"x"});
}

TEST_CASE("UNIQUE is found where the real models have it") {
    CHECK(unique_at("Gene", {"Identity", "Name", "CGC_name"}));
    CHECK(unique_at("Gene", {"Identity", "Status"}));
    CHECK(unique_at("Gene", {"Identity", "History", "Version_change", "1"}));
    CHECK(unique_at("Gene", {"Map_info", "Map", "\"I"}));  // #Map_position begins with UNIQUE
    CHECK(unique_at("Variation", {"Sequence_details", "SeqStatus"}));
    CHECK(unique_at("Column", {}));
    CHECK_FALSE(unique_at("Gene", {"Identity", "Name", "Other_name"}));
    CHECK_FALSE(unique_at("Gene", {"Identity", "History", "Version_change"}));
    CHECK_FALSE(unique_at("Gene", {"Identity", "Name"}));
    CHECK_FALSE(unique_at("Gene", {}));
}

TEST_CASE("The sample builds' own models agree with the real ones about every cell") {
    for (const std::string build :
         {"WS186/dump_2008-02-01", "WS187/dump_2008-02-15", "WS188/dump_2008-03-22"}) {
        const auto ours =
            Models::parse(read("examples/builds/" + build.substr(0, 5) + "/models.wrm"));
        each_object("examples/builds/" + build + "_A.1.ace", [&](std::string_view bytes) {
            const auto object = source::parse_object(bytes, ours);
            REQUIRE(object);
            const auto& class_name = object->id.class_name;
            if (class_name == "UserSession") return;  // not tracked
            INFO(class_name << " " << object->id.name);
            agree(ours, ours.of_class(class_name), real_models().of_class(class_name),
                  object->nodes);
        });
    }
}

TEST_CASE(
    "Every object of the real variation data has the same signature with and without models") {
    std::size_t objects = 0;
    each_object(real("variation-2006.ace"), [&](std::string_view bytes) {
        const auto object = source::parse_object(bytes, real_models());
        REQUIRE(object);
        const auto bare = source::parse_object(bytes, tree::Models());
        REQUIRE(bare);
        CHECK(tree::signature_of(bare->nodes) == tree::signature_of(object->nodes));
        ++objects;
    });
    CHECK(objects == 2113);
}
