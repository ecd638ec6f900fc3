// source/kept_aside.hpp -- the index of a version that is about to be made anew, kept under a
// name of its own: should the new build of that version be refused for its content, the index of
// the one that was served stays.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace source {

class KeptAside {
   public:
    // Keeps VERSION.index, if there is one, as VERSION-DIGEST.index beside it.
    KeptAside(const std::string& index_dir, const std::string& version);
    KeptAside(const KeptAside&) = delete;
    KeptAside& operator=(const KeptAside&) = delete;

    // Not needed when the new index is of the same content.
    void drop_if(std::string_view digest) const;

   private:
    std::string digest_, aside_;
};

}  // namespace source
