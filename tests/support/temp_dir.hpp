// A folder of its own for one test, gone when the test ends.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace support {

class TempDir {
   public:
    TempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "varve-XXXXXX").string();
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
