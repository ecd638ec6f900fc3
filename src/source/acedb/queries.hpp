// source/acedb/queries.hpp -- what we ask a running AceDB: its objects' names, its models, one
// object, and the sample of objects for rule C4. Asked gently: the server has other clients.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/database.hpp"
#include "source/index/index.hpp"
#include "tree/object.hpp"

namespace source::acedb {

struct Listing {
    std::vector<std::string> classes;  // that have objects, as the database spells them
    std::uint64_t untracked = 0;       // objects that cannot be tracked (tree::can_be_tracked)
    std::vector<tree::ObjectName> sample;  // about 1,500 from all over it, or none of few
};

// Adds every object to the index, class by class: `classes`, then `find` and `list` for each.
//   identity  of the database (Status), here and below
//   error     as Database::with_session; unavailable: fewer names than announced; malformed: the
//             replies are not AceDB's
//   cost      memory for the names of the largest class
[[nodiscard]] base::Result<Listing> list_objects(Database& database, const std::string& identity,
                                                 IndexWriter& writer);

// Returns the models of these classes, and of every #hash that one of them names, as a models.wrm
// has them. Classes without a model are left out.
//   error  as Database::with_session; malformed when the hashes have no end
[[nodiscard]] base::Result<std::string> ask_models(Database& database,
                                                   const std::string& identity,
                                                   const std::vector<std::string>& classes);

// Returns the bytes of the object of exactly this spelling, as a dump has them: what `find` finds
// and `show -a -T` shows. Checks that it is the object that was asked for.
//   error  malformed: the database does not have it any more, returns no content for it, answers
//          twice with another object, or replies something unreadable (never absent: it is listed);
//          too_large above options.most_bytes; unavailable: not reached, another build, a cut reply
//   cost   `find` and `show`; a `list`, too, for names that are sent as patterns; all that again when
//          the first answer is another object
[[nodiscard]] base::Result<std::string> ask_object(Database& database,
                                                   const std::string& identity,
                                                   const tree::ObjectName& name,
                                                   const ReplyOptions& options);

// Returns the stamps of the loading sessions (rule C4), by `find` and `show` of each object of
// the sample.
//   error  unavailable, refused
[[nodiscard]] base::Result<std::vector<std::string>> sample_stamps(
    Database& database, const std::string& identity, const std::vector<tree::ObjectName>& sample,
    std::size_t largest);

// Returns the words after `#` in the text of a model, without comments; each once. Pure.
[[nodiscard]] std::vector<std::string> hashes_in(std::string_view model);

}  // namespace source::acedb
