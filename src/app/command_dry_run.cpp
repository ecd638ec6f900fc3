// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "app/selection.hpp"
#include "app/sources.hpp"
#include "release/preview.hpp"

namespace app {
namespace {

struct Preview {
    std::string version, against;  // against: empty, no index of an earlier release is kept
    std::string refused;           // why; empty: it would be accepted
    std::vector<release::ClassPreview> classes;
};

release::ClassPreview total_of(const std::vector<release::ClassPreview>& classes) {
    release::ClassPreview all;
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
        .field("objects", one.objects())
        .field("same", one.same)
        .field("differ", one.differ)
        .field("unknown", one.unknown)
        .field("new", one.created)
        .field("vanished", one.gone)
        .end_object();
}

void write_preview(base::JsonWriter& report, const Preview& preview) {
    report.begin_object()
        .field("release", preview.version)
        .field("against", preview.against)
        .field("refused", preview.refused);
    report.key("classes").begin_object();
    for (const auto& one : preview.classes) write_counts(report.key(one.class_name), one);
    write_counts(report.end_object().key("all"), total_of(preview.classes));
    report.end_object();
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
    print_report(options.json, [&](base::JsonWriter& report) { write_preview(report, preview); });
    return preview.refused.empty() ? ok : failed;
}

}  // namespace app
