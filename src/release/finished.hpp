// release/finished.hpp -- what jobs have finished, what they could not read, and what requests
// have done since: the tables warmed, failed and objects, as the release job asks them.
// `only`: of this class; empty: of all. All throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "release/mass_change.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace release {

// The releases in which a job of this selection was finished, in no order.
[[nodiscard]] std::vector<std::string> warmed_in(store::Pool& pool, const std::string& only);

// The objects that are listed as not compared in the release though it was finished.
[[nodiscard]] std::vector<tree::ObjectName> failed_in(store::Pool& pool,
                                                      const std::string& version,
                                                      const std::string& only);

// Objects whose own row was compared in one of these releases last: a request found them there,
// they may have changed, and changed back.
//   cost  a scan of the rows for each version
[[nodiscard]] std::vector<tree::ObjectName> compared_in(store::Pool& pool,
                                                        const std::vector<std::string>& versions,
                                                        const std::string& only);

// The end of a job.
struct End {
    std::string only;
    std::uint64_t looked_at = 0;
    std::vector<MassChange> mass_changes;
};
// Notes it, for each class of the build that was meant; written twice it stands once.
//   error  conflict: the release is recorded with other content by now
[[nodiscard]] base::Result<void> note_end(store::Transaction& transaction,
                                          const source::Source& build, base::Seconds now,
                                          const End& end);

}  // namespace release
