// SPDX-License-Identifier: MIT
#include "source/index/indexed_source.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"
#include "source/ace_object.hpp"
#include "source/build_folder.hpp"
#include "tree/stamp.hpp"

namespace source {
namespace {

using base::ErrorKind;

bool is_named(const std::vector<std::string>& classes, std::string_view class_name) {
    return std::any_of(classes.begin(), classes.end(), [&](const auto& name) {
        return base::equal_ignoring_case(name, class_name);
    });
}

// Returns what a user's stamps of one day have in common; of an opaque stamp, the stamp itself. A
// stamp has no time zone, so the day is the one that is written in it.
std::string day_of(std::string_view text) {
    const auto stamp = tree::parse_stamp(text);
    if (!stamp) return std::string(text);
    return tree::stamp_text(std::chrono::floor<std::chrono::days>(stamp->at), stamp->by);
}

// Collects views into the nodes.
void collect_stamps(const std::vector<tree::Node>& nodes,
                    std::unordered_set<std::string_view>& stamps) {
    for (const auto& node : nodes) {
        if (!node.stamp.empty()) stamps.insert(node.stamp);
        collect_stamps(node.children, stamps);
    }
}

bool is_running(const Facts& facts) { return facts.digest.starts_with(base::server_digest); }

std::string_view kind_of(const BuildFile& file) {
    switch (format_of(file.name).value_or(Format::ace)) {
        case Format::ace: break;
        case Format::xml: return "XML";
        case Format::json_lines: return "JSON Lines";
    }
    return "AceDB's dumps";
}

}  // namespace

IndexedSource::IndexedSource(Index index, tree::Models models,
                             std::vector<std::string> skip_classes)
    : index_(std::move(index)), models_(std::move(models)),
      models_digest_(digest_of_text(index_.facts().models)),
      skip_classes_(std::move(skip_classes)) {
    const auto& classes = index_.facts().classes;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (!skips(classes[i].class_name)) continue;
        is_skipped_.resize(classes.size());
        is_skipped_[i] = true;
    }
}

bool IndexedSource::is_of_acedb() const {
    const auto& facts = index_.facts();
    return is_running(facts) ||
           std::all_of(facts.files.begin(), facts.files.end(),
                       [](const BuildFile& file) { return format_of(file.name) == Format::ace; });
}

bool IndexedSource::skips(std::string_view class_name) const {
    if (!tree::can_be_tracked(class_name) || is_named(skip_classes_, class_name)) return true;
    return is_of_acedb() && !is_tracked_class(class_name);
}

std::string IndexedSource::kind() const {
    const auto& facts = index_.facts();
    if (is_running(facts)) return "a running AceDB";
    std::set<std::string> kinds;
    for (const auto& file : facts.files) kinds.emplace(kind_of(file));
    return base::join({kinds.begin(), kinds.end()}, " and ");
}

std::optional<Entry> IndexedSource::if_kept(std::optional<Entry> entry) const {
    if (entry && !is_kept(*entry)) return std::nullopt;
    return entry;
}

Digest IndexedSource::digest_in(const Entry& entry) const {
    return {entry.digest.high64 ^ models_digest_.high64,
            entry.digest.low64 ^ models_digest_.low64};
}

base::Result<std::optional<tree::ObjectName>> IndexedSource::find(
    const tree::ObjectName& asked) const {
    const auto entry = if_kept(index_.find(asked));
    return entry ? std::optional(index_.name_of(*entry)) : std::nullopt;
}

base::Result<void> IndexedSource::confirm_absent() const {
    const auto& unknown = index_.facts().unknown_objects;
    if (unknown.empty()) return {};
    return base::fail(ErrorKind::malformed,
                      "it may be gone, or in an unreadable line or header: " + unknown);
}

