// SPDX-License-Identifier: MIT
#include "source/index/indexed_source.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"

namespace source {
namespace {

using base::ErrorKind;

Digest digest_in(const Entry& entry) { return {entry.digest.high64, entry.digest.low64}; }

// Collects views into the nodes.
void collect_stamps(const std::vector<tree::Node>& nodes,
                    std::unordered_set<std::string_view>& stamps) {
    for (const auto& node : nodes) {
        if (!node.stamp.empty()) stamps.insert(node.stamp);
        collect_stamps(node.children, stamps);
    }
}

}  // namespace

base::Result<std::optional<tree::ObjectName>> IndexedSource::find(
    const tree::ObjectName& asked) const {
    const auto entry = index_.find(asked);
    return entry ? std::optional(index_.name_of(*entry)) : std::nullopt;
}

base::Result<Entry> IndexedSource::entry_of(const tree::ObjectName& name) const {
    if (const auto entry = index_.find_exact(name)) return *entry;
    const auto& classes = index_.facts().classes;
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
    const auto entry = index_.find_exact(name);
    return entry ? std::optional(digest_in(*entry)) : std::nullopt;
}

std::vector<ClassCount> IndexedSource::class_counts() const { return index_.facts().classes; }

Parts IndexedSource::parts(std::uint64_t objects) const {
    return {index_.order(), index_.places(objects)};
}

void IndexedSource::each(std::uint64_t from, std::uint64_t to,
                         const std::function<bool(const Listed&)>& visit) const {
    const auto& classes = index_.facts().classes;
    index_.each(from, to, [&](const Entry& entry) {
        return visit(
            {classes[entry.class_index].class_name, entry.name, digest_in(entry), entry.length});
    });
}

base::Result<bool> IndexedSource::is_loading_stamp(std::string_view stamp) const {
    const auto* known = known_stamps_.load(std::memory_order_acquire);
    if (known == nullptr) {
        if (const auto done = learn_loading_stamps(); !done) return tl::unexpected(done.error());
        known = known_stamps_.load(std::memory_order_acquire);
    }
    return known->contains(stamp);
}

// Samples once; after a failure the next caller tries again.
base::Result<void> IndexedSource::learn_loading_stamps() const {
    const std::lock_guard lock(sampling_);
    if (loading_stamps_) return {};
    auto stamps = sample_loading_stamps();
    if (!stamps) return tl::unexpected(stamps.error());
    loading_stamps_ = std::make_unique<const LoadingStamps>(stamps->begin(), stamps->end());
    known_stamps_.store(loading_stamps_.get(), std::memory_order_release);
    return {};
}

base::Result<std::vector<std::string>> IndexedSource::sample_loading_stamps() const {
    if (const auto& known = index_.facts().loading_stamps) return *known;
    StampSample sample;
    if (index_.size() < StampSample::fewest) return sample.loading_stamps();
    const auto stride = index_.size() / StampSample::fewest;
    for (std::size_t i = 0; i < index_.size(); i += stride) {
        const auto entry = index_.entry(i);
        if (!entry) continue;
        const auto object = load(index_.name_of(*entry));
        if (object)
            sample.add(*object);
        else if (object.error().kind == ErrorKind::unavailable)
            return tl::unexpected(object.error());
        else
            sample.add_unreadable();
    }
    return sample.loading_stamps();
}

void StampSample::add(const tree::Object& object) {
    ++objects_;
    std::unordered_set<std::string_view> stamps;
    collect_stamps(object.nodes, stamps);
    for (const auto stamp : stamps) ++holders_[std::string(stamp)];
}

std::vector<std::string> StampSample::loading_stamps() const {
    std::vector<std::string> loading;
    // Of fewer objects, a tenth may well come from a curator's single session.
    if (objects_ < fewest) return loading;
    for (const auto& [stamp, objects] : holders_)
        if (objects * 10 > objects_) loading.push_back(stamp);
    return loading;
}

}  // namespace source
