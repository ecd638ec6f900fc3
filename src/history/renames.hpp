// history/renames.hpp -- which object of a build took the content of one that vanished (C9).
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/source.hpp"
#include "tables/rows.hpp"

namespace history {

using base::Release;
using tree::ObjectName;

class CreatedObjects {
   public:
    // Objects of the class that `build` has and `previous` has not, of this signature. Those of
    // a class are signed once and kept until another build is asked about.
    //   returns  0 … n names. None where there is nothing to tell by: without a previous build,
    //            for empty content, in classes of over 2 million objects or 5,000 new ones
    //   error    what loading an object met
    //   cost     a walk over the build's names, then one load for each new object of the class
    [[nodiscard]] base::Result<std::vector<ObjectName>> created_with(
        const source::Source& build, const source::Source* previous, std::string_view class_name,
        std::string_view signature);

   private:
    using BySignature = std::multimap<std::string, ObjectName, std::less<>>;
    [[nodiscard]] static base::Result<BySignature> sign_created(const source::Source& build,
                                                                const source::Source& previous,
                                                                std::string_view class_name);
    std::mutex mutex_;
    std::string builds_;                                       // what created_ is about
    std::map<std::string, BySignature, std::less<>> created_;  // by class
};

}  // namespace history
