// source/file.hpp -- file descriptors that close themselves, files that are replaced as a whole,
// and how to see that a file changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace source {

// Owns a file descriptor. read_at() is safe from any thread.
class File {
   public:
    File() = default;
    explicit File(int descriptor) : descriptor_(descriptor) {}

    [[nodiscard]] bool is_open() const { return descriptor_.is_open(); }
    [[nodiscard]] int descriptor() const { return descriptor_.number(); }

    // Reads up to `size` bytes from `offset` on. Returns how many; fewer at the end of the file.
    //   error  unavailable
    [[nodiscard]] base::Result<std::size_t> read_at(char* into, std::size_t size,
                                                    std::uint64_t offset) const;

    // Writes all of `bytes` after what was written before.
    //   error  unavailable (a full disk)
    [[nodiscard]] base::Result<void> write(std::string_view bytes) const;

   private:
    base::Descriptor descriptor_;
};

// Opens a new file in the folder of `path` that has no name and vanishes when it is closed. It is
// not open where the file system has no such files (NFS), or the folder can't be written.
[[nodiscard]] File open_nameless(const std::string& path, mode_t mode);

// A file that gets its name when it is whole, so that nobody ever reads half of it. Until then it
// has none, and leaves nothing behind when the process is killed; where the file system has no such
// files, it has a temporary one, PATH.tmp-XXXXXX, which the destructor removes. Two processes may write
// one file at once: the last one wins.
class NewFile {
   public:
    // Of a temporary name, before its random letters and digits.
    static constexpr std::string_view temporary_suffix = ".tmp-";
    static constexpr std::size_t random_letters = 6;

    //   most   permissions, less what the umask withholds; nullopt: 0644 whatever the umask, because
    //          the same program may run under another user (CGI, a release job)
    //   error  unavailable
    [[nodiscard]] static base::Result<NewFile> create(std::string path,
                                                      std::optional<mode_t> most = std::nullopt);
    ~NewFile();
    NewFile(NewFile&& other) noexcept
        : path_(std::move(other.path_)), name_(std::exchange(other.name_, {})),
          file_(std::move(other.file_)) {}
    NewFile& operator=(NewFile&&) = delete;

    [[nodiscard]] const File& file() const { return file_; }

    // Writes as File::write does; an error names the file.
    [[nodiscard]] base::Result<void> write(std::string_view bytes) const;

    // Syncs the file to the disk and gives it its name.
    //   error  unavailable
    [[nodiscard]] base::Result<void> put_in_place();

   private:
    NewFile(std::string path, std::string name, File file)
        : path_(std::move(path)), name_(std::move(name)), file_(std::move(file)) {}

    [[nodiscard]] base::Result<void> link();

    std::string path_, name_;  // name_ is the temporary one; empty: there is none
    File file_;
};

// Identifies the content of a file: stays equal until somebody writes to or replaces the file.
struct FileIdentity {
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;  // since the epoch
    bool operator==(const FileIdentity&) const = default;
};

// Opens a regular file to read it; follows links.
//   directory  a descriptor, or AT_FDCWD
//   error  absent; unavailable
[[nodiscard]] base::Result<File> open_file(int directory, const std::string& path);
[[nodiscard]] base::Result<FileIdentity> identity_of(const File& file);

// Returns the identity without opening the file; nullopt: there is no regular file of that name.
//   error  unavailable
[[nodiscard]] base::Result<std::optional<FileIdentity>> find_identity(int directory,
                                                                      const std::string& path);

// Returns the content of a small file.
//   error  absent; unavailable; too_large above `most` bytes
[[nodiscard]] base::Result<std::string> read_file(int directory, const std::string& path,
                                                  std::size_t most);

// Makes the folder, with all above it, if it is not there.
//   error  unavailable
[[nodiscard]] base::Result<void> make_folder(const std::string& path);

// Returns the error of an errno: absent for ENOENT and ENOTDIR, else unavailable.
[[nodiscard]] tl::unexpected<base::Error> fail_errno(std::string_view place, int code);

}  // namespace source
