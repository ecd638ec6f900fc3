// source/index/index_folder.hpp -- the folder with the indexes of all builds. Files of a
// version:
//   VERSION.index                the index of a build of files
//   VERSION.plain/               plain files, where the build's own files can't be sought in
//   VERSION-DIGEST.index         a previous index of the version, which was published again since
//   VERSION-server-KEY.index     the index of a running database; KEY tells which one, in what state
//   VERSION.lock                 locked while its index is made
//   VERSION-server-KEY.lock      the same
// Where the file system has no files without a name (NewFile), there are also the temporary ones
// NAME.index.tmp-XXXXXX and VERSION.plain/NAME.tmp-XXXXXX.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/file.hpp"
#include "source/source.hpp"

namespace source {

// Returns the name of a running database's files, without the suffix: VERSION-server-KEY.
//   identity  text that differs when the database is another, or was saved since
[[nodiscard]] std::string name_of_database(const std::string& version, std::string_view identity);

//   name  a version, or the name of a database's files
[[nodiscard]] std::string index_path(const std::string& index_dir, const std::string& name);
[[nodiscard]] std::string plain_folder(const std::string& index_dir, const std::string& version);

// Locks the making of an index until the returned file is closed. Waits for another
// process that holds the lock. Where the file system has no locks, two processes may make the
// index at once, and the last one wins.
//   name   a version, or the name of a database's files
//   error  unavailable
[[nodiscard]] base::Result<File> lock_version(const std::string& index_dir,
                                              const std::string& name);

// Removes what processes that were killed left of the indexes that they made: files with temporary
// names, and the plain files of versions without an index. What is locked stays, since a living
// process may be writing it; so does everything on a file system without locks.
void remove_unfinished(const std::string& index_dir);

// Returns what `find` finds. When it finds nothing, removes what killed processes left, locks the
// name, looks again, since another process may have made the index meanwhile, then calls `make` and
// looks once more.
//   subject  the build or database, for the error text
//   error    those of `find` and `make`; unavailable: what was made does not fit any more
template <class Found>
[[nodiscard]] base::Result<Found> find_or_make(
    const std::string& index_dir, const std::string& name, const std::string& subject,
    const std::function<base::Result<std::optional<Found>>()>& find,
    const std::function<base::Result<void>()>& make) {
    if (auto made = make_folder(index_dir); !made) return tl::unexpected(made.error());
    auto found = find();
    base::Result<File> lock;
    if (found && !*found) {
        remove_unfinished(index_dir);
        lock = lock_version(index_dir, name);
        if (!lock) return tl::unexpected(lock.error());
        found = find();
    }
    if (found && !*found) {
        if (auto made = make(); !made) return tl::unexpected(made.error());
        found = find();
    }
    if (!found) return tl::unexpected(found.error());
    if (!*found)
        return base::fail(base::ErrorKind::unavailable,
                          subject + " changed while its index was made; try again");
    return std::move(**found);
}

// Keeps the index of a version that is about to be made again, so that the build that was served
// still has its index if the content of the new one is refused.
class PreviousIndex {
   public:
    // Links VERSION.index, if there is one, as VERSION-DIGEST.index.
    PreviousIndex(const std::string& index_dir, const std::string& version);
    PreviousIndex(const PreviousIndex&) = delete;
    PreviousIndex& operator=(const PreviousIndex&) = delete;

    // Removes the link when the new index has the same content.
    void drop_if(std::string_view digest) const;

   private:
    std::string digest_, path_;
};

struct KeptIndex {
    base::Release release;
    std::string path;
    bool operator==(const KeptIndex&) const = default;
};

// Returns the indexes in the folder, oldest release first, without damaged ones.
[[nodiscard]] std::vector<KeptIndex> kept_indexes(const std::string& index_dir);

// Removes the indexes that no build will need again. The index of
// a build of files (VERSION.index) stays: it is written over.
//   is_superseded  whether the release is recorded with another content of the same kind
void sweep_indexes(const std::string& index_dir,
                   const std::function<bool(const base::Release& release,
                                            const std::string& digest)>& is_superseded);

// Returns what the index remembers of a build whose files may be gone: names, counts, digests.
// load() and is_loading_stamp() are unavailable, models() is empty.
//   error  absent, malformed, unavailable
[[nodiscard]] base::Result<Build> open_kept_index(const std::string& path,
                                                  std::vector<std::string> skip_classes = {});

}  // namespace source
