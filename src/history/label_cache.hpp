// history/label_cache.hpp -- what people call the objects of a build, remembered.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "base/result.hpp"
#include "history/decision.hpp"
#include "source/source.hpp"

namespace history {

// Remembers the labels of objects in the build that it was asked about last: 100,000 to 200,000.
// Safe from any thread.
class LabelCache {
   public:
    // Returns the label of an object of the build; empty where that is its name, or the object
    // itself is damaged or too large.
    //   name   as the build spells it
    //   error  unavailable: the build cannot be read
    //   cost   a load of the object at the first call
    [[nodiscard]] base::Result<std::string> of(const ObjectName& name,
                                               const source::Source& build,
                                               const NamePaths& names);

   private:
    using Labels = std::map<ObjectName, std::string>;
    static constexpr std::size_t most_in_generation = 100'000;

    std::mutex mutex_;   // guards what follows; not held while an object is loaded
    std::string build_;  // the digest of the build
    Labels labels_, older_;
};

}  // namespace history
