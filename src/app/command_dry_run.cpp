// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/selection.hpp"
#include "app/sources.hpp"
#include "release/preview.hpp"
#include "render/display_text.hpp"

namespace app {
namespace {

struct Preview {
    std::string version, against;  // against: empty, no index of an earlier release is kept
    std::string refused;           // why; empty: it would be accepted
    std::vector<release::ClassPreview> classes;
};

release::ClassPreview total_of(const std::vector<release::ClassPreview>& classes) {
    release::ClassPreview all;
    all.class_name = "all";
    for (const auto& one : classes) {
        all.same += one.same;
        all.differ += one.differ;
        all.created += one.created;
        all.gone += one.gone;
        all.unknown += one.unknown;
    }
    return all;
}

void write_counts(base::JsonWriter& json, const release::ClassPreview& one) {
    json.begin_object()
        .field("differ", one.differ)
        .field("new", one.created)
        .field("objects", one.objects())
        .field("same", one.same)
        .field("unknown", one.unknown)
        .field("vanished", one.gone)
        .end_object();
}

void write_preview(base::JsonWriter& json, const Preview& preview) {
    json.begin_object().field("against", preview.against);
    write_counts(json.key("all"), total_of(preview.classes));
    json.key("classes").begin_object();
    for (const auto& one : preview.classes) write_counts(json.key(one.class_name), one);
    json.end_object();
    json.field("refused", preview.refused).field("release", preview.version).end_object();
}

void print_line(const release::ClassPreview& one) {
    fmt::print("{:<24} {:>11} {:>11} {:>11} {:>11} {:>11}\n", on_one_line(one.class_name),
               one.objects(), one.same, one.differ, one.created, one.gone);
}

void print_text(const Preview& preview) {
    if (preview.against.empty())
        fmt::print("{}: no index of an earlier release exists, so every object counts as seen for"
                   " the first time\n",
                   preview.version);
    else
        fmt::print(
            "{} compared with {}: objects that are identical, or differ only in timestamps,"
            " will not be recorded\n",
            preview.version, preview.against);
    fmt::print("{:<24} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "class", "objects", "same",
               "differ", "new", "vanished");
    for (const auto& one : preview.classes) print_line(one);
    const auto total = total_of(preview.classes);
    print_line(total);
    if (total.unknown > 0)
        fmt::print("{} neither \"same\" nor \"differ\": a running AceDB shows what changed only "
                   "by loading"
                   " the object\n",
                   render::counted(total.unknown, "object that both releases have is",
                                   "objects that both releases have are"));
    if (!preview.refused.empty()) fmt::print("REFUSED: {}\n", on_one_line(preview.refused));
}

}  // namespace

int dry_run(const Services& services, const PrewarmOptions& options) {
    const auto config = with_folder(services.config, options.build);
    history::CurrentBuild judge(build_opener(config), *services.pool, history::Purpose::checking);
    judge.look();
    const auto [build, previous] = judge.candidate();
    if (!build) return complain(judge.why(), failed);
    Preview preview{
        build->release().version, previous ? previous->release().version : "", judge.why(), {}};
    const auto selection = selection_of(options, *services.pool, *build);
    if (!selection) return complain(selection.error().text, status_of(selection.error()));
    auto classes = release::preview(*build, previous.get(), *selection);
    if (!classes) return complain(classes.error().text, failed);
    preview.classes = std::move(*classes);
    if (options.json)
        print_json([&](base::JsonWriter& json) { write_preview(json, preview); });
    else
        print_text(preview);
    return preview.refused.empty() ? ok : failed;
}

}  // namespace app
