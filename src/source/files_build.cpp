// SPDX-License-Identifier: MIT
#include "source/files_build.hpp"

#include <algorithm>
#include <filesystem>

#include "base/log.hpp"
#include "source/ace_object.hpp"
#include "source/dump/indexing.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/import.hpp"
#include "source/index/index_folder.hpp"
#include "source/index/indexed_source.hpp"
#include "tree/restore.hpp"

namespace source {
namespace {

using base::ErrorKind;

constexpr const char* unstamped_without_models =
    "a dump without timestamps has shortened tag paths; copy the database's models.wrm into its "
    "folder";

bool has_stamp(const std::vector<tree::Node>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const tree::Node& node) {
        return !node.stamp.empty() || has_stamp(node.children);
    });
}

// Parses an object of a dump. Completes the tag paths that a dump without stamps shortens.
tl::expected<tree::Object, ParseError> parse_dumped(std::string_view bytes,
                                                    const tree::Models& models) {
    auto object = parse_object(bytes, models);
    if (!object || has_stamp(object->nodes)) return object;
    const auto& class_name = object->id.class_name;
    if (form_of(class_name) != Form::tree) return object;
    tree::restore_paths(object->nodes, models, models.of_class(class_name));
    tree::merge_duplicates(object->nodes);
    return object;
}

// ---- The build ----

struct IndexedFiles {
    Index index;
    std::vector<File> plain;  // in the order of Facts::files
};

class FilesBuild final : public IndexedSource {
   public:
    FilesBuild(IndexedFiles files, tree::Models models, std::size_t most,
               std::vector<std::string> skip_classes)
        : IndexedSource(std::move(files.index), std::move(models), std::move(skip_classes)),
          files_(std::move(files.plain)), most_(most) {
        for (const auto& file : files_) identities_.push_back(identity_of(file));
    }

    base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        const auto entry = entry_of(name);
        if (!entry) return tl::unexpected(entry.error());
        const auto bytes = read(*entry);
        if (!bytes) return tl::unexpected(bytes.error());
        const auto& file = index().facts().files[entry->file];
        const bool is_json = format_of(file.name) != Format::ace;
        auto object = is_json ? dump::parse_json_object(*bytes) : parse_dumped(*bytes, models());
        if (object) return std::move(*object);
        // What is too large to be converted is there by its name.
        if (format_of(file.name) == Format::xml)
            return too_large(*entry, "more than " + std::to_string(index().facts().largest));
        const auto& [kind, at, what] = object.error();
        return fail(*entry, kind, ": " + what, bytes->substr(0, at));
    }

    base::Result<void> confirm() const override {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const auto now = identity_of(files_[i]);
            if (!now) return tl::unexpected(now.error());
            if (!identities_[i] || *now != *identities_[i])
                return base::fail(ErrorKind::unavailable,
                                  index().facts().origin + "/" + index().facts().files[i].name +
                                      ": the file changed since it was indexed");
        }
        return {};
    }

    std::vector<std::string> remarks() const override {
        const auto& facts = index().facts();
        std::vector<std::string> remarks;
        if (!facts.unknown_objects.empty())
            remarks.push_back("unreadable lines or headers, each of which may be any object: " +
                              facts.unknown_objects);
        if (facts.has_unstamped && models().class_count() == 0)
            remarks.push_back(facts.origin + ": " + unstamped_without_models);
        return remarks;
    }

   private:
    // Returns the bytes of an object, which are those that were indexed.
    [[nodiscard]] base::Result<std::string> read(const Entry& entry) const {
        if (entry.length > most_) return too_large(entry, std::to_string(entry.length));
        std::string bytes(entry.length, '\0');
        const auto got = files_[entry.file].read_at(bytes.data(), bytes.size(), entry.offset);
        if (!got) return fail(entry, got.error().kind, ": " + got.error().text);
        const auto digest = XXH3_128bits(bytes.data(), *got);
        if (*got != bytes.size() || !XXH128_isEqual(digest, entry.digest))
            return fail(entry, ErrorKind::unavailable, ": the file changed since it was indexed");
        return bytes;
    }

    [[nodiscard]] tl::unexpected<base::Error> too_large(const Entry& entry,
                                                        const std::string& size) const {
        return fail(entry, ErrorKind::too_large,
                    " is " + size +
                        " bytes long, above max_object_mb = " + std::to_string(most_ >> 20));
    }

    // Returns an error with place and name of the object.
    //   before  its bytes up to the fault
    [[nodiscard]] tl::unexpected<base::Error> fail(const Entry& entry, ErrorKind kind,
                                                   const std::string& what,
                                                   std::string_view before = {}) const {
        const auto& facts = index().facts();
        const auto id = index().name_of(entry);
        return fail_in(facts.origin + "/" + facts.files[entry.file].name,
                       behind(before, {entry.line, 1}), kind,
                       id.class_name + " " + id.name + what);
    }

    std::vector<File> files_;
    std::vector<base::Result<FileIdentity>> identities_;  // of the files as they were opened
    std::size_t most_;                                    // bytes of an object
};

