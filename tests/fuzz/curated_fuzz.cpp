// Curators' files of any bytes with models of any bytes: the input is a models file, a line
// `////`, and files that include each other, each after another such line. Also the recognition
// of dumps among such files, and the restoring of paths.
//   make fuzz                                          all fuzzers, a minute each
//   make config=fuzz CXX=clang++-19 build/fuzz/fuzz-curated_fuzz    this one
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/utf8.hpp"
#include "source/curated/reader.hpp"
#include "source/import/ace_head.hpp"
#include "tree/outline.hpp"
#include "tree/restore.hpp"

namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr std::string_view between = "////\n";

void require(bool holds) {
    if (!holds) std::abort();
}

std::vector<std::string> parts_of(std::string_view bytes) {
    std::vector<std::string> parts;
    for (;;) {
        const auto end = bytes.find(between);
        parts.emplace_back(bytes.substr(0, end));
        if (end == std::string_view::npos) return parts;
        bytes.remove_prefix(end + between.size());
    }
}

bool is_legal(const std::vector<tree::Node>& nodes, std::size_t depth) {
    for (const auto& node : nodes)
        if (depth > tree::deepest_node || !base::is_legal_text(node.cell.text) ||
            !base::is_legal_text(node.cell.class_name) || !base::is_legal_text(node.stamp) ||
            !is_legal(node.children, depth + 1))
            return false;
    return true;
}

// The result has whole paths with the same models, so restoring changes nothing.
void check(const tree::Object& object, const tree::Models& models) {
    require(!object.id.class_name.empty() && base::is_legal_text(object.id.class_name));
    require(base::is_legal_text(object.id.name) && base::is_legal_text(object.stamp));
    require(is_legal(object.nodes, 1));
    auto nodes = object.nodes;
    tree::restore_paths(nodes, models, models.of_class(object.id.class_name));
    require(is_legal(nodes, 1));
    const auto once = tree::signature_of(nodes);
    require(once == tree::signature_of(object.nodes) ||
            models.of_class(object.id.class_name) == tree::Models::unknown);
    tree::restore_paths(nodes, models, models.of_class(object.id.class_name));
    require(tree::signature_of(nodes) == once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto parts = parts_of({reinterpret_cast<const char*>(data), size});
    const auto models = tree::Models::parse(parts[0]);
    source::curated::ReaderSettings settings;
    settings.models = &models;
    settings.most_bytes = most_bytes;
    settings.included = [&](const std::string& name) -> base::Result<std::string> {
        require(!name.empty() && name.front() != '.' && name.find('/') == std::string::npos);
        const auto at = static_cast<unsigned char>(name[0]) - std::size_t{'0'};
        if (at >= parts.size()) return base::fail(base::ErrorKind::absent, "no such file");
        return parts[at];
    };
    source::curated::Reader written(settings);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        (void)source::import::is_dumped(parts[i]);
        (void)written.load("f", parts[i]);
    }
    require(written.rejections().size() <= 1000);
    for (const auto& rejection : written.rejections())
        require(base::is_legal_text(rejection.reason) && rejection.reason.size() < 1000);
    written.take([&](const source::curated::Record& object) { check(object.object, models); });
    return 0;
}
