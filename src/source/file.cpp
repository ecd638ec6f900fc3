// SPDX-License-Identifier: MIT
#include "source/file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace source {
namespace {

FileIdentity identity_in(const struct stat& status) {
    return {status.st_ino, static_cast<std::uint64_t>(status.st_size),
            status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

constexpr int most_tries = 100;  // at a temporary name that nobody else has

// Returns PATH.tmp-XXXXXX with six random letters or digits.
std::string temporary_name(const std::string& path) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    auto name = path + std::string(NewFile::temporary_suffix);
    for (std::size_t i = 0; i < NewFile::random_letters; ++i)
        name += letters[random() % letters.size()];
    return name;
}

std::string descriptor_path(const File& file) {
    return "/proc/self/fd/" + std::to_string(file.descriptor());
}

}  // namespace

base::Result<std::size_t> File::read_at(char* into, std::size_t size,
                                        std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < size) {
        const auto got =
            ::pread(descriptor(), into + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno("reading a file", errno);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

base::Result<void> File::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto put = ::write(descriptor(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_errno("writing a file", errno);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

File open_nameless(const std::string& path, mode_t mode) {
    const auto folder = std::filesystem::path(path).parent_path();
    return File(
        ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
}

base::Result<NewFile> NewFile::create(std::string path, std::optional<mode_t> most) {
    const auto mode = most.value_or(0644);
    std::string name;
    auto file = open_nameless(path, mode);
    // Without /proc the file could not get a name later.
    if (!file.is_open() || ::access(descriptor_path(file).c_str(), F_OK) != 0)
        for (int tries = 0; tries < most_tries; ++tries) {
            name = temporary_name(path);
            file = File(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
            if (file.is_open() || errno != EEXIST) break;
        }
    if (!file.is_open()) return fail_errno("writing " + path, errno);
    NewFile made(std::move(path), std::move(name), std::move(file));
    if (!most && ::fchmod(made.file_.descriptor(), mode) != 0)
        return fail_errno("writing " + made.path_, errno);
    return made;
}

NewFile::~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
}

base::Result<void> NewFile::write(std::string_view bytes) const {
    auto done = file_.write(bytes);
    if (!done) return base::fail_at(path_, done.error());
    return done;
}

// Gives a file without a name a temporary one, since only a rename replaces another file.
base::Result<void> NewFile::link() {
    const auto from = descriptor_path(file_);
    for (int tries = 0; tries < most_tries; ++tries) {
        auto name = temporary_name(path_);
        if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            name_ = std::move(name);
            return {};
        }
        if (errno != EEXIST) break;
    }
    return fail_errno("writing " + path_, errno);
}

base::Result<void> NewFile::put_in_place() {
    if (::fsync(file_.descriptor()) != 0) return fail_errno("writing " + path_, errno);
    if (name_.empty())
        if (auto linked = link(); !linked) return linked;
    if (::rename(name_.c_str(), path_.c_str()) != 0) return fail_errno("writing " + path_, errno);
    name_.clear();
    return {};
}

base::Result<File> open_file(int directory, const std::string& path) {
    // Non-blocking, since opening a pipe that nobody writes to would wait forever.
    File file(::openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) return fail_errno(path, errno);
    struct stat status{};
    if (::fstat(file.descriptor(), &status) != 0) return fail_errno(path, errno);
    if (!S_ISREG(status.st_mode))
        return base::fail(base::ErrorKind::malformed, path + " is not a regular file");
    return file;
}

base::Result<FileIdentity> identity_of(const File& file) {
    struct stat status{};
    if (::fstat(file.descriptor(), &status) != 0) return fail_errno("fstat", errno);
    return identity_in(status);
}

base::Result<std::optional<FileIdentity>> find_identity(int directory, const std::string& path) {
    struct stat status{};
    if (::fstatat(directory, path.c_str(), &status, 0) == 0)
        return S_ISREG(status.st_mode) ? std::optional(identity_in(status)) : std::nullopt;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return std::nullopt;
    return fail_errno(path, errno);
}

base::Result<std::string> read_file(int directory, const std::string& path, std::size_t most) {
    auto file = open_file(directory, path);
    if (!file) return tl::unexpected(file.error());
    const auto identity = identity_of(*file);
    if (!identity) return tl::unexpected(identity.error());
    // Starts with the size of the file: `most` may be far more memory than that. The room grows
    // only when the file does while it is read.
    std::string bytes;
    std::size_t size = 0;
    std::size_t room = std::min<std::uint64_t>(identity->size, most) + 1;
    for (;;) {
        bytes.resize(room);
        const auto got = file->read_at(bytes.data() + size, room - size, size);
        if (!got) return base::fail_at(path, got.error());
        size += *got;
        if (size > most) return base::fail(base::ErrorKind::too_large, path + " is too large");
        if (size < room) break;
        room = std::min(2 * room, most + 1);
    }
    bytes.resize(size);
    return bytes;
}

base::Result<void> make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return fail_errno("making " + path, error.value());
    return {};
}

tl::unexpected<base::Error> fail_errno(std::string_view place, int code) {
    const bool is_absent = code == ENOENT || code == ENOTDIR;
    return base::fail(is_absent ? base::ErrorKind::absent : base::ErrorKind::unavailable,
                      std::string(place) + ": " + std::generic_category().message(code));
}

}  // namespace source
