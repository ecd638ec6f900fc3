// A folder for one test, which is deleted when the test ends; and the content of files.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace support {

// Returns a folder in memory where there is room, for databases that tests create: each table
// costs about 20 flushes of a file, which no setting of MariaDB avoids.
inline std::filesystem::path quick_folder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code none;
    const auto room = std::filesystem::space(memory, none);
    const bool fits = !none && room.available > (std::uintmax_t{1} << 30U);
    return fits && ::access(memory.c_str(), W_OK) == 0 ? memory
                                                       : std::filesystem::temp_directory_path();
}

inline std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file.string() + " can't be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

class TempDir {
   public:
    explicit TempDir(
        const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
        std::string name = (parent / "varve-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp: " + name);
        path_ = name;
    }
    ~TempDir() {
        std::error_code ignored;  // a folder left behind is no reason to fail a test
        std::filesystem::remove_all(path_, ignored);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(std::string_view name, std::string_view bytes) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }

   private:
    std::filesystem::path path_;
};

}  // namespace support
