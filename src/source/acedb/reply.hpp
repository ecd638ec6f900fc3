// source/ace_reply.hpp -- what AceDB's replies say.
// Pure; any bytes. Source: replies recorded from AceDB 4.9.62 (tests/data/wire).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/source.hpp"

namespace source::acedb {

// True when it ends in the line `// N Active Objects`, as every reply does.
[[nodiscard]] bool is_whole(std::string_view reply);

// Of `status`.
struct Status {
    std::string name;       // of the database: "WS188"; empty: none is set
    std::string directory;  // on its own machine
    // Differs when the database is another, or was saved since: name, release, directory,
    // session, last save.
    std::string identity;
};
//   error  malformed: no status
[[nodiscard]] base::Result<Status> parse_status(std::string_view reply);

// N of `// Found N objects …`, the reply to find.
//   error  malformed
[[nodiscard]] base::Result<std::uint64_t> parse_found(std::string_view reply);

// N of the line `// N Active Objects` that ends it: how many a list of them names at least.
//   error  malformed
[[nodiscard]] base::Result<std::uint64_t> parse_active(std::string_view reply);

// The class and number of each line of `classes`, as spelled there.
//   error  malformed
[[nodiscard]] base::Result<std::vector<ClassCount>> parse_classes(std::string_view reply);

// The names in a reply to `list -a`, in its order, unescaped; of every class.
//   error  malformed
[[nodiscard]] base::Result<std::vector<tree::ObjectName>> parse_list(std::string_view reply);

// What the database says beside its data, for a message: its first line that tells something,
// printable ASCII, at most 200 characters; empty when there is none.
[[nodiscard]] std::string words_of(std::string_view reply);

// The models in a reply to `model`, without what AceDB adds.
[[nodiscard]] std::string_view model_text(std::string_view reply);

// The bytes of each object in a reply to `show -a -T`, as a dump has them: header to the LF of
// the last line (a LongText's terminator included), without the blank line behind.
//   error  malformed: the reply ends inside an object, or lacks `// N objects dumped`
[[nodiscard]] base::Result<std::vector<std::string_view>> parse_shown(std::string_view reply);

}  // namespace source::acedb
