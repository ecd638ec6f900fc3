// history/rename_candidates.hpp -- brings up to date the objects with which one may have changed its
// name: a rename is seen in two rows (rule C9). Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/single_flight.hpp"
#include "history/context.hpp"
#include "source/source.hpp"

namespace history {

// Objects of a class that one of two builds has and the other lacks. In a class that has more, only a
// release job finds renames.
inline constexpr std::size_t most_rename_candidates = 1'000;

// Remembers what it did for the two builds that it was asked about last.
class RenameCandidates {
   public:
    // If one of the builds has the object and the other lacks it, brings up to date all objects of the
    // class of which that is true, once a build. Does not matter to the row of any of them.
    //   previous  the kept index of the release before; may be nullptr
    //   error     as of history::bring_up_to_date(). It is tried again at the next call
    //   throws    store::Failure
    //   cost      two look-ups in indexes. Once a build, what only one of the builds has, of all
    //             classes (source::each_unknown_to); once a class, these objects. Other callers wait
    [[nodiscard]] base::Result<void> bring_up_to_date(const Context& context,
                                                      const source::Source& build,
                                                      const source::Source* previous,
                                                      const ObjectName& asked);

   private:
    using NamesByClass = std::map<std::string, std::vector<ObjectName>, std::less<>>;
    using Class = std::pair<std::string, std::string>;  // digests of builds, and its name

    [[nodiscard]] base::Result<void> bring_class_up_to_date(const Context& context,
                                                            const source::Source& build,
                                                            const source::Source& previous,
                                                            const Class& which);

    base::VersionedValue<std::string, std::shared_ptr<const NamesByClass>>
        names_;  // by digests of builds
    base::SingleFlight<Class, base::Result<void>> flights_;
    std::mutex mutex_;  // guards what follows; not held while anything is computed
    std::map<Class, base::Seconds> done_;  // and when; of the same builds
};

}  // namespace history
