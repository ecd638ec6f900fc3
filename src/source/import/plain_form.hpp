// source/plain_form.hpp -- the plain form of a file of objects: the one in which an object is one
// seek away. A plain dump and plain JSON Lines are their own. Packed ones are unpacked, XML and
// curators' files written anew as JSON Lines: these lie beside the index, in VERSION.plain/NAME,
// until the build's folder has gone.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/file.hpp"
#include "source/index.hpp"

namespace source::import {

[[nodiscard]] std::string plain_folder(const std::string& index_dir, const std::string& version);

[[nodiscard]] bool is_own_plain_form(const DumpFile& file);

// A file of the build as it lies in its folder.
//   error  unavailable: it was changed since the folder was listed, or has gone
[[nodiscard]] base::Result<File> open_listed(const BuildFolder& folder, const std::string& name,
                                             const FileStamp& listed);

// The plain form of a file that has one.
//   error  unavailable, absent: it was changed, or has gone
[[nodiscard]] base::Result<File> open_plain(const BuildFolder& folder, const DumpFile& file,
                                            const std::string& plain_dir);

// The text of a file, unpacked where it is packed.
class PlainText {
   public:
    //   plain_dir  made where it is needed and not there
    //   error      refused (damaged), unavailable
    [[nodiscard]] static base::Result<PlainText> of(const BuildFolder& folder,
                                                    const DumpFile& file,
                                                    const std::string& plain_dir);
    [[nodiscard]] const File& file() const { return unpacked_ ? unpacked_->file() : listed_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // Makes what was unpacked the plain form of its file; else it goes with this object.
    [[nodiscard]] base::Result<void> keep();

   private:
    File listed_;
    std::optional<NewFile> unpacked_;
    std::uint64_t size_ = 0;
};

[[nodiscard]] base::Result<void> make_folder(const std::string& path);

}  // namespace source::import
