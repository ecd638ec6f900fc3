// SPDX-License-Identifier: MIT
#include "source/build_folder.hpp"

#include <algorithm>
#include <boost/property_tree/ini_parser.hpp>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <unistd.h>

#include "base/digest.hpp"

namespace source {
namespace {

using base::ErrorKind;

constexpr std::size_t most_release_bytes = 4096;
constexpr std::size_t most_models_bytes = 64 << 20;

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

tl::unexpected<base::Error> refuse(const std::string& text) {
    return base::fail(ErrorKind::refused, text);
}

// A missing folder may come back: a build that is being switched, a disk that is not yet mounted.
tl::unexpected<base::Error> unreachable(const std::string& path, int code) {
    return base::fail(ErrorKind::unavailable, fail_errno(path, code).value().text);
}

base::Result<std::vector<std::string>> names_in(const File& directory, const std::string& path) {
    const int copy = ::openat(directory.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDirectory> stream(copy < 0 ? nullptr : ::fdopendir(copy));
    if (stream == nullptr) return unreachable(path, errno);
    std::vector<std::string> names;
    // Only this thread uses the stream, and for that POSIX promises that readdir() is safe.
    while (const auto* entry = ::readdir(stream.get()))  // NOLINT(concurrency-mt-unsafe)
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

// The file release.ini of a build.
class ReleaseFile {
   public:
    ReleaseFile(const File& directory, const std::string& folder)
        : directory_(directory), folder_(folder), place_(folder + "/release.ini") {}

    [[nodiscard]] base::Result<base::Release> read() {
        const auto text = read_file(directory_.descriptor(), "release.ini", most_release_bytes);
        if (!text && text.error().kind == ErrorKind::absent) return fail(" is missing");
        if (!text && text.error().kind == ErrorKind::too_large) return fail(" is too large");
        if (!text) return base::fail_at(place_, text.error());
        boost::property_tree::ptree ini;
        std::istringstream in(*text);
        try {
            boost::property_tree::read_ini(in, ini);
        } catch (const boost::property_tree::ini_parser_error& error) {
            return fail(":" + std::to_string(error.line()) + ": " + error.message());
        }
        return release_in(ini);
    }

   private:
    base::Result<base::Release> release_in(const boost::property_tree::ptree& ini) {
        version_ = ini.get("version", "");
        date_ = ini.get("date", "");
        for (const auto& [key, value] : ini)
            if (key != "version" && key != "date") return fail(": unknown key \"" + key + "\"");
        if (!base::is_version(version_))
            return fail(": version is missing, or holds more than 32 letters, digits, . _ -");
        const auto day = base::parse_date(date_);
        if (!day) return fail(": date is missing, or not a day such as 2008-02-15");
        return base::Release{version_, *day};
    }

    // Says what to write: what is right in the file, else the version after which the folder is
    // called.
    [[nodiscard]] tl::unexpected<base::Error> fail(const std::string& what) const {
        const auto name = folder_.substr(folder_.rfind('/') + 1);
        const bool is_release =
            base::is_version(name) && name.find_first_of("0123456789") != std::string::npos;
        const auto version = base::is_version(version_) ? version_ : is_release ? name : "WS187";
        const auto date = base::parse_date(date_) ? date_ : "2008-02-15";
        return refuse(
            fmt::format(R"({}{}; write two lines there: "version = {}" and "date = {}", )"
                        "the day of the release",
                        place_, what, version, date));
    }

    const File& directory_;
    const std::string& folder_;
    std::string place_, version_, date_;  // version_ and date_ as they are in the file
};

base::Result<void> list_file(BuildFolder& folder, std::string name) {
    if (!format_of(name)) return {};
    const auto file = open_file(folder.directory.descriptor(), name);
    if (!file) return base::fail(ErrorKind::unavailable, folder.path + "/" + file.error().text);
    const auto identity = identity_of(*file);
    if (!identity) return tl::unexpected(identity.error());
    const auto plain = packing_of(name) == Packing::none ? identity->size : 0;
    folder.files.push_back({std::move(name), *identity, plain});
    return {};
}

base::Result<BuildFolder> open_real_folder(const std::string& path) {
    std::error_code error;
    auto real = std::filesystem::canonical(path, error).string();
    if (error) return unreachable(path, error.value());
    File directory(::open(real.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.is_open()) return unreachable(real, errno);
    auto names = names_in(directory, real);
    if (!names) return tl::unexpected(names.error());
    BuildFolder folder{std::move(real), std::move(directory), {}, {}};
    for (auto& name : *names)
        if (auto done = list_file(folder, std::move(name)); !done)
            return tl::unexpected(done.error());
    return folder;
}

tl::unexpected<base::Error> changed(const BuildFolder& folder, const std::string& name) {
    return base::fail(ErrorKind::unavailable,
                      folder.path + "/" + name + " changed while it was opened; try again");
}

}  // namespace

base::Result<BuildFolder> open_folder(const std::string& path) {
    auto folder = open_real_folder(path);
    if (!folder) return folder;
    auto release = ReleaseFile(folder->directory, folder->path).read();
    if (!release) return tl::unexpected(release.error());
    folder->release = std::move(*release);
    if (folder->files.empty())
        return refuse(
            folder->path +
            " holds no files of objects (*.ace, *.xml, *.jsonl, each also .gz or .zst)");
    return folder;
}

base::Result<ReadModels> read_models(const BuildFolder& folder) {
    const auto text = read_file(folder.directory.descriptor(), "models.wrm", most_models_bytes);
    if (!text && text.error().kind == ErrorKind::absent) return ReadModels();
    if (!text) return base::fail_at(folder.path, text.error());
    return ReadModels{tree::Models::parse(*text), base::md5_hex(*text)};
}

base::Result<std::string> identity_of(const std::string& folder) {
    const auto build = open_real_folder(folder);
    if (!build) return tl::unexpected(build.error());
    std::string text = build->path;
    const auto append = [&](const std::string& name, const FileIdentity& identity) {
        text += '\n' + name + ' ' + std::to_string(identity.inode) + ' ' +
                std::to_string(identity.size) + ' ' + std::to_string(identity.modified_ns);
    };
    for (const std::string name : {"release.ini", "models.wrm"}) {
        const auto identity = find_identity(build->directory.descriptor(), name);
        if (!identity)
            return base::fail(ErrorKind::unavailable, build->path + "/" + identity.error().text);
        if (*identity) append(name, **identity);
    }
    for (const auto& file : build->files) append(file.name, file.identity);
    return text;
}

bool is_plain(const BuildFile& file) {
    return packing_of(file.name) == Packing::none && format_of(file.name) != Format::xml;
}

base::Result<File> open_listed(const BuildFolder& folder, const std::string& name,
                               const FileIdentity& listed) {
    auto opened = open_file(folder.directory.descriptor(), name);
    if (!opened && opened.error().kind == ErrorKind::absent) return changed(folder, name);
    if (!opened) return base::fail_at(folder.path, opened.error());
    const auto identity = identity_of(*opened);
    if (!identity) return tl::unexpected(identity.error());
    if (*identity != listed) return changed(folder, name);
    return opened;
}

base::Result<File> open_plain(const BuildFolder& folder, const BuildFile& file,
                              const std::string& plain_dir) {
    if (is_plain(file)) return open_listed(folder, file.name, file.identity);
    auto opened = open_file(AT_FDCWD, plain_dir + "/" + file.name);
    if (!opened) return opened;
    const auto identity = identity_of(*opened);
    if (!identity) return tl::unexpected(identity.error());
    if (identity->size != file.plain_size) return changed(folder, file.name);
    return opened;
}

Packing packing_of(std::string_view file_name) {
    if (file_name.ends_with(".gz")) return Packing::gzip;
    if (file_name.ends_with(".zst")) return Packing::zstd;
    return Packing::none;
}

std::optional<Format> format_of(std::string_view file_name) {
    for (const std::string_view packed : {".gz", ".zst"})
        if (file_name.ends_with(packed)) {
            file_name.remove_suffix(packed.size());
            break;
        }
    if (file_name.ends_with(".ace")) return Format::ace;
    if (file_name.ends_with(".xml")) return Format::xml;
    if (file_name.ends_with(".jsonl")) return Format::json_lines;
    return std::nullopt;
}

}  // namespace source
