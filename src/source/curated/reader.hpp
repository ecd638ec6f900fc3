// source/hand_written.hpp -- curators' .ace files, read as AceDB's own parser reads them: its
// rules for lines, words and commands, and what it makes of values. All files of a build are
// loaded one after the other into one set of objects, which is held in memory.
//
// The models decide what a word is, and spell tags and classes. A name is one object in any case,
// spelled as it was first; where the models say UNIQUE, a new value takes the place of the old
// one; a line without -O leaves the stamps that are there. -R and -A rename in all references.
//
// Not done, since it stands in no file: reverse links (XREF), objects that are but mentioned,
// UserSession objects, stamps of the loading session, the time of `now`, subclasses, and options
// (wspec/options.wrm). Source: AceDB 4.9.62 as observed (docs/sources.md, "Curators' files").
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "source/import/file_object.hpp"
#include "tree/model.hpp"

namespace source::curated {

struct ReaderSettings {
    const tree::Models* models = nullptr;  // empty ones: tags stay as they are named
    base::Date today{};                    // what `today` and `now` stand for: the release's date
    // The bytes of a file that is included with @NAME; NAME has no `/`, does not begin with `.`.
    //   error  absent, unavailable, too_large
    std::function<base::Result<std::string>(const std::string& name)> included;
    // What all objects may take in memory, roughly; also of one line, and of what one file
    // includes.
    std::size_t most_bytes = std::size_t{2} << 30;
};

// A paragraph or line that AceDB would refuse; the rest is loaded (as its `pparse` does).
struct Rejection {
    std::string place;  // file:line
    std::string what;
};

class Reader {
   public:
    explicit Reader(ReaderSettings settings);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Loads one file after those before.
    //   error  too_large (most_bytes, includes nested deeper than 16); unavailable and absent of
    //          an included file, with the place that names it; refused, where a file is included
    //          that lies elsewhere
    [[nodiscard]] base::Result<void> load(const std::string& file_name, std::string_view bytes);

    // What AceDB would have refused, in the order of the files; the first 1,000.
    [[nodiscard]] const std::vector<Rejection>& complaints() const;
    [[nodiscard]] std::uint64_t complaint_count() const;
    // Names of files that were included, each once.
    [[nodiscard]] const std::vector<std::string>& included() const;

    // The objects that headers name, in the order in which they first do, each with the place
    // of that header (an included one's is where it is included from); call once.
    void take(const std::function<void(import::FileObject)>& visit);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace source::curated
