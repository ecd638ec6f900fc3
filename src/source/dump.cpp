// SPDX-License-Identifier: MIT
#include "source/dump.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <unordered_map>

#include "source/ace_object.hpp"
#include "source/build_folder.hpp"
#include "source/dump_index.hpp"

namespace source {
namespace {

using base::Kind;

std::string text_of(const tree::ObjectName& id) { return id.class_name + " " + id.name; }

class DumpBuild final : public Source {
   public:
    DumpBuild(Index index, std::vector<File> files, tree::Models models, std::size_t most)
        : index_(std::move(index)), files_(std::move(files)), models_(std::move(models)),
          most_(most) {}

    const base::Release& release() const override { return index_.facts().release; }
    const std::string& digest() const override { return index_.facts().digest; }

    base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override {
        const auto entry = index_.find(asked);
        return entry ? std::optional(index_.name_of(*entry)) : std::nullopt;
    }

    base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        const auto entry = index_.find_exact(name);
        if (!entry)
            return base::fail(Kind::absent, text_of(name) + " is not in " + release().version);
        const auto bytes = read(*entry);
        if (!bytes) return tl::unexpected(bytes.error());
        auto object = parse_object(*bytes, models_);
        if (!object) return fail_in(*entry, *bytes, object.error());
        return std::move(*object);
    }

    base::Result<bool> is_loading_stamp(std::string_view stamp) const override {
        const auto* known = known_stamps_.load(std::memory_order_acquire);
        if (known == nullptr) {
            if (auto done = learn_stamps(); !done) return done;
            known = known_stamps_.load(std::memory_order_acquire);
        }
        return known->contains(stamp);
    }

    base::Result<std::optional<Digest>> digest_of(const tree::ObjectName& name) const override {
        const auto entry = index_.find_exact(name);
        return entry ? std::optional(digest_in(*entry)) : std::nullopt;
    }

    std::vector<ClassCount> class_counts() const override { return index_.facts().classes; }

    Parts parts(std::uint64_t objects) const override {
        return {index_.order(), index_.places(objects)};
    }

    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const Listed&)>& visit) const override {
        const auto& classes = index_.facts().classes;
        index_.each(from, to, [&](const Entry& entry) {
            return visit({classes[entry.class_index].class_name, entry.name, digest_in(entry),
                          entry.length});
        });
    }

    const tree::Models& models() const override { return models_; }

   private:
    using Stamps = std::set<std::string, std::less<>>;

    static Digest digest_in(const Entry& entry) {
        return {entry.digest.high64, entry.digest.low64};
    }
    base::Result<bool> learn_stamps() const;
    base::Result<std::string> read(const Entry& entry) const;
    base::Result<Stamps> sample() const;
    [[nodiscard]] std::string place(const Entry& entry, std::uint64_t line) const {
        const auto& facts = index_.facts();
        return facts.folder + "/" + facts.files[entry.file].name + ":" + std::to_string(line) +
               ": " + text_of(index_.name_of(entry));
    }
    [[nodiscard]] tl::unexpected<base::Error> fail_in(const Entry& entry, std::string_view bytes,
                                                      const Fault& fault) const {
        const auto before = bytes.substr(0, fault.at);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        return base::fail(fault.kind,
                          place(entry, entry.line + static_cast<std::uint64_t>(lines)) + ": " +
                              fault.what);
    }

    Index index_;
    std::vector<File> files_;  // as in the index; none when only the index was kept
    tree::Models models_;
    std::size_t most_;  // bytes of an object

    mutable std::mutex sampling_;
    mutable std::unique_ptr<const Stamps> loading_stamps_;
    mutable std::atomic<const Stamps*> known_stamps_ = nullptr;  // nullptr: not sampled yet
};

// The bytes of an object, which are those that were indexed.
base::Result<std::string> DumpBuild::read(const Entry& entry) const {
    if (files_.empty())
        return base::fail(Kind::unavailable, "of " + release().version +
                                                 " only the index is left: the build has gone");
    if (entry.length > most_)
        return base::fail(
            Kind::too_large,
            place(entry, entry.line) + " is " + std::to_string(entry.length) +
                " bytes long, above max_object_mb = " + std::to_string(most_ >> 20));
    std::string bytes(entry.length, '\0');
    const auto got = files_[entry.file].read_at(bytes.data(), bytes.size(), entry.offset);
    if (!got) return base::fail_at(place(entry, entry.line), got.error());
    const auto digest = XXH3_128bits(bytes.data(), *got);
    if (*got != bytes.size() || !XXH128_isEqual(digest, entry.digest))
        return base::fail(Kind::unavailable, place(entry, entry.line) +
                                                 ": the file was changed since it was indexed");
    return bytes;
}

// Once; after a failure the next caller tries again.
base::Result<bool> DumpBuild::learn_stamps() const {
    const std::lock_guard lock(sampling_);
    if (loading_stamps_) return true;
    auto stamps = sample();
    if (!stamps) return tl::unexpected(stamps.error());
    loading_stamps_ = std::make_unique<const Stamps>(std::move(*stamps));
    known_stamps_.store(loading_stamps_.get(), std::memory_order_release);
    return true;
}

base::Result<DumpBuild::Stamps> DumpBuild::sample() const {
    // In fewer objects a curator's single session may well be in a tenth of them.
    constexpr std::size_t fewest = 1000;
    Stamps loading;
    if (index_.size() < fewest) return loading;
    const auto stride = index_.size() / fewest;
    std::unordered_map<std::string, std::size_t> holders;
    std::size_t sampled = 0;
    for (std::size_t i = 0; i < index_.size(); i += stride) {
        const auto entry = index_.entry(i);
        if (!entry || entry->length > most_) continue;
        const auto bytes = read(*entry);
        if (!bytes) return tl::unexpected(bytes.error());
        const auto stamps = stamps_of(*bytes);
        if (!stamps) continue;  // malformed: whoever asks for it is told
        ++sampled;
        for (const auto stamp : *stamps) ++holders[std::string(stamp)];
    }
    for (const auto& [stamp, objects] : holders)
        if (objects * 10 > sampled) loading.insert(stamp);
    return loading;
}

}  // namespace

base::Result<Build> open_dump(const DumpSettings& settings) {
    const auto folder = open_folder(settings.folder);
    if (!folder) return tl::unexpected(folder.error());
    auto models = read_models(*folder);
    if (!models) return tl::unexpected(models.error());
    auto build = open_index(*folder, settings.index_dir);
    if (!build) return tl::unexpected(build.error());
    if (const auto& flaw = build->index.facts().flaw; !flaw.empty() && !settings.accept_cut)
        return base::fail(Kind::refused, flaw);
    return Build(std::make_shared<DumpBuild>(std::move(build->index), std::move(build->files),
                                             std::move(*models), settings.max_object_mb << 20));
}

base::Result<Build> open_kept_index(const std::string& path) {
    auto index = Index::open(path);
    if (!index) return tl::unexpected(index.error());
    return Build(
        std::make_shared<DumpBuild>(std::move(*index), std::vector<File>(), tree::Models(), 0));
}

std::vector<KeptIndex> kept_indexes(const std::string& index_dir) {
    std::vector<KeptIndex> kept;
    std::error_code error;
    std::filesystem::directory_iterator entry(index_dir, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (entry->path().extension() != ".index") continue;
        if (const auto facts = Index::read_facts(entry->path().string()))
            kept.push_back({facts->release, entry->path().string()});
    }
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.release < b.release; });
    return kept;
}

}  // namespace source
