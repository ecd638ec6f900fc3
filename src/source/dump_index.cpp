// SPDX-License-Identifier: MIT
#include "source/dump_index.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_text.hpp"
#include "source/dump.hpp"
#include "source/dump_reader.hpp"
#include "source/unpack.hpp"

namespace source {
namespace {

namespace fs = std::filesystem;
using base::Kind;

}  // namespace

std::string index_path(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".index";
}

namespace {

// Unpacked dump files of a release; they go when the build's folder has gone.
std::string plain_folder(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".plain";
}

base::Result<bool> make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return fail_errno("making " + path, error.value());
    return true;
}

bool fits(const Facts& facts, const BuildFolder& folder) {
    const auto is_same = [](const DumpFile& a, const DumpFile& b) {
        return a.name == b.name && a.stamp == b.stamp;
    };
    return facts.release == folder.release &&
           std::equal(facts.files.begin(), facts.files.end(), folder.files.begin(),
                      folder.files.end(), is_same);
}

// A dump file as plain text: itself, or what was unpacked of it.
base::Result<File> open_plain(const BuildFolder& folder, const DumpFile& file,
                              const std::string& plain_dir) {
    const bool is_plain = packing_of(file.name) == Packing::none;
    auto opened = is_plain ? open_file(folder.directory.descriptor(), file.name)
                           : open_file(AT_FDCWD, plain_dir + "/" + file.name);
    if (!opened) return opened;
    const auto stamp = stamp_of(*opened);
    if (!stamp) return tl::unexpected(stamp.error());
    if (is_plain ? *stamp != file.stamp : stamp->size != file.plain_size)
        return base::fail(Kind::unavailable, folder.path + "/" + file.name +
                                                 " changed while it was opened; try again");
    return opened;
}

// Reads the objects of dump files into an index.
class IndexBuild {
   public:
    IndexBuild(IndexWriter writer, const BuildFolder& folder)
        : writer_(std::move(writer)), folder_(folder) {}

    base::Result<bool> read(const File& file, std::uint16_t number) {
        const auto place = folder_.path + "/" + folder_.files[number].name;
        DumpReader reader(file, place, most_held, Digests::yes);
        for (;;) {
            const auto object = reader.next();
            if (!object && object.error().kind == Kind::refused) {
                // Cut off: what there is can be told, and whether it is served is not ours.
                if (flaw_.empty()) flaw_ = object.error().text;
                return true;
            }
            if (!object) return tl::unexpected(object.error());
            if (!*object) return true;
            if (auto done = add(**object, number); !done) return done;
        }
    }

    base::Result<bool> finish(std::vector<DumpFile> files) {
        if (untracked_ > 0)
            base::log::warning(
                "names too long to be tracked",
                {{"build", folder_.release.version}, {"objects", std::to_string(untracked_)}});
        const auto twins = writer_.finish(
            {folder_.release, folder_.path, {}, untracked_, std::move(files), {}, flaw_, {}});
        if (!twins) return tl::unexpected(twins.error());
        if (!*twins) return true;
        return base::fail(Kind::malformed, place((*twins)->second) + ": " + (*twins)->name +
                                               " stands at " + place((*twins)->first) +
                                               " already");
    }

   private:
    // Only the header of an object is looked at, and it stands at the start.
    static constexpr std::size_t most_held = 1 << 20;

    base::Result<bool> add(const DumpObject& object, std::uint16_t number) {
        const auto header = read_header(object.bytes);
        if (!header && object.is_whole) {
            return base::fail(Kind::malformed, folder_.path + "/" + folder_.files[number].name +
                                                   ":" + std::to_string(object.line) + ": " +
                                                   header.error().what);
        }
        const auto class_name = header ? base::legal_text(header->class_name) : "";
        const auto name = header ? text_of(header->name) : "";
        if (!header || class_name.size() > tree::longest_class ||
            name.size() > tree::longest_name) {
            ++untracked_;
            return true;
        }
        if (base::equal_ignoring_case(class_name, "UserSession")) return true;
        return writer_.add(
            {object.digest, object.offset, object.length, object.line, number, 0, name},
            class_name);
    }

    [[nodiscard]] std::string place(const Entry& entry) const {
        return folder_.path + "/" + folder_.files[entry.file].name + ":" +
               std::to_string(entry.line);
    }

    IndexWriter writer_;
    const BuildFolder& folder_;
    std::uint64_t untracked_ = 0;
    std::string flaw_;
};

// What is indexed under this version already, under a name of its own: should the new build of
// that version be refused for its content, the index of the one that was served stays.
class KeptAside {
   public:
    KeptAside(const std::string& index_dir, const std::string& version) {
        const auto path = index_path(index_dir, version);
        const auto facts = Index::read_facts(path);
        if (!facts) return;
        digest_ = facts->digest;
        aside_ = index_dir + "/" + version + "-" + digest_.substr(0, 8) + ".index";
        fs::create_hard_link(path, aside_, error_);  // there already: it was kept before
    }
    // Not needed when the new index is of the same content.
    void drop_if(std::string_view digest) {
        if (digest_ == digest) fs::remove(aside_, error_);
    }

