// history/current.hpp -- which build requests are answered from, and whether it may be.
// A build is refused, and the one before it serves on, when it is not whole, lost most of a class, is
// new and comes before a recorded release, has a date left over from another release, or claims a
// recorded version with another content, or another version with a recorded content (docs/operating.md,
// "Refused builds").
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace history {

using base::Release;

// Whether an incomplete dump may be opened (the operator accepted it).
enum class Wholeness { required, not_required };

// Whether a build of this digest was accepted once under this version.
using WasServed = std::function<bool(const base::Release&, const std::string& digest)>;

// Whether another publication of this version is in force than the build of this digest.
using IsSuperseded = std::function<bool(const base::Release&, const std::string& digest)>;

// Opens what source.path names now. Costly when the build is new (its index is made).
//   identity  a cheap text that changes when the build does (target of the link, release.ini's
//             inode, size and time, those of the dump files)
struct BuildOpener {
    std::function<base::Result<std::string>()> identity;
    std::function<base::Result<source::Build>(Wholeness)> open;
    // The indexes kept of the newest release before this one that was served: one for each kind of
    // source that it was served from, and maybe more; none: none kept. A build that was refused
    // says nothing of what there was.
    std::function<std::vector<source::Build>(const base::Release&, const WasServed&)> previous_of;
    // Removes the kept indexes that are superseded. Empty: nothing is kept.
    std::function<void(const IsSuperseded&)> sweep = {};
    // Whether a release has the date that the configuration gives to every release of the source that
    // has none of its own. A new one is refused when another release has its date already. Releases
    // that state their date together with their version (release.ini, releases.tsv) may share a date.
    // Empty: all do.
    std::function<bool(const base::Release&)> is_dated_by_configuration = {};
    // What the commands that a refusal names need to look at the same build: " --build FOLDER".
    std::string options = {};
};

// Why the build may not be served; empty: it may.
[[nodiscard]] std::string lost_classes(const source::Source& build,
                                       const source::Source& previous);

// An available build and the kept index of the release before it, which belong together.
struct Builds {
    source::Build build;     // nullptr: there is none
    source::Build previous;  // nullptr: none kept
};

// Why a build is opened.
//   serving       it becomes current, and its release is recorded at once
//   checking      nothing is written to the store
//   republishing  the same; and that its version is recorded with another digest is no reason
//                 to refuse it
enum class Purpose { serving, checking, republishing };

class CurrentBuild {
   public:
    CurrentBuild(BuildOpener opener, store::Pool& pool, Purpose purpose = Purpose::serving);
    ~CurrentBuild();

    // The accepted build; nullptr while there is none (see why()).
    [[nodiscard]] source::Build build() const;
    // Both as they are at one moment.
    [[nodiscard]] Builds builds() const;

    // Why the newest build is not served; empty: it is. Not logged: a command prints it.
    [[nodiscard]] std::string why() const;

    // Why objects could not be loaded from the current build at the last look; empty: they could. The
    // server is down or holds another build, the files were overwritten.
    [[nodiscard]] std::string trouble() const;

    // The newest build that could be opened, accepted or not, and the kept index of the release before it.
    [[nodiscard]] Builds candidate() const;

    // Looks whether the build changed, opens the new one and checks it. The server calls it again
    // and again (app::Pace), a command calls it once. Blocks while an
    // index is made; build() returns the earlier build meanwhile.
    //   throws  store::Failure: what was accepted or recorded cannot be read; nothing changes
    void look();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace history
