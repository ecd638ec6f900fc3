// release/replace_steps.hpp -- the steps of replacing a release, a range of objects at a time:
// what replace() has many threads do. Each may be done again and changes nothing then.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "release/attempt.hpp"
#include "release/replace.hpp"
#include "release/stage.hpp"
#include "tables/tables.hpp"

namespace release {

// What all steps go by.
struct Grounds {
    const Replacing& replacing;
    Attempt attempt;
    source::Build replaced;  // as it was recorded; nullptr: its index is not kept
    tables::Releases releases;

    [[nodiscard]] const base::Release& release() const { return replacing.build->release(); }
    [[nodiscard]] store::Pool& pool() const { return replacing.desk.pool; }
};

// Oids.
struct Range {
    std::int64_t after = 0, to = 0;
};
inline constexpr Range all_oids{0, INT64_MAX};

// Objects are looked at in this order: those that are there may have the content, and so be the
// new name, of one that is gone (C9).
enum class Side : unsigned char { gone, there };

// Computes replacements and writes them.
// Safe from any thread.
class LookOver {
   public:
    explicit LookOver(const Grounds& grounds);  // which outlive it
    ~LookOver();

    //   first   the first time that it is looked over: what stays as it is is counted
    //   error   conflict: another build has replaced the release; what loading met
    //   throws  store::Failure, as all that follow
    [[nodiscard]] base::Result<Tally> at(const Range& range, Side side, bool first,
                                         const GoOn& go_on);

   private:
    class Seen;
    class Gathered;
    struct Slice;
    enum class Look : unsigned char { other_side, same, differs };

    [[nodiscard]] Slice read(const Range& range) const;
    [[nodiscard]] base::Result<Look> look(const tables::ObjectRow& row, Side side,
                                          bool is_renamed) const;

    const Grounds& grounds_;
    std::unique_ptr<Seen> seen_;
};

// Moves replacements that are in force into place.
//   error  malformed: notes that are no notes
[[nodiscard]] base::Result<void> place(const Grounds& grounds, const Range& range,
                                       const GoOn& go_on);

// Records the objects of a part of the build that have no row, in classes whose objects all
// shall have one.
//   classes  the empty name means all
[[nodiscard]] base::Result<Tally> add_part(const Grounds& grounds, std::uint64_t from,
                                           std::uint64_t to, const std::set<std::string>& classes,
                                           const GoOn& go_on);

// What could not be read in the build before may be readable in this one.
[[nodiscard]] base::Result<Tally> try_failed(const Grounds& grounds);

}  // namespace release
