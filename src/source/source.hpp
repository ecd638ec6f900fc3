// source/source.hpp -- where objects come from: one build of the database.
// A build is immutable; const functions are safe from any thread. Held by shared_ptr since a
// request keeps the build that was current when it began, while a switch replaces it.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "tree/model.hpp"
#include "tree/object.hpp"

namespace source {

// Of an object's bytes in the build, 128 bit, not cryptographic. Equal digests: equal bytes.
using Digest = std::array<std::uint64_t, 2>;

// Objects of one class in a build.
struct ClassCount {
    std::string class_name;
    std::uint64_t objects = 0;
    bool operator==(const ClassCount&) const = default;
};

// One object as a build lists it, without loading it. Views last for the call.
struct Listed {
    std::string_view class_name, name;
    Digest digest{};
    std::uint64_t bytes = 0;  // that the object takes in the build
    [[nodiscard]] tree::ObjectName id() const {
        return {std::string(class_name), std::string(name)};
    }
};

// A build's list cut into parts, for those who walk it in pieces.
struct Parts {
    // Equal for builds that list the same objects in the same order, on any host.
    std::string order;
    // Part i goes from places[i] to places[i + 1]; k parts have k + 1 places.
    std::vector<std::uint64_t> places;
    [[nodiscard]] std::size_t size() const { return places.size() - 1; }
};

class Source {
   public:
    virtual ~Source() = default;

    [[nodiscard]] virtual const base::Release& release() const = 0;

    // Hex digest over the sorted digests of the build's objects (128 bit, not cryptographic):
    // packing the build otherwise changes nothing. Of a running server: "server:" and the hex
    // digest of what it says of itself (source/live_build.hpp).
    [[nodiscard]] virtual const std::string& digest() const = 0;

    // The build's spelling of an object: exact, else the only match without regard to ASCII
    // case; nullopt when there is none (or several and none exact).
    //   error  unavailable
    [[nodiscard]] virtual base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const = 0;

    // The object of exactly this spelling, duplicates merged, kinds told by the models.
    //   error  absent; malformed (file, line, object); too_large (max_object_mb);
    //          unavailable (the folder has gone, the server is down)
    [[nodiscard]] virtual base::Result<tree::Object> load(const tree::ObjectName& name) const = 0;

    // True for stamps of the build's own loading sessions: any single stamp found in more than a
    // tenth of a sample of at least 1,000 objects spread over the build (rule C4). Sampled once,
    // at the first call; a build of fewer objects has none.
    [[nodiscard]] virtual base::Result<bool> is_loading_stamp(std::string_view stamp) const = 0;

    // Digest of the object of exactly this spelling, without loading it; nullopt: absent. Kept
    // after the build's files are gone.
    [[nodiscard]] virtual base::Result<std::optional<Digest>> digest_of(
        const tree::ObjectName& name) const = 0;

    [[nodiscard]] virtual std::vector<ClassCount> class_counts() const = 0;

    // Parts of `objects` objects each but the last; at least one part, which may be empty.
    //   cost  a walk over the list
    [[nodiscard]] virtual Parts parts(std::uint64_t objects) const = 0;

    // The objects from one place of parts() up to another, in the build's own order; `visit`
    // returns false to stop. 0 is the first place, UINT64_MAX is behind the last.
    virtual void each(std::uint64_t from, std::uint64_t to,
                      const std::function<bool(const Listed&)>& visit) const = 0;

    [[nodiscard]] virtual const tree::Models& models() const = 0;

    // That what was loaded meanwhile was of this build: asked before something that was loaded is
    // recorded. A running database may be saved, or another one, since it was asked.
    //   error  unavailable: it was not, or nobody answers; drop what was loaded
    [[nodiscard]] virtual base::Result<void> confirm() const { return {}; }

    // What an operator should know of a build that is served all the same, a sentence each
    // (`varve check` shows them); most builds have none.
    [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

using Build = std::shared_ptr<const Source>;

// Every object of the build.
inline void each_object(const Source& build, const std::function<bool(const Listed&)>& visit) {
    build.each(0, UINT64_MAX, visit);
}

}  // namespace source