   private:
    std::string digest_, aside_;
    std::error_code error_;
};

// Unpacks a dump file, where it is packed, and notes its size.
base::Result<bool> make_plain(const BuildFolder& folder, DumpFile& file,
                              const std::string& plain_dir) {
    const auto packing = packing_of(file.name);
    if (packing == Packing::none) return true;
    if (auto made = make_folder(plain_dir); !made) return made;
    const auto packed = open_file(folder.directory.descriptor(), file.name);
    if (!packed) return tl::unexpected(packed.error());
    const auto path = plain_dir + "/" + file.name;
    if (auto done = unpack(*packed, packing, path); !done)
        return base::fail_at(folder.path + "/" + file.name, done.error());
    std::error_code error;
    file.plain_size = fs::file_size(path, error);
    if (error) return fail_errno("reading " + path, error.value());
    return true;
}

// Makes the index of one build.
base::Result<bool> build_index(const BuildFolder& folder, const std::string& index_dir) {
    const auto plain_dir = plain_folder(index_dir, folder.release.version);
    KeptAside kept(index_dir, folder.release.version);
    auto writer = IndexWriter::create(index_path(index_dir, folder.release.version));
    if (!writer) return tl::unexpected(writer.error());
    IndexBuild build(std::move(*writer), folder);
    auto files = folder.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto& file = files[i];
        if (auto done = make_plain(folder, file, plain_dir); !done) return done;
        const auto plain = open_plain(folder, file, plain_dir);
        if (!plain) return tl::unexpected(plain.error());
        if (auto done = build.read(*plain, static_cast<std::uint16_t>(i)); !done) return done;
        // Written into meanwhile? Then the places noted are those of another file.
        if (const auto again = open_plain(folder, file, plain_dir); !again)
            return tl::unexpected(again.error());
    }
    auto done = build.finish(std::move(files));
    if (!done) return done;
    if (const auto facts = Index::read_facts(index_path(index_dir, folder.release.version)))
        kept.drop_if(facts->digest);
    return done;
}

// Nothing, when there is no index that fits.
base::Result<std::optional<IndexedBuild>> open_fitting(const BuildFolder& folder,
                                                       const std::string& index_dir) {
    auto index = Index::open(index_path(index_dir, folder.release.version));
    if (!index || !fits(index->facts(), folder)) return std::nullopt;
    IndexedBuild build{std::move(*index), {}};
    for (const auto& file : build.index.facts().files) {
        auto plain = open_plain(folder, file, plain_folder(index_dir, folder.release.version));
        const bool is_packed = packing_of(file.name) != Packing::none;
        if (!plain && is_packed) return std::nullopt;  // unpack it again
        if (!plain) return tl::unexpected(plain.error());
        build.files.push_back(std::move(*plain));
    }
    return std::optional<IndexedBuild>(std::move(build));
}

void drop_unpacked_of_gone_builds(const std::string& index_dir) {
    for (const auto& kept : kept_indexes(index_dir)) {
        const auto facts = Index::read_facts(kept.path);
        std::error_code error;
        if (facts && !fs::exists(facts->folder, error) && !error)
            fs::remove_all(plain_folder(index_dir, kept.release.version), error);
    }
}

}  // namespace

base::Result<IndexedBuild> open_index(const BuildFolder& folder, const std::string& index_dir) {
    if (folder.files.size() > UINT16_MAX)
        return base::fail(Kind::refused, folder.path + " holds more than 65,535 dump files");
    if (auto made = make_folder(index_dir); !made) return tl::unexpected(made.error());
    auto found = open_fitting(folder, index_dir);
    if (!found) return tl::unexpected(found.error());
    if (*found) return std::move(**found);

    const auto lock_path = index_dir + "/" + folder.release.version + ".lock";
    const File lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock.is_open()) return fail_errno("writing " + lock_path, errno);
    while (::flock(lock.descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
    found = open_fitting(folder, index_dir);  // another process may have made it meanwhile
    if (!found) return tl::unexpected(found.error());
    if (*found) return std::move(**found);
    base::log::info("making the index", {{"build", folder.path}});
    if (auto done = build_index(folder, index_dir); !done) return tl::unexpected(done.error());
    drop_unpacked_of_gone_builds(index_dir);
    found = open_fitting(folder, index_dir);
    if (!found) return tl::unexpected(found.error());
    if (!*found)
        return base::fail(Kind::unavailable,
                          folder.path + " changed while its index was made; try again");
    return std::move(**found);
}

}  // namespace source
