// history/build_difference.hpp -- which objects of a class one build has and the other lacks: the
// candidates for renames (rule C9).
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/single_flight.hpp"
#include "source/source.hpp"

namespace history {

using tree::ObjectName;

// Empty if unknown: no earlier build, a class above 2 million objects, or more than 5,000 differences.
struct ClassDifference {
    std::multimap<std::string, ObjectName>
        created;                             // by signature, those without content left out
    std::vector<std::string> vanished_keys;  // names in lower case (ASCII), sorted
};

// Remembers the differences of the last two builds that it was asked about. Safe from any thread. A
// class never waits for the loads of another one. Threads that ask about the same class load its new objects
// together, so each waits for the loads that the others have in progress, one each.
class BuildDifference {
   public:
    //   previous  the kept index of the release before; may be nullptr
    //   returns   never nullptr
    //   error     as of loading the object or of the look-up
    //   cost      at first: what only one of the builds has, of all classes
    //             (Source::each_unknown_to), and a load for each new object of this one
    [[nodiscard]] base::Result<std::shared_ptr<const ClassDifference>> of_class(
        std::string_view class_name, const source::Source& build, const source::Source* previous);

   private:
    struct OfClass;
    struct Names;
    [[nodiscard]] std::shared_ptr<OfClass> kept_of(std::string_view class_name,
                                                   const std::string& builds);

    base::VersionedValue<std::string, std::shared_ptr<const Names>>
        names_;           // by digests of builds
    std::mutex mutex_;    // guards what follows; not held while anything is computed
    std::string builds_;  // what by_class_ is about
    std::map<std::string, std::shared_ptr<OfClass>, std::less<>> by_class_;
};

}  // namespace history
