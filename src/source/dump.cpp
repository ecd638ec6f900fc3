// SPDX-License-Identifier: MIT
#include "source/dump.hpp"

#include <algorithm>
#include <filesystem>

#include "source/ace_object.hpp"
#include "source/build_folder.hpp"
#include "source/dump/dump_index.hpp"
#include "source/dump/json_lines.hpp"
#include "source/indexed_source.hpp"
#include "tree/restore.hpp"

namespace source {
namespace {

using base::Kind;

bool has_stamp(const std::vector<tree::Node>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const tree::Node& node) {
        return !node.stamp.empty() || has_stamp(node.children);
    });
}

// An object of a dump, its tag paths whole even where the dump was made without stamps.
Parsed<tree::Object> parse_dumped(std::string_view bytes, const tree::Models& models) {
    auto object = parse_object(bytes, models);
    if (!object || has_stamp(object->nodes)) return object;
    const auto& class_name = object->id.class_name;
    if (form_of(class_name) != Form::tree) return object;
    tree::restore_paths(object->nodes, models, models.of_class(class_name));
    tree::merge_duplicates(object->nodes);
    return object;
}

std::string text_of(const tree::ObjectName& id) { return id.class_name + " " + id.name; }

class DumpBuild final : public IndexedSource {
   public:
    DumpBuild(Index index, std::vector<File> files, tree::Models models, std::size_t most)
        : IndexedSource(std::move(index), std::move(models)), files_(std::move(files)),
          most_(most) {}

    base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        const auto entry = entry_of(name);
        if (!entry) return tl::unexpected(entry.error());
        const auto bytes = read(*entry);
        if (!bytes) return tl::unexpected(bytes.error());
        auto object = layout_of(*entry) == Layout::json ? dump::parse_json_object(*bytes)
                                                        : parse_dumped(*bytes, models());
        if (!object) return fail_in(*entry, *bytes, object.error());
        return std::move(*object);
    }

    std::vector<std::string> remarks() const override {
        auto remarks = index().facts().remarks;
        if (index().facts().has_unstamped && models().class_count() == 0)
            remarks.push_back(index().facts().folder + ": " + dump::unstamped_without_models);
        return remarks;
    }

   protected:
    base::Result<std::optional<Stamps>> stamps_of(const Entry& entry) const override;

   private:
    base::Result<std::string> read(const Entry& entry) const;
    [[nodiscard]] Layout layout_of(const Entry& entry) const {
        return index().facts().files[entry.file].layout;
    }
    [[nodiscard]] std::string size_of(const Entry& entry) const {
        const auto largest = index().facts().largest;
        return largest > 0 && entry.length > largest ? "more than " + std::to_string(largest)
                                                     : std::to_string(entry.length);
    }
    [[nodiscard]] std::string place(const Entry& entry, std::uint64_t line) const {
        const auto& facts = index().facts();
        return facts.folder + "/" + facts.files[entry.file].name + ":" + std::to_string(line) +
               ": " + text_of(index().name_of(entry));
    }
    [[nodiscard]] tl::unexpected<base::Error> fail_in(const Entry& entry, std::string_view bytes,
                                                      const Fault& fault) const {
        const auto before = bytes.substr(0, fault.at);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        return base::fail(fault.kind,
                          place(entry, entry.line + static_cast<std::uint64_t>(lines)) + ": " +
                              fault.what);
    }

    std::vector<File> files_;  // as in the index; none when only the index was kept
    std::size_t most_;         // bytes of an object
};

// The bytes of an object, which are those that were indexed.
base::Result<std::string> DumpBuild::read(const Entry& entry) const {
    if (files_.empty())
        return base::fail(Kind::unavailable, "of " + release().version +
                                                 " only the index is left: the build has gone");
    if (entry.length > most_)
        return base::fail(Kind::too_large, place(entry, entry.line) + " is " + size_of(entry) +
                                               " bytes long, above max_object_mb = " +
                                               std::to_string(most_ >> 20));
    std::string bytes(entry.length, '\0');
    const auto got = files_[entry.file].read_at(bytes.data(), bytes.size(), entry.offset);
    if (!got) return base::fail_at(place(entry, entry.line), got.error());
    const auto digest = XXH3_128bits(bytes.data(), *got);
    if (*got != bytes.size() || !XXH128_isEqual(digest, entry.digest))
        return base::fail(Kind::unavailable, place(entry, entry.line) +
                                                 ": the file was changed since it was indexed");
    return bytes;
}

base::Result<std::optional<DumpBuild::Stamps>> DumpBuild::stamps_of(const Entry& entry) const {
    if (entry.length > most_) return std::nullopt;
    const auto bytes = read(entry);
    if (!bytes) return tl::unexpected(bytes.error());
    if (layout_of(entry) == Layout::json) {
        auto stamps = dump::json_stamps_of(*bytes);
        return stamps ? std::optional(std::move(*stamps)) : std::nullopt;
    }
    const auto stamps = source::stamps_of(*bytes);
    return stamps ? std::optional(Stamps(stamps->begin(), stamps->end())) : std::nullopt;
}

}  // namespace

base::Result<Build> open_dump(const DumpSettings& settings) {
    const auto folder = open_folder(settings.folder);
    if (!folder) return tl::unexpected(folder.error());
    auto models = read_models(*folder);
    if (!models) return tl::unexpected(models.error());
    const auto largest = settings.max_object_mb << 20;
    auto build = dump::open_index(*folder, {settings.index_dir, largest, &*models});
    if (!build) return tl::unexpected(build.error());
    if (const auto& flaw = build->index.facts().flaw; !flaw.empty() && !settings.accept_cut)
        return base::fail(Kind::refused, flaw);
    return Build(std::make_shared<DumpBuild>(std::move(build->index), std::move(build->files),
                                             std::move(*models), largest));
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
