// source/source.hpp -- where objects come from: one build of the database.
// A build is immutable; const functions are safe from any thread. Held by shared_ptr since a
// request keeps the build that was current when it began, while a switch replaces it.
// SPDX-License-Identifier: MIT
#pragma once

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

// Objects of one class in a build.
struct ClassCount {
    std::string class_name;
    std::uint64_t objects = 0;
    bool operator==(const ClassCount&) const = default;
};

class Source {
   public:
    virtual ~Source() = default;

    [[nodiscard]] virtual const base::Release& release() const = 0;

    // Hex digest over the sorted digests of the build's objects (128 bit, not cryptographic):
    // packing the build otherwise changes nothing.
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

    // Digest of the object's bytes in the build (16 bytes), without loading it; nullopt: absent.
    // Equal digests mean equal bytes. Kept after the build's files are gone.
    [[nodiscard]] virtual base::Result<std::optional<std::string>> digest_of(
        const tree::ObjectName& name) const = 0;

    [[nodiscard]] virtual std::vector<ClassCount> class_counts() const = 0;

    // Every object's name, in no order that callers may rely on; `visit` returns false to stop.
    virtual void each_name(const std::function<bool(const tree::ObjectName&)>& visit) const = 0;

    [[nodiscard]] virtual const tree::Models& models() const = 0;
};

using Build = std::shared_ptr<const Source>;

}  // namespace source
