// Loads curators' files in tests, and dumps to compare them with.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "source/ace_object.hpp"
#include "source/curated/reader.hpp"
#include "source/dumps.hpp"

namespace curated_files {

inline const tree::Models& sample_models() {
    // With the tags that only the edge data has.
    static const auto models = tree::Models::parse(
        dumps::read("examples/builds/WS188/models.wrm") +
        "\n?Gene Map_info Interpolated_map_position UNIQUE ?Map UNIQUE Float\n"
        "?Strain Isolation Date DateType\n");
    return models;
}

inline std::vector<tree::Object> objects_of_dump(const std::string& path,
                                                 const tree::Models& models) {
    std::vector<tree::Object> objects;
    for (const auto& bytes : dumps::objects_in(path)) {
        const auto object = source::parse_object(bytes, models);
        REQUIRE(object);
        objects.push_back(*object);
    }
    return objects;
}

inline void drop_stamps(std::vector<tree::Node>& nodes) {
    for (auto& node : nodes) {
        node.stamp.clear();
        drop_stamps(node.children);
    }
}

struct Loaded {
    std::map<std::string, tree::Object> objects;  // by "Class name"
    std::vector<source::curated::Record> in_order;
    std::vector<source::curated::Rejection> rejections;
    std::vector<std::string> included;

    [[nodiscard]] const tree::Object& at(const std::string& name) const {
        INFO(name);
        REQUIRE(objects.contains(name));
        return objects.at(name);
    }
};

inline source::curated::ReaderSettings settings_of(const tree::Models& models) {
    source::curated::ReaderSettings settings;
    settings.models = &models;
    settings.today = *base::parse_date("2008-05-01");
    return settings;
}

inline Loaded taken(source::curated::Reader& written) {
    Loaded loaded;
    loaded.rejections = written.rejections();
    loaded.included = written.included();
    CHECK(written.rejection_count() >= loaded.rejections.size());
    written.take([&](source::curated::Record object) {
        const auto& id = object.object.id;
        CHECK(loaded.objects.emplace(id.class_name + ' ' + id.name, object.object).second);
        loaded.in_order.push_back(std::move(object));
    });
    return loaded;
}

// Loads the text as one file, "x.ace".
inline Loaded load(std::string_view text, const tree::Models& models = sample_models()) {
    source::curated::Reader written(settings_of(models));
    const auto ok = written.load("x.ace", text);
    INFO((ok ? "" : ok.error().text));
    REQUIRE(ok);
    return taken(written);
}

// Appends the cells from the first tag down to each leaf, one line each: values in quotes, `-C`
// before comments, `@` before timestamps.
inline void append_paths(const std::vector<tree::Node>& nodes, const std::string& left,
                         std::vector<std::string>& into) {
    for (const auto& node : nodes) {
        const bool is_quoted = tree::notation_of(node.cell.kind) == tree::Notation::quoted;
        auto path = left + (left.empty() ? "" : " ");
        if (node.cell.kind == tree::CellKind::comment) path += "-C ";
        if (node.cell.kind == tree::CellKind::member) path += node.cell.class_name + ':';
        path += is_quoted ? '"' + node.cell.text + '"' : node.cell.text;
        if (!node.stamp.empty()) path += '@' + node.stamp;
        if (node.children.empty()) into.push_back(path);
        append_paths(node.children, path, into);
    }
}
inline std::vector<std::string> paths_of(const tree::Object& object) {
    std::vector<std::string> paths;
    append_paths(object.nodes, "", paths);
    return paths;
}

}  // namespace curated_files
