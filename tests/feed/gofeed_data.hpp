// feed/gofeed_data.hpp -- the test feeds of the Debian package golang-github-mmcdole-gofeed-dev.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sample {

inline const std::filesystem::path gofeed_data =
    "/usr/share/gocode/src/github.com/mmcdole/gofeed/testdata";
// That relative URLs in them are meant against.
inline const std::string gofeed_url = "http://document.example/feed";

inline std::string content_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace sample
