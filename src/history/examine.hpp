// history/examine.hpp -- what a build says of an object, and what that means for its history:
// the part of bringing it up to date that needs no transaction. One way for a request's refresh
// and for the release job's batches.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/refresh.hpp"

namespace history {

class Examiner {
   public:
    // All outlive it. `previous`: the kept index of the release before; may be nullptr.
    Examiner(const Context& desk, const source::Source& build, const source::Source* previous)
        : desk_(desk), build_(build), previous_(previous) {}

    [[nodiscard]] const Release& current() const { return build_.release(); }

    // The object as the build has it; without a spelling: it is not there.
    //   error  what loading met
    [[nodiscard]] base::Result<After> load(const std::optional<ObjectName>& spelling,
                                           const ObjectName& recorded) const;

    // The release of the kept index that lacks this object of the build; empty: none does.
    //   error  what the look-up met
    [[nodiscard]] base::Result<std::string> absent_from(const ObjectName& spelling) const;

    // decide() with what stands beside it.
    //   error  what sampling the build met (rule C4)
    [[nodiscard]] base::Result<Outcome> decide(const Before& before, const After& after,
                                               const tables::Releases& releases) const;

    // Created objects of the build whose content is that of the one that came or went (C9).
    //   error  what loading met
    [[nodiscard]] base::Result<std::vector<ObjectName>> twins_of(const Before& before,
                                                                 const After& after) const;

    // Other objects of the class that had this content when last seen and are not in the build.
    //   error  what the look-up met
    [[nodiscard]] base::Result<std::vector<ObjectName>> vanished_with(
        store::Transaction& transaction, const ObjectName& object,
        const std::string& signature) const;

   private:
    [[nodiscard]] base::Result<compare::Evidence> evidence_for(
        const Before& before, const tables::Releases& releases) const;
    [[nodiscard]] bool is_of_the_build(std::string_view stamp) const;

    const Context& desk_;
    const source::Source& build_;
    const source::Source* previous_;
};

}  // namespace history