// ---- Its index ----

// Finds or makes the index of a folder.
class IndexOfFiles {
   public:
    IndexOfFiles(const BuildFolder& folder, const ReadModels& models,
                 const FilesSettings& settings)
        : folder_(folder), models_(models), index_dir_(settings.index_dir),
          largest_(settings.max_object_mb << 20),
          plain_dir_(plain_folder(index_dir_, folder.release.version)) {
        cut_.threads = settings.threads;
    }

    base::Result<IndexedFiles> open() const {
        if (folder_.files.size() > UINT16_MAX)
            return base::fail(ErrorKind::refused,
                              folder_.path + " holds more than 65,535 dump files");
        return find_or_make<IndexedFiles>(
            index_dir_, folder_.release.version, folder_.path, [this] { return find(); },
            [this] { return make(); });
    }

   private:
    // Returns nullopt when there is no index, it is damaged, or a file changed: its inode, size
    // or time.
    base::Result<std::optional<IndexedFiles>> find() const {
        auto index = Index::open(index_path(index_dir_, folder_.release.version));
        if (!index || !fits(index->facts())) return std::nullopt;
        IndexedFiles files{std::move(*index), {}};
        for (const auto& file : files.index.facts().files) {
            auto plain = open_plain(folder_, file, plain_dir_);
            if (!plain && !is_plain(file)) return std::nullopt;  // make the copy again
            if (!plain) return tl::unexpected(plain.error());
            files.plain.push_back(std::move(*plain));
        }
        return std::optional<IndexedFiles>(std::move(files));
    }

    [[nodiscard]] bool fits(const Facts& facts) const {
        const auto is_same = [](const BuildFile& a, const BuildFile& b) {
            return a.name == b.name && a.identity == b.identity;
        };
        return facts.release == folder_.release &&
               (!facts.has_unstamped || facts.models == models_.digest) &&
               (facts.largest == 0 || facts.largest >= largest_) &&
               std::ranges::equal(facts.files, folder_.files, is_same);
    }

    base::Result<void> make() const {
        base::log::info("making the index", {{"build", folder_.path}});
        const auto path = index_path(index_dir_, folder_.release.version);
        const PreviousIndex previous(index_dir_, folder_.release.version);
        auto writer = IndexWriter::create(path);
        if (!writer) return tl::unexpected(writer.error());
        auto plain = import::make_plain_files(folder_, plain_dir_, largest_);
        if (!plain) return tl::unexpected(plain.error());
        if (plain->facts.has_unstamped) plain->facts.models = models_.digest;
        if (plain->facts.has_unstamped && models_.models.class_count() == 0)
            base::log::warning(unstamped_without_models, {{"build", folder_.path}});
        if (auto done =
                dump::write_index(std::move(*writer), plain->files, std::move(plain->facts),
                                  largest_, cut_, [&] { return check_unchanged(); });
            !done)
            return done;
        if (const auto facts = Index::read_facts(path)) previous.drop_if(facts->digest);
        remove_plain_files_of_gone_builds();
        return {};
    }

    // If somebody wrote to a file meanwhile, the positions in the index are wrong.
    [[nodiscard]] base::Result<void> check_unchanged() const {
        for (const auto& file : folder_.files)
            if (const auto same = open_listed(folder_, file.name, file.identity); !same)
                return tl::unexpected(same.error());
        return {};
    }

    void remove_plain_files_of_gone_builds() const {
        namespace fs = std::filesystem;
        for (const auto& kept : kept_indexes(index_dir_)) {
            if (kept.path != index_path(index_dir_, kept.release.version)) continue;
            const auto facts = Index::read_facts(kept.path);
            std::error_code error;
            if (facts && !fs::exists(facts->origin, error) && !error)
                fs::remove_all(plain_folder(index_dir_, kept.release.version), error);
        }
    }

    const BuildFolder& folder_;
    const ReadModels& models_;
    std::string index_dir_;
    std::uint64_t largest_;  // bytes of an object that must be loadable
    std::string plain_dir_;
    dump::CutDumps cut_;
};

}  // namespace

base::Result<Build> open_files(const FilesSettings& settings) {
    const auto folder = open_folder(settings.folder);
    if (!folder) return tl::unexpected(folder.error());
    auto models = read_models(*folder);
    if (!models) return tl::unexpected(models.error());
    auto files = IndexOfFiles(*folder, *models, settings).open();
    if (!files) return tl::unexpected(files.error());
    if (const auto& flaw = files->index.facts().flaw; !flaw.empty() && !settings.accept_cut)
        return base::fail(ErrorKind::refused, flaw);
    return Build(std::make_shared<FilesBuild>(std::move(*files), std::move(models->models),
                                              settings.max_object_mb << 20,
                                              settings.skip_classes));
}

}  // namespace source