base::Result<Entry> IndexedSource::entry_of(const tree::ObjectName& name) const {
    if (const auto entry = if_kept(index_.find_exact(name))) return *entry;
    const auto classes = class_counts();
    const bool has_class = std::any_of(classes.begin(), classes.end(), [&](const auto& one) {
        return base::equal_ignoring_case(one.class_name, name.class_name);
    });
    auto text = has_class ? name.class_name + " " + name.name + " is not in "
                          : "there is no class " + name.class_name + " in ";
    text += release().version;
    // The object may be in the part that could not be read.
    if (const auto& flaw = index_.facts().flaw; !flaw.empty())
        text += ", of which not all could be read: " + flaw;
    return base::fail(ErrorKind::absent, std::move(text));
}

base::Result<std::optional<Digest>> IndexedSource::digest_of(const tree::ObjectName& name) const {
    const auto entry = if_kept(index_.find_exact(name));
    return entry ? std::optional(digest_in(*entry)) : std::nullopt;
}

std::vector<ClassCount> IndexedSource::class_counts() const {
    const auto& classes = index_.facts().classes;
    if (is_skipped_.empty()) return classes;
    std::vector<ClassCount> kept;
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (!is_skipped_[i]) kept.push_back(classes[i]);
    return kept;
}

Parts IndexedSource::parts(std::uint64_t objects) const {
    return {index_.order(), index_.places(objects)};
}

void IndexedSource::each(std::uint64_t from, std::uint64_t to,
                         const std::function<bool(const Listed&)>& visit) const {
    index_.each(from, to,
                [&](const Entry& entry) { return !is_kept(entry) || visit(listed(entry)); });
}

Listed IndexedSource::listed(const Entry& entry) const {
    return {index_.facts().classes[entry.class_index].class_name, entry.name, digest_in(entry),
            entry.length};
}

// Samples once; after a failure the next caller tries again.
base::Result<bool> IndexedSource::is_loading_stamp(std::string_view stamp) const {
    const auto asked = day_of(stamp);
    const std::lock_guard lock(sampling_);
    if (loading_stamps_) return loading_stamps_->contains(asked);
    const auto stamps = sample_loading_stamps();
    if (!stamps) return tl::unexpected(stamps.error());
    auto& days = loading_stamps_.emplace(stamps->begin(), stamps->end());
    for (const auto& day : *stamps)  // a load goes on past midnight
        if (const auto midnight = tree::parse_stamp(day))
            days.insert(tree::stamp_text(midnight->at + std::chrono::days(1), midnight->by));
    return days.contains(asked);
}

base::Result<std::vector<std::string>> IndexedSource::sample_loading_stamps() const {
    if (const auto& known = index_.facts().loading_stamps) return *known;
    StampSample sample;
    std::uint64_t objects = 0;
    for (const auto& one : class_counts()) objects += one.objects;
    if (objects < StampSample::fewest) return sample.loading_stamps();
    const auto stride = objects / StampSample::fewest;
    base::Result<void> done;
    std::uint64_t kept = 0;
    index_.each(0, UINT64_MAX, [&](const Entry& entry) {
        if (!is_kept(entry) || kept++ % stride != 0) return true;
        const auto object = load(index_.name_of(entry));
        if (object)
            sample.add(*object);
        else if (object.error().kind == ErrorKind::unavailable)
            done = tl::unexpected(object.error());
        else
            sample.add_unreadable();
        return done.has_value();
    });
    if (!done) return tl::unexpected(done.error());
    return sample.loading_stamps();
}

void StampSample::add(const tree::Object& object) {
    ++objects_;
    std::unordered_set<std::string_view> stamps;
    collect_stamps(object.nodes, stamps);
    std::set<std::string> days;
    for (const auto stamp : stamps) days.insert(day_of(stamp));
    for (const auto& day : days) ++holders_[day];
}

std::vector<std::string> StampSample::loading_stamps() const {
    std::vector<std::string> loading;
    // Of fewer objects, a tenth may well come from a curator's single day.
    if (objects_ < fewest) return loading;
    for (const auto& [day, objects] : holders_)
        if (objects * 10 > objects_) loading.push_back(day);
    return loading;
}

}  // namespace source
