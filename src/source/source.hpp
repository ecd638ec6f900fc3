// source/source.hpp -- where objects come from: one build of the database.
// A build is immutable, and its functions are safe from any thread. Builds are held by shared_ptr:
// a request keeps the build that was current when it began, even when another one replaces it.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
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

// A digest of an object's bytes in the build: 128 bit, not cryptographic. Equal digests mean
// equal bytes.
using Digest = std::array<std::uint64_t, 2>;

// The number of objects of a class.
struct ClassCount {
    std::string class_name;
    std::uint64_t objects = 0;
    bool operator==(const ClassCount&) const = default;
};
// Returns how many objects a class has among these; 0: it is none of them.
[[nodiscard]] inline std::uint64_t objects_of(const std::vector<ClassCount>& counts,
                                              std::string_view class_name) {
    const auto found = std::ranges::find(counts, class_name, &ClassCount::class_name);
    return found == counts.end() ? 0 : found->objects;
}

// One object as a build lists it, without loading it. Views last for the call.
struct Listed {
    std::string_view class_name, name;
    Digest digest{};
    std::uint64_t bytes = 0;  // of the object in the build
    [[nodiscard]] tree::ObjectName id() const {
        return {std::string(class_name), std::string(name)};
    }
};

// A build's list of objects in parts, for jobs that share it.
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

    // Hex digest over the sorted digests of the build's objects (128 bit, not cryptographic). It
    // does not depend on how objects are distributed over files or how these are packed. That of a
    // running database is "server:" and a hex digest (source/acedb/build.hpp).
    [[nodiscard]] virtual const std::string& digest() const = 0;

    // Returns the build's spelling of an object: exact, else the only match ignoring ASCII case;
    // nullopt when there is none (or several and none is exact).
    //   error  unavailable
    [[nodiscard]] virtual base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const = 0;

    // Confirms that the build lacks an object which find() does not find.
    //   error  malformed: a part of the build cannot be read, and the object may be in it
    [[nodiscard]] virtual base::Result<void> confirm_absent() const { return {}; }

    // Returns the object of exactly this spelling: duplicates merged, kinds of cells as the
    // models say.
    //   error  absent; malformed (file, line, object); too_large (max_object_mb);
    //          unavailable (the folder is gone, the server is down)
    [[nodiscard]] virtual base::Result<tree::Object> load(const tree::ObjectName& name) const = 0;

    // True for stamps of the sessions in which the build was loaded: those of a user and a day that
    // together are in more than a tenth of a sample of at least 1,000 objects from all over the
    // build (rule C4). The first
    // call takes the sample. A build of fewer objects has no such stamps.
    [[nodiscard]] virtual base::Result<bool> is_loading_stamp(std::string_view stamp) const = 0;

    // Returns the digest of the object of exactly this spelling without loading it; nullopt:
    // absent. It outlives the build's files.
    [[nodiscard]] virtual base::Result<std::optional<Digest>> digest_of(
        const tree::ObjectName& name) const = 0;

    [[nodiscard]] virtual std::vector<ClassCount> class_counts() const = 0;

    // True for classes that this build says nothing about: those that the operator left out
    // ([source] skip_classes), those that AceDB keeps for itself, and those whose name cannot be
    // tracked (tree::can_be_tracked). Their objects are neither listed nor found, and have not
    // vanished.
    [[nodiscard]] virtual bool skips(std::string_view class_name) const = 0;

    // Returns what kind of source it was made from, for people: "AceDB's dumps". Builds of two
    // kinds may list different classes even of one database.
    [[nodiscard]] virtual std::string kind() const = 0;

    // True when loading an object takes one seek and one parse. A running database has to be asked.
    [[nodiscard]] virtual bool loads_at_once() const { return true; }

    // Returns parts of `objects` objects each, the last one smaller; at least one, which may be
    // empty. Objects whose names differ in case alone are in one part.
    //   cost  a walk over the list
    [[nodiscard]] virtual Parts parts(std::uint64_t objects) const = 0;

    // Visits the objects from one of parts().places up to another, in an order that builds share;
    // `visit` returns false to stop. 0 is the first place, UINT64_MAX is after the last.
    virtual void each(std::uint64_t from, std::uint64_t to,
                      const std::function<bool(const Listed&)>& visit) const = 0;

    [[nodiscard]] virtual const tree::Models& models() const = 0;

    // Confirms that what was loaded so far belongs to this build. Call it before you record
    // something: a running database may have been saved or replaced meanwhile.
    //   error  unavailable: it does not, or nobody answers; discard what was loaded
    [[nodiscard]] virtual base::Result<void> confirm() const { return {}; }

    // What an operator should know about a build that is served nevertheless, a sentence each
    // (`varve check` shows them). Most builds have none.
    [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

using Build = std::shared_ptr<const Source>;

// Visits every object of the build.
inline void each_object(const Source& build, const std::function<bool(const Listed&)>& visit) {
    build.each(0, UINT64_MAX, visit);
}

// Visits the objects of a build that `other`.find() does not find; `visit` returns false to stop.
//   error  unavailable
//   cost   a look-up for each object
inline base::Result<void> each_unknown_to(const Source& build, const Source& other,
                                          const std::function<bool(const Listed&)>& visit) {
    base::Result<void> done;
    each_object(build, [&](const Listed& listed) {
        const auto known = other.find(listed.id());
        if (!known) done = tl::unexpected(known.error());
        return known && (*known || visit(listed));
    });
    return done;
}

}  // namespace source
